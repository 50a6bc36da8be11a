//! What a scenario means, resolved: one value per case with every name looked up, every default
//! filled in and every time in nanoseconds. The scenario reader makes it, planning reads it.

mod expect;
mod faults;
mod kept;
mod worlds;

pub use expect::{Bound, Expect, Observed, Quantity};
pub use faults::{FaultAt, FaultConfig, FaultPlace, LinkEnd, Target};
pub use kept::Kept;
pub use worlds::Worlds;

use aftermath_systems::claim::FaultKind;
use aftermath_systems::options::Options;
use aftermath_systems::plan::Dedup;
use aftermath_systems::planted_bugs::Bug;
use aftermath_systems::protocol::{Field, Nanos, SECOND};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The notes of a run that goes on for so many sampling instants stay below a gigabyte.
const SAMPLES_MAX: u64 = 4_000_000;

/// One scenario file.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// What it shows, in the author's words.
    pub about: String,
    /// The file, as the user wrote it, for messages and replay lines.
    pub path: String,
    /// How the program that has read it is called, for replay lines.
    pub program: &'static str,
    /// A hash of what it says, comments and layout left out, and of the rows that it reads, in
    /// hexadecimal digits.
    pub content: String,
    /// Its seeds, if the command line does not say otherwise.
    pub seeds: Range<u64>,
    /// Where it is run, if the command line does not say otherwise.
    pub worlds: Worlds,
    /// Its cases, matrices multiplied out, one for each strategy.
    pub cases: Vec<Case>,
}

impl Scenario {
    /// The folder of its file, from which recorded streams are named.
    pub fn folder(&self) -> &Path {
        Path::new(&self.path).parent().unwrap_or(Path::new(""))
    }
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
    /// Which tuples of it; they keep their instants.
    pub kept: Kept,
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
    /// Whether failures may come while others are being recovered from, and are drawn near the
    /// begin and end of others.
    pub overlap: bool,
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

    /// How often machines note their memory and their queues, ns.
    pub fn sample_every_ns(&self) -> Nanos {
        let shorter = self.timing.interval_ns.min(self.timing.heartbeat_ns);
        (shorter / 4).max(self.network.tick_ns)
    }

    /// How long a run may last at most, ns: what machines note down is all kept.
    pub fn longest_ns(&self) -> Nanos {
        self.sample_every_ns().saturating_mul(SAMPLES_MAX)
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
    /// Events of NEXMark's auction site; the seed says which.
    Nexmark {
        /// How many.
        events: u64,
    },
}

impl InputConfig {
    /// How many tuples it has.
    pub fn tuples(&self) -> u64 {
        match self {
            InputConfig::Generated { tuples, .. } => *tuples,
            InputConfig::Recorded(recording) => recording.rows.len() as u64,
            InputConfig::Nexmark { events } => *events,
        }
    }

    /// How long the stream is at this rate, ns.
    pub fn length_ns(&self, rate_per_s: u64) -> Nanos {
        (u128::from(self.tuples()) * u128::from(SECOND) / u128::from(rate_per_s.max(1))) as Nanos
    }
}

/// A recorded stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The file it was read from.
    pub file: PathBuf,
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
