//! Failures: where a machine fails and how, and as a scenario says it.

use super::points::Address;
use crate::config::{FaultAt, FaultConfig, FaultPlace, LinkEnd, Target};
use crate::faults;
use aftermath_systems::claim::FaultKind;
use aftermath_systems::operator::mix;
use aftermath_systems::options::Options;
use aftermath_systems::plan::Plan;
use aftermath_systems::protocol::{Nanos, NodeId};
use std::collections::BTreeMap;

/// How machines fail in a sweep. A pause is a first of two failures only: by itself it is over
/// before anybody may be wrong about it, and who was replaced meanwhile does not know.
pub const KINDS: [FaultKind; 3] =
    [FaultKind::ProcessCrash, FaultKind::MachineLoss, FaultKind::Pause];

/// So many of them kill.
pub const KILLS: usize = 2;

/// How long machines fail, ns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lengths {
    /// By the first of two failures.
    pub first_ns: Nanos,
    /// By the second of two, or the only one.
    pub last_ns: Nanos,
}

/// Where a machine is to fail, and how.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Failure {
    /// Where.
    pub address: Address,
    /// How: by its number in [`KINDS`].
    pub kind: usize,
}

/// One fault for each machine and kind, at no address yet.
pub fn extra_faults(systems: &Plan, victims: &[NodeId], for_ns: Nanos) -> Vec<FaultConfig> {
    let nowhere = |node: NodeId| Address { node, handler: 0, incarnation: 1, effect: 0 };
    let kinds = |node: &NodeId| {
        let address = nowhere(*node);
        (0..KINDS.len()).map(move |kind| Failure { address, kind })
    };
    let failures = victims.iter().flat_map(kinds);
    failures.map(|failure| fault(systems, failure, for_ns)).collect()
}

/// One failure, or two, as a scenario says them.
pub fn written(systems: &Plan, failures: &[Failure], lengths: Lengths) -> Vec<FaultConfig> {
    let last = failures.len().saturating_sub(1);
    let for_ns = |nth: usize| if nth < last { lengths.first_ns } else { lengths.last_ns };
    let one = |(nth, failure): (usize, &Failure)| fault(systems, *failure, for_ns(nth));
    failures.iter().enumerate().map(one).collect()
}

fn fault(systems: &Plan, failure: Failure, for_ns: Nanos) -> FaultConfig {
    let Failure { address, kind } = failure;
    let node = systems.node(address.node);
    let instance = systems.instance(node.instance);
    let operator = systems.operator(instance.operator).name.clone();
    let entry = faults::of(KINDS[kind]);
    let options = Options::resolve(entry.options, &BTreeMap::new());
    let (index, replica) = (instance.index, node.replica);
    let target = Target { operator: operator.clone(), instance: index, replica: Some(replica) };
    FaultConfig {
        kind: entry.kind,
        place: FaultPlace::Node(target),
        options: options.expect("nothing is given, so nothing is wrong"),
        at: FaultAt::Address {
            node: LinkEnd { operator, instance: Some(index), replica: Some(replica) },
            incarnation: address.incarnation,
            handler: address.handler,
            effect: address.effect,
        },
        for_ns: Some(for_ns),
        draws: None,
    }
}

/// A number that depends on nothing but the seed and where who fails.
pub fn draw(seed: u64, failures: &[Failure]) -> u64 {
    failures.iter().fold(mix(0, seed), |hash, failure| {
        let address = failure.address;
        let place = u64::from(address.node.0) << 32 | u64::from(address.incarnation);
        [place, address.handler, address.effect, failure.kind as u64].into_iter().fold(hash, mix)
    })
}
