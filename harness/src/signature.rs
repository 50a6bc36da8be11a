//! What kind of failure a failing run is: which checkers speak, and about what. Two runs of one
//! signature are broken in the same way, whatever their seeds, times and numbers.

use crate::record::WORLDS_DIFFER;
use aftermath_reports::record::{Claimed, Record};
use std::collections::BTreeSet;
use std::fmt;

/// A checker and the kind of violation it tells of: `claim` and `gap`, `expectation` and
/// `recovery.r2`, `pair` and nothing more.
pub type Violation = (String, String);

/// The kind of a failure.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Signature {
    /// The scenario.
    pub scenario: String,
    /// The case.
    pub case: String,
    /// The strategy.
    pub strategy: String,
    /// What was violated.
    pub violations: BTreeSet<Violation>,
}

impl Signature {
    /// The signature of a run. Of one that is not broken it has no violations.
    pub fn of(record: &Record) -> Signature {
        Signature {
            scenario: record.scenario.clone(),
            case: record.case.clone(),
            strategy: record.strategy.clone(),
            violations: violations(record),
        }
    }
}

impl fmt::Display for Signature {
    /// `claim: gap, pair`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |(checker, kind): &Violation| match kind.is_empty() {
            true => checker.clone(),
            false => format!("{checker}: {kind}"),
        };
        let all: Vec<_> = self.violations.iter().map(one).collect();
        f.write_str(if all.is_empty() { "another status than expected" } else { "" })?;
        f.write_str(&all.join(", "))
    }
}

/// What a run violates.
pub fn violations(record: &Record) -> BTreeSet<Violation> {
    let mut found: BTreeSet<Violation> = BTreeSet::new();
    let mut add = |checker: &str, kind: &str| {
        found.insert((checker.to_string(), kind.to_string()));
    };
    if let Claimed::Guarantee(claimed) = &record.claimed {
        let seen = &record.observed;
        for (violated, kind) in [
            (seen.gap && !claimed.gap, "gap"),
            (seen.duplicates && !claimed.duplicates, "duplicates"),
            (seen.value > claimed.value, "value"),
            (!seen.state_same && claimed.state_same, "state"),
            (seen.memory_bounded == Some(false) && claimed.memory_bounded == Some(true), "memory"),
            (!seen.settles && claimed.settles, "stuck"),
        ] {
            if violated {
                add("claim", kind);
            }
        }
    }
    for witness in &record.witnesses {
        match &*witness.checker {
            "expectation" => add("expectation", &witness.subject),
            // These are the evidence for a claim, and come along when another one is violated.
            "lost" | "duplicate" | "wrong-value" | "unexpected" | "state" | "memory" | "stuck" => {}
            checker => add(checker, ""),
        }
    }
    for reason in &record.reasons {
        if reason == WORLDS_DIFFER {
            add("worlds", "differ");
        } else if reason.starts_with("ledger: ") {
            add("ledger", "");
        }
    }
    found
}
