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

/// How machines fail in a sweep.
pub const KINDS: [FaultKind; 2] = [FaultKind::ProcessCrash, FaultKind::MachineLoss];

/// Where a machine is to fail, and how.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Failure {
    /// Where.
    pub address: Address,
    /// How: by its number in [`KINDS`].
    pub kind: usize,
}

/// One fault for each machine and kind, at no address yet.
pub fn extra_faults(systems: &Plan, victims: &[NodeId], down_ns: Nanos) -> Vec<FaultConfig> {
    let nowhere = |node: NodeId| Address { node, handler: 0, incarnation: 1, effect: 0 };
    let kinds = |node: &NodeId| {
        let address = nowhere(*node);
        (0..KINDS.len()).map(move |kind| Failure { address, kind })
    };
    let failures = victims.iter().flat_map(kinds);
    failures.map(|failure| fault(systems, failure, down_ns)).collect()
}

/// A failure as a scenario says it.
pub fn fault(systems: &Plan, failure: Failure, down_ns: Nanos) -> FaultConfig {
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
        for_ns: Some(down_ns),
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
