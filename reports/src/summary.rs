//! Many runs taken in one at a time, and what is kept of them: the rows, and a few runs to show.
//! What is kept of a run that is not shown are a few numbers, so millions of runs fit.

use crate::record::{CaseResult, Record, Status};
pub use crate::row::{Row, TUPLE, options_label};
pub use crate::spread::Spread;
use std::collections::{BTreeMap, BTreeSet};

/// Broken runs of all scenarios that a report keeps.
pub const BROKEN_MAX: usize = 10;
/// Broken runs of a scenario that a report keeps.
pub const BROKEN_OF_SCENARIO_MAX: usize = 50;

/// Runs that are taken in one after another, in the order in which they are to be shown.
#[derive(Default)]
pub struct Summary {
    rows: Vec<Row>,
    index: BTreeMap<Key, usize>,
    scenarios: BTreeMap<String, usize>,
    cases: BTreeMap<(String, String), usize>,
    /// The places of scenario, case and row.
    order: Vec<(usize, usize, usize)>,
    runs: u64,
    broken: Option<Failures>,
    broken_of: BTreeMap<String, Failures>,
}

/// What a row has in common.
type Key = (String, String, String, BTreeMap<String, String>, Option<String>);

/// Everything that tables, figures and pages show.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// One row a scenario, case, strategy and set of options. Scenarios and the cases within them
    /// stand in the order in which the runs first name them, so do strategies within a case.
    pub rows: Vec<Row>,
    /// The judgements of cases.
    pub cases: Vec<CaseResult>,
    /// Number of runs.
    pub runs: u64,
    /// How many there should be, where that is known.
    pub planned: Option<u64>,
    /// Some of the broken runs.
    pub broken: Failures,
    /// Some of the broken runs of each scenario.
    pub broken_of: BTreeMap<String, Failures>,
    /// What came of holding the runs against a baseline, if that was done.
    pub baseline: Option<BaselineCheck>,
}

/// What came of holding runs against a baseline.
#[derive(Clone, PartialEq, Debug)]
pub struct BaselineCheck {
    /// What is broken or over budget, one line each.
    pub wrong: Vec<String>,
    /// What is another than in the baseline, one line each.
    pub changed: Vec<String>,
    /// Whether what has changed is a failure: it is more than a trace, and is not being blessed.
    pub fails: bool,
}

impl Summary {
    /// Takes in one run.
    pub fn add(&mut self, record: &Record) {
        let at = self.row_of(record);
        self.rows[at].add(record);
        self.runs += 1;
        if record.status == Status::Broken {
            self.broken.get_or_insert_with(|| Failures::new(BROKEN_MAX)).add(record, at);
            let own = self.broken_of.entry(record.scenario.clone());
            own.or_insert_with(|| Failures::new(BROKEN_OF_SCENARIO_MAX)).add(record, at);
        }
    }

    fn row_of(&mut self, r: &Record) -> usize {
        let name = || (r.scenario.clone(), r.case.clone());
        let (scenario, case) = name();
        let key = (scenario, case, r.strategy.clone(), r.options.clone(), r.planted.clone());
        *self.index.entry(key).or_insert_with(|| {
            let next = self.scenarios.len();
            let scenario = *self.scenarios.entry(r.scenario.clone()).or_insert(next);
            let next = self.cases.len();
            let case = *self.cases.entry(name()).or_insert(next);
            self.order.push((scenario, case, self.rows.len()));
            self.rows.push(Row::new(r));
            self.rows.len() - 1
        })
    }

    /// The report of all that was taken in, with these judgements of cases.
    pub fn finish(mut self, cases: Vec<CaseResult>, planned: Option<u64>) -> Report {
        for row in &mut self.rows {
            let own = cases.iter().filter(|c| {
                c.scenario == row.scenario && c.case == row.case && c.strategy == row.strategy
            });
            row.checks_broken =
                own.map(|c| c.checks.iter().filter(|check| !check.held).count() as u64).sum();
        }
        self.order.sort_unstable();
        let mut rows: Vec<Option<Row>> = self.rows.into_iter().map(Some).collect();
        Report {
            rows: self.order.iter().filter_map(|(_, _, at)| rows[*at].take()).collect(),
            cases,
            runs: self.runs,
            planned,
            broken: self.broken.unwrap_or_else(|| Failures::new(BROKEN_MAX)),
            broken_of: self.broken_of,
            baseline: None,
        }
    }
}

impl Report {
    /// The report of these records.
    pub fn of(records: &[Record], cases: &[CaseResult]) -> Report {
        let mut summary = Summary::default();
        records.iter().for_each(|record| summary.add(record));
        summary.finish(cases.to_vec(), None)
    }

    /// The judgement of the case that a row is of, if all of its runs are there.
    pub fn case_of(&self, row: &Row) -> Option<&CaseResult> {
        self.cases.iter().find(|c| {
            c.scenario == row.scenario && c.case == row.case && c.strategy == row.strategy
        })
    }

