//! The auditor: a run from start to end in which failures are written as a scenario says them, with
//! its own plan, judged as any other run.

use super::failure::{Failure, Lengths, written};
use super::twin::Twin;
use super::verdict::{Verdict, judge};
use crate::config::RunConfig;
use crate::plan::RunPlan;
use crate::run::run;
use crate::seed::Seed;
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
