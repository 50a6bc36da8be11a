//! Whatever befalls whatever: outputs are accounted for, the stream drains, honest strategies keep
//! what they claim, and nothing panics.
//!
//! The plans are random, and the same in every run of the test. `PROPTEST_CASES=5000 cargo test
//! --test ledger` tries more.

mod support;

use aftermath_harness::config::{Case, Scenario};
use aftermath_harness::run::RunLog;
use aftermath_harness::world::Ended;
use aftermath_reports::record::{Record, Status};
use aftermath_systems::protocol::SemanticId;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use std::collections::BTreeMap;
use support::{judge_logs, parse, run_one, twin_of};

/// Runs of each property, unless PROPTEST_CASES says otherwise.
const CASES: u32 = 128;

/// Where the input file of the pipeline `flights` is found from.
const PATH: &str = "scenarios/random.toml";

#[derive(Clone, Copy, Debug)]
struct Fault {
    loss: bool,
    /// Of the protected operators, modulo their number.
    operator: usize,
    instance: u16,
    /// The one that leads if there is none.
    replica: Option<u16>,
    at_us: u64,
    for_us: Option<u64>,
    wire_dies: bool,
}

#[derive(Clone, Debug)]
struct Plan {
    pipeline: usize,
    strategy: usize,
    protect: usize,
    parallelism: u16,
    tuples: u64,
    dedup: bool,
    faults: Vec<Fault>,
    seed: u64,
}

/// Pipelines with their two operators, the keyed one if there is one, and its input.
const PIPELINES: [(&str, [&str; 2], &str); 4] = [
    ("chain", ["map", "format"], ""),
    ("keyed-count", ["count", "format"], "count"),
    ("window", ["window", "format"], ""),
    ("flights", ["clean", "delays"], "delays"),
];

const STRATEGIES: [(&str, &str); 4] = [
    ("amnesia", ""),
    ("passive-standby", "ship_output_log = \"no\"\nstore_at = \"primary\""),
    ("passive-standby", "ship_output_log = \"resend\""),
    ("upstream-backup", ""),
];

impl Plan {
    /// The operators that are protected: the first, the second, or both.
    fn protected(&self) -> Vec<&'static str> {
        let operators = PIPELINES[self.pipeline].1;
        match self.protect % 3 {
            0 => vec![operators[0]],
            1 => vec![operators[1]],
            _ => operators.to_vec(),
        }
    }

    /// The instance that a fault hits.
    fn instance(&self, fault: &Fault) -> u16 {
        let protected = self.protected();
        let keyed = PIPELINES[self.pipeline].2 == protected[fault.operator % protected.len()];
        if keyed { fault.instance % self.parallelism } else { 0 }
    }

    /// The plan as a scenario: what a user could write, so that a failure can be pasted.
    fn text(&self) -> String {
        let (pipeline, operators, keyed) = PIPELINES[self.pipeline];
        let (strategy, options) = STRATEGIES[self.strategy];
        let protected: Vec<_> = self.protected().iter().map(|n| format!("\"{n}\"")).collect();
        let mut text = format!("strategies = [\"{strategy}\"]\n[strategy.{strategy}]\n{options}\n");
        text +=
            &format!("[pipeline]\nname = \"{pipeline}\"\nprotect = [{}]\n", protected.join(","));
        text += &format!(
            "service = {{ {} = \"300us\", {} = \"200us\" }}\n",
            operators[0], operators[1]
        );
        if !keyed.is_empty() {
            text += &format!("parallelism = {{ {keyed} = {} }}\n", self.parallelism);
        }
        if pipeline == "window" {
            text += "options = { span = \"40ms\" }\n";
        }
        text += "[input]\nrate_per_s = 1000\n";
        text += &match pipeline {
            "flights" => format!("recorded = \"data/flights.csv\"\ntake = {}\n", self.tuples),
            _ => format!("generated = {{ tuples = {}, keys = 20 }}\n", self.tuples),
        };
        let dedup = if self.dedup { "receiver" } else { "off" };
        text += &format!("[protection]\ndedup = \"{dedup}\"\n");
        text +=
            "[timing]\nheartbeat = \"5ms\"\nmisses = 3\nredirect = \"3ms\"\ninterval = \"20ms\"\n";
        text += "[storage]\nlatency = \"4ms\"\n";
        for fault in self.faults() {
            text += &self.fault(fault);
        }
        text
    }

    fn fault(&self, fault: &Fault) -> String {
        let protected = self.protected();
        let operator = protected[fault.operator % protected.len()];
        let instance = self.instance(fault);
        let node = match fault.replica {
            Some(replica) => format!("{operator}/{instance}/{replica}"),
            None => format!("{operator}/{instance}"),
        };
        let wire = if fault.wire_dies { ", wire = \"die\"" } else { "" };
        let what = match fault.loss {
            true => format!("machine-loss = {{ node = \"{node}\"{wire} }}"),
            false => format!("process-crash = {{ node = \"{node}\" }}"),
        };
        let length = fault.for_us.map_or(String::new(), |us| format!("for = \"{us}us\"\n"));
        format!("[[fault]]\n{what}\nat = \"{}us\"\n{length}", fault.at_us)
    }

    /// The faults. Two outcomes for one machine at one time are a mistake in a scenario, so a
    /// second fault that names the same machine as the first is left out.
    fn faults(&self) -> &[Fault] {
        let machine = |fault: &Fault| {
            let operator = fault.operator % self.protected().len();
            fault.replica.map(|replica| (operator, self.instance(fault), replica))
        };
        let same = self.faults.len() == 2
            && machine(&self.faults[0]).is_some()
            && machine(&self.faults[0]) == machine(&self.faults[1]);
        &self.faults[..self.faults.len() - usize::from(same)]
    }
}

