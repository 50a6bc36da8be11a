//! Failing runs by kind: the same case and strategy, broken in the same respects.

use crate::signature::Signature;
use aftermath_reports::record::Record;
use std::collections::BTreeMap;

/// Failing runs of one kind that are kept to be shown.
pub const SHOWN_MAX: usize = 3;

/// A kind of failing runs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Kind {
    /// The scenario.
    pub scenario: String,
    /// The case.
    pub case: String,
    /// The strategy.
    pub strategy: String,
    /// In which respects they are broken; `None`: they are not, and were expected to be something
    /// else than they are.
    pub signature: Option<Signature>,
}

impl Kind {
    /// That of a run.
    pub fn of(record: &Record) -> Kind {
        Kind {
            scenario: record.scenario.clone(),
            case: record.case.clone(),
            strategy: record.strategy.clone(),
            signature: Signature::of(record),
        }
    }

    /// In which respects, for people.
    pub fn respects(&self) -> String {
        let signature = self.signature.as_ref();
        signature.map_or("another status than expected".into(), Signature::to_string)
    }
}

/// Failing runs of one kind.
pub struct Group {
    /// What they are runs of, and in which respects they are broken.
    pub kind: Kind,
    /// How many there are.
    pub count: u64,
    /// The first of them.
    pub shown: Vec<Record>,
}

/// Groups of failing runs, in the order in which their first ones come.
#[derive(Default)]
pub struct Groups {
    /// The groups.
    pub list: Vec<Group>,
    places: BTreeMap<Kind, usize>,
}

impl Groups {
    /// Takes in a failing run.
    pub fn add(&mut self, record: Record) {
        let kind = Kind::of(&record);
        let at = *self.places.entry(kind.clone()).or_insert_with(|| {
            self.list.push(Group { kind, count: 0, shown: Vec::new() });
            self.list.len() - 1
        });
        let group = &mut self.list[at];
        group.count += 1;
        if group.shown.len() < SHOWN_MAX {
            group.shown.push(Record { series: None, ..record });
        }
    }
}
