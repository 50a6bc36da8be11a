//! Strategies: how an operator survives. One file each; adding one is that file and its line in
//! [`ALL`]. Start reading at [`amnesia`].

use crate::claim::{Answer, Situation};
use crate::node::Node;
use crate::options::{OptionDoc, Options};
use crate::plan::{Feed, Plan};
use crate::points::Point;
use crate::protocol::{Nanos, NodeId};

pub mod active_standby;
pub mod amnesia;
pub mod checkpoint_rollback;
pub mod passive_standby;
pub mod upstream_backup;

/// What a strategy asks of the edges of its operators; planning joins the demands of both ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Demand {
    /// Who must be fed.
    pub feed: Feed,
    /// Whether the sender must keep what it sent.
    pub retain: bool,
    /// Whether the receiver must acknowledge.
    pub ack: bool,
    /// Offset of the acknowledgement grid from the instance's checkpoint grid, ns; free if `None`.
    pub ack_phase: Option<Nanos>,
}

impl Demand {
    /// Nothing.
    pub const NONE: Demand =
        Demand { feed: Feed::Primary, retain: false, ack: false, ack_phase: None };
}

/// How an operator survives.
pub trait Strategy {
    /// What it asks of edges into its operators.
    fn input_demand(&self) -> Demand;

    /// What it asks of edges out of its operators.
    fn output_demand(&self) -> Demand;

    /// A freshly started process for `node`.
    fn node(&self, plan: &Plan, node: NodeId) -> Box<dyn Node>;

    /// Whether its operators are checkpointed and rolled back together by a coordinator, one for
    /// each maximal connected set of them.
    fn is_coordinated(&self) -> bool {
        false
    }

    /// A freshly started process of a coordinator.
    fn coordinator(&self, _plan: &Plan, _node: NodeId) -> Option<Box<dyn Node>> {
        None
    }

    /// Whether a successor holds everything that downstream neighbours may still ask for.
    fn log_survives(&self) -> bool;

    /// How many spares an instance must have at least.
    fn spares_min(&self) -> u16 {
        0
    }

    /// Whether trims may only follow durable saves, so that the judge can check
    /// confirmed position <= durable position.
    fn trims_follow_saves(&self) -> bool {
        false
    }

    /// What it promises for one fault on one of its operators.
    fn claim(&self, situation: &Situation) -> Answer;
}

/// A strategy of the list.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its name in scenarios.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Its options.
    pub options: &'static [OptionDoc],
    /// The protocol points that it can reach, its own and those of its blocks.
    pub points: &'static [&'static [Point]],
    /// Builds it.
    pub build: fn(&Options) -> Box<dyn Strategy>,
}

impl Entry {
    /// The protocol points that it can reach.
    pub fn points(&self) -> impl Iterator<Item = &'static Point> + Clone + use<> {
        self.points.iter().copied().flatten()
    }
}

/// Every strategy. Adding one is its file and its line here.
pub const ALL: &[Entry] = &[
    amnesia::ENTRY,
    active_standby::ENTRY,
    passive_standby::ENTRY,
    upstream_backup::ENTRY,
    checkpoint_rollback::ENTRY,
];

/// The strategies that a command line knows: the built-in ones and those of other crates.
#[derive(Clone)]
pub struct Registry {
    program: &'static str,
    entries: Vec<Entry>,
}

impl Registry {
    /// The strategies of this crate.
    pub fn built_in() -> Registry {
        Registry { program: "aftermath", entries: ALL.to_vec() }
    }

    /// Adds a strategy that lives elsewhere.
    ///
    /// # Panics
    /// When the name is taken.
    #[must_use]
    pub fn with(mut self, entry: Entry) -> Registry {
        assert!(self.find(entry.name).is_none(), "two strategies are called {}", entry.name);
        self.entries.push(entry);
        self
    }

    /// Says how the program that knows these strategies is called on a command line; otherwise it
    /// is `aftermath`. Lines that run something again begin with it.
    #[must_use]
    pub fn called(self, program: &'static str) -> Registry {
        Registry { program, ..self }
    }

    /// How the program is called on a command line.
    pub fn program(&self) -> &'static str {
        self.program
    }

    /// The strategy of that name.
    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }
}
