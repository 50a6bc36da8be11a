//! In which respects a run is broken, without numbers and times: two runs with one signature show
//! the same violation, as far as the judge can tell.

use aftermath_reports::record::{Claimed, Guarantee, Record, Status, WORLDS_DIFFER};
use std::fmt;

/// Whatever was promised, this must hold: how reasons begin, and what it is called here.
const CHECKERS: [(&str, &str); 6] = [
    (WORLDS_DIFFER, "worlds"),
    ("ledger:", "ledger"),
    ("reference:", "reference"),
    ("confirmed-before-durable:", "durability"),
    ("pair:", "pair"),
    ("leader:", "leader"),
];

/// What is measured where there is no such number, which is another violation than a wrong one.
const NOTHING: &str = "nothing";

/// Respects in which a run is broken, the leading one first: `gap + state`, `settles`, `pair`,
/// `expectation:lost`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Signature(Vec<String>);

impl Signature {
    /// That of a run; none if it is not broken.
    pub fn of(record: &Record) -> Option<Signature> {
        if record.status != Status::Broken {
            return None;
        }
        let said = |start: &str| record.reasons.iter().any(|reason| reason.starts_with(start));
        let checkers = CHECKERS.iter().filter(|(start, _)| said(start));
        let mut kinds: Vec<String> = checkers.map(|(_, kind)| kind.to_string()).collect();
        if let Claimed::Guarantee(claimed) = &record.claimed {
            let worse = worse(claimed, &record.observed).into_iter();
            kinds.extend(worse.map(|(respect, _)| respect.to_string()));
        }
        let failed = record.checks.iter().filter(|check| !check.held);
        kinds.extend(failed.map(|check| match check.measured.as_str() {
            NOTHING => format!("expectation:{}:{NOTHING}", check.what),
            _ => format!("expectation:{}", check.what),
        }));
        Some(Signature(kinds))
    }

    /// Whether it is this violation that another run shows: led by the same respect, and in no
    /// respect that is new.
    pub fn is_shown_by(&self, other: &Signature) -> bool {
        self.0.first() == other.0.first() && self.includes(other)
    }

    /// Whether it has all respects of another.
    pub fn includes(&self, other: &Signature) -> bool {
        other.0.iter().all(|kind| self.0.contains(kind))
    }

    /// Whether a check of what the scenario expects is part of it.
    pub fn expects(&self, what: &str) -> bool {
        let of = |kind: &String| {
            let check = kind.strip_prefix("expectation:")?.split(':').next()?;
            Some(check == what)
        };
        self.0.iter().filter_map(of).any(|same| same)
    }
}

/// In which respects what was observed is worse than what was promised: the respect in a word, and
/// the sentence about it. What says most comes first.
pub fn worse(promise: &Guarantee, observed: &Guarantee) -> Vec<(&'static str, &'static str)> {
    let memory = observed.memory_bounded == Some(false) && promise.memory_bounded == Some(true);
    let respects = [
        (!observed.settles && promise.settles, "settles", "the stream does not drain"),
        (observed.gap && !promise.gap, "gap", "outputs are lost, and no gap was claimed"),
        (
            observed.duplicates && !promise.duplicates,
            "duplicates",
            "outputs are repeated, and no duplicates were claimed",
        ),
        (observed.value > promise.value, "value", "values are wrong beyond what was claimed"),
        (
            !observed.state_same && promise.state_same,
            "state",
            "the final state differs, and the same state was claimed",
        ),
        (memory, "memory", "retained memory grows, and bounded memory was claimed"),
    ];
    let worse = respects.into_iter().filter(|(worse, ..)| *worse);
    worse.map(|(_, respect, sentence)| (respect, sentence)).collect()
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" + "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(kinds: &[&str]) -> Signature {
        Signature(kinds.iter().map(|kind| kind.to_string()).collect())
    }

    #[test]
    fn the_same_violation_is_led_by_the_same_respect_and_has_no_new_one() {
        let found = signature(&["gap", "state"]);
        assert!(found.is_shown_by(&found));
        assert!(found.is_shown_by(&signature(&["gap"])));
        assert!(!found.is_shown_by(&signature(&["state"])));
        assert!(!found.is_shown_by(&signature(&["settles", "gap"])));
        assert!(!found.is_shown_by(&signature(&["gap", "value"])));
        assert_eq!(found.to_string(), "gap + state");
    }
}
