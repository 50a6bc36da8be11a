//! Pairs: after a host has come back, its instance must be protected again before the next fault.
//! A strategy that never completes a pair would otherwise hide behind "not covered" for ever.
//!
//! Speaks when a protected instance's host is back for longer than [`bound`] and no replica has
//! reached the point `pair-complete` since the fault.

use super::Case;
use crate::plan::RunPlan;
use aftermath_reports::record::Witness;
use aftermath_systems::options::format_duration;
use aftermath_systems::protocol::Nanos;

/// The pairs that were not re-created in time.
pub fn check(case: &Case) -> Vec<Witness> {
    let run = case.run;
    let systems = &run.plan.systems;
    let strikes = run.strikes();
    let mut witnesses = Vec::new();
    for (node, strike) in &strikes {
        let instance = systems.node(*node).instance;
        let replicas = &systems.instance(instance).replicas;
        let Some(back) = strike.healed.filter(|_| replicas.len() > 1) else { continue };
        let deadline = back + bound(&run.plan);
        let struck_again = strikes.iter().any(|(other, again)| {
            systems.node(*other).instance == instance
                && again.fault != strike.fault
                && (strike.at..=deadline).contains(&again.at)
        });
        // It takes two: the others must have been up all the while.
        let alone = strikes.iter().any(|(other, down)| {
            other != node
                && systems.node(*other).instance == instance
                && down.at <= deadline
                && down.healed.is_none_or(|healed| healed > back)
        });
        let in_time = run.repaired(instance, strike.at) <= deadline;
        if in_time || struck_again || alone || run.length_ns < deadline {
            continue;
        }
        witnesses.push(Witness {
            checker: "pair".into(),
            subject: format!("{} is back and nobody stands by", systems.node(*node).name),
            expected: format!("a complete pair by {}", format_duration(deadline)),
            observed: "none".into(),
            at_ns: Some(deadline),
        });
    }
    witnesses
}

/// Generous: to load and start, to ask around, to be suspected, to get two checkpoints through.
fn bound(plan: &RunPlan) -> Nanos {
    let settings = &plan.systems.settings;
    let cycle = settings.join_after + settings.interval + plan.storage.latency_ns;
    2 * (plan.redirect_ns + cycle) + 10 * plan.longest_latency_ns()
}
