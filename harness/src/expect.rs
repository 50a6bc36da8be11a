//! Expectations: numbers of records against what the scenario or a formula says.

use crate::config::{Bound, Case, Observed, Quantity};
use crate::formulas;
use crate::record::WORLDS_DIFFER;
use aftermath_reports::record::{Check, Claimed, Record, Status, ValueClass};
use aftermath_systems::claim::Delivery;
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
    let mut checks: Vec<_> = case
        .expect
        .run
        .iter()
        .map(|(quantity, bound)| {
            let measured = measure(*quantity, record).map(|value| value as f64);
            compare(case, *quantity, "", bound, measured)
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

/// Checks over all runs of a case.
pub fn check_case(case: &Case, records: &[&Record]) -> Vec<Check> {
    let mean = |values: &[u64]| values.iter().map(|v| *v as f64).sum::<f64>() / values.len() as f64;
    let min = |values: &[u64]| values.iter().min().map_or(f64::NAN, |value| *value as f64);
    let max = |values: &[u64]| values.iter().max().map_or(f64::NAN, |value| *value as f64);
    let over = |name: &str, expected: &[(Quantity, Bound)], of: &dyn Fn(&[u64]) -> f64| {
        let check = |(quantity, bound): &(Quantity, Bound)| {
            let measured = records.iter().filter_map(|record| measure(*quantity, record));
            let values: Vec<u64> = measured.collect();
            let missing = records.len() - values.len();
            let all = (missing == 0 && !values.is_empty()).then(|| of(&values));
            let mut check = compare(case, *quantity, name, bound, all);
            // What holds for the runs that have such a number may not hold for all.
            if missing > 0 {
                check.measured = format!("nothing in {missing} of {} runs", records.len());
            }
            check
        };
        expected.iter().map(check).collect::<Vec<_>>()
    };
    let expect = &case.expect;
    let mut checks = classes(case, records);
    checks.extend(over("mean ", &expect.mean, &mean));
    checks.extend(over("min ", &expect.min, &min));
    checks.extend(over("max ", &expect.max, &max));
    checks
}

/// What became of delivery, values and memory in all runs together: the worst of them.
fn classes(case: &Case, records: &[&Record]) -> Vec<Check> {
    let observed = || records.iter().map(|record| &record.observed);
    let delivery = Delivery {
        gap: observed().any(|seen| seen.gap),
        duplicates: observed().any(|seen| seen.duplicates),
    };
    let value = observed().map(|seen| seen.value).max();
    let memory = observed().filter_map(|seen| seen.memory_bounded).min();
    let check = |what: &str, expected: &str, measured: &str, held| Check {
        what: what.into(),
        expected: expected.into(),
        measured: measured.into(),
        held,
    };
    let delivered = |delivery: Delivery| match (delivery.gap, delivery.duplicates) {
        (false, false) => "each once",
        (true, false) => "gap",
        (false, true) => "duplicates",
        (true, true) => "gap + duplicates",
    };
    let values = |value| match value {
        Some(ValueClass::Same) => "the same",
        Some(ValueClass::Converges) => "converge",
        Some(ValueClass::Diverges) => "diverge",
        None => "nothing",
    };
    let memories = |memory| match memory {
        Some(true) => "bounded",
        Some(false) => "grows",
        None => "not judged",
    };
    let delivery = case.expect.delivery.map(|wanted| {
        check("delivery", delivered(wanted), delivered(delivery), wanted == delivery)
    });
    let value = case
        .expect
        .value
        .map(|wanted| check("values", values(Some(wanted)), values(value), Some(wanted) == value));
    let memory = case.expect.memory_bounded.map(|wanted| {
        check("memory", memories(Some(wanted)), memories(memory), Some(wanted) == memory)
    });
    [delivery, value, memory].into_iter().flatten().collect()
}

/// Whether a run has the status that its case expects ("held" unless it says otherwise). One in
/// which two worlds differ has not, not even where a broken one is expected.
pub fn status_as_expected(case: &Case, record: &Record) -> bool {
    if record.reasons.iter().any(|reason| reason == WORLDS_DIFFER) {
        return false;
    }
    match case.expect.status {
        Some(expected) => record.status == expected,
        None => matches!(record.status, Status::Held | Status::NotCovered),
    }
}

fn compare(
    case: &Case,
    quantity: Quantity,
    over: &str,
    bound: &Bound,
    measured: Option<f64>,
) -> Check {
    let name = Quantity::ALL.iter().find(|(_, q)| *q == quantity).map_or("", |(name, _)| name);
    let show = |value: f64| show(quantity, value);
    let (expected, held) = match bound {
        Bound::Exact(value) => (show(*value as f64), measured == Some(*value as f64)),
        Bound::Range(min, max) => {
            let text = match (min, max) {
                (Some(min), Some(max)) => format!("{} to {}", show(*min as f64), show(*max as f64)),
                (Some(min), None) => format!("at least {}", show(*min as f64)),
                (None, Some(max)) => format!("at most {}", show(*max as f64)),
                (None, None) => "anything".into(),
            };
            let held = measured.is_some_and(|value| {
                min.is_none_or(|min| value >= min as f64)
                    && max.is_none_or(|max| value <= max as f64)
            });
            (text, held)
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
            let held = measured.is_some_and(|value| (value - predicted).abs() <= within);
            (format!("{factor}{name} = {} ± {}", show(predicted), show(within)), held)
        }
    };
    let measured = measured.map_or("nothing".into(), show);
    Check { what: format!("{over}{name}"), expected, measured, held }
}

fn show(quantity: Quantity, value: f64) -> String {
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
