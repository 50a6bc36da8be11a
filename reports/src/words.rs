//! How things are said: guarantees in the vocabulary of the field, times, percentages, counts.

use crate::record::{Guarantee, Rate, Record, Status, Unreached, ValueClass, Witness};
use crate::summary::{Report, Row, Spread};
use std::fmt;

/// What a guarantee means for whoever reads the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Delivery {
    /// Nothing missing, nothing twice, every value right.
    ExactlyOnce,
    /// Nothing missing, some more than once.
    AtLeastOnce,
    /// Some missing, nothing twice.
    AtMostOnce,
    /// Some missing and some twice, or wrong values with no such excuse.
    NoGuarantee,
}

impl fmt::Display for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Delivery::ExactlyOnce => "exactly-once",
            Delivery::AtLeastOnce => "at-least-once",
            Delivery::AtMostOnce => "at-most-once",
            Delivery::NoGuarantee => "no guarantee",
        })
    }
}

/// How often a fault of chance did something: "27 of 541, 4.99% where 5% was set".
pub fn rate(rate: &Rate) -> String {
    let share = rate.changed as f64 * 1e6 / rate.of.max(1) as f64;
    let overtaken = match rate.overtaken {
        0 => String::new(),
        n => format!("; {n} overtaken"),
    };
    let set = percent(f64::from(rate.configured_ppm));
    format!("{} of {}, {} where {set} was set{overtaken}", rate.changed, rate.of, percent(share))
}

/// The delivery guarantee at the output.
pub fn delivery(g: &Guarantee) -> Delivery {
    match (g.gap, g.duplicates, g.value) {
        (false, false, ValueClass::Same) => Delivery::ExactlyOnce,
        (false, true, _) => Delivery::AtLeastOnce,
        (true, false, _) => Delivery::AtMostOnce,
        (true, true, _) | (false, false, _) => Delivery::NoGuarantee,
    }
}

/// A guarantee as compact text: "exactly once", "duplicates (repeating)", "gap, values diverge;
/// state differs".
pub fn guarantee(g: &Guarantee) -> String {
    let mut text = match (g.gap, g.duplicates, g.value) {
        (false, false, ValueClass::Same) => "exactly once",
        (false, false, ValueClass::Converges) => "each once, values converge",
        (false, false, ValueClass::Diverges) => "each once, values diverge",
        (false, true, ValueClass::Same) => "duplicates (repeating)",
        (false, true, ValueClass::Converges) => "duplicates (convergent)",
        (false, true, ValueClass::Diverges) => "duplicates (divergent)",
        (true, false, ValueClass::Same) => "gap",
        (true, false, ValueClass::Converges) => "gap, values converge",
        (true, false, ValueClass::Diverges) => "gap, values diverge",
        (true, true, ValueClass::Same) => "gap + duplicates",
        (true, true, ValueClass::Converges) => "gap + duplicates, converges",
        (true, true, ValueClass::Diverges) => "gap + duplicates, diverges",
    }
    .to_owned();
    for (flag, name) in [
        (!g.state_same, "; state differs"),
        (g.memory_bounded == Some(false), "; unbounded memory"),
        (!g.settles, "; stuck"),
    ] {
        if flag {
            text.push_str(name);
        }
    }
    text
}

/// The claim of a row; "not covered" when no run was covered.
pub fn claimed(row: &Row) -> String {
    row.claimed.as_ref().map_or_else(|| "not covered".to_owned(), guarantee)
}

/// A status as one or two words.
pub fn status(status: Status) -> &'static str {
    match status {
        Status::Held => "held",
        Status::NotCovered => "not covered",
        Status::Inconclusive => "inconclusive",
        Status::Broken => "broken",
    }
}

/// The statuses of a row's runs, worst first: "broken 3, held 17". No line breaks before numbers.
pub fn statuses(row: &Row) -> String {
    let runs = row.by_status.iter().rev().map(|(s, n)| format!("{}\u{a0}{n}", status(*s)));
    let checks = match row.checks_broken {
        0 => None,
        1 => Some("1 check broken".to_owned()),
        n => Some(format!("{n} checks broken")),
    };
    runs.chain(checks).collect::<Vec<_>>().join(", ")
}

