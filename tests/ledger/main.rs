//! Whatever befalls whatever: outputs are accounted for, the stream drains, honest strategies keep
//! what they claim, and nothing panics.
//!
//! The plans are random (`plans`), and the same in every run of the test. `PROPTEST_CASES=5000
//! cargo test --test ledger` tries more.

mod plans;
#[path = "../support/mod.rs"]
mod support;

use aftermath_harness::config::{Case, Scenario};
use aftermath_harness::run::RunLog;
use aftermath_harness::world::Ended;
use aftermath_reports::record::{Record, Status};
use aftermath_systems::protocol::SemanticId;
use plans::{PATH, Plan, plan};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use std::collections::BTreeMap;
use support::{judge_logs, parse, run_one, twin_of};

/// Runs of each property, unless PROPTEST_CASES says otherwise.
const CASES: u32 = 192;

/// A random plan, run and judged.
struct Judged {
    scenario: Scenario,
    run: RunLog,
    twin: RunLog,
    record: Record,
}

impl Judged {
    fn new(plan: &Plan) -> Judged {
        let scenario = parse(&plan.text(), PATH);
        let case: &Case = &scenario.cases[0];
        let run = run_one(&case.config, plan.seed, false);
        let twin = twin_of(&case.config, plan.seed, false);
        let record = judge_logs(&scenario, case, plan.seed, &run, &twin);
        Judged { scenario, run, twin, record }
    }
}

/// Tries a property on random plans, always the same ones.
fn check(property: impl Fn(&Plan, &Judged) -> Result<(), TestCaseError>) {
    let cases =
        if std::env::var_os("PROPTEST_CASES").is_some() { Config::default().cases } else { CASES };
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, random);
    let result = runner.run(&plan(), |plan| {
        property(&plan, &Judged::new(&plan)).map_err(|error| {
            let text = plan.text();
            TestCaseError::fail(format!("{error}\nseed {} of\n{text}", plan.seed))
        })
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// How often each output came.
fn copies(log: &RunLog) -> BTreeMap<SemanticId, u64> {
    let mut copies = BTreeMap::new();
    for delivery in &log.deliveries {
        *copies.entry(delivery.semantic).or_default() += 1;
    }
    copies
}

#[test]
fn every_output_is_accounted_for() {
    check(|_, judged| {
        let counts = judged.record.counts;
        prop_assert_eq!(counts.unique + counts.lost, counts.expected);
        prop_assert_eq!(counts.unique + counts.duplicates + counts.unexpected, counts.delivered);
        // The same once more, counted here.
        let (run, twin) = (copies(&judged.run), copies(&judged.twin));
        prop_assert!(twin.values().all(|copies| *copies == 1), "the twin repeats outputs");
        prop_assert_eq!(counts.expected, twin.len() as u64);
        prop_assert_eq!(counts.delivered, judged.run.deliveries.len() as u64);
        let lost = twin.keys().filter(|id| !run.contains_key(id)).count();
        prop_assert_eq!(counts.lost, lost as u64);
        let known = run.iter().filter(|(id, _)| twin.contains_key(id));
        let extra: u64 = known.map(|(_, copies)| copies - 1).sum();
        prop_assert_eq!(counts.duplicates, extra);
        let unexpected = run.iter().filter(|(id, _)| !twin.contains_key(id));
        prop_assert_eq!(counts.unexpected, unexpected.map(|(_, copies)| copies).sum::<u64>());
        Ok(())
    });
}

#[test]
fn every_run_drains_and_every_twin_agrees_with_the_input() {
    check(|_, judged| {
        prop_assert_eq!(judged.run.ended, Ended::Drained);
        prop_assert_eq!(judged.twin.ended, Ended::Drained);
        let reference = judged.record.witnesses.iter().find(|w| w.checker == "reference");
        prop_assert!(reference.is_none(), "{:?}", reference);
        let outputs = judged.twin.deliveries.len();
        // What these two ask for is rare.
        let rare = ["nexmark-q3", "nexmark-q8"].contains(&judged.scenario.cases[0].config.pipeline);
        prop_assert!(outputs > 20 || rare, "{} outputs", outputs);
        Ok(())
    });
}

#[test]
fn a_run_is_its_twin_exactly_if_no_fault_struck() {
    check(|_, judged| {
        let struck = !judged.run.strikes().is_empty();
        let planned = !judged.scenario.cases[0].config.faults.is_empty();
        prop_assert!(planned || !struck);
        if !planned {
            prop_assert_eq!(judged.run.hash, judged.twin.hash);
            prop_assert_eq!(judged.run.length_ns, judged.twin.length_ns);
            prop_assert_eq!(judged.record.status, Status::Held);
        }
        // Others may have met nothing.
        let kills = |fault: usize| judged.run.kind(fault).kills();
        if judged.run.strikes().iter().any(|(_, strike)| kills(strike.fault)) {
            prop_assert_ne!(judged.run.hash, judged.twin.hash);
        }
        Ok(())
    });
}

#[test]
fn honest_strategies_keep_what_they_claim_whatever_befalls_them() {
    check(|_, judged| {
        let Record { status, reasons, replay, .. } = &judged.record;
        prop_assert!(*status != Status::Broken, "{}: {:?}", replay, reasons);
        Ok(())
    });
}
