//! What many runs of one case and strategy come to: one line of every table.

use crate::phases::Phases;
use crate::record::{Claimed, Guarantee, Record, Status, Traffic, WORLDS_DIFFER};
use crate::spread::Spread;
use std::collections::{BTreeMap, BTreeSet};

/// All runs of one scenario, case, strategy and set of options.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The scenario.
    pub scenario: String,
    /// The case.
    pub case: String,
    /// The strategy.
    pub strategy: String,
    /// Its options that differ from the default: "m_ms=250, warm=true".
    pub options: String,
    /// The planted bug, if any.
    pub planted: Option<String>,
    /// What they were run with, by section of a scenario; `None`: not all with the same.
    pub setting: Option<BTreeMap<String, Vec<String>>>,
    /// Number of runs.
    pub runs: u64,
    /// Number of runs by status.
    pub by_status: BTreeMap<Status, u64>,
    /// The runs' common status: broken if any is, inconclusive if all are, not covered if any
    /// is, else held. Checks of the case are not in it: see [`Row::verdict`].
    pub status: Status,
    /// Expectations about the case as a whole that did not hold.
    pub checks_broken: u64,
    /// The worst that was claimed, over the covered runs; `None`: no run was covered.
    pub claimed: Option<Guarantee>,
    /// How the first run in which two worlds differ is run again, if there is one.
    pub differ: Option<String>,
    /// Why runs were not covered.
    pub not_covered: BTreeSet<String>,
    /// Why the first inconclusive run is.
    pub inconclusive: Option<String>,
    /// Runs in which a fault waited for a point that nobody reached.
    pub unreached: u64,
    /// The worst that was observed, over all runs, component by component.
    pub observed: Guarantee,
    /// Outputs of the twin.
    pub expected: Spread,
    /// Expected outputs that never arrived.
    pub lost: Spread,
    /// Copies beyond the first.
    pub duplicates: Spread,
    /// Outputs with a wrong value.
    pub wrong: Spread,
    /// Outputs that the twin does not have.
    pub unexpected: Spread,
    /// First copies out of order.
    pub reordered: Spread,
    /// First output after the last fault that has a recovery, ns.
    pub r1: Spread,
    /// First new output after it, ns.
    pub r2: Spread,
    /// Back to normal lag after it, ns.
    pub r3: Spread,
    /// Longest silence around it, ns.
    pub silence: Spread,
    /// Largest lag around it, ns.
    pub peak_lag: Spread,
    /// Fault to suspicion, ns.
    pub detect: Spread,
    /// Fault to the return of the machine itself, ns.
    pub down: Spread,
    /// Suspicion or return to the end of redirecting, ns.
    pub redirect: Spread,
    /// From there to the end of restoring, ns.
    pub restore: Spread,
    /// From there to the first new output, ns.
    pub replay: Spread,
    /// From there to normal lag, ns.
    pub catch_up: Spread,
    /// When the phases of recovery were over, in each run that has them.
    pub phases: Phases,
    /// The first run with a series.
    pub timeline: Option<Box<Record>>,
    /// Overhead bytes without heartbeats per tuple bytes of one hop, ppm.
    pub per_hop_ppm: Spread,
    /// All overhead bytes per tuple bytes, ppm.
    pub bytes_ppm: Spread,
    /// Traffic of the twins by cause, summed over runs.
    pub traffic: BTreeMap<String, Traffic>,
    /// Saves to storage in the twin.
    pub saves: Spread,
    /// CPU time in the twin, ns.
    pub cpu_ns: Spread,
    /// Mean lag in the twin, ns.
    pub lag_mean_ns: Spread,
    /// Largest lag in the twin, ns.
    pub lag_max_ns: Spread,
    /// Largest number of retained tuples in the twin.
    pub retained_max: Spread,
    /// Largest number of retained tuples while a pair was incomplete.
    pub retained_unpaired: Spread,
}

/// The cause that is not overhead: the dataflow itself.
pub const TUPLE: &str = "tuple";

impl Row {
    /// The strategy with its options and its planted bug, if any.
    pub fn label(&self) -> String {
        let mut text = self.strategy.clone();
        if !self.options.is_empty() {
            text.push_str(&format!(" {}", self.options));
        }
        if let Some(planted) = &self.planted {
            text.push_str(&format!(" (planted: {planted})"));
        }
        text
    }

    /// Whether a run is one of the row's.
    pub fn has(&self, r: &Record) -> bool {
        (&self.scenario, &self.case, &self.strategy) == (&r.scenario, &r.case, &r.strategy)
            && self.options == options_label(&r.options)
            && self.planted == r.planted
    }

    /// The status of the runs, or broken if a check of the case was.
    pub fn verdict(&self) -> Status {
        if self.checks_broken > 0 { Status::Broken } else { self.status }
    }

    /// Bytes of one cause per tuple bytes, ppm; `None` when the cause does not occur or there are
    /// no tuples.
    pub fn cause_ppm(&self, cause: &str) -> Option<f64> {
        let tuples = self.traffic.get(TUPLE).map_or(0, |t| t.bytes);
        let bytes = self.traffic.get(cause)?.bytes;
        (tuples > 0).then(|| bytes as f64 * 1e6 / tuples as f64)
    }

