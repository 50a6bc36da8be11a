//! Theory against runs: what each strategy does to each class of operator. The sweeps of
//! scenarios/relations.toml take longer and run in .ci/run only.

mod support;

use aftermath_reports::record::Status;
use support::{campaign, load};

#[test]
fn every_strategy_does_to_every_operator_class_what_theory_says() {
    all_as_expected("scenarios/semantics.toml", 5);
}

/// Every case of the file compares something, and nothing is otherwise than expected.
fn all_as_expected(path: &str, cases_min: usize) {
    let scenario = load(path);
    assert!(scenario.cases.len() >= cases_min, "{} cases", scenario.cases.len());
    let outcome = campaign(&scenario);
    for case in &outcome.cases {
        let checks: Vec<_> = case.checks.iter().filter(|check| !check.held).collect();
        assert!(checks.is_empty(), "{}, {}: {checks:?}", case.case, case.strategy);
        assert_ne!(
            case.status,
            Status::Broken,
            "{}, {}: {:?}",
            case.case,
            case.strategy,
            case.runs
        );
    }
    let compared = outcome.cases.iter().map(|case| case.checks.len()).sum::<usize>();
    assert!(compared >= cases_min, "{compared} comparisons");
}