/// Nanoseconds as milliseconds with one decimal.
pub fn ms(ns: f64) -> String {
    format!("{:.1}", ns / 1e6)
}

/// Nanoseconds as seconds with milliseconds.
pub fn seconds(ns: u64) -> String {
    format!("{}.{:03} s", ns / 1_000_000_000, ns / 1_000_000 % 1000)
}

/// The mean of measured times in ms; "> x" when none was measured but bounds are known, "-" when
/// there was no such time. A star says that some runs were left out of the mean.
pub fn mean_ms(s: &Spread) -> String {
    match s.mean() {
        Some(mean) => format!("{}{}", ms(mean), if s.beyond > 0 { "*" } else { "" }),
        None if s.beyond > 0 => format!("> {}", ms(s.beyond_bound as f64)),
        None => "-".to_owned(),
    }
}

/// The mean of a count: whole for one run, else with as many decimals as it takes not to look
/// like nothing.
pub fn mean_count(s: &Spread) -> String {
    match s.mean() {
        None => "-".to_owned(),
        Some(_) if s.total == 0 || s.n == 1 => s.total.to_string(),
        Some(mean) if mean < 0.005 => "<0.01".to_owned(),
        Some(mean) if mean < 0.095 => format!("{mean:.2}"),
        Some(mean) if mean < 1000.0 => format!("{mean:.1}"),
        Some(mean) => format!("{mean:.0}"),
    }
}

/// Parts per million as a percentage: "0 %", "0.06 %", "40.0 %".
pub fn percent(ppm: f64) -> String {
    let p = ppm / 10_000.0;
    match p {
        p if p <= 0.0 => "0 %".to_owned(),
        p if p < 0.0001 => "<0.0001 %".to_owned(),
        p if p < 0.001 => format!("{p:.4} %"),
        p if p < 0.01 => format!("{p:.3} %"),
        p if p < 10.0 => format!("{p:.2} %"),
        p if p < 100.0 => format!("{p:.1} %"),
        p => format!("{p:.0} %"),
    }
}

/// The bytes of one cause as a percentage of all tuple bytes; "-" when nothing was sent at all,
/// or there are no tuples to compare with.
pub fn cause_percent(row: &Row, cause: &str) -> String {
    row.cause_ppm(cause).map_or_else(|| "-".to_owned(), percent)
}

/// The name of a run within its scenario.
pub fn run_name(r: &Record) -> String {
    let mut text = format!("{} / {}", r.case, r.strategy);
    for part in [options(r), r.planted.as_ref().map(|p| format!("planted {p}"))] {
        if let Some(part) = part.filter(|p| !p.is_empty()) {
            text.push_str(&format!(" [{part}]"));
        }
    }
    format!("{text}, {}", seed_name((r.seed, r.stratum)))
}

/// A run within its case and strategy, by its seed and stratum: "seed 7", "seed 0, stratum 12".
pub fn seed_name((seed, stratum): (u64, Option<u32>)) -> String {
    let stratum = stratum.map_or(String::new(), |stratum| format!(", stratum {stratum}"));
    format!("seed {seed}{stratum}")
}

/// The options of a run that differ from the default.
fn options(r: &Record) -> Option<String> {
    Some(crate::summary::options_label(&r.options))
}

/// A piece of evidence as one line.
pub fn witness(w: &Witness) -> String {
    let at = w.at_ns.map(|ns| format!(" at {}", seconds(ns))).unwrap_or_default();
    format!("{}: {}: expected {}; observed {}{at}", w.checker, w.subject, w.expected, w.observed)
}

/// A fault that never struck as one line.
pub fn unreached(fault: &Unreached) -> String {
    format!("{} of {}: its point was never reached ({})", fault.kind, fault.node, fault.point)
}

/// How many runs are still to come, if it is known that there are any.
pub fn missing(report: &Report) -> Option<String> {
    let planned = report.planned.filter(|planned| *planned > report.runs)?;
    let done = report.runs;
    Some(format!(
        "{done} of {planned} runs are done; cases that lack runs are not judged as a whole"
    ))
}

