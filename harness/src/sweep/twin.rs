//! The run without faults, as forks are compared with it: its states by input position, never by
//! time; its outputs by sink; and the window of it that a fork is judged against.

use crate::hash::TraceHash;
use crate::machine::{Delivery, Machine, MachineLog, Stripped};
use crate::oracle::{Standard, shortest_stretch};
use crate::plan::RunPlan;
use crate::run::RunLog;
use crate::world::{EventWorld, Finished};
use aftermath_systems::operator::Digest;
use aftermath_systems::plan::InstancePlan;
use aftermath_systems::protocol::{ChannelId, Nanos, SemanticId};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// A run without faults.
pub struct Twin {
    /// What it left; its outputs are a window of them, or all.
    pub log: RunLog,
    /// What it says of itself.
    pub standard: Standard,
    /// The outputs of each node, by node; all but sinks have none.
    pub outputs: Vec<Vec<Delivery>>,
    /// Which node has put out an output, and as its how manieth.
    index: BTreeMap<SemanticId, (usize, usize)>,
    /// For each instance of a task, the digest of its state at each input position that it had at
    /// the end of a tick.
    states: Vec<BTreeMap<u64, u64>>,
    /// The channels that were trimmed at all, and how many machines each has told so.
    pub trimmed: BTreeMap<ChannelId, usize>,
    /// The end of the last tick, ns.
    pub length_ns: Nanos,
    /// The shortest stretch over which memory is judged where nothing waits, ns.
    pub stretch_ns: Nanos,
}

impl Twin {
    /// Runs it.
    pub fn run(plan: &Rc<RunPlan>) -> Twin {
        let systems = &plan.systems;
        let mut states = vec![BTreeMap::new(); systems.instances.len()];
        let mut world = EventWorld::new(plan, false);
        let ended = loop {
            let ended = world.step();
            for (instance, states) in systems.instances.iter().zip(&mut states) {
                if let Some(digest) = leading(instance, world.machines()) {
                    states.insert(position(&digest), digest.state);
                }
            }
            if let Some(ended) = ended {
                break ended;
            }
        };
        let length_ns = world.now();
        let machines = world.into_machines();
        let outputs: Vec<_> = machines.iter().map(|m| m.log.deliveries.clone()).collect();
        let numbered = outputs.iter().enumerate().flat_map(|(node, outputs)| {
            outputs.iter().enumerate().map(move |(nth, output)| (output.semantic, (node, nth)))
        });
        let index = numbered.collect();
        let log = RunLog::of(plan, Finished { ended, at: length_ns, machines });
        let standard = Standard::of(&log);
        let trimmed = trimming(log.nodes.iter().map(|node| &node.log), 0);
        let stretch_ns = shortest_stretch(plan, 0);
        Twin { log, standard, outputs, index, states, trimmed, length_ns, stretch_ns }
    }

    /// Which node has put out an output, and as its how manieth.
    pub fn find(&self, output: &SemanticId) -> Option<(usize, usize)> {
        self.index.get(output).copied()
    }

    /// Whether an instance had this state at this position.
    pub fn has_been(&self, instance: usize, digest: &Digest) -> bool {
        self.states[instance].get(&position(digest)) == Some(&digest.state)
    }

    /// Makes the window of its outputs: those of each node from `from` until `until`, and others.
    /// Returns the others.
    pub fn open(
        &mut self,
        from: &[Stripped],
        until: &[usize],
        others: impl Iterator<Item = (usize, usize)>,
    ) -> Vec<Delivery> {
        let others: Vec<Delivery> =
            others.map(|(node, nth)| self.outputs[node][nth].clone()).collect();
        let window = &mut self.log.deliveries;
        window.clear();
        window.extend(others.iter().cloned());
        for ((outputs, from), until) in self.outputs.iter().zip(from).zip(until) {
            window.extend(outputs.iter().take(*until).skip(from.outputs).cloned());
        }
        window.sort_by_key(|output| output.at);
        others
    }

    /// Makes the window all of its outputs.
    pub fn open_whole(&mut self) {
        let nothing = vec![Stripped::default(); self.outputs.len()];
        let all: Vec<usize> = self.outputs.iter().map(Vec::len).collect();
        self.open(&nothing, &all, std::iter::empty());
    }
}

/// The channels that somebody has had trimmed after an instant, ns, and how many machines: who
/// leads also has its standby trim, if that keeps the same.
pub fn trimming<'a>(
    logs: impl Iterator<Item = &'a MachineLog>,
    since: Nanos,
) -> BTreeMap<ChannelId, usize> {
    let mut machines = BTreeMap::new();
    for log in logs {
        let recent = log.trims.iter().rev().take_while(|(at, ..)| *at > since);
        let channels: BTreeSet<ChannelId> = recent.map(|(_, channel, _)| *channel).collect();
        for channel in channels {
            *machines.entry(channel).or_default() += 1;
        }
    }
    machines
}

/// What the leading replica of an instance holds, if one leads and no other.
pub fn leading(instance: &InstancePlan, machines: &[Machine]) -> Option<Digest> {
    let mut leading = instance.replicas.iter().map(|node| &machines[node.index()]);
    let leader = leading.find(|machine| machine.is_primary())?;
    if leading.any(Machine::is_primary) { None } else { leader.digest() }
}

fn position(digest: &Digest) -> u64 {
    let mut hash = TraceHash::default();
    digest.position.hash(&mut hash);
    hash.finish()
}
