//! What a scenario means, resolved: one value per case with every name looked up, every default
//! filled in and every time in nanoseconds. The scenario reader makes it, planning reads it.
//!
//! Long because it is one list of settings, to be read like a table.

pub use crate::agreement::Worlds;

use aftermath_reports::record::ValueClass;
use aftermath_systems::claim::{Delivery, FaultKind};
use aftermath_systems::options::Options;
use aftermath_systems::plan::Dedup;
use aftermath_systems::planted_bugs::Bug;
use aftermath_systems::protocol::{Field, Nanos, SECOND};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// One scenario file.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// What it shows, in the author's words.
    pub about: String,
    /// The file, as the user wrote it, for messages and replay lines.
    pub path: String,
    /// Its seeds, if the command line does not say otherwise.
    pub seeds: Range<u64>,
    /// Where it is run, if the command line does not say otherwise.
    pub worlds: Worlds,
    /// Its cases, matrices multiplied out, one for each strategy.
    pub cases: Vec<Case>,
}

/// One case under one strategy.
#[derive(Clone, Debug)]
pub struct Case {
    /// The case's name ("base"; with a matrix "base, timing.interval=250ms").
    pub name: String,
    /// What is run.
    pub config: RunConfig,
    /// What is expected of it.
    pub expect: Expect,
}

/// Everything that determines a run, but for the seed.
#[derive(Clone, Debug)]
pub struct RunConfig {
    /// Name of the pipeline.
    pub pipeline: &'static str,
    /// Options of the pipeline.
    pub pipeline_options: Options,
    /// Operators that the strategy protects.
    pub protect: Vec<String>,
    /// Parallelism of operators that have more than one instance.
    pub parallelism: BTreeMap<String, u16>,
    /// CPU time of one tuple, by operator, ns; 0 if not listed.
    pub service_ns: BTreeMap<String, Nanos>,
    /// Additional replicas of each protected instance: 0 or 1.
    pub spares: u16,
    /// Name of the strategy.
    pub strategy: &'static str,
    /// Options of the strategy, defaults filled in.
    pub strategy_options: Options,
    /// The options that the scenario gave, for the record.
    pub given_options: BTreeMap<String, String>,
    /// Protected operators that have a strategy of their own.
    pub mixture: BTreeMap<String, Mixed>,
    /// Deduplication on all edges.
    pub dedup: Dedup,
    /// Whether dropping a duplicate costs no CPU.
    pub duplicates_free: bool,
    /// What the source emits.
    pub input: InputConfig,
    /// Tuples a second.
    pub rate_per_s: u64,
    /// Links.
    pub network: NetworkConfig,
    /// Periods and delays.
    pub timing: TimingConfig,
    /// Storage devices.
    pub storage: StorageConfig,
    /// Modelled sizes.
    pub sizes: SizesConfig,
    /// The faults, in the order of the file.
    pub faults: Vec<FaultConfig>,
    /// Time for the stream to drain after everything has healed; derived if not set.
    pub drain_within_ns: Option<Nanos>,
    /// A deliberately wrong variant to plant.
    pub plant: Option<Bug>,
    /// How faults are drawn from the seed instead; then `faults` is empty.
    pub swarm: Option<SwarmConfig>,
}

/// How a schedule of faults is drawn as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwarmConfig {
    /// Which faults may occur; each seed draws a part of them.
    pub kinds: Vec<FaultKind>,
    /// Most faults of a schedule.
    pub most: u32,
    /// The first instant at which one may start, ns.
    pub from_ns: Nanos,
    /// They start before this instant, ns.
    pub until_ns: Nanos,
    /// Whether anything may befall anything at any time, promised or not.
    pub beyond_claims: bool,
}

/// The strategy of one operator in a mixture.
#[derive(Clone, Debug)]
pub struct Mixed {
    /// Name of the strategy.
    pub strategy: &'static str,
    /// Its options, defaults filled in.
    pub options: Options,
    /// The options that the scenario gave.
    pub given: BTreeMap<String, String>,
}

impl RunConfig {
    /// The strategy of a protected operator, with its options.
    pub fn strategy_of(&self, operator: &str) -> (&'static str, &Options) {
        let own = self.mixture.get(operator).map(|mixed| (mixed.strategy, &mixed.options));
        own.unwrap_or((self.strategy, &self.strategy_options))
    }

