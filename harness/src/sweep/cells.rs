//! What was found, gathered by kinds of places.

use super::failure::KINDS;
use super::points::Kind;
use super::run::Found;
use super::{Seen, Swept};
use crate::faults;
use aftermath_reports::record::Status;
use aftermath_reports::sweep::{SweepCell, Tally};
use std::collections::BTreeMap;

/// A cell, and the first run in it that breaks its claim, by its number in [`Swept::found`].
pub struct Gathered {
    /// The cell; its replay line is to be filled in.
    pub cell: SweepCell,
    /// The run.
    pub broken: Option<usize>,
}

/// The cells of a sweep, by kind of places and way to fail. What is the same as at the place before
/// counts for both.
pub fn cells(swept: &Swept, (scenario, case, strategy): (&str, &str, &str)) -> Vec<Gathered> {
    let mut of_point: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (nth, found) in swept.found.iter().enumerate() {
        of_point.entry(found.point).or_default().push(nth);
    }
    let mut gathered: BTreeMap<(usize, usize), (Tally, Option<usize>)> = BTreeMap::new();
    let mut last = Vec::new();
    for (number, point) in swept.points.list.iter().enumerate() {
        if !point.same_as_before {
            last = of_point.remove(&number).unwrap_or_default();
        }
        for nth in &last {
            let found = &swept.found[*nth];
            let cell = gathered.entry((point.kind, found.failures[0].kind)).or_default();
            count(&mut cell.0, found);
            let broken = found.verdict.as_ref().is_some_and(|v| v.status == Status::Broken);
            if broken && cell.1.is_none() {
                cell.1 = Some(*nth);
            }
        }
    }
    let one = |((kind, fault), (tally, broken)): ((usize, usize), (Tally, Option<usize>))| {
        let kind: &Kind = &swept.points.kinds[kind];
        let cell = SweepCell {
            scenario: scenario.to_string(),
            case: case.to_string(),
            strategy: strategy.to_string(),
            fault: faults::of(KINDS[fault]).name.to_string(),
            operator: kind.operator.clone(),
            role: kind.role.name().to_string(),
            event: kind.event.0.to_string(),
            place: kind.place(),
            tally,
            replay: None,
        };
        Gathered { cell, broken }
    };
    gathered.into_iter().map(one).collect()
}

fn count(tally: &mut Tally, found: &Found) {
    let Some(verdict) = &found.verdict else { return };
    *match verdict.seen() {
        Seen::Nothing => &mut tally.nothing,
        Seen::Duplicated => &mut tally.duplicated,
        Seen::Lost => &mut tally.lost,
        Seen::Wrong => &mut tally.wrong,
        Seen::Stuck => &mut tally.stuck,
    } += 1;
    *match verdict.status {
        Status::Held => &mut tally.kept,
        Status::Inconclusive => &mut tally.idle,
        Status::NotCovered => &mut tally.not_covered,
        Status::Broken => &mut tally.broken,
    } += 1;
}