    /// How a row ends: as its case was judged, which may expect a broken run, or else as its runs
    /// were.
    pub fn verdict_of(&self, row: &Row) -> Status {
        self.case_of(row).map_or(row.verdict(), |case| case.status)
    }

    /// The broken runs of a row, as far as they are kept; the first one always is.
    pub fn broken_in<'a>(&'a self, row: &'a Row) -> impl Iterator<Item = &'a Record> {
        let kept = self.broken_of.get(&row.scenario).into_iter().flat_map(Failures::shown);
        kept.filter(|record| row.has(record))
    }
}

/// At most so many broken runs, so chosen that every row that has one is seen before any has two.
#[derive(Clone, PartialEq, Debug)]
pub struct Failures {
    limit: usize,
    /// By (how many of its row came before it, how many at all).
    kept: BTreeMap<(u64, u64), Record>,
    of_row: BTreeMap<usize, u64>,
    count: u64,
}

impl Failures {
    fn new(limit: usize) -> Failures {
        Failures { limit, kept: BTreeMap::new(), of_row: BTreeMap::new(), count: 0 }
    }

    fn add(&mut self, record: &Record, row: usize) {
        let nth = self.of_row.entry(row).or_default();
        let place = (*nth, self.count);
        *nth += 1;
        self.count += 1;
        let last = self.kept.last_key_value().map(|(place, _)| *place);
        if self.kept.len() >= self.limit && last < Some(place) {
            return;
        }
        // Nobody draws the series of these.
        self.kept.insert(place, Record { series: None, ..record.clone() });
        if self.kept.len() > self.limit {
            self.kept.pop_last();
        }
    }

    /// Those that are kept, in the order in which they came.
    pub fn shown(&self) -> impl Iterator<Item = &Record> {
        let mut shown: Vec<_> = self.kept.iter().map(|((_, at), record)| (at, record)).collect();
        shown.sort_unstable_by_key(|(at, _)| **at);
        shown.into_iter().map(|(_, record)| record)
    }

    /// How many more there are.
    pub fn left_out(&self) -> u64 {
        self.count - self.kept.len() as u64
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }
}

/// The rows of each scenario, in their order.
pub fn by_scenario(rows: &[Row]) -> Vec<&[Row]> {
    rows.chunk_by(|a, b| a.scenario == b.scenario).collect()
}

/// The causes of overhead that occur, without the dataflow itself.
pub fn causes(rows: &[Row]) -> Vec<&str> {
    let all: BTreeSet<&str> = rows.iter().flat_map(|r| r.traffic.keys()).map(|c| &**c).collect();
    all.into_iter().filter(|c| *c != TUPLE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::ValueClass;
    use crate::sample::{self, record};

    #[test]
    fn runs_group_and_the_worst_is_kept() {
        let mut a = record("s", "c", "amnesia", 1);
        a.counts.lost = 4;
        a.observed.gap = true;
        let mut b = record("s", "c", "amnesia", 2);
        b.counts.lost = 7;
        b.observed.value = ValueClass::Converges;
        b.observed.memory_bounded = Some(false);
        b.status = Status::Broken;
        let other_scenario = record("t", "c", "amnesia", 1);
        let mut tuned = record("s", "c", "amnesia", 1);
        tuned.options.insert("m_ms".into(), "250".into());
        let rows = Report::of(&[a, other_scenario, b, tuned], &[]).rows;
        let names: Vec<_> = rows.iter().map(|r| (&*r.scenario, r.label(), r.runs)).collect();
        let amnesia = || "amnesia".to_owned();
        assert_eq!(
            names,
            [("s", amnesia(), 2), ("s", "amnesia m_ms=250".to_owned(), 1), ("t", amnesia(), 1)]
        );
        assert_eq!(by_scenario(&rows).len(), 2);
        let row = &rows[0];
        assert_eq!((row.lost.total, row.lost.min, row.lost.max), (11, 4, 7));
        assert_eq!(row.status, Status::Broken);
        assert!(row.observed.gap && row.observed.value == ValueClass::Converges);
        assert_eq!(row.observed.memory_bounded, Some(false));
    }

    #[test]
    fn every_broken_row_is_seen_before_any_is_seen_twice() {
        let mut records: Vec<_> = (0..5).map(|seed| record("s", "c", "a", seed)).collect();
        records.push(record("s", "c", "b", 9));
        records.iter_mut().for_each(|r| r.status = Status::Broken);
        let mut failures = Failures::new(2);
        records.iter().for_each(|record| failures.add(record, usize::from(record.strategy == "b")));
        let names: Vec<_> = failures.shown().map(|r| (&*r.strategy, r.seed)).collect();
        assert_eq!((names, failures.left_out()), (vec![("a", 0), ("b", 9)], 4));
    }

    #[test]
    fn checks_of_the_case_break_the_row() {
        let report = Report::of(&sample::three_strategies(), &sample::three_strategies_cases());
        let rows = report.rows;
        let broken: Vec<_> = rows.iter().filter(|r| r.checks_broken > 0).collect();
        assert_eq!(broken.len(), 1);
        assert_eq!((broken[0].status, broken[0].verdict()), (Status::Held, Status::Broken));
    }
}
