//! One run, one JSON line: the contract between running and reporting. Everything in a record is
//! virtual: no wall clock, no host, no path. Integers only, times in nanoseconds, so that two
//! records can be compared for equality.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Raised whenever the meaning of a field changes, or one is renamed or removed. Fields that come
/// to it do not raise it.
pub const FORMAT_VERSION: u32 = 2;

/// The reason that stands in the record of a run in which two worlds differ.
pub const WORLDS_DIFFER: &str = "the two worlds differ";

/// A guarantee, claimed or observed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Guarantee {
    /// Outputs may be (were) missing.
    pub gap: bool,
    /// Outputs may come (came) more than once.
    pub duplicates: bool,
    /// Values of outputs.
    pub value: ValueClass,
    /// Whether the operator state ends as in the twin.
    pub state_same: bool,
    /// Whether retained memory stays bounded; `None`: not judged.
    pub memory_bounded: Option<bool>,
    /// Whether the stream drained after the faults had healed.
    pub settles: bool,
}

/// What became of values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueClass {
    /// Always as in the twin.
    Same,
    /// Wrong for a bounded time, then the same.
    Converges,
    /// Wrong for ever.
    Diverges,
}

/// What the strategy promised for what happened.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claimed {
    /// This.
    Guarantee(Guarantee),
    /// Nothing, for this reason.
    NotCovered(String),
}

/// The judgement of one run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Every promise and expectation held.
    Held,
    /// The situation was one about which the strategy promises nothing.
    NotCovered,
    /// No fault met anything: nothing was learned.
    Inconclusive,
    /// A promise or an expectation was broken.
    Broken,
}

/// Outputs counted against the twin.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Outputs of the twin.
    pub expected: u64,
    /// Outputs that arrived, all copies.
    pub delivered: u64,
    /// Different expected outputs that arrived.
    pub unique: u64,
    /// Expected outputs that never arrived.
    pub lost: u64,
    /// Copies beyond the first.
    pub duplicates: u64,
    /// Outputs of which a copy carried another value than in the twin.
    pub wrong: u64,
    /// Outputs that the twin does not have.
    pub unexpected: u64,
    /// First copies that arrived after a later one of the same key.
    pub reordered: u64,
}

/// A time of recovery.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Time {
    /// Measured, ns.
    Ns(u64),
    /// The stream ended first: it is more than this, ns. Left out of means.
    MoreThanNs(u64),
    /// There is no such thing in this run (no activation).
    None,
}

impl Time {
    /// The measured value, ns.
    pub fn ns(self) -> Option<u64> {
        match self {
            Time::Ns(ns) => Some(ns),
            Time::MoreThanNs(_) | Time::None => None,
        }
    }
}

/// Recovery from one fault, measured at the sink from the start of the fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Recovery {
    /// R1: the first output of any kind that descends from an activation after the fault.
    pub r1: Time,
    /// R2: the first new one.
    pub r2: Time,
    /// R3: the first new output from which on none lags more than the twin's worst lag + 50 us.
    pub r3: Time,
    /// Longest gap between arrivals of new outputs that overlaps [fault start, R3], ns.
    pub silence_ns: u64,
    /// Largest lag of a new output, ns.
    pub peak_lag_ns: u64,
    /// Anatomy: fault start to the return of the machine itself, ns; only if nobody replaced it.
    pub down: Time,
    /// Anatomy: fault start to suspicion, ns; none if the machine was back first.
    pub detect: Time,
    /// Anatomy: streams are led to whoever takes over, ns.
    pub redirect: Time,
    /// Anatomy: what an activation or restart takes beyond that, ns: asking for state, reading and
    /// loading it, waiting for the others of a region. None if there is nothing to restore.
    pub restore: Time,
    /// Anatomy: from there to the first new output, ns.
    pub replay: Time,
    /// Anatomy: from there to R3, ns.
    pub catch_up: Time,
}

