//! (configuration, strategy, seed) → plan: everything that a run depends on, as plain values.

mod auction_site;
mod contracts;
mod mutation;
pub mod reach;
mod schedule;
mod storage;
pub mod swarm;
mod topology;
mod trigger;
mod weather;
mod workload;

#[doc(hidden)]
pub use mutation::Mutation;
pub(crate) use schedule::at_instant;
pub use schedule::{PlannedFault, PlannedPlace, settled, strata};
pub use trigger::{Awaited, Trigger};
pub use weather::{Fate, Met, Spell, Transmission};

use crate::config::{RunConfig, StorageConfig};
use crate::faults::Weather;
use crate::seed::Seed;
use aftermath_systems::context::Cx;
use aftermath_systems::endpoints::{Sink, Source};
use aftermath_systems::node::Node;
use aftermath_systems::operator::mix;
use aftermath_systems::options::Options;
use aftermath_systems::plan::{OperatorRole, Plan};
use aftermath_systems::protocol::{ChannelId, InstanceId, Nanos, NodeId, OperatorId};
use aftermath_systems::strategies::{Registry, Strategy, amnesia};
use std::collections::BTreeMap;
use std::rc::Rc;
use swarm::Drawn;

/// A run's plan: what nodes may know ([`RunPlan::systems`]) and what only the world knows.
pub struct RunPlan {
    /// Topology, contracts and settings.
    pub systems: Plan,
    /// The strategy of each operator; `None` for sources and sinks.
    strategies: Vec<Option<Rc<dyn Strategy>>>,
    /// Nothing crosses between machines faster than this, ns; a whole number of milliseconds.
    pub tick_ns: Nanos,
    /// Latency by sender and receiver, ns.
    latency_ns: Vec<Nanos>,
    /// Largest jitter by sender and receiver, ns.
    jitter_ns: Vec<Nanos>,
    /// What jitter is drawn from.
    jitter_seed: u64,
    /// Of each link; 0: unlimited.
    pub bandwidth_bytes_per_s: u64,
    /// Devices.
    pub storage: StorageConfig,
    /// The faults, by start; a twin has none.
    pub faults: Vec<PlannedFault>,
    /// Whether a fault befalls processes without killing them: then two may lead at a time.
    pub spares_lives: bool,
    /// The faults on links.
    spells: Vec<weather::Spell>,
    /// Whether a fault makes frames overtake each other on the wire.
    pub(crate) reorders: bool,
    /// Whether a fault hands messages to their receivers again.
    pub(crate) redelivers: bool,
    /// What everything is drawn from that faults of links leave to chance.
    loss_seed: u64,
    /// What refused and lost saves are drawn from.
    storage_seed: u64,
    /// When a session sends again what a fault has taken from it, ns.
    pub retransmit_ns: Nanos,
    /// How often retained memory is noted, ns.
    pub sample_every_ns: Nanos,
    /// After everything has healed nothing may stand still for so long before the stream has
    /// drained, ns.
    pub drain_within_ns: Nanos,
    /// The schedule, if it was drawn as a whole.
    pub drawn: Option<Drawn>,
    /// A rule of the worlds to break, in tests of the comparison of worlds.
    #[doc(hidden)]
    pub mutation: Option<Mutation>,
}

