//! Whether a fork has come back to where its twin was: then what follows is what followed there,
//! and need not be run.
//!
//! It has when every instance's state is what the twin's was at the same input position, the
//! newest output has no more lag than the twin's have, no machine holds more tuples than the
//! twin's did, and all consequences of its faults have come: nobody is down or being repaired,
//! pairs are complete, and so much time has passed since that whoever was to suspect somebody has,
//! and everything kept has been trimmed once. Without that, a dead spare that nobody suspects yet
//! would look like the twin.

use super::twin::{Twin, leading};
use crate::machine::{Machine, Stripped};
use crate::plan::RunPlan;
use crate::world::{Ended, EventWorld};
use aftermath_systems::operator::OperatorClass;
use aftermath_systems::protocol::Nanos;

/// Tuples that a run may hold more than its twin, a few more or less being under way.
const RETAINED_MARGIN: u64 = 2;

/// Until when the twin's outputs count, by node: how many of each.
pub type Cut = Vec<usize>;

/// When the faults of the scenario itself are over; `None`: nobody knows before the end.
pub fn scenario_over(plan: &RunPlan, own: usize) -> Option<Nanos> {
    let over = plan.faults[..own].iter().map(|fault| {
        (fault.trigger.is_none() && fault.for_ns.is_some()).then(|| fault.over_at())
    });
    over.into_iter().try_fold(0, |latest, over| Some(over?.max(latest)))
}

/// Whether the end of a run can be foreseen at all: what it holds is a function of its inputs.
pub fn foreseeable(plan: &RunPlan, twin: &Twin) -> bool {
    let mut operators = plan.systems.operators.iter().filter_map(|operator| operator.operator());
    let functions = operators.all(|operator| operator.class() < OperatorClass::Arbitrary);
    functions && twin.log.ended == Ended::Drained && !twin.standard.overloaded
}

/// From when on all consequences of what has struck have come, ns. `over`: when the scenario's own
/// faults are.
pub fn quiet_from(plan: &RunPlan, over: Nanos, world: &EventWorld) -> Option<Nanos> {
    let settings = &plan.systems.settings;
    let mut latest = over;
    for strike in world.machines().iter().flat_map(|machine| &machine.log.strikes) {
        let suspected = strike.at + settings.first_suspect_after();
        latest = latest.max(suspected).max(strike.healed?);
    }
    let trimmed = settings.interval + plan.longest_save_ns() + 6 * plan.longest_latency_ns();
    Some(latest + settings.redirect + trimmed + plan.tick_ns)
}

/// Whether a fork that is quiet is where its twin was, and how far the twin's outputs count.
/// `stripped`: what its logs lack.
pub fn rejoined(
    plan: &RunPlan,
    twin: &Twin,
    world: &EventWorld,
    stripped: &[Stripped],
) -> Option<Cut> {
    let systems = &plan.systems;
    let machines = world.machines();
    for (number, instance) in systems.instances.iter().enumerate() {
        if systems.operator(instance.operator).operator().is_some() {
            let digest = leading(instance, machines)?;
            if !twin.has_been(number, &digest) {
                return None;
            }
        }
    }
    if !machines.iter().all(Machine::is_steady) || !pairs_are_complete(plan, machines) {
        return None;
    }
    holds_no_more(twin, machines, stripped).then_some(())?;
    outputs_until(twin, world)
}

/// Whether every instance one of whose machines has died has its spare again.
fn pairs_are_complete(plan: &RunPlan, machines: &[Machine]) -> bool {
    machines.iter().all(|machine| {
        let instance = plan.systems.node(machine.id).instance;
        let replicas = &plan.systems.instance(instance).replicas;
        let kills = |fault: usize| plan.faults[fault].kind.kills();
        let strikes = machine.log.strikes.iter().filter(|strike| kills(strike.fault));
        replicas.len() == 1
            || strikes.into_iter().all(|strike| {
                let marks = replicas.iter().flat_map(|node| &machines[node.index()].log.marks);
                let back = strike.healed.unwrap_or(Nanos::MAX);
                marks.rev().any(|mark| mark.name == "pair-complete" && mark.at > back)
            })
    })
}

/// Whether no more tuples are kept than in the twin at the last sampling instant.
fn holds_no_more(twin: &Twin, machines: &[Machine], stripped: &[Stripped]) -> bool {
    // All sample at the same instants.
    let (Some(first), Some(stripped)) = (machines.first(), stripped.first()) else { return false };
    let samples = stripped.samples + first.log.retained.len();
    let retained: u64 = machines.iter().filter_map(|m| m.log.retained.last()).sum();
    let theirs = samples.checked_sub(1).and_then(|nth| twin.log.retained.get(nth));
    theirs.is_some_and(|theirs| retained <= theirs + RETAINED_MARGIN)
}

/// How many of the twin's outputs the fork has got to, if they come in time.
fn outputs_until(twin: &Twin, world: &EventWorld) -> Option<Cut> {
    let lag = twin.standard.lag_normal_ns;
    let mut cut = Vec::new();
    for (node, (machine, theirs)) in world.machines().iter().zip(&twin.outputs).enumerate() {
        let newest = machine.log.deliveries.last();
        let newest = newest.map(|newest| (newest, twin.find(&newest.semantic)));
        let count = match newest {
            None => 0,
            Some((output, Some((at, nth)))) if at == node => {
                if output.at.saturating_sub(output.scheduled) > lag {
                    return None;
                }
                nth + 1
            }
            // It is none of the twin's.
            Some(_) => return None,
        };
        let due = theirs.partition_point(|output| output.at + lag <= world.now());
        if count < due {
            return None;
        }
        cut.push(count);
    }
    Some(cut)
}
