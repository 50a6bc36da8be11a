//! Honest strategies keep what they claim, whatever the seed; and a second failure, once the pair
//! has been made complete again, ends as the first did.

mod support;

use aftermath_harness::campaign::Outcome;
use aftermath_reports::record::{Guarantee, Record, Status, ValueClass};
use std::collections::{BTreeMap, BTreeSet};
use support::{campaign, load};

const PATH: &str = "scenarios/honest.toml";

/// (case, strategy, seed).
type Key = (String, String, u64);

fn by_run(outcome: &Outcome) -> BTreeMap<Key, &Record> {
    let key = |r: &Record| (r.case.clone(), r.strategy.clone(), r.seed);
    outcome.records.iter().map(|record| (key(record), record)).collect()
}

/// What kind of trouble was seen; without memory, which is not judged in short stretches.
fn class(observed: &Guarantee) -> (bool, bool, ValueClass, bool, bool) {
    let Guarantee { gap, duplicates, value, state_same, settles, .. } = *observed;
    (gap, duplicates, value, state_same, settles)
}

#[test]
fn every_strategy_is_clean_and_a_second_failure_ends_as_the_first() {
    // `.ci/run` takes many more.
    let seeds = if cfg!(debug_assertions) { 12 } else { 20 };
    let mut scenario = load(PATH);
    scenario.seeds = 0..seeds;
    let both = campaign(&scenario);
    for record in &both.records {
        assert_ne!(record.status, Status::Broken, "{}: {:?}", record.replay, record.reasons);
    }
    let ran: BTreeSet<&str> = scenario.cases.iter().map(|case| case.config.strategy).collect();
    for entry in aftermath_harness::Registry::built_in().iter() {
        assert!(ran.contains(entry.name), "{} does not take part", entry.name);
    }
    for result in &both.cases {
        let (case, strategy) = (&result.case, &result.strategy);
        let conclusive = |status: &str| result.runs.get(status).copied().unwrap_or(0);
        assert!(
            conclusive("held") > 0,
            "{case} teaches nothing about {strategy}: {:?}",
            result.runs
        );
        assert!(!result.runs.contains_key("inconclusive"), "{case}, {strategy}: {:?}", result.runs);
    }

    let mut first_only = scenario.clone();
    first_only.seeds = 0..seeds * 3 / 4;
    first_only.cases.retain(|case| case.config.faults.len() == 2);
    assert!(first_only.cases.len() >= 12, "most cases have a second failure");
    for case in &mut first_only.cases {
        case.config.faults.truncate(1);
    }
    let first = campaign(&first_only);
    let both = by_run(&both);
    for (key, after_one) in by_run(&first) {
        let after_two = both[&key];
        assert_eq!(after_one.faults.len() + 1, after_two.faults.len(), "{key:?}");
        assert_eq!(after_one.claimed, after_two.claimed, "{key:?}");
        assert_eq!(class(&after_one.observed), class(&after_two.observed), "{key:?}");
    }
}