impl RunPlan {
    /// Builds the plan of one run.
    pub fn build(config: &RunConfig, registry: &Registry, seed: Seed, stratum: u32) -> RunPlan {
        let assigned = Assignment::new(config, registry);
        let systems = topology::build(config, &assigned, seed);
        let strategies = systems.operators.iter().map(|operator| match operator.role {
            OperatorRole::Task(_) => Some(assigned.of(&operator.name)),
            OperatorRole::Coordinator => assigned.coordinated(),
            OperatorRole::Source | OperatorRole::Sink => None,
        });
        let strategies = strategies.collect();
        let network = &config.network;
        let mut plan = RunPlan {
            strategies,
            tick_ns: network.tick_ns,
            latency_ns: topology::by_pair(&systems, network.latency_ns, &network.edge_latency_ns),
            jitter_ns: topology::by_pair(&systems, network.jitter_ns, &network.edge_jitter_ns),
            jitter_seed: seed.stream("jitter").below(u64::MAX),
            bandwidth_bytes_per_s: network.bandwidth_bytes_per_s,
            storage: config.storage.clone(),
            drain_within_ns: 0,
            spares_lives: false,
            spells: Vec::new(),
            reorders: false,
            redelivers: false,
            loss_seed: seed.stream("loss").below(u64::MAX),
            storage_seed: seed.stream("storage-faults").below(u64::MAX),
            retransmit_ns: network.retransmit_ns,
            faults: Vec::new(),
            drawn: None,
            mutation: None,
            sample_every_ns: config.sample_every_ns(),
            systems,
        };
        let still = || schedule::still_bound(&plan.systems, plan.longest_latency_ns());
        plan.drain_within_ns = config.drain_within_ns.unwrap_or_else(still);
        plan.drawn = config.swarm.as_ref().map(|swarm| swarm::draw(swarm, &plan, seed));
        let written = plan.drawn.as_ref().map_or(&config.faults, |drawn| &drawn.faults);
        plan.faults = schedule::faults(written, config, &plan.systems, (seed, stratum));
        plan.spares_lives = plan.faults.iter().any(|fault| !fault.kind.kills());
        plan.spells = weather::spells(&plan.faults);
        plan.reorders = weather::any(&plan.faults, |w| matches!(w, Weather::Delay { .. }));
        plan.redelivers = weather::any(&plan.faults, |w| matches!(w, Weather::Again { .. }));
        if config.drain_within_ns.is_none() {
            // What a fault holds up is under way, though nothing moves.
            let latest = plan.faults.iter().map(PlannedFault::late_ns).max().unwrap_or(0);
            plan.drain_within_ns = plan.drain_within_ns.saturating_add(latest);
        }
        plan
    }

    /// The same plan without faults: the twin's.
    pub fn twin(config: &RunConfig, registry: &Registry, seed: Seed) -> RunPlan {
        let mut config = config.clone();
        config.faults.clear();
        config.swarm = None;
        RunPlan::build(&config, registry, seed, 0)
    }

    /// The number that what a fault leaves to chance is drawn from.
    pub(crate) fn draws_of(&self, fault: usize) -> u64 {
        self.faults[fault].draws.unwrap_or(fault as u64)
    }

    /// Whether this rule is broken in this run.
    pub(crate) fn breaks(&self, rule: Mutation) -> bool {
        self.mutation == Some(rule)
    }

    /// A fresh process for a node.
    pub fn process(&self, me: NodeId) -> Box<dyn Node> {
        let cx = Cx { now: 0, me, plan: &self.systems };
        let operator = self.systems.instance(cx.instance()).operator;
        match &self.systems.operator(operator).role {
            OperatorRole::Source => Box::new(Source::new(&cx)),
            OperatorRole::Sink => Box::new(Sink::new(&cx)),
            OperatorRole::Task(_) => self.strategy(operator).node(&self.systems, me),
            OperatorRole::Coordinator => self
                .strategy(operator)
                .coordinator(&self.systems, me)
                .expect("a coordinated strategy has a coordinator"),
        }
    }

    /// The strategy of an operator.
    ///
    /// # Panics
    /// When it is a source or sink.
    pub fn strategy(&self, operator: OperatorId) -> &dyn Strategy {
        self.strategies[operator.index()].as_deref().expect("every task has a strategy")
    }

    /// One-way delay from one node to another, ns.
    pub fn latency_ns(&self, from: NodeId, to: NodeId) -> Nanos {
        self.latency_ns[from.index() * self.systems.nodes.len() + to.index()]
    }