/// Each name once, in the order in which they come first.
pub fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut list = Vec::new();
    for name in names {
        if !list.contains(&name) {
            list.push(name);
        }
    }
    list
}

/// A noun with its number: "1 run", "2 runs".
pub fn plural(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// What must be known to read the numbers of a row, if anything.
pub fn notes(row: &Row) -> Vec<String> {
    let mut notes = Vec::new();
    for (name, s) in [("R1", &row.r1), ("R2", &row.r2), ("R3", &row.r3)] {
        if s.beyond > 0 {
            notes.push(format!(
                "{name} of {} of {}: not reached before the run ended, more than {} ms at least; \
                 left out of the mean",
                s.beyond,
                plural(row.runs, "run"),
                ms(s.beyond_bound as f64)
            ));
        }
    }
    for (name, s) in [("unexpected", &row.unexpected), ("reordered", &row.reordered)] {
        if s.total > 0 {
            notes.push(format!("{} {name}", plural(s.total as u64, "output")));
        }
    }
    for reason in &row.not_covered {
        notes.push(format!("not covered: {reason}"));
    }
    if let Some(why) = &row.inconclusive {
        let runs = row.by_status.get(&Status::Inconclusive).copied().unwrap_or_default();
        let first = if runs > 1 { ", the first because " } else { ": " };
        notes.push(format!("inconclusive in {runs} of {}{first}{why}", plural(row.runs, "run")));
    }
    if row.unreached > 0 {
        let runs = plural(row.runs, "run");
        notes.push(format!("a fault's point was never reached in {} of {runs}", row.unreached));
    }
    if row.setting.is_none() {
        notes.push("its runs were not all run with the same setting".to_owned());
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn g(gap: bool, duplicates: bool, value: ValueClass) -> Guarantee {
        let memory_bounded = Some(true);
        Guarantee { gap, duplicates, value, state_same: true, memory_bounded, settles: true }
    }

    #[test]
    fn guarantees_are_named_in_the_words_of_the_field() {
        use ValueClass::{Converges, Diverges, Same};
        for (given, words, kind) in [
            (g(false, false, Same), "exactly once", "exactly-once"),
            (g(false, true, Same), "duplicates (repeating)", "at-least-once"),
            (g(false, true, Diverges), "duplicates (divergent)", "at-least-once"),
            (g(true, false, Same), "gap", "at-most-once"),
            (g(true, false, Diverges), "gap, values diverge", "at-most-once"),
            (g(true, true, Converges), "gap + duplicates, converges", "no guarantee"),
            (g(false, false, Diverges), "each once, values diverge", "no guarantee"),
        ] {
            assert_eq!(guarantee(&given), words);
            assert_eq!(delivery(&given).to_string(), kind);
        }
        let mut bad = g(false, false, Same);
        bad.state_same = false;
        assert_eq!(guarantee(&bad), "exactly once; state differs");
        bad.memory_bounded = Some(false);
        bad.settles = false;
        assert_eq!(guarantee(&bad), "exactly once; state differs; unbounded memory; stuck");
    }

    #[test]
    fn numbers_never_round_to_nothing() {
        for (ppm, text) in [
            (0.0, "0 %"),
            (0.5, "<0.0001 %"),
            (600.0, "0.06 %"),
            (15.0, "0.002 %"),
            (400_000.0, "40.0 %"),
            (2_000_000.0, "200 %"),
        ] {
            assert_eq!(percent(ppm), text);
        }
        let spread = |values: &[u64]| {
            let mut s = Spread::default();
            values.iter().for_each(|&v| s.add(v));
            s
        };
        assert_eq!(mean_count(&spread(&[])), "-");
        assert_eq!(mean_count(&spread(&[7])), "7");
        assert_eq!(mean_count(&spread(&[0, 0])), "0");
        assert_eq!(mean_count(&spread(&[0, 3])), "1.5");
        let mut hundred = vec![0; 99];
        hundred.push(1);
        assert_eq!(mean_count(&spread(&hundred)), "0.01");
        assert_eq!(seconds(61_002_999_999), "61.002 s");
    }
}
