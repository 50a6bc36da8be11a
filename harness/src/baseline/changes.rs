//! What has changed since a baseline was written, in words.

use super::value::{HASHES, Value, shown};
use super::{Name, Row, Rows, Run};
use aftermath_reports::words::{plural, seed_name};
use std::collections::BTreeMap;

/// Runs of a change that are named, if they differ in how they changed.
const NAMED: usize = 3;

/// Runs of a change that are named, if all changed alike.
const LISTED: usize = 8;

/// One thing that is another than in the baseline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// What, in one line.
    pub text: String,
    /// Whether only hashes are others: no quantity is.
    pub only_trace: bool,
}

/// What is compared with a baseline.
pub struct Compared<'a> {
    /// The rows of the baseline.
    pub before: &'a Rows,
    /// What was measured now.
    pub now: &'a Rows,
    /// Whether a case of the baseline was asked for; if it is not there now, it is gone.
    pub asked: &'a dyn Fn(&Name) -> bool,
}

/// All changes: what is gone, then the others, each by name.
pub fn compare(compared: &Compared) -> Vec<Change> {
    let Compared { before, now, asked } = compared;
    let mut changes = Vec::new();
    let change = |text| Change { text, only_trace: false };
    let gone = before.keys().filter(|name| !now.contains_key(name) && asked(name));
    for name in gone {
        changes.push(change(format!("{name}: gone: it is in the baseline and was not run")));
    }
    for (name, row) in *now {
        match before.get(name) {
            None => changes.push(change(format!("{name}: new: {}", summary(row)))),
            Some(old) => changes.extend(of_row(name, old, row)),
        }
    }
    changes
}

/// What a new row is about.
fn summary(row: &Row) -> String {
    let value = |quantity: &str| {
        let values = row.values.get(quantity)?;
        let mut different: Vec<String> = Vec::new();
        for value in values.iter().map(Value::to_string) {
            if !different.contains(&value) {
                different.push(value);
            }
        }
        Some(different.join(" or "))
    };
    let said = ["status", "observed"].into_iter().filter_map(value);
    format!("{}, {}", plural(row.len(), "run"), said.collect::<Vec<_>>().join(", "))
}

/// The changes of a case under a strategy.
fn of_row(name: &Name, before: &Row, now: &Row) -> Vec<Change> {
    let mut changes = Vec::new();
    let change = |text: String| Change { text: format!("{name}: {text}"), only_trace: false };
    if before.seeds != now.seeds {
        let seeds = |row: &Row| format!("{}..{}", row.seeds.start, row.seeds.end);
        changes.push(change(format!("seeds {} → {}", seeds(before), seeds(now))));
    }
    if before.strata != now.strata {
        let strata = |row: &Row| row.strata.map_or("none".to_string(), |n| n.to_string());
        changes.push(change(format!("strata {} → {}", strata(before), strata(now))));
    }
    let places: BTreeMap<Run, usize> =
        before.runs().enumerate().map(|(at, run)| (run, at)).collect();
    let both: Vec<(Run, usize, usize)> = now
        .runs()
        .enumerate()
        .filter_map(|(at, run)| Some((run, *places.get(&run)?, at)))
        .collect();
    let mut traces: Vec<Run> = Vec::new();
    let mut quantities: Vec<&String> = before.values.keys().chain(now.values.keys()).collect();
    quantities.sort_unstable();
    quantities.dedup();
    for quantity in quantities {
        let value = |row: &Row, at: usize| {
            row.values.get(quantity).map_or(Value::Nothing, |values| values[at].clone())
        };
        let differ = both.iter().filter_map(|(run, old, new)| {
            let (old, new) = (value(before, *old), value(now, *new));
            (old != new).then_some(Differ { run: *run, old, new })
        });
        let differ: Vec<Differ> = differ.collect();
        if differ.is_empty() {
            continue;
        }
        if HASHES.contains(&quantity.as_str()) {
            traces.extend(differ.iter().map(|differ| differ.run));
        } else {
            changes.push(change(told(quantity, &differ, both.len())));
        }
    }
    if changes.is_empty() && !traces.is_empty() {
        traces.sort_unstable();
        traces.dedup();
        let runs = runs(&traces, both.len());
        let text = format!("{name}: the trace differs, no number does ({runs})");
        changes.push(Change { text, only_trace: true });
    }
    changes
}

