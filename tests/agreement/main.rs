//! The event world and the turmoil world agree exactly: every event of every machine, every output
//! and its instant, what was lost, how and when a run ends. `matrix`: what every strategy does when
//! anything befalls it; `random`: whatever plan; `mutants`: that a difference would be noticed.
//!
//! `AFTERMATH_SEEDS=20` tries more seeds of the matrix, `PROPTEST_CASES=1000` more random plans.

mod matrix;
mod mutants;
mod random;
#[path = "../support/mod.rs"]
mod support;

use aftermath_harness::agreement::differences;
use aftermath_harness::plan::RunPlan;
use aftermath_harness::run::{RunLog, run_in};
use aftermath_harness::trace;
use aftermath_harness::world::World;
use std::rc::Rc;

/// The run in both worlds.
fn both(plan: &Rc<RunPlan>, traced: bool) -> (RunLog, RunLog) {
    (run_in(World::Events, plan, traced), run_in(World::Turmoil, plan, traced))
}

/// The run in the event world, or how turmoil differs.
fn agreed(plan: &Rc<RunPlan>) -> Result<RunLog, String> {
    let (events, turmoil) = both(plan, false);
    let Some(differs) = differences(&events, &turmoil) else { return Ok(events) };
    let (events, turmoil) = both(plan, true);
    let first = trace::first_difference(&events, &turmoil);
    Err(format!("{differs}{}", first.unwrap_or("every event is the same".to_string())))
}