fn fault() -> impl Strategy<Value = Fault> {
    let place = (0..2usize, 0..2u16, prop::option::weighted(0.3, 0..2u16));
    // Beyond the end of the stream too.
    let time = (1_000..200_000u64, prop::option::weighted(0.7, 1_000..80_000u64));
    (any::<bool>(), place, time, any::<bool>()).prop_map(
        |(loss, (operator, instance, replica), (at_us, for_us), wire_dies)| Fault {
            loss,
            operator,
            instance,
            replica,
            at_us,
            for_us,
            wire_dies,
        },
    )
}

fn plan() -> impl Strategy<Value = Plan> {
    let what = (0..PIPELINES.len(), 0..STRATEGIES.len(), 0..3usize, 1..=2u16);
    let none = prop::collection::vec(fault(), 0..=0);
    let some = prop::collection::vec(fault(), 1..=2);
    let faults = prop_oneof![1 => none, 4 => some];
    (what, 100..=300u64, any::<bool>(), faults, 0..1_000u64).prop_map(
        |((pipeline, strategy, protect, parallelism), tuples, dedup, faults, seed)| Plan {
            pipeline,
            strategy,
            protect,
            parallelism,
            tuples,
            dedup,
            faults,
            seed,
        },
    )
}

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
    check(|plan, judged| {
        prop_assert_eq!(judged.run.ended, Ended::Drained);
        prop_assert_eq!(judged.twin.ended, Ended::Drained);
        let reference = judged.record.witnesses.iter().find(|w| w.checker == "reference");
        prop_assert!(reference.is_none(), "{:?}", reference);
        let outputs = judged.twin.deliveries.len() as u64;
        prop_assert!(outputs >= plan.tuples, "{} outputs of {} tuples", outputs, plan.tuples);
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
        if struck {
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

#[test]
fn the_plans_are_as_different_as_they_should_be() {
    let seen: std::cell::RefCell<BTreeMap<String, u32>> = Default::default();
    check(|plan, judged| {
        let mut seen = seen.borrow_mut();
        let mut note = |what: String| *seen.entry(what).or_default() += 1;
        note(format!("{:?}", judged.record.status));
        note(format!("{} strikes", judged.run.strikes().len()));
        note(PIPELINES[plan.pipeline].0.to_string());
        note(STRATEGIES[plan.strategy].0.to_string());
        note(format!("gap: {}", judged.record.observed.gap));
        note(format!("duplicates: {}", judged.record.observed.duplicates));
        Ok(())
    });
    let seen = seen.into_inner();
    for needed in [
        "Held",
        "NotCovered",
        "Inconclusive",
        "0 strikes",
        "1 strikes",
        "2 strikes",
        "chain",
        "keyed-count",
        "window",
        "flights",
        "amnesia",
        "passive-standby",
        "upstream-backup",
        "gap: true",
        "gap: false",
        "duplicates: true",
        "duplicates: false",
    ] {
        assert!(seen.get(needed).is_some_and(|n| *n >= 3), "{needed} is rare among {seen:?}");
    }
}
