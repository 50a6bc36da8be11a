//! The quantities of a run that are compared, and how a value is written.

use aftermath_reports::record::{Claimed, Record, Recovery, Time};
use aftermath_reports::words;
use aftermath_systems::options::{format_duration, parse_duration};
use aftermath_systems::protocol::Cause;
use std::fmt;

/// The value of a quantity in one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// There is no such thing in this run.
    Nothing,
    /// A count, or parts per million.
    Number(u64),
    /// A number in thousandths.
    Milli(u64),
    /// A span of virtual time, ns.
    Time(u64),
    /// The run ended first: it is longer than this, ns.
    MoreThan(u64),
    /// Words, or a hash.
    Text(String),
}

/// Quantities that are words. All others are numbers or times.
const TEXTS: [&str; 3] = ["status", "claimed", "observed"];

/// Hashes of every event of a run and of its twin: they tell that something is another, not what.
pub const HASHES: [&str; 2] = ["hash.run", "hash.twin"];

/// Quantities that are numbers or times and that every run may have. What scenarios expect has the
/// same names there ([`crate::config::Quantity::ALL`]).
const NUMBERS: [&str; 28] = [
    "expected",
    "delivered",
    "unique",
    "lost",
    "duplicates",
    "wrong",
    "unexpected",
    "reordered",
    "recovery.r1",
    "recovery.r2",
    "recovery.r3",
    "recovery.silence",
    "recovery.detect",
    "faults.struck",
    "faults.met",
    "faults.unreached",
    "overhead.saves",
    "overhead.checkpoints",
    "overhead.messages_per_checkpoint",
    "overhead.bytes_per_hop_ppm",
    "overhead.bytes_ppm",
    "overhead.retained_max",
    "overhead.cpu",
    "overhead.lag_mean",
    "overhead.lag_max",
    "retained_unpaired",
    "handlers",
    "length",
];

/// Whether a quantity is a span of time.
pub fn is_time(name: &str) -> bool {
    let others = ["overhead.cpu", "overhead.lag_mean", "overhead.lag_max", "length"];
    name.starts_with("recovery.") || others.contains(&name)
}

/// What a run has of a quantity that is not among its values: nothing was sent of a cause that is
/// left out, and that is a number.
pub fn unsaid(name: &str) -> Value {
    match ["overhead.messages.", "overhead.bytes."].iter().any(|of| name.starts_with(of)) {
        true => Value::Number(0),
        false => Value::Nothing,
    }
}

/// Whether a quantity is written in thousandths.
pub fn is_milli(name: &str) -> bool {
    name == "overhead.messages_per_checkpoint"
}

/// The names of all quantities that a budget may be about.
pub fn names() -> Vec<String> {
    let of_cause = |what: &'static str| {
        Cause::ALL.iter().map(move |cause| format!("overhead.{what}.{}", cause.name()))
    };
    let plain = NUMBERS.iter().map(|name| (*name).to_string());
    plain.chain(of_cause("messages")).chain(of_cause("bytes")).collect()
}

