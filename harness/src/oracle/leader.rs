//! Leaders: where a living machine can lead an instance, one does, before everything heals. A
//! strategy that waits for a dead machine delivers everything in the end, when that is back, and
//! would only look slow.
//!
//! Speaks when the leader of an instance was killed and for longer than [`bound`] nobody takes over
//! (the point `took-over`), although a replica was well all that while: another one from the fault
//! on, or any from its return on. Whatever was claimed: a strategy may forget, and must go on.
//!
//! Excused while anybody whom a take-over may need comes, goes, stands still or is cut off, and
//! where one of their instances has no living machine. Those are the neighbours; and of a region
//! all its members, their neighbours and the coordinator. Who has been dead for long before is no
//! excuse: nobody needs it. Not judged where more comes in than is worked off.

use super::{Case, pair};
use crate::machine::Strike;
use crate::plan::PlannedPlace;
use crate::run::RunLog;
use aftermath_reports::record::Witness;
use aftermath_systems::options::format_duration;
use aftermath_systems::protocol::{InstanceId, Nanos, NodeId};
use std::collections::BTreeSet;

/// The instances that nobody led although somebody could.
pub fn check(case: &Case) -> Vec<Witness> {
    let run = case.run;
    let systems = &run.plan.systems;
    if case.standard.overloaded {
        return Vec::new();
    }
    let strikes = run.strikes();
    let kills =
        |(_, strike): &&(NodeId, &Strike)| run.kind(strike.fault).kills() && !strike.already_down;
    let mut witnesses = Vec::new();
    for (node, strike) in strikes.iter().filter(kills) {
        let instance = systems.node(*node).instance;
        let replicas = &systems.instance(instance).replicas;
        let leads = leader(run, instance, strike.at) == *node;
        if replicas.len() == 1 || !leads {
            continue;
        }
        let taken_over = run.mark_after(instance, "took-over", strike.at).unwrap_or(Nanos::MAX);
        // Somebody may be able to lead from the fault on, or from a return on.
        let returns = strikes.iter().filter(kills).filter(|(other, _)| replicas.contains(other));
        let returns = returns.filter_map(|(other, down)| Some((down.healed?, *other, *down)));
        let returns = returns.filter(|(back, ..)| *back > strike.at);
        let chances = std::iter::once((strike.at, *node, *strike)).chain(returns);
        let missed = chances.into_iter().find_map(|(since, of, turn)| {
            let deadline = since.saturating_add(bound(run, instance));
            let window = Window { run, strikes: &strikes, since, deadline, of, turn };
            let missed = taken_over > deadline && deadline <= run.length_ns;
            (missed && window.somebody_can_lead(instance)).then_some(deadline)
        });
        witnesses.extend(missed.map(|deadline| Witness {
            checker: "leader".into(),
            subject: format!("{} was killed and nobody leads", systems.node(*node).name),
            expected: format!("a living machine to take over by {}", format_duration(deadline)),
            observed: "none has".into(),
            at_ns: Some(deadline),
        }));
    }
    witnesses
}

/// The last that took over up to an instant; else the first replica. What is marked at the instant
/// of a fault came before it.
fn leader(run: &RunLog, instance: InstanceId, at: Nanos) -> NodeId {
    let replicas = &run.plan.systems.instance(instance).replicas;
    let took_over = |node: &NodeId| {
        let mut marks = run.nodes[node.index()].log.marks.iter();
        let last = marks.rfind(|mark| mark.name == "took-over" && mark.at <= at)?;
        Some((last.at, *node))
    };
    replicas.iter().filter_map(took_over).max().map_or(replicas[0], |(_, node)| node)
}

/// What a pair may take to be complete, and one wait more of each replica: they take turns.
fn bound(run: &RunLog, instance: InstanceId) -> Nanos {
    let systems = &run.plan.systems;
    let replicas = systems.instance(instance).replicas.len() as Nanos;
    pair::bound(run) + replicas * systems.settings.join_after()
}

/// A while in which nothing changes but that a machine goes or comes at `since`.
struct Window<'a> {
    run: &'a RunLog,
    strikes: &'a [(NodeId, &'a Strike)],
    since: Nanos,
    deadline: Nanos,
    /// Who goes or comes.
    of: NodeId,
    /// By the beginning or the end of this.
    turn: &'a Strike,
}

/// How a machine fares meanwhile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Health {
    /// Nothing befalls it.
    Well,
    /// It has been dead for long and stays so, or has just died.
    Dead,
    /// Anything else.
    Changes,
}

impl Window<'_> {
    /// Whether all who may be needed are well, or dead and not needed.
    fn somebody_can_lead(&self, instance: InstanceId) -> bool {
        let plan = &self.run.plan;
        let replicas = |instance: InstanceId| plan.systems.instance(instance).replicas.iter();
        let members = match plan.systems.region_of(plan.systems.instance(instance).replicas[0]) {
            Some(region) => {
                [&region.instances[..], &[plan.systems.node(region.coordinator).instance]].concat()
            }
            None => vec![instance],
        };
        let members: BTreeSet<NodeId> = members.into_iter().flat_map(replicas).copied().collect();
        let known = members.iter().flat_map(|node| plan.acquaintances(*node));
        let company: BTreeSet<NodeId> = members.iter().copied().chain(known).collect();
        let is_well = |instance: InstanceId| {
            replicas(instance).any(|node| self.health(*node) == Health::Well)
        };
        let instances = company.iter().map(|node| plan.systems.node(*node).instance);
        company.iter().all(|node| self.health(*node) != Health::Changes)
            && instances.collect::<BTreeSet<_>>().into_iter().all(is_well)
            && !self.strikes.iter().any(|(_, strike)| self.parts(strike, &company))
    }

    /// How a machine fares.
    fn health(&self, node: NodeId) -> Health {
        let own = self
            .strikes
            .iter()
            .filter(|(other, strike)| *other == node && !self.is_of_links(strike));
        let own: Vec<&Strike> = own.map(|(_, strike)| *strike).collect();
        let goes = node == self.of && self.since == self.turn.at;
        let dead = |strike: &&Strike| {
            let lasts = strike.healed.is_none_or(|back| back > self.deadline);
            self.run.kind(strike.fault).kills() && lasts && strike.at <= self.begin()
        };
        let is_turn = |strike: &Strike| node == self.of && strike.fault == self.turn.fault;
        if own.iter().any(dead) {
            Health::Dead
        } else if own.iter().any(|strike| !is_turn(strike) && self.meets(strike)) {
            Health::Changes
        } else if goes {
            Health::Dead
        } else {
            Health::Well
        }
    }

    /// Whether a fault cuts off some of these from each other.
    fn parts(&self, strike: &Strike, company: &BTreeSet<NodeId>) -> bool {
        let PlannedPlace::Links { pairs, .. } = &self.run.plan.faults[strike.fault].place else {
            return false;
        };
        let concerns = pairs.iter().any(|(a, b)| company.contains(a) && company.contains(b));
        concerns && self.meets(strike)
    }

    fn is_of_links(&self, strike: &Strike) -> bool {
        matches!(self.run.plan.faults[strike.fault].place, PlannedPlace::Links { .. })
    }

    /// Whether a fault lasts into it, or what it has left behind may.
    fn meets(&self, strike: &Strike) -> bool {
        let lasts = strike.healed.is_none_or(|back| back >= self.begin());
        lasts && strike.at <= self.deadline
    }

    /// So much before, whatever changes has been dealt with.
    fn begin(&self) -> Nanos {
        self.since.saturating_sub(self.deadline - self.since)
    }
}
