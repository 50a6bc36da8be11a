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

/// How machines fail in a sweep.
pub const KINDS: [FaultKind; 2] = [FaultKind::ProcessCrash, FaultKind::MachineLoss];

/// One fault for each machine and kind, at no address yet.
pub fn extra_faults(systems: &Plan, victims: &[NodeId], down_ns: Nanos) -> Vec<FaultConfig> {
    let nowhere = |node: NodeId| super::Address { node, handler: 0, incarnation: 1, effect: 0 };
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

/// What is run where machines fail.
pub struct Whole<'a> {
    /// The case.
    pub config: &'a RunConfig,
    /// Strategies by name.
    pub registry: &'a Registry,
    /// The seed.
    pub seed: u64,
    /// How long a machine that fails is away, ns.
    pub down_ns: Nanos,
}

impl Whole<'_> {
    /// Runs it with these failures from start to end and judges it.
    pub fn run(&self, twin: &mut Twin, failures: &[Failure]) -> Verdict {
        let mut config = self.config.clone();
        let systems = &twin.log.plan.systems;
        let more = failures.iter().map(|failure| fault(systems, *failure, self.down_ns));
        config.faults.extend(more);
        let plan = RunPlan::build(&config, self.registry, Seed(self.seed), 0);
        twin.open_whole();
        judge(&run(&Rc::new(plan), false), twin)
    }
}