/// What is compared of a run.
pub fn values(record: &Record) -> Vec<(String, Value)> {
    let Record { counts, overhead, .. } = record;
    let claimed = match &record.claimed {
        Claimed::Guarantee(guarantee) => words::guarantee(guarantee),
        Claimed::NotCovered(why) => format!("not covered: {why}"),
    };
    let mut list = vec![
        ("status", Value::Text(words::status(record.status).to_string())),
        ("claimed", Value::Text(claimed)),
        ("observed", Value::Text(words::guarantee(&record.observed))),
        ("hash.run", Value::Text(record.trace_hash.clone())),
        ("hash.twin", Value::Text(record.twin_hash.clone())),
        ("overhead.cpu", Value::Time(overhead.cpu_ns)),
        ("overhead.lag_mean", Value::Time(overhead.lag_mean_ns)),
        ("overhead.lag_max", Value::Time(overhead.lag_max_ns)),
        ("length", Value::Time(record.length_ns)),
    ];
    let met = record.faults.iter().filter(|fault| !fault.met.is_empty()).count();
    let numbers = [
        ("expected", counts.expected),
        ("delivered", counts.delivered),
        ("unique", counts.unique),
        ("lost", counts.lost),
        ("duplicates", counts.duplicates),
        ("wrong", counts.wrong),
        ("unexpected", counts.unexpected),
        ("reordered", counts.reordered),
        ("faults.struck", record.faults.len() as u64),
        ("faults.met", met as u64),
        ("faults.unreached", record.unreached.len() as u64),
        ("overhead.saves", overhead.saves),
        ("overhead.checkpoints", overhead.checkpoints),
        ("overhead.bytes_per_hop_ppm", overhead.bytes_per_hop_ppm),
        ("overhead.bytes_ppm", overhead.bytes_ppm),
        ("overhead.retained_max", overhead.retained_max),
        ("retained_unpaired", record.retained_unpaired),
        ("handlers", record.handlers),
    ];
    list.extend(numbers.map(|(name, value)| (name, Value::Number(value))));
    let milli = overhead.messages_per_checkpoint_milli();
    list.extend(milli.map(|milli| ("overhead.messages_per_checkpoint", Value::Milli(milli))));
    let mut list: Vec<_> = list.into_iter().map(|(name, v)| (name.to_string(), v)).collect();
    for (cause, traffic) in &overhead.traffic {
        list.push((format!("overhead.messages.{cause}"), Value::Number(traffic.messages)));
        list.push((format!("overhead.bytes.{cause}"), Value::Number(traffic.bytes)));
    }
    // The last recovery is what tables and expectations are about; earlier ones are numbered.
    let recovered = record.faults.iter().enumerate().filter_map(|(n, f)| Some((n, f.recovery?)));
    let mut recovered: Vec<_> = recovered.collect();
    if let Some((_, last)) = recovered.pop() {
        list.extend(times("", &last));
    }
    for (number, earlier) in &recovered {
        list.extend(times(&format!("fault.{number}."), earlier));
    }
    list
}

/// The times of one recovery.
fn times(before: &str, recovery: &Recovery) -> [(String, Value); 5] {
    let time = |time| match time {
        Time::Ns(ns) => Value::Time(ns),
        Time::MoreThanNs(ns) => Value::MoreThan(ns),
        Time::None => Value::Nothing,
    };
    [
        ("r1", time(recovery.r1)),
        ("r2", time(recovery.r2)),
        ("r3", time(recovery.r3)),
        ("silence", Value::Time(recovery.silence_ns)),
        ("detect", time(recovery.detect)),
    ]
    .map(|(name, value)| (format!("{before}recovery.{name}"), value))
}

/// What stands where a run has no such thing.
const NOTHING: &str = "nothing";

impl Value {
    /// As it stands in the file: times as scenarios write them.
    pub fn toml(&self) -> toml::Value {
        match self {
            Value::Number(number) => match i64::try_from(*number) {
                Ok(number) => toml::Value::Integer(number),
                Err(_) => toml::Value::String(number.to_string()),
            },
            Value::Milli(milli) => toml::Value::Float(*milli as f64 / 1e3),
            other => toml::Value::String(other.to_string()),
        }
    }

    /// Reads it back, of the quantity of that name.
    ///
    /// # Errors
    /// What is no value of it.
    pub fn read(name: &str, value: &toml::Value) -> Result<Value, String> {
        let wrong = || format!("{value} is no value of `{name}`");
        match value {
            toml::Value::Integer(number) if is_milli(name) => {
                let whole = u64::try_from(*number).ok().and_then(|n| n.checked_mul(1000));
                whole.map(Value::Milli).ok_or_else(wrong)
            }
            toml::Value::Integer(number) => {
                u64::try_from(*number).map(Value::Number).map_err(|_| wrong())
            }
            toml::Value::Float(number) if *number >= 0.0 && number.is_finite() => {
                Ok(Value::Milli((number * 1e3).round() as u64))
            }
            toml::Value::String(text) if is_text(name) => Ok(Value::Text(text.clone())),
            toml::Value::String(text) if text == NOTHING => Ok(Value::Nothing),
            toml::Value::String(text) => {
                if let Ok(number) = text.parse() {
                    return Ok(Value::Number(number));
                }
                match text.strip_prefix("> ") {
                    Some(bound) => parse_duration(bound).map(Value::MoreThan),
                    None => parse_duration(text).map(Value::Time),
                }
                .map_err(|_| wrong())
            }
            _ => Err(wrong()),
        }
    }

