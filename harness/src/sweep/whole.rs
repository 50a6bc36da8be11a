//! Failures as a scenario says them, and the auditor: a run from start to end in which they are
//! written, with its own plan, judged as any other run.

use super::fork::Failure;
use super::twin::Twin;
use super::verdict::{Verdict, judge};
use crate::config::{FaultAt, FaultConfig, FaultPlace, LinkEnd, RunConfig, Target};
use crate::faults;
use crate::plan::RunPlan;
use crate::run::run;
use crate::seed::Seed;
use aftermath_systems::claim::FaultKind;
use aftermath_systems::options::Options;
use aftermath_systems::plan::Plan;
use aftermath_systems::protocol::{Nanos, NodeId};
use aftermath_systems::strategies::Registry;
use std::collections::BTreeMap;
use std::rc::Rc;

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

/// One fault for each machine and kind, at no address yet.
pub fn extra_faults(systems: &Plan, victims: &[NodeId], for_ns: Nanos) -> Vec<FaultConfig> {
    let nowhere = |node: NodeId| super::Address { node, handler: 0, incarnation: 1, effect: 0 };
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

/// What is run where machines fail.
pub struct Whole<'a> {
    /// The case.
    pub config: &'a RunConfig,
    /// Strategies by name.
    pub registry: &'a Registry,
    /// The seed.
    pub seed: u64,
    /// How long machines fail.
    pub lengths: Lengths,
}

impl Whole<'_> {
    /// Runs it with these failures from start to end and judges it.
    pub fn run(&self, twin: &mut Twin, failures: &[Failure]) -> Verdict {
        let mut config = self.config.clone();
        let systems = &twin.log.plan.systems;
        config.faults.extend(written(systems, failures, self.lengths));
        let plan = RunPlan::build(&config, self.registry, Seed(self.seed), 0);
        twin.open_whole();
        judge(&run(&Rc::new(plan), false), twin)
    }
}
