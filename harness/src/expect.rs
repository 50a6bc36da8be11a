//! Expectations of single runs: numbers of records against what the scenario or a formula says.

use crate::config::{Bound, Case, Observed, Quantity};
use crate::formulas;
use crate::judgement::Limit;
use aftermath_reports::record::{Check, Claimed, Record, Status};
use aftermath_systems::options::format_duration;
use aftermath_systems::protocol::SECOND;

/// A number of a record, in its unit (tuples, ns, ppm); `None` if there is no such thing.
pub fn measure(quantity: Quantity, record: &Record) -> Option<u64> {
    let recovery = record.faults.iter().rev().find_map(|fault| fault.recovery);
    match quantity {
        Quantity::Lost => Some(record.counts.lost),
        Quantity::Duplicates => Some(record.counts.duplicates),
        Quantity::Wrong => Some(record.counts.wrong),
        Quantity::R1 => recovery?.r1.ns(),
        Quantity::R2 => recovery?.r2.ns(),
        Quantity::R3 => recovery?.r3.ns(),
        Quantity::Silence => Some(recovery?.silence_ns),
        Quantity::Detect => recovery?.detect.ns(),
        Quantity::BytesPerHopPpm => Some(record.overhead.bytes_per_hop_ppm),
        Quantity::RetainedMax => Some(record.overhead.retained_max),
    }
}

/// Checks of a single run.
pub fn check_run(case: &Case, record: &Record) -> Vec<Check> {
    // Where no fault met anything nothing has recovered, and the run is inconclusive as it is.
    let idle = record.status == Status::Inconclusive;
    let mut checks: Vec<_> = case
        .expect
        .run
        .iter()
        .filter(|(quantity, _)| !(idle && quantity.is_time()))
        .map(|(quantity, bound)| {
            let measured = measure(*quantity, record).map(|value| value as f64);
            compare(case, *quantity, bound, measured)
        })
        .collect();
    if case.expect.observed == Some(Observed::Exactly) {
        let words = |g| aftermath_reports::words::guarantee(g);
        let (expected, held) = match &record.claimed {
            Claimed::Guarantee(claimed) => {
                // Memory that was not judged is neither better nor worse.
                let mut observed = record.observed;
                observed.memory_bounded = observed.memory_bounded.or(claimed.memory_bounded);
                (words(claimed), observed == *claimed)
            }
            Claimed::NotCovered(why) => (format!("not covered: {why}"), false),
        };
        let measured = words(&record.observed);
        checks.push(Check { what: "observed".into(), expected, measured, held });
    }
    checks
}

fn compare(case: &Case, quantity: Quantity, bound: &Bound, measured: Option<f64>) -> Check {
    let (expected, limit) = resolve(case, quantity, bound);
    let held = measured.is_some_and(|value| limit.admits(value));
    let measured = measured.map_or("nothing".into(), |value| show(quantity, value));
    Check { what: quantity.name().to_string(), expected, measured, held }
}

/// What a quantity is compared with, for people and for programs: formulas are worked out.
pub(crate) fn resolve(case: &Case, quantity: Quantity, bound: &Bound) -> (String, Limit) {
    let show = |value: f64| show(quantity, value);
    match bound {
        Bound::Exact(value) => (show(*value as f64), Limit::Range(Some(*value), Some(*value))),
        Bound::Range(min, max) => {
            let text = match (min, max) {
                (Some(min), Some(max)) => format!("{} to {}", show(*min as f64), show(*max as f64)),
                (Some(min), None) => format!("at least {}", show(*min as f64)),
                (None, Some(max)) => format!("at most {}", show(*max as f64)),
                (None, None) => "anything".into(),
            };
            (text, Limit::Range(*min, *max))
        }
        Bound::Formula { name, times, within_ppm, within_milli_tuples } => {
            let once = formulas::predict(name, &case.config).unwrap_or(f64::NAN);
            let predicted = once * *times as f64;
            let tuples = *within_milli_tuples as f64 / 1e3;
            let tuple = match quantity {
                _ if quantity.is_time() => SECOND as f64 / case.config.rate_per_s as f64,
                Quantity::BytesPerHopPpm => 0.0,
                _ => 1.0,
            };
            let tolerated = tuples * tuple * *times as f64;
            let within = (predicted * *within_ppm as f64 / 1e6).max(tolerated);
            let factor = if *times == 1 { String::new() } else { format!("{times} x ") };
            let text = format!("{factor}{name} = {} ± {}", show(predicted), show(within));
            (text, Limit::Near { predicted: predicted.into(), within: within.into() })
        }
    }
}

pub(crate) fn show(quantity: Quantity, value: f64) -> String {
    if quantity.is_time() {
        if value == value.round() && value >= 0.0 && (value as u64).is_multiple_of(1000) {
            return format_duration(value as u64);
        }
        return format!("{:.3}ms", value / 1e6);
    }
    match quantity {
        Quantity::BytesPerHopPpm => format!("{:.4} %", value / 1e4),
        _ if value == value.round() => format!("{value:.0}"),
        _ => format!("{value:.2}"),
    }
}
