//! What the faults of a case are checked against: its dataflow, who coordinates, and which points
//! its strategies can reach.

use super::super::pipeline::Dataflow;
use crate::config::Mixed;
use crate::regions::{coordinator_name, regions};
use aftermath_systems::options::Options;
use aftermath_systems::points::{By, Point};
use aftermath_systems::protocol::Nanos;
use aftermath_systems::strategies::{Entry, Registry, amnesia};
use std::collections::BTreeMap;

/// The strategies of a case.
pub struct Strategies<'a> {
    /// All that are known.
    pub registry: &'a Registry,
    /// That of the case, if it is known, with its options.
    pub own: Option<(Entry, &'a Options)>,
    /// Those of single operators.
    pub mixture: &'a BTreeMap<String, Mixed>,
}

impl Strategies<'_> {
    /// That of a protected operator.
    fn of(&self, operator: &str) -> Option<(Entry, &Options)> {
        let mixed = self.mixture.get(operator);
        let mixed = mixed.and_then(|m| Some((*self.registry.find(m.strategy)?, &m.options)));
        mixed.or(self.own)
    }
}

/// What faults are checked against.
pub struct Surroundings<'a> {
    /// The pipeline, if it is known.
    pub flow: Option<&'a Dataflow>,
    /// How many regions have a coordinator.
    pub coordinators: usize,
    /// Additional replicas of protected operators.
    pub spares: u16,
    /// Nothing happens before the first tick.
    pub tick_ns: Nanos,
    /// How long the stream is, if it is known, ns.
    pub stream_ns: Option<Nanos>,
    /// Who can reach which points: operators and coordinators by name.
    pub points: Vec<(String, &'static Point)>,
    /// The strategies that are known, to say who could.
    pub registry: &'a Registry,
}

impl<'a> Surroundings<'a> {
    /// Of a case.
    pub fn new(
        flow: Option<&'a Dataflow>,
        strategies: &Strategies<'a>,
        spares: u16,
        tick_ns: Nanos,
    ) -> Surroundings<'a> {
        let registry = strategies.registry;
        let mut around = Surroundings {
            flow,
            coordinators: 0,
            spares,
            tick_ns,
            stream_ns: None,
            points: Vec::new(),
            registry,
        };
        let Some(flow) = flow else { return around };
        let protected = |name: &str| flow.protect.iter().any(|protected| protected == name);
        let used = |name: &str| strategies.of(name).filter(|_| protected(name));
        let coordinated = |name: &str| {
            let built = used(name).map(|(entry, options)| (entry.build)(options));
            built.is_some_and(|strategy| strategy.is_coordinated())
        };
        let vertices = &flow.topology.vertices;
        let region: Vec<bool> = vertices.iter().map(|v| coordinated(v.name)).collect();
        around.coordinators = regions(&flow.topology, &region).len();
        for operator in flow.tasks() {
            let entry = used(operator).map_or(amnesia::ENTRY, |(entry, _)| entry);
            let own = entry.points().filter(|point| point.by == By::Replicas);
            around.points.extend(own.map(|point| (operator.to_string(), point)));
        }
        let coordinating = flow.tasks().find(|operator| coordinated(operator)).and_then(used);
        for name in (0..around.coordinators).map(coordinator_name) {
            let points = coordinating.iter().flat_map(|(entry, _)| entry.points());
            let own = points.filter(|point| point.by == By::Coordinator);
            around.points.extend(own.map(|point| (name.clone(), point)));
        }
        around
    }
}
