//! What a case expects: `expect = { ... }`.

use super::diagnostic::suggest;
use super::item::Item;
use super::keys::expect as keys;
use super::table::Table;
use super::tree::{Kind, Value};
use crate::config::{Bound, Expect, Quantity};
use aftermath_systems::strategies::Registry;

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
    let mut expect = Expect {
        observed: table.word(&keys::OBSERVED, "comparison", &keys::OBSERVED_WORDS),
        status: table.word(&keys::STATUS, "status", &keys::STATUSES),
        delivery: table.word(&keys::DELIVERY, "delivery", &keys::DELIVERIES),
        value: table.word(&keys::VALUE, "class of values", &keys::VALUES),
        memory_bounded: table.word(&keys::MEMORY, "behaviour of memory", &keys::MEMORIES),
        ..Expect::default()
    };
    for (key, list) in [
        (&keys::MEAN, &mut expect.mean),
        (&keys::MIN, &mut expect.min),
        (&keys::MAX, &mut expect.max),
    ] {
        if let Some(table) = table.read(key, Item::table) {
            bounds(&table, "", &[], formulas, list);
        }
    }
    let known = keys::ALL.iter().map(|key| key.name).chain(strategies.iter().copied());
    let known: Vec<&str> = known.collect();
    bounds(table, "", &known, formulas, &mut expect.run);
    expect
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
    let (of, within) = (table.get(keys::OF.name), table.get(keys::WITHIN.name));
    let times = table.get(keys::TIMES.name);
    let (min, max) = (table.get("min"), table.get("max"));
    let bound = match (&of, &min, &max) {
        (Some(of), None, None) => {
            let name = of.name("formula", formulas.iter().copied());
            let (within_ppm, within_milli_tuples) =
                within.as_ref().map_or(Some((0, 0)), tolerance)?;
            let times = match &times {
                Some(item) => item.number(&keys::TIMES)?,
                None => keys::TIMES.default_number(),
            };
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
