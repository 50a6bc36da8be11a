//! Faults that wait for what a machine does. The machine that gets there tells the world, which
//! lets them strike elsewhere a tick later; each strikes once.

use super::Machines;
use crate::plan::{Awaited, PlannedPlace, RunPlan, Trigger};
use aftermath_systems::protocol::{InstanceId, Nanos, NodeId};
use std::collections::BTreeMap;

/// The faults that wait, and those that have waited.
#[derive(Clone, Default)]
pub struct Points {
    /// Numbers of those that wait.
    waiting: Vec<usize>,
    /// Of those that have struck, when, ns.
    struck: BTreeMap<usize, Nanos>,
}

/// What a machine has told: [`crate::machine::Act::Reached`].
pub struct Reached {
    /// Which fault has waited for it.
    pub fault: usize,
    /// By whom.
    pub node: NodeId,
    /// When, ns.
    pub at: Nanos,
    /// Whether the fault has struck there already.
    pub struck: bool,
}

impl Machines {
    /// Tells the machines what is waited for.
    pub(super) fn watch(&mut self) {
        let plan = std::rc::Rc::clone(&self.plan);
        for (number, fault) in plan.faults.iter().enumerate() {
            let Some(Trigger { nodes, awaited, .. }) = &fault.trigger else { continue };
            // Whoever forks the run says where it waits.
            if nodes.is_empty() {
                continue;
            }
            self.points.waiting.push(number);
            for node in nodes {
                let here = match fault.place {
                    PlannedPlace::Node { instance, replica: Some(replica) } => {
                        let replicas = &plan.systems.instance(instance).replicas;
                        replicas[usize::from(replica)] == *node
                    }
                    // [`Self::aim`] says who it is.
                    PlannedPlace::Node { replica: None, .. } | PlannedPlace::Links { .. } => false,
                };
                self.list[node.index()].watch(number, *awaited, here);
            }
        }
        self.aim();
    }

    /// Lets a fault of the schedule that nobody is watched for wait for `awaited` at the machine it
    /// befalls. Returns whether it waits: nothing does any more once everything heals.
    pub(super) fn arm(&mut self, fault: usize, node: NodeId, awaited: Awaited) -> bool {
        let waits = self.healed_at.is_none();
        if waits {
            self.points.waiting.push(fault);
            self.list[node.index()].watch(fault, awaited, true);
        }
        waits
    }

    /// A fault that names who leads befalls one machine, and which one is said anew between ticks:
    /// should two lead, only one of them is hit.
    pub(super) fn aim(&mut self) {
        for index in 0..self.points.waiting.len() {
            let fault = self.points.waiting[index];
            let PlannedPlace::Node { instance, replica: None } = self.plan.faults[fault].place
            else {
                continue;
            };
            let replicas = &self.plan.systems.instance(instance).replicas;
            let distance = |node: &&NodeId| self.list[node.index()].distance_from_lead();
            let nearest = replicas.iter().min_by_key(distance).copied();
            for node in replicas {
                self.list[node.index()].aim(fault, nearest == Some(*node));
            }
        }
    }

    /// Lets the faults strike whose points were reached in this tick, where they have not. Of
    /// several machines that got there the one counts that was hit itself, or else the first.
    pub(super) fn strike_at_points(&mut self, reached: &[Reached], tick: Nanos) {
        for fault in self.points.waiting.clone() {
            let of_it = reached.iter().filter(|reached| reached.fault == fault);
            let Some(first) = of_it.min_by_key(|r| (!r.struck, r.at, r.node)) else { continue };
            let start = if first.struck { first.at } else { first.at + tick };
            match self.plan.faults[fault].place {
                PlannedPlace::Node { .. } if first.struck => {}
                PlannedPlace::Node { instance, replica } => {
                    let node = self.befallen(instance, replica);
                    self.list[node.index()].strike(start, fault);
                }
                PlannedPlace::Links { .. } => {
                    self.list.iter_mut().for_each(|machine| machine.begin_spell(fault, start));
                }
            }
            self.list.iter_mut().for_each(|machine| machine.unwatch(fault));
            self.points.waiting.retain(|other| *other != fault);
            self.points.struck.insert(fault, start);
            self.deadlines.extend([self.plan.over_from(fault, start), self.heals_until()]);
        }
    }

    /// What has not been reached by now will not strike: everything heals.
    pub(super) fn wait_no_longer(&mut self) {
        for fault in std::mem::take(&mut self.points.waiting) {
            self.list.iter_mut().for_each(|machine| machine.unwatch(fault));
        }
    }

    /// The machine that a fault befalls which strikes in the next tick.
    pub(super) fn befallen(&self, instance: InstanceId, replica: Option<u16>) -> NodeId {
        let replicas = &self.plan.systems.instance(instance).replicas;
        let machine = |node: &&NodeId| &self.list[node.index()];
        match replica {
            Some(replica) => replicas[usize::from(replica)],
            None => *replicas
                .iter()
                .find(|node| machine(node).is_primary())
                .or_else(|| replicas.iter().find(|node| machine(node).is_activating()))
                .or_else(|| replicas.iter().find(|node| !machine(node).is_down()))
                .unwrap_or(&replicas[0]),
        }
    }

    /// When the faults are over that have an instant or have struck, ns.
    pub(super) fn over(&self) -> impl Iterator<Item = Nanos> {
        let struck = self.points.struck.iter();
        planned(&self.plan).chain(struck.map(|(fault, at)| self.plan.over_from(*fault, *at)))
    }
}

/// When the faults are over that have an instant, ns.
fn planned(plan: &RunPlan) -> impl Iterator<Item = Nanos> {
    plan.faults.iter().filter(|fault| fault.trigger.is_none()).map(|fault| fault.over_at())
}
