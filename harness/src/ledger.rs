//! The ledger: every expected output ends in exactly one bucket.
//!
//! Speaks when an output of the twin is missing, when one arrives more than once, when one arrives
//! that the twin does not have, or when the sums do not add up.

use crate::machine::Delivery;
use crate::run::RunLog;
use aftermath_reports::record::{Counts, Witness};
use aftermath_systems::protocol::{Payload, SemanticId};
use std::collections::BTreeMap;

/// One output of the twin and what became of it.
struct Row<'a> {
    expected: &'a Delivery,
    first: Option<&'a Delivery>,
    copies: u64,
    wrong: Option<&'a Delivery>,
}

/// Outputs of a run against those of its twin, by semantic id.
pub struct Ledger<'a> {
    run: &'a RunLog,
    /// By semantic id.
    rows: Vec<(SemanticId, Row<'a>)>,
    unexpected: Vec<&'a Delivery>,
    /// Copies with another value than expected.
    wrong: Vec<&'a Delivery>,
    /// First copies of expected outputs, in the order of arrival.
    new: Vec<&'a Delivery>,
    reordered: u64,
    twin_repeats: u64,
}

impl<'a> Ledger<'a> {
    /// Enters all outputs of both.
    pub fn new(run: &'a RunLog, twin: &'a RunLog) -> Ledger<'a> {
        let row = |expected| Row { expected, first: None, copies: 0, wrong: None };
        let expected = twin.deliveries.iter();
        let mut rows: Vec<_> = expected.map(|output| (output.semantic, row(output))).collect();
        rows.sort_by_key(|(id, _)| *id);
        rows.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                std::mem::swap(later, earlier);
            }
            same
        });
        let twin_repeats = (twin.deliveries.len() - rows.len()) as u64;
        let mut ledger = Ledger {
            run,
            rows,
            unexpected: Vec::new(),
            wrong: Vec::new(),
            new: Vec::new(),
            reordered: 0,
            twin_repeats,
        };
        let mut next = 0;
        for delivery in &run.deliveries {
            let Some(index) = find(&ledger.rows, next, &delivery.semantic) else {
                ledger.unexpected.push(delivery);
                continue;
            };
            next = index + 1;
            let row = &mut ledger.rows[index].1;
            row.copies += 1;
            if delivery.payload != row.expected.payload {
                row.wrong = row.wrong.or(Some(delivery));
                ledger.wrong.push(delivery);
            }
            if row.first.is_none() {
                row.first = Some(delivery);
                ledger.new.push(delivery);
            }
        }
        ledger.reordered = reordered(&ledger.new);
        ledger
    }

    /// First copies of expected outputs, in the order of arrival.
    pub fn new_outputs(&self) -> &[&'a Delivery] {
        &self.new
    }

    /// The numbers.
    pub fn counts(&self) -> Counts {
        let rows = || self.rows.iter().map(|(_, row)| row);
        Counts {
            expected: self.rows.len() as u64,
            delivered: self.run.deliveries.len() as u64,
            unique: self.new.len() as u64,
            lost: rows().filter(|row| row.first.is_none()).count() as u64,
            duplicates: rows().map(|row| row.copies.saturating_sub(1)).sum(),
            wrong: rows().filter(|row| row.wrong.is_some()).count() as u64,
            unexpected: self.unexpected.len() as u64,
            reordered: self.reordered,
        }
    }

    /// Every copy with a wrong value, and every unexpected output.
    pub fn wrong(&self) -> impl Iterator<Item = &'a Delivery> + '_ {
        self.wrong.iter().chain(&self.unexpected).copied()
    }

    /// `unique + lost = expected` and `delivered = unique + duplicates + unexpected`, and the twin
    /// delivers each output once: counted in different ways, so that a slip shows.
    pub fn broken_identities(&self) -> Vec<String> {
        let c = self.counts();
        let mut broken = Vec::new();
        if c.unique + c.lost != c.expected {
            broken.push(format!(
                "ledger: unique {} + lost {} is not expected {}",
                c.unique, c.lost, c.expected
            ));
        }
        if c.delivered != c.unique + c.duplicates + c.unexpected {
            broken.push(format!(
                "ledger: delivered {} is not unique {} + duplicates {} + unexpected {}",
                c.delivered, c.unique, c.duplicates, c.unexpected
            ));
        }
        if self.twin_repeats > 0 {
            broken.push(format!("ledger: the twin repeats {} outputs", self.twin_repeats));
        }
        broken
    }

    /// Up to `max` pieces of evidence of each kind, the earliest of the stream first.
    pub fn witnesses(&self, max: usize) -> Vec<Witness> {
        let systems = &self.run.plan.systems;
        let symbols = &systems.workload.symbols;
        let witness = |checker: &str, id: &SemanticId, expected: String, observed: String, at| {
            let subject = (systems.describe)(id, symbols);
            Witness { checker: checker.into(), subject, expected, observed, at_ns: at }
        };
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by_key(|(_, row)| row.expected.at);
        let lost = rows.iter().filter(|(_, row)| row.first.is_none()).take(max).map(|(id, row)| {
            let expected = show(&row.expected.payload, symbols);
            witness("lost", id, expected, "never arrived".into(), None)
        });
        let repeated = rows.iter().filter(|(_, row)| row.copies > 1).take(max).map(|(id, row)| {
            let at = row.first.map(|first| first.at);
            witness("duplicate", id, "once".into(), format!("{} times", row.copies), at)
        });
        let wrong = rows.iter().filter_map(|(id, row)| row.wrong.map(|wrong| (id, row, wrong)));
        let wrong = wrong.take(max).map(|(id, row, wrong)| {
            let expected = show(&row.expected.payload, symbols);
            let observed = show(&wrong.payload, symbols);
            witness("wrong-value", id, expected, observed, Some(wrong.at))
        });
        let unexpected = self.unexpected.iter().take(max).map(|delivery| {
            let observed = show(&delivery.payload, symbols);
            let at = Some(delivery.at);
            witness("unexpected", &delivery.semantic, "nothing".into(), observed, at)
        });
        lost.chain(repeated).chain(wrong).chain(unexpected).collect()
    }
}

