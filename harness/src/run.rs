//! One run: plan → world → log, and what the judge sees of it.

use crate::hash::TraceHash;
use crate::machine::{Delivery, MachineLog, Strike, Touched};
use crate::plan::{PlannedFault, PlannedPlace, RunPlan};
use crate::world::{self, Ended, Finished, World};
use aftermath_systems::claim::FaultKind;
use aftermath_systems::operator::Digest;
use aftermath_systems::protocol::{InstanceId, Nanos, NodeId};
use std::hash::Hasher;
use std::rc::Rc;

/// What is left of one machine.
pub struct NodeLog {
    /// What it recorded.
    pub log: MachineLog,
    /// Operator state at the end.
    pub digest: Option<Digest>,
    /// Whether it leads its instance at the end.
    pub is_primary: bool,
    /// Hash of its events and effects.
    pub hash: u64,
    /// Events it handled.
    pub handlers: u64,
}

/// A finished run, as plain data.
pub struct RunLog {
    /// What was run.
    pub plan: Rc<RunPlan>,
    /// How it ended.
    pub ended: Ended,
    /// When, ns.
    pub length_ns: Nanos,
    /// All outputs, in the order of arrival.
    pub deliveries: Vec<Delivery>,
    /// By node.
    pub nodes: Vec<NodeLog>,
    /// All node hashes, folded in the order of nodes.
    pub hash: u64,
    /// Retained tuples of all nodes together, at the sampling instants.
    pub retained: Vec<u64>,
    /// How long what is sent or saved would wait for its link or device, the longest of all, at the
    /// sampling instants, ns.
    pub waiting: Vec<Nanos>,
    /// What became of the faults on links, with a machine that stands for their ends.
    links: Vec<(NodeId, Strike)>,
}

/// Runs a plan in the event world.
pub fn run(plan: &Rc<RunPlan>, traced: bool) -> RunLog {
    run_in(World::Events, plan, traced)
}

/// Runs a plan in a world; `traced`: keep every event for people.
///
/// # Panics
/// When the plan is too large for the world, see [`world::run`].
pub fn run_in(world: World, plan: &Rc<RunPlan>, traced: bool) -> RunLog {
    RunLog::of(plan, world::run(world, plan, traced))
}

/// What became of the faults on links that began before the end of the run.
fn links(plan: &RunPlan, nodes: &[NodeLog], length_ns: Nanos) -> Vec<(NodeId, Strike)> {
    let is_task = |node: &NodeId| plan.systems.operator_of(*node).operator().is_some();
    let strike = |(number, fault): (usize, &PlannedFault)| {
        let PlannedPlace::Links { pairs, .. } = &fault.place else { return None };
        let receiving = pairs.iter().map(|(_, to)| *to);
        let sending = pairs.iter().map(|(from, _)| *from);
        let node = receiving.clone().chain(sending).find(is_task).or(receiving.clone().next())?;
        let mut touched = Touched::default();
        let counted = nodes.iter().filter_map(|node| node.log.touched.get(&number));
        counted.for_each(|of| touched.merge(*of));
        // Every machine has been told the same.
        let (at, over) = match fault.trigger {
            None => (fault.at, fault.over_at()),
            Some(_) => {
                let at = *nodes.first()?.log.begun.get(&number)?;
                (at, plan.over_from(number, at))
            }
        };
        let strike = Strike {
            fault: number,
            at,
            healed: Some(over),
            was_primary: touched.items + touched.messages > 0,
            touched,
            ..Strike::default()
        };
        (at <= length_ns).then_some((node, strike))
    };
    plan.faults.iter().enumerate().filter_map(strike).collect()
}

impl RunLog {
    /// What the machines of a world leave behind.
    pub fn of(plan: &Rc<RunPlan>, finished: Finished) -> RunLog {
        let Finished { ended, at: length_ns, machines } = finished;
        let mut deliveries = Vec::new();
        let mut fold = TraceHash::default();
        let mut nodes = Vec::new();
        for mut machine in machines {
            // Nearly always there is one sink: its outputs stay where they are.
            let mut delivered = std::mem::take(&mut machine.log.deliveries);
            if deliveries.is_empty() {
                deliveries = delivered;
            } else {
                deliveries.append(&mut delivered);
            }
            fold.write_u64(machine.hash());
            nodes.push(NodeLog {
                digest: machine.digest(),
                is_primary: machine.is_primary(),
                hash: machine.hash(),
                handlers: machine.handlers(),
                log: machine.log,
            });
        }
        // Stable: several sinks keep the order of nodes within one instant.
        deliveries.sort_by_key(|delivery| delivery.at);
        let samples = nodes.iter().map(|node| node.log.retained.len()).min().unwrap_or(0);
        let total = |index: usize| nodes.iter().map(|node| node.log.retained[index]).sum();
        let retained = (0..samples).map(total).collect();
        let longest = |index: usize| nodes.iter().map(|node| node.log.waiting[index]).max();
        let waiting = (0..samples).map(|index| longest(index).unwrap_or(0)).collect();
        RunLog {
            links: links(plan, &nodes, length_ns),
            plan: Rc::clone(plan),
            ended,
            length_ns,
            deliveries,
            nodes,
            hash: fold.finish(),
            retained,
            waiting,
        }
    }