/// How often a fault of chance did something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Rate {
    /// How often it should, in parts per million.
    pub configured_ppm: u32,
    /// Transmissions (or arrivals) about which was drawn.
    pub of: u64,
    /// Those that were changed.
    pub changed: u64,
    /// Of those that were held up: how many really came after one that had been sent later.
    pub overtaken: u64,
}

/// One fault of the run, as it happened.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// Its kind, as scenarios name it: `process-crash`, `partition`.
    pub kind: String,
    /// The node that it hit, or the links: `source -> count`, `count/0/0 <-> count/0/1`.
    pub node: String,
    /// Start, ns.
    pub at_ns: u64,
    /// End, ns: when it healed.
    pub healed_ns: u64,
    /// What it met, for people; empty if it met nothing.
    pub met: Vec<String>,
    /// How often it did something, of a fault of chance.
    #[serde(default)]
    pub rate: Option<Rate>,
    /// Recovery from it; `None` if it met nothing.
    pub recovery: Option<Recovery>,
    /// The colour of its kind in plots, `#rrggbb`; empty: records of before there were any.
    #[serde(default)]
    pub colour: String,
    /// What it waited for, if it had no instant of its own, for people: `3rd checkpoint-cut of
    /// count`. It struck when that was reached, or a tick later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<String>,
}

/// A fault that never struck: no machine reached what it waited for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Unreached {
    /// Its kind, as scenarios name it.
    pub kind: String,
    /// What it was to befall: `count`, `count/0/1`, `source -> count`.
    pub node: String,
    /// What it waited for, for people.
    pub point: String,
}

/// Traffic of one cause.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Traffic {
    /// Messages sent.
    pub messages: u64,
    /// Modelled bytes sent.
    pub bytes: u64,
}

/// What protection costs while nothing fails: measured in the twin.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Overhead {
    /// Traffic by cause (`tuple`, `copy`, `state`, `log`, `ack`, `trim`, `heartbeat`, …) of the
    /// whole pipeline. `tuple` is the dataflow itself, everything else is overhead.
    pub traffic: BTreeMap<String, Traffic>,
    /// Overhead bytes without heartbeats ÷ tuple bytes of one hop, in parts per million.
    pub bytes_per_hop_ppm: u64,
    /// All overhead bytes ÷ all tuple bytes, in parts per million.
    pub bytes_ppm: u64,
    /// Saves to storage.
    pub saves: u64,
    /// Parts of checkpoints that tasks have cut: how often `checkpoint-cut` was marked.
    #[serde(default)]
    pub checkpoints: u64,
    /// CPU time served by all nodes, ns.
    pub cpu_ns: u64,
    /// Mean lag of outputs, ns.
    pub lag_mean_ns: u64,
    /// Largest lag of an output, ns.
    pub lag_max_ns: u64,
    /// Largest number of retained tuples, all nodes together.
    pub retained_max: u64,
}

impl Overhead {
    /// Messages that carry, confirm or co-ordinate checkpoints (`state`, `log`, `ack`, `trim`,
    /// `marker`, `control`) for each checkpoint cut, in thousandths; `None`: none was cut.
    pub fn messages_per_checkpoint_milli(&self) -> Option<u64> {
        let causes = ["state", "log", "ack", "trim", "marker", "control"];
        let messages = causes.iter().filter_map(|cause| self.traffic.get(*cause));
        let messages: u64 = messages.map(|traffic| traffic.messages).sum();
        (messages * 1000).checked_div(self.checkpoints)
    }
}

/// Evidence for one thing that went wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Witness {
    /// Which checker speaks: `lost`, `duplicate`, `wrong-value`, `unexpected`, `state`, `memory`,
    /// `confirmed-before-durable`, `pair`, `leader`, `reference`, `stuck`, `expectation`.
    pub checker: String,
    /// What it is about ("origin DTW, row 51").
    pub subject: String,
    /// What the twin has.
    pub expected: String,
    /// What the run has.
    pub observed: String,
    /// When, ns.
    pub at_ns: Option<u64>,
}

