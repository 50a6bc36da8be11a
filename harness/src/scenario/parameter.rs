//! One setting laid over every case of a scenario, as a case's own `set` would: what a search
//! varies.

use super::tree::{Entry, Kind, Value};
use aftermath_systems::options::{format_duration, parse_duration, parse_percent};

/// A value of a setting, of the kinds of which there is a more and a less.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Amount {
    /// A whole number.
    Number(u64),
    /// A span of time, ns.
    Duration(u64),
    /// A share, parts per million.
    Percent(u64),
}

impl Amount {
    /// Reads `3`, `250ms` or `2.5%`.
    ///
    /// # Errors
    /// What is none of these.
    pub fn parse(text: &str) -> Result<Amount, String> {
        if text.ends_with('%') {
            return parse_percent(text).map(|share| Amount::Percent(u64::from(share)));
        }
        match text.parse() {
            Ok(number) => Ok(Amount::Number(number)),
            Err(_) => parse_duration(text).map(Amount::Duration).map_err(|_| {
                format!("`{text}` is no number, time or share; write `3`, `250ms` or `2.5%`")
            }),
        }
    }

    /// The number in its unit: ones, ns, or parts per million.
    pub fn units(self) -> u64 {
        match self {
            Amount::Number(units) | Amount::Duration(units) | Amount::Percent(units) => units,
        }
    }

    /// Another one of the same kind.
    #[must_use]
    pub fn with(self, units: u64) -> Amount {
        match self {
            Amount::Number(_) => Amount::Number(units),
            Amount::Duration(_) => Amount::Duration(units),
            Amount::Percent(_) => Amount::Percent(units),
        }
    }

    /// The coarsest unit of which two of a kind are multiples, as people write them.
    pub fn grain(self, other: Amount) -> u64 {
        let grains: &[u64] = match self {
            Amount::Number(_) => &[1],
            Amount::Duration(_) => &[1_000_000, 1_000, 1],
            Amount::Percent(_) => &[1_000, 100, 1],
        };
        let both = |grain: &&u64| {
            self.units().is_multiple_of(**grain) && other.units().is_multiple_of(**grain)
        };
        *grains.iter().find(both).unwrap_or(&1)
    }

    fn kind(self) -> Kind {
        match self {
            Amount::Number(units) => Kind::Integer(i64::try_from(units).ok()),
            Amount::Duration(_) | Amount::Percent(_) => Kind::String(self.to_string()),
        }
    }
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Amount::Number(units) => write!(f, "{units}"),
            Amount::Duration(units) => f.write_str(&format_duration(*units)),
            Amount::Percent(units) => {
                let text = format!("{}.{:04}", units / 10_000, units % 10_000);
                write!(f, "{}%", text.trim_end_matches('0').trim_end_matches('.'))
            }
        }
    }
}

/// A setting with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// Its path, as in a case's `set`: `timing.interval`, `fault.0.for`.
    pub path: String,
    /// The value.
    pub amount: Amount,
    /// Only of this case; of all if not given.
    pub case: Option<String>,
}

/// Whether a case, as it is written, gives one of that name; a matrix puts its values behind it.
fn named(entries: &[Entry], wanted: Option<&str>) -> bool {
    let Some(wanted) = wanted else { return true };
    entries.iter().filter(|entry| entry.key == "name").any(|entry| match &entry.value.kind {
        Kind::String(name) => {
            wanted.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(", "))
        }
        _ => false,
    })
}

/// Adds a setting to what the cases set that it is of.
pub(super) fn lay_over(tree: &mut Vec<Entry>, setting: &Setting) {
    let value = |kind| Value { span: 0..0, kind };
    let entry =
        |key: &str, kind| Entry { key: key.to_string(), key_span: 0..0, value: value(kind) };
    if tree.iter().all(|entry| entry.key != "case") {
        let only = Kind::Table(vec![entry("name", Kind::String("base".to_string()))]);
        tree.push(entry("case", Kind::Array(vec![value(only)])));
    }
    for case in tree.iter_mut().filter(|entry| entry.key == "case") {
        let Kind::Array(cases) = &mut case.value.kind else { continue };
        for case in cases {
            let Kind::Table(entries) = &mut case.kind else { continue };
            if !named(entries, setting.case.as_deref()) {
                continue;
            }
            if entries.iter().all(|entry| entry.key != "set") {
                entries.push(entry("set", Kind::Table(Vec::new())));
            }
            for set in entries.iter_mut().filter(|entry| entry.key == "set") {
                let Kind::Table(settings) = &mut set.value.kind else { continue };
                settings.retain(|other| other.key != setting.path);
                settings.push(entry(&setting.path, setting.amount.kind()));
            }
        }
    }
}

/// The paths of everything in a file, and in what its cases have instead, of which there is a more
/// and a less.
pub(super) fn paths(tree: &[Entry], case: Option<&str>) -> Vec<String> {
    let mut paths = Vec::new();
    let other = ["seeds", "case", "expect", "name", "about"];
    for entry in tree.iter().filter(|entry| !other.contains(&entry.key.as_str())) {
        enter(&entry.key, &entry.value, &mut paths);
    }
    let cases = tree.iter().filter(|entry| entry.key == "case");
    for cases in cases.filter_map(|entry| entry.value.list()) {
        let own = cases.iter().filter_map(Value::table).filter(|entries| named(entries, case));
        for entry in own.flatten() {
            match (entry.key.as_str(), entry.value.table()) {
                ("fault" | "faults", _) => enter(&entry.key, &entry.value, &mut paths),
                ("set", Some(set)) => set.iter().for_each(|e| enter(&e.key, &e.value, &mut paths)),
                _ => {}
            }
        }
    }
    paths.sort();
    paths.dedup();
    paths
}

impl Value {
    fn list(&self) -> Option<&[Value]> {
        if let Kind::Array(values) = &self.kind { Some(values) } else { None }
    }

    fn table(&self) -> Option<&[Entry]> {
        if let Kind::Table(entries) = &self.kind { Some(entries) } else { None }
    }
}

fn enter(path: &str, value: &Value, paths: &mut Vec<String>) {
    match &value.kind {
        Kind::Table(entries) => {
            let below = entries.iter();
            below.for_each(|e| enter(&format!("{path}.{}", e.key), &e.value, paths));
        }
        Kind::Array(values) => {
            let below = values.iter().enumerate();
            below.for_each(|(nth, value)| enter(&format!("{path}.{nth}"), value, paths));
        }
        Kind::Integer(_) => paths.push(path.to_string()),
        Kind::String(text) if Amount::parse(text).is_ok() => paths.push(path.to_string()),
        Kind::String(_) | Kind::Boolean(_) | Kind::Other(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_as_they_are_read() {
        for text in ["3", "0", "250ms", "1.5s", "7ns", "2.5%", "100%", "0.0001%"] {
            assert_eq!(Amount::parse(text).map(|amount| amount.to_string()), Ok(text.to_string()));
        }
        for wrong in ["", "-3", "1.5", "2 parsecs", "101%"] {
            assert!(Amount::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_grain_is_the_coarsest_in_which_both_are_written() {
        let grain = |a, b| Amount::parse(a).unwrap().grain(Amount::parse(b).unwrap());
        assert_eq!(grain("10ms", "2s"), 1_000_000);
        assert_eq!(grain("10ms", "1500us"), 1_000);
        assert_eq!(grain("0%", "5%"), 1_000);
        assert_eq!(grain("3", "9"), 1);
    }
}