    /// How tables call the strategies: one name, or those of the protected operators in order.
    pub fn label(&self) -> String {
        let names: Vec<_> = self.protect.iter().map(|name| self.strategy_of(name).0).collect();
        match names.split_first() {
            Some((first, rest)) if rest.iter().all(|name| name == first) => first.to_string(),
            Some(_) => names.join(" + "),
            None => self.strategy.to_string(),
        }
    }

    /// Whether `name` is one of the strategies at work.
    pub fn uses(&self, name: &str) -> bool {
        self.label() == name || self.protect.iter().any(|op| self.strategy_of(op).0 == name)
    }

    /// All options that the scenario gave; in a mixture with the operator's name.
    pub fn all_given(&self) -> BTreeMap<String, String> {
        let mut all = self.given_options.clone();
        for (operator, mixed) in &self.mixture {
            let own = mixed.given.iter();
            all.extend(own.map(|(key, value)| (format!("{operator}.{key}"), value.clone())));
        }
        all
    }
}

/// What the source emits.
#[derive(Clone, Debug)]
pub enum InputConfig {
    /// Pairs of a uniformly drawn key and a number in 1..=100.
    Generated {
        /// How many.
        tuples: u64,
        /// How many different keys.
        keys: u32,
    },
    /// Rows of a file, already read.
    Recorded(Arc<Recording>),
}

impl InputConfig {
    /// How long the stream is at this rate, ns.
    pub fn length_ns(&self, rate_per_s: u64) -> Nanos {
        let tuples = match self {
            InputConfig::Generated { tuples, .. } => *tuples,
            InputConfig::Recorded(recording) => recording.rows.len() as u64,
        };
        (u128::from(tuples) * u128::from(SECOND) / u128::from(rate_per_s.max(1))) as Nanos
    }
}

/// A recorded stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The rows, in file order.
    pub rows: Vec<Vec<Field>>,
    /// Text of each symbol, by number.
    pub symbols: Vec<String>,
}

/// Links between machines.
#[derive(Clone, Debug)]
pub struct NetworkConfig {
    /// Granularity below which nothing crosses between nodes, ns; whole milliseconds.
    pub tick_ns: Nanos,
    /// One-way delay of every link that has no other, ns.
    pub latency_ns: Nanos,
    /// One-way delay of the links of an edge (`"source -> count"`), both directions, ns.
    pub edge_latency_ns: BTreeMap<(String, String), Nanos>,
    /// Largest jitter of every link that has no other: each frame takes up to so much longer, ns.
    pub jitter_ns: Nanos,
    /// Largest jitter of the links of an edge, both directions, ns.
    pub edge_jitter_ns: BTreeMap<(String, String), Nanos>,
    /// Bandwidth of each link, bytes a second; 0: unlimited.
    pub bandwidth_bytes_per_s: u64,
    /// When a session sends again what a fault has taken from it, ns.
    pub retransmit_ns: Nanos,
}

/// Periods and delays of failure handling.
#[derive(Clone, Debug)]
pub struct TimingConfig {
    /// H, ns.
    pub heartbeat_ns: Nanos,
    /// K.
    pub misses: u64,
    /// R: what redirecting the streams costs, ns.
    pub redirect_ns: Nanos,
    /// M: checkpoints to a standby, acknowledgements, trims, ns.
    pub interval_ns: Nanos,
    /// Phases of the grids; drawn from the seed where `None`.
    pub heartbeat_phase_ns: Option<Nanos>,
    /// Of acknowledgements.
    pub ack_phase_ns: Option<Nanos>,
    /// Of checkpoints.
    pub checkpoint_phase_ns: Option<Nanos>,
    /// Of the first tuple; drawn within one inter-arrival time where `None`.
    pub tuple_phase_ns: Option<Nanos>,
}

/// Storage devices, one a node.
#[derive(Clone, Debug)]
pub struct StorageConfig {
    /// Time of a save, ns.
    pub latency_ns: Nanos,
    /// Write bandwidth, bytes a second; 0: unlimited.
    pub bandwidth_bytes_per_s: u64,
    /// Bandwidth at which a restart loads state, bytes a second; 0: unlimited.
    pub restore_bytes_per_s: u64,
}

/// Modelled sizes, bytes.
#[derive(Clone, Debug)]
pub struct SizesConfig {
    /// Of a tuple, on every edge.
    pub tuple: u64,
    /// Of an acknowledgement, trim or confirmation.
    pub ack: u64,
    /// Of a heartbeat.
    pub heartbeat: u64,
    /// Of other control messages and markers.
    pub control: u64,
    /// Of a keyed entry of operator state.
    pub entry: u64,
}

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

