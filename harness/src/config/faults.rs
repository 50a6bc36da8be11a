//! What befalls whom and when, as a scenario says it.

use crate::faults::of;
use aftermath_systems::claim::FaultKind;
use aftermath_systems::options::Options;
use aftermath_systems::protocol::Nanos;
use std::fmt;

/// One fault of the scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultConfig {
    /// What befalls.
    pub kind: FaultKind,
    /// Whom.
    pub place: FaultPlace,
    /// Its settings, defaults filled in.
    pub options: Options,
    /// When.
    pub at: FaultAt,
    /// How long it lasts; where `None`, what befalls a machine lasts until everything heals, and
    /// what befalls a link until the last tuple is due at the source.
    pub for_ns: Option<Nanos>,
    /// The number of what it leaves to chance is drawn from; its place in the schedule, counted by
    /// machines and by start, where `None`. Of several machines, each has the number after.
    pub draws: Option<u64>,
}

impl FaultConfig {
    /// Numbers what faults leave to chance as it is drawn where nothing is said, `faults` being in
    /// the order of their start. From then on none of them depends on another's being there.
    pub fn number(faults: &mut [FaultConfig]) {
        let mut place = 0;
        for fault in faults {
            if (of(fault.kind).effect)(&fault.options).is_of_chance() {
                fault.draws.get_or_insert(place);
            }
            place += fault.place.targets().len().max(1) as u64;
        }
    }

    /// The machine to which this fault and another certainly give two outcomes at one time. Who
    /// leads, and instants that are drawn, are known only when it runs. What does not kill may
    /// befall a machine beside anything else. `replicas`: how many machines an instance of an
    /// operator has.
    pub fn clash(&self, other: &FaultConfig, replicas: impl Fn(&str) -> u16) -> Option<Target> {
        let same = (self.kind, &self.options) == (other.kind, &other.options);
        if !(self.kind.kills() && other.kind.kills()) || same {
            return None;
        }
        let (FaultAt::Instant(at), FaultAt::Instant(other_at)) = (&self.at, &other.at) else {
            return None;
        };
        let end = |fault: &FaultConfig, at: Nanos| {
            fault.for_ns.map_or(Nanos::MAX, |length| at.saturating_add(length))
        };
        if *at >= end(other, *other_at) || *other_at >= end(self, *at) {
            return None;
        }
        let machine = |target: &Target| {
            let alone = replicas(&target.operator) == 1;
            target.replica.or(alone.then_some(0))
        };
        let same = |a: &Target, b: &Target| {
            a.operator == b.operator
                && a.instance == b.instance
                && machine(a).is_some()
                && machine(a) == machine(b)
        };
        let hit = |theirs: &&Target| self.place.targets().iter().any(|mine| same(mine, theirs));
        other.place.targets().iter().find(hit).cloned()
    }
}

/// Whom a fault befalls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultPlace {
    /// `count` (the replica that leads at that instant; instance 0 if there are several),
    /// `count/1` (the leading replica of instance 1) or `count/0/1` (instance 0, replica 1).
    Node(Target),
    /// The links from all these machines to all those.
    Link {
        /// From.
        from: LinkEnd,
        /// To.
        to: LinkEnd,
        /// And back.
        both: bool,
    },
    /// Several machines at the same instant; no machine twice.
    Nodes(Vec<Target>),
}

impl FaultPlace {
    /// The machines that it befalls; none if it befalls links.
    pub fn targets(&self) -> &[Target] {
        match self {
            FaultPlace::Node(target) => std::slice::from_ref(target),
            FaultPlace::Nodes(targets) => targets,
            FaultPlace::Link { .. } => &[],
        }
    }
}

/// Machines as people name them: all of an operator, of an instance, or one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkEnd {
    /// The operator.
    pub operator: String,
    /// The instance; all of them where `None`.
    pub instance: Option<u16>,
    /// The replica; all of them where `None`.
    pub replica: Option<u16>,
}

impl fmt::Display for LinkEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.operator)?;
        match (self.instance, self.replica) {
            (None, _) => Ok(()),
            (Some(instance), None) => write!(f, "/{instance}"),
            (Some(instance), Some(replica)) => write!(f, "/{instance}/{replica}"),
        }
    }
}

/// A node as people name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The operator.
    pub operator: String,
    /// The instance.
    pub instance: u16,
    /// The replica; the one that leads where `None`.
    pub replica: Option<u16>,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.replica {
            Some(replica) => write!(f, "{}/{}/{replica}", self.operator, self.instance),
            None if self.instance > 0 => write!(f, "{}/{}", self.operator, self.instance),
            None => f.write_str(&self.operator),
        }
    }
}

/// When a fault starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultAt {
    /// At this instant, ns.
    Instant(Nanos),
    /// Drawn uniformly from the seed, ns.
    Between(Nanos, Nanos),
    /// One run for each of `count` strata of [start, start + span), at its middle, ns.
    Strata {
        /// How many.
        count: u32,
        /// Start of the first, ns.
        start: Nanos,
        /// Length of all together, ns.
        span: Nanos,
    },
    /// This long after the start of the fault before it, ns.
    After(Nanos),
    /// When a machine reaches a protocol point for the nth time.
    Point {
        /// The point's name.
        name: &'static str,
        /// The machines whose points count, each for itself; whichever gets there first.
        nodes: Vec<LinkEnd>,
        /// For which time, counted on one machine, from 1.
        nth: u64,
    },
    /// Between two effects of one handler of one machine.
    Address {
        /// The machine.
        node: LinkEnd,
        /// The incarnation in which the handler must run.
        incarnation: u32,
        /// The number of the handler on its machine, over all incarnations, from 1.
        handler: u64,
        /// Just before this effect, from 0; the number of effects: after the last.
        effect: u64,
    },
}

impl FaultAt {
    /// Whether it waits for what a machine does, and so has no instant before the run.
    pub fn is_awaited(&self) -> bool {
        matches!(self, FaultAt::Point { .. } | FaultAt::Address { .. })
    }
}