    /// The faults that struck, with the node, by start. For a fault on links it is
    /// the first task among the receiving ends, or else among the sending ones.
    pub fn strikes(&self) -> Vec<(NodeId, &Strike)> {
        let mut strikes = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            let node_id = NodeId(index as u16);
            strikes.extend(node.log.strikes.iter().map(|strike| (node_id, strike)));
        }
        strikes.extend(self.links.iter().map(|(node, strike)| (*node, strike)));
        strikes.sort_by_key(|(_, strike)| (strike.at, strike.fault));
        strikes
    }

    /// What a fault befell, as [`RunLog::strikes`] has it: the machine, or the links.
    pub fn place(&self, node: NodeId, strike: &Strike) -> &str {
        match &self.plan.faults[strike.fault].place {
            PlannedPlace::Node { .. } => &self.plan.systems.node(node).name,
            PlannedPlace::Links { name, .. } => name,
        }
    }

    /// The faults that never struck, because no machine reached what they waited for: their
    /// numbers in the schedule.
    pub fn unreached(&self) -> Vec<usize> {
        let strikes = self.strikes();
        let struck = |number: usize| strikes.iter().any(|(_, strike)| strike.fault == number);
        let faults = self.plan.faults.iter().enumerate();
        let waited = faults.filter(|(_, fault)| fault.trigger.is_some());
        waited.map(|(number, _)| number).filter(|number| !struck(*number)).collect()
    }

    /// The first time after a fault at `strike` that a replica of `instance`, or the coordinator of
    /// its region, reached the point `name`. What was reached at that very instant came before:
    /// faults are the last of an instant, and one that strikes within a handler follows its marks.
    pub fn mark_after(&self, instance: InstanceId, name: &str, strike: Nanos) -> Option<Nanos> {
        self.first_mark(instance, name, strike.saturating_add(1))
    }

    /// The first time at or after `from` that a replica of `instance`, or the coordinator of its
    /// region, reached the point `name`.
    pub fn first_mark(&self, instance: InstanceId, name: &str, from: Nanos) -> Option<Nanos> {
        let systems = &self.plan.systems;
        let replicas = systems.instance(instance).replicas.iter();
        let region = systems.instance(instance).region.map(|region| &systems.regions[region]);
        let coordinator = region.map(|region| &region.coordinator);
        let nodes = replicas.chain(coordinator);
        let marks = nodes.flat_map(|node| &self.nodes[node.index()].log.marks);
        marks.filter(|mark| mark.name == name && mark.at >= from).map(|mark| mark.at).min()
    }

    /// The first time after a fault at `strike` that a replica of `instance` was activated or
    /// restarted.
    pub fn first_activation(&self, instance: InstanceId, strike: Nanos) -> Option<Nanos> {
        let replicas = &self.plan.systems.instance(instance).replicas;
        let all = replicas.iter().flat_map(|node| &self.nodes[node.index()].log.activations);
        all.copied().filter(|at| *at > strike).min()
    }

    /// Events handled by all nodes.
    pub fn handlers(&self) -> u64 {
        self.nodes.iter().map(|node| node.handlers).sum()
    }

    /// What befell whom, by the number of a fault.
    pub fn kind(&self, fault: usize) -> FaultKind {
        self.plan.faults[fault].kind
    }

    /// Whether items that this node had sent before `at` were still to leave then, held up by a
    /// fault, a queue or jitter.
    pub fn is_late(&self, node: NodeId, at: Nanos) -> bool {
        let late = &self.nodes[node.index()].log.late;
        late.iter().any(|(sent, left)| *sent < at && *left > at)
    }

    /// Until when the pair of `instance` was incomplete after a return or take-over at `from`, ns.
    pub fn repaired(&self, instance: InstanceId, from: Nanos) -> Nanos {
        // Not what a coordinator says of itself: that is about the coordinator.
        let replicas = self.plan.systems.instance(instance).replicas.iter();
        let marks = replicas.flat_map(|node| &self.nodes[node.index()].log.marks);
        let complete = marks.filter(|mark| mark.name == "pair-complete" && mark.at > from);
        complete.map(|mark| mark.at).min().unwrap_or(Nanos::MAX)
    }
}
