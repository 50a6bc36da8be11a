//! Do the two worlds agree? Everything that a run leaves behind is compared, exactly: what it
//! delivered, what every machine recorded, its hash, its state, how and when the run ended. Verdict
//! and recovery times are computed from that alone.

use crate::config::Worlds;
use crate::plan::RunPlan;
use crate::run::{NodeLog, RunLog, run_in};
use crate::trace;
use crate::world::World;
use std::rc::Rc;

/// Runs a plan where it is to be run. Where two worlds run it the log is the event world's, and how
/// the other one differs, for people, if it does.
pub fn run(worlds: Worlds, plan: &Rc<RunPlan>, traced: bool) -> (RunLog, Option<String>) {
    match worlds {
        Worlds::Events => (run_in(World::Events, plan, traced), None),
        Worlds::Turmoil => (run_in(World::Turmoil, plan, traced), None),
        Worlds::Both => {
            let events = run_in(World::Events, plan, traced);
            let turmoil = run_in(World::Turmoil, plan, traced);
            let differs = differences(&events, &turmoil);
            let told = differs.map(|what| what + &first_event(plan));
            (events, told)
        }
    }
}

/// What differs between two logs of one plan, one thing a line.
pub fn differences(events: &RunLog, turmoil: &RunLog) -> Option<String> {
    let mut lines = String::new();
    let mut compare = |what: &str, a: String, b: String| {
        if a != b {
            lines += &format!("{what}: {a} in the event world, {b} on turmoil\n");
        }
    };
    let how = |run: &RunLog| format!("{:?} at {} ns", run.ended, run.length_ns);
    compare("end", how(events), how(turmoil));
    let pairs = events.nodes.iter().zip(&turmoil.nodes);
    for (plan, (a, b)) in events.plan.systems.nodes.iter().zip(pairs) {
        let node = |node: &NodeLog| {
            format!(
                "hash {:016x} over {} events, {} frames lost, leads: {}, state {:?}",
                node.hash, node.handlers, node.log.frames_lost, node.is_primary, node.digest
            )
        };
        compare(&plan.name, node(a), node(b));
        if a.log != b.log {
            compare(&plan.name, "its log".into(), "another".into());
        }
    }
    if events.deliveries != turmoil.deliveries {
        let outputs = |run: &RunLog| format!("{} outputs", run.deliveries.len());
        compare("outputs", outputs(events), format!("{}, others", outputs(turmoil)));
    }
    (!lines.is_empty()).then_some(lines)
}

/// Runs both again with their traces and shows where they part: the smallest (time, node, handler).
fn first_event(plan: &Rc<RunPlan>) -> String {
    let [events, turmoil] = [World::Events, World::Turmoil].map(|world| run_in(world, plan, true));
    match trace::parting(&events, &turmoil) {
        Some((a, b)) => format!("first event that differs\nevents:\n{a}\nturmoil:\n{b}\n"),
        None => "every event is the same\n".to_string(),
    }
}