/// What a case expects. Empty: every covered claim holds, the run settles, not inconclusive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expect {
    /// For each run.
    pub run: Vec<(Quantity, Bound)>,
    /// For the mean over the runs.
    pub mean: Vec<(Quantity, Bound)>,
    /// For the smallest of the runs.
    pub min: Vec<(Quantity, Bound)>,
    /// For the largest of the runs.
    pub max: Vec<(Quantity, Bound)>,
    /// What is missing or repeated, all runs together.
    pub delivery: Option<Delivery>,
    /// The worst value class of the runs.
    pub value: Option<ValueClass>,
    /// Whether retained memory stays bounded in all runs that could judge it.
    pub memory_bounded: Option<bool>,
    /// For the verdict of each run.
    pub observed: Option<Observed>,
    /// The status that each run is expected to have, where it is not "held".
    pub status: Option<aftermath_reports::record::Status>,
    /// What is expected under one strategy, over and above.
    pub under: Vec<(&'static str, Expect)>,
}

impl Expect {
    /// What is expected under a strategy: what is expected anyway, and what is of that strategy,
    /// which is stronger.
    #[must_use]
    pub fn under(&self, strategy: &str) -> Expect {
        let mut all = Expect { under: Vec::new(), ..self.clone() };
        let own = self.under.iter().filter(|(name, _)| *name == strategy);
        for own in own.map(|(_, own)| own.clone()) {
            for (list, own) in [
                (&mut all.run, own.run),
                (&mut all.mean, own.mean),
                (&mut all.min, own.min),
                (&mut all.max, own.max),
            ] {
                list.retain(|(quantity, _)| own.iter().all(|(other, _)| other != quantity));
                list.extend(own);
            }
            all.delivery = own.delivery.or(all.delivery);
            all.value = own.value.or(all.value);
            all.memory_bounded = own.memory_bounded.or(all.memory_bounded);
            all.observed = own.observed.or(all.observed);
            all.status = own.status.or(all.status);
        }
        all
    }
}

/// How the verdict is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed {
    /// The observed guarantee is the claimed one.
    Exactly,
    /// The observed guarantee is the claimed one or better (what is checked anyway).
    AtLeastAsGood,
}

/// A number of a record that expectations are about. `ALL` lists their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// Counts.
    Lost,
    /// Extra copies.
    Duplicates,
    /// Wrong values.
    Wrong,
    /// R1 of the last fault, ns.
    R1,
    /// R2 of the last fault, ns.
    R2,
    /// R3 of the last fault, ns.
    R3,
    /// Silence of the last fault, ns.
    Silence,
    /// Detection of the last fault, ns.
    Detect,
    /// Overhead bytes without heartbeats per tuple byte of one hop, parts per million.
    BytesPerHopPpm,
    /// Largest retained memory, tuples.
    RetainedMax,
}

impl Quantity {
    /// Names in scenarios.
    pub const ALL: &[(&'static str, Quantity)] = &[
        ("lost", Quantity::Lost),
        ("duplicates", Quantity::Duplicates),
        ("wrong", Quantity::Wrong),
        ("recovery.r1", Quantity::R1),
        ("recovery.r2", Quantity::R2),
        ("recovery.r3", Quantity::R3),
        ("recovery.silence", Quantity::Silence),
        ("recovery.detect", Quantity::Detect),
        ("overhead.bytes_per_hop_ppm", Quantity::BytesPerHopPpm),
        ("overhead.retained_max", Quantity::RetainedMax),
    ];

    /// Whether it is a span of time (written `"639ms"`), or a plain number.
    pub fn is_time(self) -> bool {
        matches!(
            self,
            Quantity::R1 | Quantity::R2 | Quantity::R3 | Quantity::Silence | Quantity::Detect
        )
    }
}

/// What a quantity is compared with. Times in ns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Exactly this.
    Exact(u64),
    /// At least and at most, both optional.
    Range(Option<u64>, Option<u64>),
    /// What a formula predicts.
    Formula {
        /// Its name, looked up in [`crate::formulas::ALL`].
        name: String,
        /// How often it counts: once for each failure.
        times: u64,
        /// Relative tolerance, parts per million.
        within_ppm: u64,
        /// Absolute tolerance, thousandths of a tuple: of a count, or of the time between tuples.
        within_milli_tuples: u64,
    },
}
