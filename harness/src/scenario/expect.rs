//! What a case expects: `expect = { ... }`.

use super::diagnostic::suggest;
use super::item::Item;
use super::table::Table;
use super::tree::{Kind, Value};
use crate::config::{Bound, Expect, Observed, Quantity};
use aftermath_reports::record::{Status, ValueClass};
use aftermath_systems::claim::Delivery;
use aftermath_systems::strategies::Registry;

/// Names of the statuses, as records write them.
const STATUSES: [(&str, Status); 4] = [
    ("held", Status::Held),
    ("not-covered", Status::NotCovered),
    ("inconclusive", Status::Inconclusive),
    ("broken", Status::Broken),
];

/// What may be missing or repeated.
const DELIVERIES: [(&str, Delivery); 4] = [
    ("none", Delivery::NONE),
    ("gap", Delivery::GAP),
    ("duplicates", Delivery::DUPLICATES),
    ("both", Delivery { gap: true, duplicates: true }),
];

/// Classes of values.
const VALUES: [(&str, ValueClass); 3] = [
    ("same", ValueClass::Same),
    ("converges", ValueClass::Converges),
    ("diverges", ValueClass::Diverges),
];

/// What retained memory does.
const MEMORIES: [(&str, bool); 2] = [("bounded", true), ("grows", false)];

/// Reads an `expect` table; `formulas` are the names that `of` may have.
pub fn read(item: &Item, formulas: &[&str], registry: &Registry) -> Option<Expect> {
    let table = item.table()?;
    let strategies: Vec<&'static str> = registry.iter().map(|entry| entry.name).collect();
    let mut expect = one(&table, formulas, &strategies);
    for name in strategies {
        let own = table.get(name).and_then(|item| item.table());
        expect.under.extend(own.map(|own| (name, one(&own, formulas, &[]))));
    }
    Some(expect)
}

/// Reads what stands in one table; tables called like one of `strategies` are left alone.
fn one(table: &Table, formulas: &[&str], strategies: &[&str]) -> Expect {
    let observed = table.get("observed").and_then(|item| {
        match item.name("comparison", ["exactly", "at-least-as-good"].into_iter())? {
            "exactly" => Some(Observed::Exactly),
            _ => Some(Observed::AtLeastAsGood),
        }
    });
    let mut expect = Expect {
        observed,
        status: word(table, "status", "status", &STATUSES),
        delivery: word(table, "delivery", "delivery", &DELIVERIES),
        value: word(table, "value", "class of values", &VALUES),
        memory_bounded: word(table, "memory", "behaviour of memory", &MEMORIES),
        ..Expect::default()
    };
    for (key, list) in
        [("mean", &mut expect.mean), ("min", &mut expect.min), ("max", &mut expect.max)]
    {
        if let Some(table) = table.get(key).and_then(|item| item.table()) {
            bounds(&table, "", &[], formulas, list);
        }
    }
    let known = ["observed", "status", "delivery", "value", "memory", "mean", "min", "max"];
    bounds(table, "", &[&known, strategies].concat(), formulas, &mut expect.run);
    expect
}

/// Reads a key that takes one of some words.
fn word<T: Copy>(table: &Table, key: &str, what: &str, words: &[(&str, T)]) -> Option<T> {
    let item = table.get(key)?;
    let name = item.name(what, words.iter().map(|(name, _)| *name))?;
    words.iter().find(|(word, _)| *word == name).map(|(_, value)| *value)
}

/// Reads quantities and their bounds. `recovery.r2 = ...` without quotes is a table `recovery`
/// for TOML, so prefixes of quantities are entered.
fn bounds(
    table: &Table,
    prefix: &str,
    special: &[&str],
    formulas: &[&str],
    list: &mut Vec<(Quantity, Bound)>,
) {
    for (key, item) in table.items() {
        if special.contains(&key.as_str()) {
            continue;
        }
        let name = format!("{prefix}{key}");
        let quantity = Quantity::named(&name);
        let Some(quantity) = quantity else {
            let within = format!("{name}.");
            let enter = Quantity::ALL.iter().any(|(known, _)| known.starts_with(&within));
            match item.value.kind {
                Kind::Table(_) if enter => {
                    if let Some(table) = item.table() {
                        bounds(&table, &within, &[], formulas, list);
                    }
                }
                _ => {
                    let known = Quantity::ALL.iter().map(|(known, _)| *known);
                    let help = suggest(&name, known.chain(special.iter().copied()), "known are");
                    item.key_error(format!("nothing called `{name}` is measured"), help);
                }
            }
            continue;
        };
        if list.iter().any(|(known, _)| *known == quantity) {
            item.key_error(format!("`{name}` is expected twice"), None);
        }
        if let Some(bound) = bound(&item, quantity, formulas) {
            list.push((quantity, bound));
        }
    }
}

