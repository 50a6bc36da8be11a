//! How values on the command line are read.

use crate::journal::Shard;
use crate::scenario::SEEDS_MAX;
use aftermath_systems::options::parse_duration;
use aftermath_systems::protocol::Nanos;
use clap::builder::RangedU64ValueParser;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::time::Duration;

/// A range of seeds, or one.
pub fn seeds(text: &str) -> Result<Range<u64>, String> {
    let wrong = || format!("`{text}` is not a range of seeds; write `0..20` or a single seed");
    if let Ok(seed) = text.parse::<u64>() {
        let last = || format!("the last seed that can be run is {}", u64::MAX - 1);
        return Ok(seed..seed.checked_add(1).ok_or_else(last)?);
    }
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let (from, to) = (from.parse().map_err(|_| wrong())?, to.parse().map_err(|_| wrong())?);
    if from > to {
        return Err(format!("`{text}` runs backwards"));
    }
    if to - from > SEEDS_MAX {
        return Err(format!("more than {SEEDS_MAX} seeds; run them in parts"));
    }
    Ok(from..to)
}

/// One seed.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not one seed; write a number such as `7`"))
}

/// Runs at once.
pub fn jobs(text: &str) -> Result<u16, String> {
    let number = text.parse().ok().filter(|jobs| *jobs > 0);
    number.ok_or_else(|| format!("`{text}` is no number of runs; write one from 1 to {}", u16::MAX))
}

/// Virtual instants, ns: from the first one on, and before the second.
pub fn instants(text: &str) -> Result<Range<Nanos>, String> {
    let wrong = |what| format!("`{text}` {what}; write `1.5s..2s`, `1.5s..` or `..2s`");
    let (from, until) = text.split_once("..").ok_or_else(|| wrong("is not a span of instants"))?;
    let instant = |text: &str, open| match text {
        "" => Ok(open),
        _ => parse_duration(text),
    };
    let (from, until) = (instant(from, 0)?, instant(until, Nanos::MAX)?);
    if from > until { Err(wrong("runs backwards")) } else { Ok(from..until) }
}

/// A number from 1 on.
pub fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| format!("`{text}` is no number from 1 on"))
}

/// Parts of a grid.
pub fn steps() -> RangedU64ValueParser {
    clap::value_parser!(u64).range(1..=1000)
}

/// `I/N`.
pub fn shard(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    match numbers {
        Some((number, of)) if (1..=of).contains(&number) => Ok(Shard { number, of }),
        Some((0, _)) => Err("shards are counted from 1: `1/4` to `4/4`".to_string()),
        _ => Err(format!("`{text}` is not a part of a whole; write `1/4` to `4/4`")),
    }
}

/// Wall time.
pub fn time_limit(text: &str) -> Result<Duration, String> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let scale_ms = match unit {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    let ms = scale_ms.and_then(|scale| number.parse::<u64>().ok()?.checked_mul(scale));
    ms.map(Duration::from_millis)
        .ok_or_else(|| format!("`{text}` is not a time; write a whole number and ms, s, m or h"))
}
