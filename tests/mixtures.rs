//! Any strategies on neighbouring operators: every claim that covers what happened is kept.

mod support;

use aftermath_reports::record::Status;
use aftermath_systems::strategies::ALL;
use std::collections::BTreeSet;
use support::{campaign, load};

#[test]
fn all_ordered_pairs_keep_what_they_claim_and_most_of_it_is_covered() {
    let mut scenario = load("scenarios/mixed.toml");
    // One seed here; the scenario has more.
    scenario.seeds = 0..1;
    let pair = |case: &aftermath_harness::config::Case| {
        let strategy = |operator| case.config.strategy_of(operator).0;
        (strategy("clean"), strategy("delays"))
    };
    let pairs: BTreeSet<_> = scenario.cases.iter().map(pair).collect();
    assert_eq!(pairs.len(), ALL.len() * ALL.len());
    let outcome = campaign(&scenario);
    assert_eq!(outcome.records.len(), 4 * pairs.len());
    for record in &outcome.records {
        let covered = record.status == Status::Held || record.status == Status::NotCovered;
        assert!(covered, "{}: {:?}", record.replay, record.reasons);
    }
    let held = outcome.records.iter().filter(|record| record.status == Status::Held).count();
    assert!(held >= outcome.records.len() * 9 / 10, "{held} of {} held", outcome.records.len());
}
