//! Pairs: after a host has come back, its instance must be protected again before the next fault.
//! A strategy that never completes a pair would otherwise hide behind "not covered" for ever.
//!
//! Speaks when a protected instance's host is back, or a leader that lived was replaced and its
//! fault is over, the stream has recovered, everybody it has to
//! talk with lives, and for longer than [`bound`] no replica has reached the point
//! `pair-complete`. Not judged where more comes in than is worked off.

use super::Case;
use crate::met::met;
use crate::plan::PlannedPlace;
use crate::run::RunLog;
use crate::transfer::transfer;
use crate::upsets::upsets;
use aftermath_reports::record::Witness;
use aftermath_systems::options::format_duration;
use aftermath_systems::protocol::Nanos;

/// The pairs that were not re-created in time.
pub fn check(case: &Case) -> Vec<Witness> {
    let run = case.run;
    let systems = &run.plan.systems;
    let strikes = run.strikes();
    let mut witnesses = Vec::new();
    if strikes.is_empty() || case.standard.overloaded {
        return witnesses;
    }
    for upset in &upsets(run) {
        let node = upset.node;
        let replicas = &systems.instance(upset.instance).replicas;
        let Some(back) = upset.back.filter(|_| replicas.len() > 1) else { continue };
        // After the last input nothing is left to protect, and nothing to join by.
        if back >= systems.workload.end_at {
            continue;
        }
        // Until then queues are longer than usual.
        let recovery = case.recoveries.list.iter().find(|from| from.fault == upset.fault);
        let recovered = match recovery {
            Some(recovery) => recovery.recovered_at(),
            None => Some(back),
        };
        let Some(recovered) = recovered else { continue };
        let deadline = back.max(recovered).saturating_add(bound(run));
        // Everybody it talks with must have been up all the while, and so must itself.
        let mut company = run.plan.acquaintances(node);
        company.push(node);
        let disturbed = strikes.iter().any(|(other, down)| {
            let kind = run.kind(down.fault);
            let concerns = match &run.plan.faults[down.fault].place {
                PlannedPlace::Node { .. } => company.contains(other),
                PlannedPlace::Links { pairs, .. } => {
                    pairs.iter().any(|(a, b)| company.contains(a) && company.contains(b))
                }
            };
            down.fault != upset.fault
                && concerns
                && (kind.kills() || !met(run, down).is_empty())
                && down.at <= deadline
                && down.healed.is_none_or(|healed| healed > upset.at)
        });
        let in_time = upset.repaired <= deadline;
        if in_time || disturbed || run.length_ns < deadline {
            continue;
        }
        witnesses.push(Witness {
            checker: "pair".into(),
            subject: format!("{} is back and nobody stands by", systems.node(node).name),
            expected: format!("a complete pair by {}", format_duration(deadline)),
            observed: "none".into(),
            at_ns: Some(deadline),
        });
    }
    witnesses
}

/// Generous: to load and start, to ask around, to be suspected, to get two checkpoints through;
/// and, where something limits it, to move the largest state that was moved, twice, behind all that
/// waited.
pub(super) fn bound(run: &RunLog) -> Nanos {
    let (plan, settings) = (&run.plan, &run.plan.systems.settings);
    let cycle = settings.join_after() + settings.interval + plan.longest_save_ns();
    let largest = run.nodes.iter().map(|node| node.log.largest_bytes).max().unwrap_or(0);
    let bandwidths = [
        plan.bandwidth_bytes_per_s,
        plan.storage.bandwidth_bytes_per_s,
        plan.storage.restore_bytes_per_s,
    ];
    let moving: Nanos = bandwidths.into_iter().map(|per_s| 2 * transfer(largest, per_s)).sum();
    let waiting = run.waiting.iter().copied().max().unwrap_or(0);
    2 * (settings.redirect + cycle) + 10 * plan.longest_latency_ns() + moving + waiting
}
