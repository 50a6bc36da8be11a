//! Expectations of single runs: numbers of records against what the scenario or a formula says.

use crate::config::{Case, Observed, Quantity};
use crate::limit::resolve;
use aftermath_reports::record::{Check, Claimed, Record, Status, Time};

/// A number of a record, in its unit (tuples, ns, ppm); `None` if there is no such thing.
pub fn measure(quantity: Quantity, record: &Record) -> Option<u64> {
    match quantity {
        Quantity::Lost => Some(record.counts.lost),
        Quantity::Duplicates => Some(record.counts.duplicates),
        Quantity::Wrong => Some(record.counts.wrong),
        Quantity::BytesPerHopPpm => Some(record.overhead.bytes_per_hop_ppm),
        Quantity::RetainedMax => Some(record.overhead.retained_max),
        Quantity::R1 | Quantity::R2 | Quantity::R3 | Quantity::Silence | Quantity::Detect => {
            recovered(quantity, record)?.ns()
        }
    }
}

/// A time of the last recovery of a record; `None` if there is none, or it is another quantity.
pub fn recovered(quantity: Quantity, record: &Record) -> Option<Time> {
    let recovery = record.faults.iter().rev().find_map(|fault| fault.recovery)?;
    match quantity {
        Quantity::R1 => Some(recovery.r1),
        Quantity::R2 => Some(recovery.r2),
        Quantity::R3 => Some(recovery.r3),
        Quantity::Silence => Some(Time::Ns(recovery.silence_ns)),
        Quantity::Detect => Some(recovery.detect),
        Quantity::Lost | Quantity::Duplicates | Quantity::Wrong => None,
        Quantity::BytesPerHopPpm | Quantity::RetainedMax => None,
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
            let (expected, limit) = resolve(case, *quantity, bound);
            limit.check(quantity.name(), *quantity, &expected, measured)
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