    /// Its number, in the unit of its quantity; of what ended too early, the bound.
    pub fn number(&self) -> Option<u64> {
        match self {
            Value::Number(n) | Value::Milli(n) | Value::Time(n) | Value::MoreThan(n) => Some(*n),
            Value::Nothing | Value::Text(_) => None,
        }
    }
}

/// Whether a quantity is words.
fn is_text(name: &str) -> bool {
    TEXTS.contains(&name) || HASHES.contains(&name)
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Nothing => f.write_str(NOTHING),
            Value::Number(number) => write!(f, "{number}"),
            Value::Milli(milli) => f.write_str(&thousandths(*milli)),
            Value::Time(ns) => f.write_str(&span(*ns)),
            Value::MoreThan(ns) => write!(f, "> {}", span(*ns)),
            Value::Text(text) => f.write_str(text),
        }
    }
}

/// A span of time, exact, and in milliseconds unless it is whole or tiny: a column of them can be
/// compared by eye.
fn span(ns: u64) -> String {
    match (ns / 1_000_000, ns % 1_000_000) {
        (_, 0) => format_duration(ns),
        (0, rest) if rest < 1_000 => format_duration(ns),
        (ms, rest) => format!("{ms}.{rest:06}").trim_end_matches('0').to_string() + "ms",
    }
}

/// A number in thousandths with as many decimals as it needs.
fn thousandths(milli: u64) -> String {
    match milli % 1000 {
        0 => (milli / 1000).to_string(),
        rest => format!("{}.{rest:03}", milli / 1000).trim_end_matches('0').to_string(),
    }
}

/// A number of a quantity, for people.
pub fn shown(name: &str, number: u64) -> String {
    match name {
        name if is_time(name) || name.contains(".recovery.") => span(number),
        name if is_milli(name) => thousandths(number),
        _ => number.to_string(),
    }
}

/// Which of so many sorted values is a percentile: the smallest that so many percent do not exceed.
pub fn rank(of: usize, percent: usize) -> usize {
    (of * percent).div_ceil(100).max(1) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Quantity;

    #[test]
    fn what_scenarios_expect_can_be_budgeted_under_the_same_name() {
        let known = names();
        for (name, quantity) in Quantity::ALL {
            assert!(known.iter().any(|known| known == name), "{name}");
            assert_eq!(is_time(name), quantity.is_time(), "{name}");
        }
    }

    #[test]
    fn values_come_back_from_the_file_as_they_were() {
        for (name, value) in [
            ("lost", Value::Number(0)),
            ("handlers", Value::Number(u64::MAX)),
            ("recovery.r2", Value::Time(301_234_567)),
            ("recovery.r2", Value::Time(0)),
            ("recovery.r2", Value::Time(7)),
            ("recovery.r2", Value::Time(1_000)),
            ("recovery.r3", Value::MoreThan(9_000_000_000)),
            ("recovery.r1", Value::Nothing),
            ("overhead.messages_per_checkpoint", Value::Milli(12_000)),
            ("overhead.messages_per_checkpoint", Value::Milli(12_345)),
            ("observed", Value::Text("> 1s".into())),
            ("hash.run", Value::Text("0000000000000012".into())),
        ] {
            assert_eq!(Value::read(name, &value.toml()), Ok(value), "{name}");
        }
        for (name, text) in [("lost", "-1"), ("lost", "'many'"), ("lost", "true")] {
            let table: toml::Table = format!("v = {text}").parse().expect("TOML");
            assert!(Value::read(name, &table["v"]).is_err(), "{text}");
        }
    }
}