/// A run with another value than before.
struct Differ {
    run: Run,
    old: Value,
    new: Value,
}

/// How a quantity changed, of so many runs that were compared.
fn told(quantity: &str, differ: &[Differ], of: usize) -> String {
    let first = &differ[0];
    let runs_of: Vec<Run> = differ.iter().map(|differ| differ.run).collect();
    if differ.iter().all(|other| (&other.old, &other.new) == (&first.old, &first.new)) {
        let (old, new) = (&first.old, &first.new);
        return format!("{quantity} {old} → {new} ({})", runs(&runs_of, of));
    }
    let mut named: Vec<String> = differ
        .iter()
        .take(NAMED)
        .map(|differ| format!("{}: {} → {}", seed_name(differ.run), differ.old, differ.new))
        .collect();
    if differ.len() > NAMED {
        named.push(format!("and {} more", differ.len() - NAMED));
    }
    let counted = match differ.len() == of {
        true => format!("all {of} runs"),
        false => format!("{} of {of} runs", differ.len()),
    };
    let by = steady(quantity, differ).or_else(|| mean(quantity, differ));
    let by = by.map_or(String::new(), |by| format!("{by} in "));
    format!("{quantity} {by}{counted} ({})", named.join(", "))
}

/// "+1ms", if all runs have changed by as much.
fn steady(quantity: &str, differ: &[Differ]) -> Option<String> {
    let by = |differ: &Differ| match (&differ.old, &differ.new) {
        (Value::Number(old), Value::Number(new))
        | (Value::Milli(old), Value::Milli(new))
        | (Value::Time(old), Value::Time(new)) => Some((new > old, new.abs_diff(*old))),
        _ => None,
    };
    let (more, first) = by(&differ[0])?;
    let same = differ.iter().all(|other| by(other) == Some((more, first)));
    same.then(|| format!("{}{}", if more { '+' } else { '-' }, shown(quantity, first)))
}

/// "mean 301.2ms → 302.4ms", of the runs that have changed, if all have a number before and after.
fn mean(quantity: &str, differ: &[Differ]) -> Option<String> {
    let mean = |value: fn(&Differ) -> &Value| {
        let exact = |value: &Value| match value {
            Value::Number(n) | Value::Milli(n) | Value::Time(n) => Some(u128::from(*n)),
            Value::Nothing | Value::MoreThan(_) | Value::Text(_) => None,
        };
        let values = differ.iter().map(|differ| exact(value(differ)));
        let sum = values.sum::<Option<u128>>()?;
        Some(shown(quantity, (sum / differ.len() as u128) as u64))
    };
    Some(format!("mean {} → {}", mean(|differ| &differ.old)?, mean(|differ| &differ.new)?))
}

