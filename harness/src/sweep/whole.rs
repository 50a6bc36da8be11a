//! The auditor: a run from start to end in which failures are written as a scenario says them, with
//! its own plan, judged as any other run.

use super::failure::{Failure, fault};
use super::twin::Twin;
use super::verdict::{Verdict, judge};
use crate::config::RunConfig;
use crate::plan::RunPlan;
use crate::run::run;
use crate::seed::Seed;
use aftermath_systems::protocol::Nanos;
use aftermath_systems::strategies::Registry;
use std::rc::Rc;

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