/// How many outputs come after one of the same kind and key with a larger index.
fn reordered(outputs: &[&Delivery]) -> u64 {
    // Indexes that grow over all keys, as is usual, grow for each.
    if outputs.is_sorted_by_key(|output| output.semantic.index) {
        return 0;
    }
    let mut newest: BTreeMap<(u16, u32), u64> = BTreeMap::new();
    let mut reordered = 0;
    for Delivery { semantic, payload, .. } in outputs {
        let key = payload.key(0).unwrap_or(semantic.key);
        let newest = newest.entry((semantic.kind, key)).or_default();
        reordered += u64::from(semantic.index < *newest);
        *newest = semantic.index.max(*newest);
    }
    reordered
}

/// Where the row of an output is. Most come in the order of their ids, so `next` is looked at
/// first.
fn find(rows: &[(SemanticId, Row)], next: usize, id: &SemanticId) -> Option<usize> {
    if rows.get(next).is_some_and(|(there, _)| there == id) {
        return Some(next);
    }
    rows.binary_search_by_key(id, |(there, _)| *there).ok()
}

/// Writes a value for people.
fn show(payload: &Payload, symbols: &[String]) -> String {
    use aftermath_systems::protocol::Field;
    let field = |field: &Field| match field {
        Field::Integer(number) => number.to_string(),
        Field::Fixed { units, decimals } => format!("{units}e-{decimals}"),
        Field::Text(symbol) => {
            symbols.get(symbol.0 as usize).cloned().unwrap_or_else(|| format!("#{}", symbol.0))
        }
    };
    match payload {
        Payload::Pair { key, value } => match symbols.get(*key as usize) {
            Some(name) => format!("{name}: {value}"),
            None => format!("key {key}: {value}"),
        },
        Payload::Record(fields) => {
            format!("({})", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        Payload::End => "end of stream".into(),
    }
}
