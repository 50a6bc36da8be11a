//! Whether a fork has come back to where its twin was: then what follows is what followed there,
//! and need not be run.
//!
//! It has when every instance's state is what the twin's was at the same input position, the
//! newest output has no more lag than the twin's have, no more tuples are held than the twin held
//! of late, and all consequences of its faults have come: nobody is down or being repaired,
//! pairs are complete, what is kept has been trimmed again, and so much time has passed that
//! whoever was to suspect somebody has. Without that, a dead spare that nobody suspects yet
//! would look like the twin.

use super::twin::{Twin, leading, trimming};
use crate::machine::{Machine, Strike, Stripped};
use crate::plan::RunPlan;
use crate::world::{Ended, EventWorld};
use aftermath_systems::operator::OperatorClass;
use aftermath_systems::protocol::{Nanos, NodeId};

/// Tuples that a run may hold more than its twin, a few more or less being under way.
const RETAINED_MARGIN: u64 = 2;

/// Until when the twin's outputs count, by node: how many of each.
pub type Cut = Vec<usize>;

/// When the faults of the scenario itself are over; `None`: nobody knows before the end.
pub fn scenario_over(plan: &RunPlan, own: usize) -> Option<Nanos> {
    let over = plan.faults[..own]
        .iter()
        .map(|fault| (fault.trigger.is_none() && fault.for_ns.is_some()).then(|| fault.over_at()));
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
    Some(latest + settings.redirect + 2 * plan.longest_latency_ns() + plan.tick_ns)
}

/// Whether a fork that is quiet is where its twin was. `stripped`: what its logs lack.
pub fn rejoined(plan: &RunPlan, twin: &Twin, world: &EventWorld, stripped: &[Stripped]) -> bool {
    let systems = &plan.systems;
    let machines = world.machines();
    let since = machines.iter().filter_map(|machine| machine.log.activations.last()).max();
    let since = since.copied().unwrap_or(0);
    let memory_is_judged = memory_is_judged(plan, twin, machines);
    // The stretch is eight times what is kept from one trim to the next. What leaks has grown above
    // that when so much has come and a third more. Asked first: most forks wait for it.
    if memory_is_judged && world.now() < since + twin.stretch_ns / 6 {
        return false;
    }
    let same_state = systems.instances.iter().enumerate().all(|(number, instance)| {
        systems.operator(instance.operator).operator().is_none()
            || leading(instance, machines).is_some_and(|digest| twin.has_been(number, &digest))
    });
    let memory =
        || trims_again(twin, machines, since) && holds_no_more(plan, twin, machines, stripped);
    same_state
        && machines.iter().all(Machine::is_steady)
        && pairs_are_complete(plan, machines)
        && (!memory_is_judged || memory())
        && outputs_until(twin, world).is_some()
}

/// Whether every instance one of whose machines has died, or was replaced while it lived, has its
/// spare again.
fn pairs_are_complete(plan: &RunPlan, machines: &[Machine]) -> bool {
    machines.iter().all(|machine| {
        let instance = plan.systems.node(machine.id).instance;
        let replicas = &plan.systems.instance(instance).replicas;
        let activations = |node: &NodeId| machines[node.index()].log.activations.last();
        let replaced = |since: Nanos| replicas.iter().filter_map(activations).any(|at| *at > since);
        let upsets =
            |strike: &&Strike| plan.faults[strike.fault].kind.kills() || replaced(strike.at);
        let strikes = machine.log.strikes.iter().filter(upsets);
        replicas.len() == 1
            || strikes.into_iter().all(|strike| {
                let marks = replicas.iter().flat_map(|node| &machines[node.index()].log.marks);
                let back = strike.healed.unwrap_or(Nanos::MAX);
                marks.rev().any(|mark| mark.name == "pair-complete" && mark.at > back)
            })
    })
}

/// Whether every channel on which the twin trims something was trimmed after an instant, ns, by as
/// many machines: who does not trim any more must not be taken for the twin.
fn trims_again(twin: &Twin, machines: &[Machine], since: Nanos) -> bool {
    let recent = trimming(machines.iter().map(|machine| &machine.log), since);
    let of = |channel| recent.get(channel).copied().unwrap_or(0);
    twin.trimmed.iter().all(|(channel, machines)| of(channel) >= *machines)
}

/// Whether no instance keeps more tuples than the twin's kept within the last interval: what is
/// kept grows until it is trimmed, and who has taken over trims at other instants.
fn holds_no_more(plan: &RunPlan, twin: &Twin, machines: &[Machine], stripped: &[Stripped]) -> bool {
    // All sample at the same instants.
    let (Some(first), Some(stripped)) = (machines.first(), stripped.first()) else { return false };
    let samples = stripped.samples + first.log.retained.len();
    let of_interval = plan.systems.settings.interval.div_ceil(plan.sample_every_ns) as usize;
    plan.systems.instances.iter().all(|instance| {
        let replicas = || instance.replicas.iter().map(|node| node.index());
        let theirs = |nth: usize| -> Option<u64> {
            replicas().map(|node| twin.log.nodes[node].log.retained.get(nth)).sum()
        };
        let most = (samples.saturating_sub(of_interval)..samples).filter_map(theirs).max();
        let retained: u64 = replicas().filter_map(|node| machines[node].log.retained.last()).sum();
        most.is_some_and(|most| retained <= most + RETAINED_MARGIN)
    })
}

/// Whether what is left of the stream after the last repair is long enough for memory to be judged.
fn memory_is_judged(plan: &RunPlan, twin: &Twin, machines: &[Machine]) -> bool {
    let strikes = machines.iter().flat_map(|machine| &machine.log.strikes);
    let healed = strikes.filter_map(|strike| strike.healed).max().unwrap_or(0);
    plan.systems.workload.end_at.saturating_sub(healed) >= twin.stretch_ns
}

/// How many of the twin's outputs the fork has got to, if they come in time.
pub fn outputs_until(twin: &Twin, world: &EventWorld) -> Option<Cut> {
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
