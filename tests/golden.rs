//! Closed forms against measurements: every case of the golden scenario is held, nothing that it
//! should check is left out, and a wrong formula is found out.

mod support;

use aftermath_harness::Registry;
use aftermath_harness::campaign::Outcome;
use aftermath_harness::config::Scenario;
use aftermath_reports::record::{CaseResult, Status};
use std::collections::BTreeSet;
use support::{campaign, load, parse, text_of};

const PATH: &str = "scenarios/golden.toml";

/// What every case compares, over the mean of its runs.
const COMPARED: &[&str] = &[
    "mean lost",
    "mean duplicates",
    "mean recovery.r2",
    "mean recovery.r3",
    "mean recovery.silence",
];

/// What every case with one failure compares as well: it is measured while nothing fails, so cases
/// with a second failure need not repeat it.
const BANDWIDTH: &str = "mean overhead.bytes_per_hop_ppm";

#[test]
fn every_formula_predicts_what_is_measured() {
    let scenario = load(PATH);
    let outcome = campaign(&scenario);
    assert_eq!(outcome.cases.len(), scenario.cases.len());
    let broken: Vec<_> = outcome
        .cases
        .iter()
        .flat_map(|case| case.checks.iter().map(move |check| (case, check)))
        .filter(|(_, check)| !check.held)
        .map(|(case, check)| {
            let CaseResult { case, strategy, .. } = case;
            format!("{case}, {strategy}: {} {} {}", check.what, check.measured, check.expected)
        })
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    for case in &outcome.cases {
        assert_eq!(case.status, Status::Held, "{}: {:?}", case.case, case.runs);
        for check in &case.checks {
            assert_ne!(check.measured, "nothing", "{}: {}", case.case, check.what);
            assert!(!check.expected.contains("NaN"), "{}: {check:?}", case.case);
        }
    }
    // A mean over strata is exact only if none is missing.
    for record in &outcome.records {
        assert_eq!(record.status, Status::Held, "{}: {:?}", record.replay, record.reasons);
    }
    for case in &scenario.cases {
        let runs = outcome.records.iter().filter(|record| record.case == case.name);
        let strata: BTreeSet<_> = runs.map(|record| record.stratum).collect();
        assert_eq!(strata.len(), 20, "{}", case.name);
    }
}

#[test]
fn every_case_compares_losses_duplicates_times_and_bandwidth() {
    let scenario = load(PATH);
    let outcome = campaign(&shortened(&scenario));
    for (case, result) in scenario.cases.iter().zip(&outcome.cases) {
        let compared: BTreeSet<_> = result.checks.iter().map(|check| check.what.as_str()).collect();
        for needed in COMPARED {
            assert!(compared.contains(needed), "{} does not compare {needed}", case.name);
        }
        let single = case.config.faults.len() == 1;
        assert!(!single || compared.contains(BANDWIDTH), "{}", case.name);
    }
}

#[test]
fn every_strategy_is_compared_and_some_after_a_second_failure() {
    let scenario = load(PATH);
    let has = |strategy: &str, faults: usize| {
        let mut configs = scenario.cases.iter().map(|case| &case.config);
        configs.any(|config| config.strategy == strategy && config.faults.len() == faults)
    };
    for entry in Registry::built_in().iter() {
        assert!(has(entry.name, 1), "{}", entry.name);
    }
    for strategy in ["amnesia", "passive-standby", "upstream-backup"] {
        assert!(has(strategy, 2), "{strategy}, second failure");
    }
    let with = |key: &str, value: &str| {
        let mut configs = scenario.cases.iter().map(|case| &case.config);
        configs.any(|c| c.given_options.get(key).is_some_and(|given| given == value))
    };
    assert!(with("store_at", "primary") && with("store_at", "secondary"));
    assert!(with("ack_phase", "0ms") && with("ack_phase", "500ms"));
    let spans: BTreeSet<_> = scenario
        .cases
        .iter()
        .filter(|case| case.config.pipeline == "window")
        .filter_map(|case| case.config.pipeline_options.duration("span"))
        .collect();
    let second = 1_000_000_000;
    assert_eq!(spans, BTreeSet::from([second, 10 * second]));
}

/// Fewer tuples and strata: the names of what is compared are the same.
fn shortened(scenario: &Scenario) -> Scenario {
    let mut scenario = scenario.clone();
    for case in &mut scenario.cases {
        use aftermath_harness::config::{FaultAt, InputConfig};
        if let InputConfig::Generated { tuples, .. } = &mut case.config.input {
            *tuples = 100;
        }
        for fault in &mut case.config.faults {
            fault.at = FaultAt::Instant(50_000_000);
            fault.for_ns = None;
        }
    }
    scenario
}

/// A case of the golden scenario with words of it replaced, on a shorter stream.
fn doctored(case: &str, replacements: &[(&str, &str)]) -> Outcome {
    let text = text_of(PATH).replace("tuples = 24000", "tuples = 15000");
    let start = text.find(&format!("name = \"{case}\"")).expect("the case is there");
    let end = text[start..].find("[[case]]").map_or(text.len(), |length| start + length);
    let mut changed = text[start..end].to_string();
    for (from, to) in replacements {
        assert!(changed.contains(from), "`{from}` is in the case");
        changed = changed.replace(from, to);
    }
    let mut scenario = parse(&format!("{}{changed}{}", &text[..start], &text[end..]), PATH);
    scenario.cases.retain(|c| c.name == case);
    campaign(&scenario)
}

/// What of a case did not hold.
fn broken(outcome: &Outcome) -> Vec<&str> {
    let checks = outcome.cases[0].checks.iter().filter(|check| !check.held);
    checks.map(|check| check.what.as_str()).collect()
}

#[test]
fn formulas_of_another_strategy_are_broken() {
    let wrong = [("amnesia.lost", "passive.duplicates"), ("amnesia.r2", "passive.r2")];
    let outcome = doctored("amnesia", &wrong);
    // What both have in common still holds.
    let differ = ["mean lost", "mean recovery.r1", "mean recovery.r2", "mean recovery.r3"];
    assert_eq!(broken(&outcome), differ);
    assert_eq!(outcome.cases[0].status, Status::Broken);

    let wrong = [("passive.bytes_per_hop", "upstream.bytes_per_hop")];
    let outcome = doctored("passive, the secondary stores", &wrong);
    assert_eq!(broken(&outcome), [BANDWIDTH]);
    assert_eq!(outcome.cases[0].status, Status::Broken);
}

#[test]
fn neither_a_loss_that_does_not_come_nor_a_formula_without_tolerance_holds() {
    let wrong = [("lost = 0", "lost = { min = 1 }"), ("[\"1%\", \"2 tuples\"]", "[\"0.0001%\"]")];
    let outcome = doctored("upstream, stateless", &wrong);
    let broken = broken(&outcome);
    assert!(broken.contains(&"mean lost"), "{broken:?}");
    assert!(broken.contains(&"mean recovery.r3"), "{broken:?}");
    assert_eq!(outcome.cases[0].status, Status::Broken);
}
