//! (configuration, strategy, seed) → plan: everything that a run depends on, as plain values.

mod contracts;
mod schedule;
mod topology;
mod workload;

pub use schedule::{PlannedFault, strata};

use crate::config::{RunConfig, StorageConfig};
use crate::seed::Seed;
use aftermath_systems::endpoints::{Sink, Source};
use aftermath_systems::node::{Cx, Node};
use aftermath_systems::options::Options;
use aftermath_systems::plan::{OperatorRole, Plan};
use aftermath_systems::protocol::{ChannelId, Nanos, NodeId, OperatorId};
use aftermath_systems::strategies::{Registry, Strategy, amnesia};
use std::rc::Rc;

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
    /// Of each link; 0: unlimited.
    pub bandwidth_bytes_per_s: u64,
    /// R: what redirecting streams or starting a process costs, ns.
    pub redirect_ns: Nanos,
    /// Devices.
    pub storage: StorageConfig,
    /// The faults, by start; a twin has none.
    pub faults: Vec<PlannedFault>,
    /// How often retained memory is noted, ns.
    pub sample_every_ns: Nanos,
    /// After everything has healed the stream must drain within this, ns.
    pub drain_within_ns: Nanos,
}

impl RunPlan {
    /// Builds the plan of one run.
    pub fn build(config: &RunConfig, registry: &Registry, seed: Seed, stratum: u32) -> RunPlan {
        let strategy: Rc<dyn Strategy> = build_strategy(registry, config).into();
        let plain: Rc<dyn Strategy> = (amnesia::ENTRY.build)(&Options::default()).into();
        let systems = topology::build(config, &[&*strategy, &*plain], seed);
        let strategies = systems.operators.iter().map(|operator| match operator.role {
            OperatorRole::Task(_) if operator.protected => Some(Rc::clone(&strategy)),
            OperatorRole::Task(_) => Some(Rc::clone(&plain)),
            OperatorRole::Source | OperatorRole::Sink => None,
        });
        let strategies = strategies.collect();
        let faults = schedule::faults(config, &systems, seed, stratum);
        let longest = config.timing.interval_ns.min(config.timing.heartbeat_ns);
        RunPlan {
            strategies,
            tick_ns: config.network.tick_ns,
            latency_ns: topology::latencies(config, &systems),
            bandwidth_bytes_per_s: config.network.bandwidth_bytes_per_s,
            redirect_ns: config.timing.redirect_ns,
            storage: config.storage.clone(),
            drain_within_ns: config
                .drain_within_ns
                .unwrap_or_else(|| schedule::drain_bound(config, &systems, &faults)),
            faults,
            sample_every_ns: (longest / 4).max(config.network.tick_ns),
            systems,
        }
    }

    /// The same plan without faults: the twin's.
    pub fn twin(config: &RunConfig, registry: &Registry, seed: Seed) -> RunPlan {
        let mut config = config.clone();
        config.faults.clear();
        RunPlan::build(&config, registry, seed, 0)
    }

    /// A fresh process for a node.
    pub fn process(&self, me: NodeId) -> Box<dyn Node> {
        let cx = Cx { now: 0, me, plan: &self.systems };
        let operator = self.systems.instance(cx.instance()).operator;
        match &self.systems.operator(operator).role {
            OperatorRole::Source => Box::new(Source::new(&cx)),
            OperatorRole::Sink => Box::new(Sink::new(&cx)),
            OperatorRole::Task(_) => self.strategy(operator).node(&self.systems, me),
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

    /// Whether a channel leads into a protected operator.
    pub fn into_protected(&self, channel: ChannelId) -> bool {
        let edge = self.systems.edge(self.systems.channel(channel).edge);
        self.systems.operator(edge.to).protected
    }

    /// Every node that `node` talks with: its peers and all replicas of its neighbours.
    pub fn acquaintances(&self, node: NodeId) -> Vec<NodeId> {
        let instance = self.systems.node(node).instance;
        let neighbours = self.systems.neighbours(instance);
        let instances = neighbours.into_iter().chain([instance]);
        let replicas = instances.flat_map(|i| self.systems.instance(i).replicas.iter().copied());
        replicas.filter(|other| *other != node).collect()
    }
}

/// The strategy that a configuration names.
///
/// # Panics
/// When there is none of that name: the scenario reader has checked it.
pub fn build_strategy(registry: &Registry, config: &RunConfig) -> Box<dyn Strategy> {
    let entry = registry.find(config.strategy).expect("the scenario reader checked the name");
    (entry.build)(&config.strategy_options)
}