/// Some runs of so many.
fn runs(some: &[Run], of: usize) -> String {
    match some {
        [run] => seed_name(*run),
        all if all.len() == of => format!("all {of} runs"),
        some if some.len() <= LISTED && some.iter().all(|(_, stratum)| stratum.is_none()) => {
            let seeds: Vec<String> = some.iter().map(|(seed, _)| seed.to_string()).collect();
            format!("seeds {}", seeds.join(", "))
        }
        some => format!("{} of {of} runs, first {}", some.len(), seed_name(some[0])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(list: &[(&str, &[u64])]) -> Row {
        let value = |name: &str, n: u64| match name {
            name if name.starts_with("recovery") => Value::Time(n * 1_000_000),
            name if HASHES.contains(&name) => Value::Text(n.to_string()),
            _ => Value::Number(n),
        };
        let values = list.iter().map(|(name, values)| {
            (name.to_string(), values.iter().map(|n| value(name, *n)).collect())
        });
        Row { seeds: 0..list[0].1.len() as u64, strata: None, values: values.collect() }
    }

    fn name(case: &str) -> Name {
        Name { scenario: "flights".into(), case: case.into(), strategy: "amnesia".into() }
    }

    fn changes(before: Row, now: Row) -> Vec<(String, bool)> {
        let (before, now) =
            (Rows::from([(name("base"), before)]), Rows::from([(name("base"), now)]));
        let compared = Compared { before: &before, now: &now, asked: &|_| true };
        compare(&compared).into_iter().map(|change| (change.text, change.only_trace)).collect()
    }

    #[test]
    fn a_change_is_told_by_name_with_its_runs() {
        let before: [(&str, &[u64]); 2] = [("lost", &[0, 0, 0, 4]), ("hash.run", &[1, 2, 3, 4])];
        let same: [(&str, &[u64]); 2] = before;
        assert_eq!(changes(row(&before), row(&same)), []);
        for (now, text) in [
            ([0, 1, 0, 4], "lost 0 → 1 (seed 1)"),
            ([0, 1, 1, 4], "lost 0 → 1 (seeds 1, 2)"),
            (
                [1, 1, 1, 5],
                "lost +1 in all 4 runs (seed 0: 0 → 1, seed 1: 0 → 1, seed 2: 0 → 1, and 1 more)",
            ),
            ([0, 0, 7, 6], "lost mean 2 → 6 in 2 of 4 runs (seed 2: 0 → 7, seed 3: 4 → 6)"),
        ] {
            let now: [(&str, &[u64]); 2] = [("lost", &now), ("hash.run", &[9, 9, 9, 9])];
            let whole = format!("flights / base / amnesia: {text}");
            assert_eq!(changes(row(&before), row(&now)), [(whole, false)]);
        }
    }

    #[test]
    fn a_trace_that_differs_is_told_as_what_it_is() {
        let before: [(&str, &[u64]); 2] = [("lost", &[0, 0]), ("hash.run", &[1, 2])];
        let now: [(&str, &[u64]); 2] = [("lost", &[0, 0]), ("hash.run", &[1, 3])];
        let text = "flights / base / amnesia: the trace differs, no number does (seed 1)";
        assert_eq!(changes(row(&before), row(&now)), [(text.to_string(), true)]);
    }

    #[test]
    fn times_are_told_as_times_and_quantities_may_come_and_go() {
        let before = row(&[("recovery.r2", &[300, 400]), ("saves", &[1, 1])]);
        let now = row(&[("recovery.r2", &[301, 401]), ("loads", &[1, 1])]);
        let texts: Vec<String> = changes(before, now).into_iter().map(|(text, _)| text).collect();
        assert_eq!(
            texts,
            [
                "flights / base / amnesia: loads nothing → 1 (all 2 runs)",
                "flights / base / amnesia: recovery.r2 +1ms in all 2 runs (seed 0: 300ms → 301ms, \
                 seed 1: 400ms → 401ms)",
                "flights / base / amnesia: saves 1 → nothing (all 2 runs)",
            ]
        );
    }

    #[test]
    fn other_seeds_are_told_and_the_common_ones_compared() {
        let (before, mut now) = (row(&[("lost", &[1, 2, 3])]), row(&[("lost", &[2, 5])]));
        now.seeds = 1..3;
        let texts: Vec<String> = changes(before, now).into_iter().map(|(text, _)| text).collect();
        assert_eq!(
            texts,
            [
                "flights / base / amnesia: seeds 0..3 → 1..3",
                "flights / base / amnesia: lost 3 → 5 (seed 2)"
            ]
        );
    }

    #[test]
    fn cases_that_are_new_or_gone_are_named_and_what_was_not_asked_for_is_not() {
        let old = row(&[("lost", &[0])]);
        let before = Rows::from([(name("a"), old.clone()), (name("b"), old.clone())]);
        let now = Rows::from([(name("c"), old)]);
        let asked = |name: &Name| name.case != "b";
        let list = compare(&Compared { before: &before, now: &now, asked: &asked });
        let texts: Vec<&str> = list.iter().map(|change| &*change.text).collect();
        assert_eq!(
            texts,
            [
                "flights / a / amnesia: gone: it is in the baseline and was not run",
                "flights / c / amnesia: new: 1 run, "
            ]
        );
    }
}