    /// How much longer the frame with this number (counted by the sender over all its incarnations,
    /// for each receiver) takes from one node to another, ns: uniform, and a function of nothing
    /// but the seed, the pair and the number, so that no draw depends on an earlier one.
    pub fn jitter_ns(&self, from: NodeId, to: NodeId, number: u64) -> Nanos {
        let pair = from.index() * self.systems.nodes.len() + to.index();
        let largest = self.jitter_ns[pair];
        if largest == 0 {
            return 0;
        }
        weather::uniform(mix(mix(self.jitter_seed, pair as u64), number), largest)
    }

    /// The shortest time that a frame takes, ns: without jitter, on the fastest link.
    pub fn shortest_latency_ns(&self) -> Nanos {
        self.latency_ns.iter().min().copied().unwrap_or(0)
    }

    /// The longest one-way delay, jitter included, ns.
    pub fn longest_latency_ns(&self) -> Nanos {
        let longest = self.latency_ns.iter().zip(&self.jitter_ns).map(|(a, b)| a + b);
        longest.max().unwrap_or(0)
    }

    /// Whether what a machine says to its replicas or its coordinator may be there before what it
    /// has put out is at the next operator. Then a checkpoint may count while outputs that it
    /// covers are still on the wire, and they die there if the wire dies with the machine.
    pub fn talks_faster_than_it_sends(&self, node: NodeId) -> bool {
        let systems = &self.systems;
        let instance = systems.node(node).instance;
        let replicas = |of: InstanceId| systems.instance(of).replicas.iter().copied();
        let region = systems.region_of(node);
        let peers = replicas(instance).chain(region.map(|region| region.coordinator));
        let talk = peers.filter(|peer| *peer != node).map(|peer| self.latency_ns(node, peer));
        let behind = systems.channels.iter().filter(|c| c.from == instance);
        let longest = |to: NodeId| {
            self.latency_ns(node, to)
                + self.jitter_ns[node.index() * systems.nodes.len() + to.index()]
        };
        let send = behind.flat_map(|channel| replicas(channel.to)).map(longest);
        talk.min().is_some_and(|talk| send.max().is_some_and(|send| send > talk))
    }

    /// Whether a channel leads into a protected operator.
    pub fn into_protected(&self, channel: ChannelId) -> bool {
        let edge = self.systems.edge(self.systems.channel(channel).edge);
        self.systems.operator(edge.to).protected
    }

    /// Every node that `node` talks with: its peers, all replicas of its neighbours, its region.
    pub fn acquaintances(&self, node: NodeId) -> Vec<NodeId> {
        let systems = &self.systems;
        let instance = systems.node(node).instance;
        let mut instances = systems.neighbours(instance);
        instances.push(instance);
        if let Some(region) = systems.region_of(node) {
            instances.push(systems.node(region.coordinator).instance);
            if region.coordinator == node {
                instances.extend(&region.instances);
            }
        }
        let replicas = instances.iter().flat_map(|i| systems.instance(*i).replicas.iter().copied());
        let mut nodes: Vec<_> = replicas.filter(|other| *other != node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }
}

/// Which strategy each operator runs under.
struct Assignment {
    protected: BTreeMap<String, Rc<dyn Strategy>>,
    plain: Rc<dyn Strategy>,
}

impl Assignment {
    fn new(config: &RunConfig, registry: &Registry) -> Assignment {
        let build = |name: &str, options: &Options| -> Rc<dyn Strategy> {
            let entry = registry.find(name).expect("the scenario reader checked the name");
            (entry.build)(options).into()
        };
        let protected = config.protect.iter().map(|operator| {
            let (name, options) = config.strategy_of(operator);
            (operator.clone(), build(name, options))
        });
        let protected = protected.collect();
        Assignment { protected, plain: (amnesia::ENTRY.build)(&Options::default()).into() }
    }

    fn of(&self, operator: &str) -> Rc<dyn Strategy> {
        Rc::clone(self.protected.get(operator).unwrap_or(&self.plain))
    }

    fn coordinated(&self) -> Option<Rc<dyn Strategy>> {
        self.protected.values().find(|strategy| strategy.is_coordinated()).cloned()
    }
}