/// A number that an expectation or a formula is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Check {
    /// What was compared: `lost`, `recovery.r2`, `observed`, …
    pub what: String,
    /// What was expected, for people ("passive.r2 = 639.000 ms within 1% or 2 tuples").
    pub expected: String,
    /// What was measured, for people.
    pub measured: String,
    /// Whether it held.
    pub held: bool,
}

/// Counts over time, in at most 400 bins.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Series {
    /// Width of a bin, ns.
    pub bin_ns: u64,
    /// New outputs that arrived in each bin.
    pub new_outputs: Vec<u64>,
    /// Repeated outputs that arrived in each bin.
    pub repeated_outputs: Vec<u64>,
    /// Largest lag of a new output in each bin, ns.
    pub lag_max_ns: Vec<u64>,
    /// Retained tuples at the end of each bin.
    pub retained: Vec<u64>,
    /// Outputs of the twin in each bin.
    pub twin_outputs: Vec<u64>,
    /// Largest lag of an output of the twin in each bin, ns.
    pub twin_lag_max_ns: Vec<u64>,
}

/// One run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// [`FORMAT_VERSION`].
    pub format_version: u32,
    /// The scenario's name.
    pub scenario: String,
    /// The case within it.
    pub case: String,
    /// The strategy.
    pub strategy: String,
    /// Its options that differ from the default, sorted.
    pub options: BTreeMap<String, String>,
    /// The planted bug, if any.
    pub planted: Option<String>,
    /// What it was run with: by section of a scenario, its keys with their values as scenarios
    /// write them; of each fault (`fault`) all of them in one line. `top` are keys in no section.
    /// What is left out had the default of the program that ran it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub setting: BTreeMap<String, Vec<String>>,
    /// The seed.
    pub seed: u64,
    /// Which stratum of a stratified case, from 0.
    pub stratum: Option<u32>,
    /// Where it was run: `events`, `turmoil`, or `both`, which agreed unless the program said so.
    #[serde(default = "events")]
    pub world: String,
    /// The judgement.
    pub status: Status,
    /// Why it is broken, inconclusive or not covered; empty when held.
    pub reasons: Vec<String>,
    /// What the strategy promised.
    pub claimed: Claimed,
    /// What was observed.
    pub observed: Guarantee,
    /// Outputs counted.
    pub counts: Counts,
    /// The faults, in the order of their start.
    pub faults: Vec<Fault>,
    /// The faults that never struck.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreached: Vec<Unreached>,
    /// Cost while nothing fails.
    pub overhead: Overhead,
    /// Predicted values of the formulas that the case names: times in ns, counts in thousandths.
    pub checks: Vec<Check>,
    /// Up to ten pieces of evidence.
    pub witnesses: Vec<Witness>,
    /// For the first seed of a strategy and for broken runs.
    pub series: Option<Series>,
    /// Largest retained memory while a pair was incomplete, tuples.
    pub retained_unpaired: u64,
    /// Handlers run.
    pub handlers: u64,
    /// Virtual length of the run, ns.
    pub length_ns: u64,
    /// Hash of every event of every node.
    pub trace_hash: String,
    /// The same of the twin.
    pub twin_hash: String,
    /// A command that runs this again, alone.
    pub replay: String,
    /// The faults as scenarios write them, TOML, if they were drawn as a whole: pasted in place of
    /// what they were drawn by, they give the same run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
}

/// What records that do not say so were run in.
fn events() -> String {
    "events".to_string()
}

/// The version of cases that do not say so.
fn current() -> u32 {
    FORMAT_VERSION
}

/// The judgement of a case over all its runs: one JSON line each in `cases.jsonl`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CaseResult {
    /// [`FORMAT_VERSION`].
    #[serde(default = "current")]
    pub format_version: u32,
    /// The scenario's name.
    pub scenario: String,
    /// The case.
    pub case: String,
    /// The strategy.
    pub strategy: String,
    /// The worst of its runs and of its checks: broken over inconclusive over not covered over
    /// held, but inconclusive only when no run was conclusive.
    pub status: Status,
    /// Number of runs by status.
    pub runs: BTreeMap<String, u64>,
    /// Expectations over all runs: predicted beside measured.
    pub checks: Vec<Check>,
}