fn bound(item: &Item, quantity: Quantity, formulas: &[&str]) -> Option<Bound> {
    let number = |item: &Item| match quantity.is_time() {
        true => item.duration(),
        false => item.integer(0..=u64::MAX),
    };
    if !matches!(item.value.kind, Kind::Table(_)) {
        return number(item).map(Bound::Exact);
    }
    let table = item.table()?;
    let (of, within) = (table.get("of"), table.get("within"));
    let times = table.get("times");
    let (min, max) = (table.get("min"), table.get("max"));
    let bound = match (&of, &min, &max) {
        (Some(of), None, None) => {
            let name = of.name("formula", formulas.iter().copied());
            let (within_ppm, within_milli_tuples) =
                within.as_ref().map_or(Some((0, 0)), tolerance)?;
            let times = times.as_ref().map_or(Some(1), |item| item.integer(1..=1000))?;
            name.map(|name| Bound::Formula {
                name: name.to_string(),
                times,
                within_ppm,
                within_milli_tuples,
            })
        }
        (Some(of), ..) => {
            of.key_error("a formula and limits exclude each other", None);
            None
        }
        (None, None, None) => {
            let help = match quantity.is_time() {
                true => "a span of time, { min = \"1ms\", max = \"2s\" } or { of = FORMULA }",
                false => "a number, { min = 1, max = 2 } or { of = FORMULA }",
            };
            item.error(format!("`{}` has no bound", item.path), Some(help.to_string()));
            None
        }
        (None, min, max) => {
            for key in [&within, &times].into_iter().flatten() {
                key.key_error("`within` and `times` go with a formula, `of`", None);
            }
            let read = |limit: &Option<Item>| match limit {
                Some(limit) => number(limit).map(Some),
                None => Some(None),
            };
            let limits = (read(min)?, read(max)?);
            if let (Some(low), Some(high)) = limits
                && low > high
            {
                item.error("`min` is more than `max`: nothing can hold", None);
            }
            Some(Bound::Range(limits.0, limits.1))
        }
    };
    table.finish();
    bound
}

/// Reads `within`: parts per million, and thousandths of a tuple.
fn tolerance(item: &Item) -> Option<(u64, u64)> {
    let items = match item.value {
        Value { kind: Kind::String(_), .. } => vec![item.clone()],
        _ => item.list()?,
    };
    let (mut ppm, mut milli) = (0, 0);
    for item in items {
        let text = item.text()?.trim();
        let percent = text.strip_suffix('%').and_then(|n| decimal(n.trim_end(), 4));
        let tuples = text.strip_suffix("tuples").or_else(|| text.strip_suffix("tuple"));
        let tuples = tuples.and_then(|n| decimal(n.trim_end(), 3));
        match (percent, tuples) {
            // The widest holds.
            (Some(n), _) => ppm = n.max(ppm),
            (_, Some(n)) => milli = n.max(milli),
            _ => {
                let help = "write \"1%\", \"0.5%\", \"2 tuples\" or \"0.5 tuples\"; at most 4 \
                            decimals of a percent, 3 of a tuple";
                item.error(format!("\"{text}\" is no tolerance"), Some(help.to_string()));
            }
        }
    }
    Some((ppm, milli))
}

/// A decimal number in units of its last possible decimal, exactly.
fn decimal(text: &str, decimals: usize) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    // Nine digits are enough for any tolerance, and products stay in 64 bits.
    if !digits(whole) || !digits(fraction) || whole.len() > 9 || fraction.len() > decimals {
        return None;
    }
    format!("{whole}{fraction:0<decimals$}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn decimals_are_exact() {
        assert_eq!(decimal("1", 4), Some(10_000));
        assert_eq!(decimal("0.5", 4), Some(5_000));
        assert_eq!(decimal("2.125", 3), Some(2_125));
        for wrong in ["", ".5", "1.", "-1", "1e3", "0.0005", "1234567890"] {
            assert_eq!(decimal(wrong, 3), None, "{wrong}");
        }
    }
}
