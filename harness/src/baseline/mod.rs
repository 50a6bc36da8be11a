//! What the runs of a scenario came to, to be compared with what they come to later: a file of
//! exact values, what has changed since in words, and budgets that people set.
//!
//! A run is a function of scenario and seed, so a value that is another one than in the file is a
//! change of the program or of the scenario, and never chance.

mod budget;
mod changes;
mod file;
mod value;

pub use budget::{Budget, Over};
pub use changes::{Change, Compared, compare};
pub use file::{Baseline, MARKER, RUNS_MAX};
pub use value::{HASHES, Value, names};

use crate::campaign::Block;
use aftermath_reports::record::Record;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// A case under a strategy, as it is told and as budgets match it: `flights / base / amnesia`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Name {
    /// The scenario.
    pub scenario: String,
    /// The case.
    pub case: String,
    /// The strategy, or mixture of strategies.
    pub strategy: String,
}

impl Name {
    /// That of a block of runs.
    pub fn of(block: &Block) -> Name {
        Name {
            scenario: block.scenario.name.clone(),
            case: block.case.name.clone(),
            strategy: block.case.config.label(),
        }
    }

    /// Whether a run is one of it.
    pub fn has(&self, record: &Record) -> bool {
        (&self.scenario, &self.case, &self.strategy)
            == (&record.scenario, &record.case, &record.strategy)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} / {} / {}", self.scenario, self.case, self.strategy)
    }
}

/// Which run of a case: its seed, and its stratum if the case is stratified.
pub type Run = (u64, Option<u32>);

/// All runs of a case under a strategy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// From the first seed up to but not including the last.
    pub seeds: Range<u64>,
    /// The strata of each seed, if there are any.
    pub strata: Option<u32>,
    /// By the name of the quantity: the value of each run, by seed and then by stratum.
    pub values: BTreeMap<String, Vec<Value>>,
}

/// Rows by their names.
pub type Rows = BTreeMap<Name, Row>;

impl Row {
    /// That of a block, of all its runs in their order.
    pub fn of(block: &Block, records: &[&Record]) -> Row {
        let mut values: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for (nth, record) in records.iter().enumerate() {
            for (name, value) in value::values(record) {
                // What earlier runs did not have at all.
                values.entry(name).or_insert_with(|| vec![Value::Nothing; nth]).push(value);
            }
            for list in values.values_mut() {
                list.resize(nth + 1, Value::Nothing);
            }
        }
        Row { seeds: block.seeds.clone(), strata: block.strata, values }
    }

    /// Its runs, in the order of the values.
    pub fn runs(&self) -> impl Iterator<Item = Run> {
        let strata = self.strata;
        self.seeds.clone().flat_map(move |seed| {
            (0..strata.unwrap_or(1)).map(move |stratum| (seed, strata.map(|_| stratum)))
        })
    }

    /// How many runs it has.
    pub fn len(&self) -> u64 {
        let seeds = self.seeds.end.saturating_sub(self.seeds.start);
        seeds.saturating_mul(u64::from(self.strata.unwrap_or(1)))
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The rows of these runs; every block has all of its.
pub fn rows(blocks: &[Block], records: &[Record]) -> Rows {
    let mut of: BTreeMap<[&str; 3], Vec<&Record>> = BTreeMap::new();
    for record in records {
        let name = [&*record.scenario, &*record.case, &*record.strategy];
        of.entry(name).or_default().push(record);
    }
    let row = |block: &Block| {
        let name = Name::of(block);
        let runs = of.get(&[&*name.scenario, &*name.case, &*name.strategy]);
        let row = Row::of(block, runs.map_or(&[], |runs| runs));
        (name, row)
    };
    blocks.iter().filter(|block| block.runs() > 0).map(row).collect()
}