    pub(crate) fn new(record: &Record) -> Row {
        let zero = Spread::default();
        Row {
            scenario: record.scenario.clone(),
            case: record.case.clone(),
            strategy: record.strategy.clone(),
            options: options_label(&record.options),
            planted: record.planted.clone(),
            setting: Some(record.setting.clone()),
            runs: 0,
            by_status: BTreeMap::new(),
            status: record.status,
            checks_broken: 0,
            claimed: None,
            differ: None,
            not_covered: BTreeSet::new(),
            inconclusive: None,
            unreached: 0,
            observed: record.observed,
            expected: zero,
            lost: zero,
            duplicates: zero,
            wrong: zero,
            unexpected: zero,
            reordered: zero,
            r1: zero,
            r2: zero,
            r3: zero,
            silence: zero,
            peak_lag: zero,
            detect: zero,
            down: zero,
            redirect: zero,
            restore: zero,
            replay: zero,
            catch_up: zero,
            phases: Phases::default(),
            timeline: None,
            per_hop_ppm: zero,
            bytes_ppm: zero,
            traffic: BTreeMap::new(),
            saves: zero,
            cpu_ns: zero,
            lag_mean_ns: zero,
            lag_max_ns: zero,
            retained_max: zero,
            retained_unpaired: zero,
        }
    }

    pub(crate) fn add(&mut self, r: &Record) {
        self.runs += 1;
        *self.by_status.entry(r.status).or_default() += 1;
        self.setting.take_if(|setting| *setting != r.setting);
        self.observed = worse(self.observed, r.observed);
        match &r.claimed {
            Claimed::Guarantee(g) => {
                self.claimed = Some(self.claimed.map_or(*g, |old| worse(old, *g)));
            }
            Claimed::NotCovered(reason) => {
                self.not_covered.insert(reason.clone());
            }
        }
        if self.differ.is_none() && r.reasons.iter().any(|reason| reason == WORLDS_DIFFER) {
            self.differ = Some(r.replay.clone());
        }
        if r.status == Status::Inconclusive && self.inconclusive.is_none() {
            self.inconclusive = r.reasons.first().cloned();
        }
        self.unreached += u64::from(!r.unreached.is_empty());
        self.expected.add(r.counts.expected);
        self.lost.add(r.counts.lost);
        self.duplicates.add(r.counts.duplicates);
        self.wrong.add(r.counts.wrong);
        self.unexpected.add(r.counts.unexpected);
        self.reordered.add(r.counts.reordered);
        if let Some(recovery) = r.faults.iter().rev().find_map(|f| f.recovery) {
            self.r1.add_time(recovery.r1);
            self.r2.add_time(recovery.r2);
            self.r3.add_time(recovery.r3);
            self.silence.add(recovery.silence_ns);
            self.peak_lag.add(recovery.peak_lag_ns);
            self.detect.add_time(recovery.detect);
            self.down.add_time(recovery.down);
            self.redirect.add_time(recovery.redirect);
            self.restore.add_time(recovery.restore);
            self.replay.add_time(recovery.replay);
            self.catch_up.add_time(recovery.catch_up);
            self.phases.add(&recovery);
        }
        self.per_hop_ppm.add(r.overhead.bytes_per_hop_ppm);
        self.bytes_ppm.add(r.overhead.bytes_ppm);
        for (cause, traffic) in &r.overhead.traffic {
            let sum = self.traffic.entry(cause.clone()).or_default();
            sum.messages += traffic.messages;
            sum.bytes += traffic.bytes;
        }
        self.saves.add(r.overhead.saves);
        self.cpu_ns.add(r.overhead.cpu_ns);
        self.lag_mean_ns.add(r.overhead.lag_mean_ns);
        self.lag_max_ns.add(r.overhead.lag_max_ns);
        self.retained_max.add(r.overhead.retained_max);
        self.retained_unpaired.add(r.retained_unpaired);
        self.status = common(&self.by_status);
        if r.series.is_some() && self.timeline.is_none() {
            self.timeline = Some(Box::new(r.clone()));
        }
    }
}

/// Options as one text: "m_ms=250, warm=true".
pub fn options_label(options: &BTreeMap<String, String>) -> String {
    options.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join(", ")
}

/// The worse of two guarantees, component by component. Memory that was not judged says nothing.
pub fn worse(a: Guarantee, b: Guarantee) -> Guarantee {
    Guarantee {
        gap: a.gap || b.gap,
        duplicates: a.duplicates || b.duplicates,
        value: a.value.max(b.value),
        state_same: a.state_same && b.state_same,
        memory_bounded: match (a.memory_bounded, b.memory_bounded) {
            (Some(a), Some(b)) => Some(a && b),
            (a, b) => a.or(b),
        },
        settles: a.settles && b.settles,
    }
}

/// The common status of several.
fn common(by_status: &BTreeMap<Status, u64>) -> Status {
    let has = |s: Status| by_status.contains_key(&s);
    if has(Status::Broken) {
        Status::Broken
    } else if has(Status::NotCovered) {
        Status::NotCovered
    } else if has(Status::Held) {
        Status::Held
    } else {
        Status::Inconclusive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inconclusive_only_when_nothing_else_was_seen() {
        let status = |list: &[Status]| common(&list.iter().map(|s| (*s, 1)).collect());
        assert_eq!(status(&[Status::Inconclusive]), Status::Inconclusive);
        assert_eq!(status(&[Status::Inconclusive, Status::Held]), Status::Held);
        assert_eq!(status(&[Status::NotCovered, Status::Held]), Status::NotCovered);
        assert_eq!(status(&[Status::Broken, Status::Held]), Status::Broken);
    }
}
