//! Two instances of one operator, one of them lost: only its keys suffer. The other instance does
//! not notice: its outputs, their instants, its events and its state are those of the twin.

mod support;

use aftermath_harness::config::Scenario;
use aftermath_harness::machine::{Delivery, TraceEvent};
use aftermath_harness::run::RunLog;
use aftermath_systems::blocks::partition;
use aftermath_systems::protocol::{Payload, SemanticId};
use std::collections::{BTreeMap, BTreeSet};
use support::{SMALL, case, judge_logs, parse, run_one, twin_of};

/// The instance that is lost.
const HIT: usize = 1;

/// Strategies that protect each instance by itself. Checkpoint-rollback does not: it sets back the
/// whole region.
const PROTECTED: [&str; 3] = ["active-standby", "passive-standby", "upstream-backup"];

/// The scenario: 300 tuples, two instances, nothing deduplicated, the machine of one lost.
fn scenario() -> Scenario {
    let phases = "phases = { ack = \"0ms\", checkpoint = \"0ms\" }";
    let text = SMALL
        .replace("[input]", "parallelism = { count = 2 }\n\n[input]")
        .replace("[storage]", &format!("{phases}\n\n[storage]"));
    // 40 ms after the last acknowledgement or checkpoint: there is something to repeat.
    let fault = "[[fault]]\nmachine-loss = { node = \"count/1\" }\nat = \"140ms\"\n";
    let dedup = "[protection]\ndedup = \"off\"\n";
    parse(&format!("{text}{dedup}{fault}for = \"50ms\"\n"), "scenarios/two-instances.toml")
}

/// Which instance answered.
fn instance_of(delivery: &Delivery) -> usize {
    match delivery.payload {
        Payload::Pair { key, .. } => partition(key, 2),
        ref other => panic!("keyed-count answers with pairs, not {other:?}"),
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

/// The instances whose outputs were lost, and those whose outputs came more than once.
fn hurt(run: &RunLog, twin: &RunLog) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let copies = copies(run);
    let count = |delivery: &&Delivery| copies.get(&delivery.semantic).copied().unwrap_or(0);
    let with = |wanted: &dyn Fn(u64) -> bool| {
        twin.deliveries.iter().filter(|d| wanted(count(d))).map(instance_of).collect()
    };
    (with(&|copies| copies == 0), with(&|copies| copies > 1))
}

/// Run and twin of a strategy, traced.
fn pair(scenario: &Scenario, strategy: &str, seed: u64) -> (RunLog, RunLog) {
    let config = &case(scenario, "base", strategy).config;
    (run_one(config, seed, true), twin_of(config, seed, true))
}

#[test]
fn both_instances_have_keys() {
    let (_, twin) = pair(&scenario(), "amnesia", 0);
    let of = |instance| twin.deliveries.iter().filter(move |d| instance_of(d) == instance).count();
    assert!(of(0) > 50 && of(1) > 50);
}

#[test]
fn amnesia_loses_outputs_of_the_lost_instance_only() {
    let scenario = scenario();
    for seed in 0..4 {
        let (run, twin) = pair(&scenario, "amnesia", seed);
        let (lost, repeated) = hurt(&run, &twin);
        assert_eq!(lost, BTreeSet::from([HIT]), "seed {seed}");
        assert_eq!(repeated, BTreeSet::new(), "seed {seed}");
    }
}

#[test]
fn protected_instances_repeat_outputs_of_the_lost_one_only() {
    let scenario = scenario();
    for strategy in PROTECTED {
        for seed in 0..4 {
            let (run, twin) = pair(&scenario, strategy, seed);
            let (lost, repeated) = hurt(&run, &twin);
            assert_eq!(lost, BTreeSet::new(), "{strategy}, seed {seed}");
            assert_eq!(repeated, BTreeSet::from([HIT]), "{strategy}, seed {seed}");
        }
    }
}

#[test]
fn the_record_counts_what_the_keys_show() {
    let scenario = scenario();
    for strategy in ["amnesia"].into_iter().chain(PROTECTED) {
        let (run, twin) = pair(&scenario, strategy, 2);
        let record = judge_logs(&scenario, case(&scenario, "base", strategy), 2, &run, &twin);
        let copies = copies(&run);
        let lost = twin.deliveries.iter().filter(|d| !copies.contains_key(&d.semantic)).count();
        assert_eq!(record.counts.lost, lost as u64, "{strategy}");
        let extra: u64 = copies.values().map(|copies| copies - 1).sum();
        assert_eq!(record.counts.duplicates, extra, "{strategy}");
    }
}

#[test]
fn outputs_of_the_other_instance_arrive_as_in_the_twin() {
    let scenario = scenario();
    for strategy in ["amnesia"].into_iter().chain(PROTECTED) {
        for seed in 0..4 {
            let (run, twin) = pair(&scenario, strategy, seed);
            // Instants and values, in the order of arrival; only what led to them may differ.
            let others = |log: &RunLog| -> Vec<_> {
                let spared = log.deliveries.iter().filter(|d| instance_of(d) != HIT);
                spared.map(|d| (d.at, d.semantic, d.scheduled, d.payload.clone())).collect()
            };
            assert_eq!(others(&run), others(&twin), "{strategy}, seed {seed}");
        }
    }
}

/// Everything that the nodes of one instance of `count` saw and did until `until`, one line an
/// event, with the running hash after it; and the state that each holds in the end.
fn seen(log: &RunLog, instance: usize, until: u64) -> Vec<String> {
    let prefix = format!("count/{instance}/");
    let nodes = log.plan.systems.nodes.iter().zip(&log.nodes);
    let mut lines = Vec::new();
    for (plan, node) in nodes.filter(|(plan, _)| plan.name.starts_with(&prefix)) {
        let trace = node.log.trace.as_ref().expect("the run was traced");
        for event in trace.iter().filter(|event| event.at <= until) {
            let TraceEvent { at, event, effects, hash, .. } = event;
            lines.push(format!("{} {at} {event} {effects:?} {hash:016x}", plan.name));
        }
        lines.push(format!("{} ends with {:?}", plan.name, node.digest));
    }
    lines
}

#[test]
fn the_other_instance_sees_and_does_exactly_what_its_twin_does() {
    let scenario = scenario();
    for strategy in ["amnesia"].into_iter().chain(PROTECTED) {
        for seed in 0..4 {
            let (run, twin) = pair(&scenario, strategy, seed);
            // A run with a fault may last longer; until the shorter one ends, every event and every
            // effect is the same, and with them the running hash.
            let until = run.length_ns.min(twin.length_ns);
            assert!(until >= run.plan.systems.workload.end_at);
            let (here, there) = (seen(&run, 1 - HIT, until), seen(&twin, 1 - HIT, until));
            assert!(here.len() > 150, "{} events", here.len());
            for (here, there) in here.iter().zip(&there) {
                assert_eq!(here, there, "{strategy}, seed {seed}");
            }
            assert_eq!(here.len(), there.len(), "{strategy}, seed {seed}");
        }
    }
}

#[test]
fn the_lost_instance_sees_something_else() {
    let scenario = scenario();
    for strategy in ["amnesia"].into_iter().chain(PROTECTED) {
        let (run, twin) = pair(&scenario, strategy, 0);
        let until = run.length_ns.min(twin.length_ns);
        assert_ne!(seen(&run, HIT, until), seen(&twin, HIT, until), "{strategy}");
    }
}

#[test]
fn the_lost_instance_ends_with_another_state_under_amnesia_and_with_the_same_otherwise() {
    let scenario = scenario();
    let leading = |log: &RunLog| {
        let nodes = log.plan.systems.nodes.iter().zip(&log.nodes);
        let mut mine =
            nodes.filter(|(plan, node)| plan.name.starts_with("count/1/") && node.is_primary);
        let (_, node) = mine.next().expect("somebody leads");
        node.digest.as_ref().map(|digest| digest.state)
    };
    for strategy in ["amnesia"].into_iter().chain(PROTECTED) {
        let (run, twin) = pair(&scenario, strategy, 1);
        let protected = strategy != "amnesia";
        assert_eq!(leading(&run) == leading(&twin), protected, "{strategy}");
    }
}

#[test]
fn checkpoint_rollback_sets_back_both_instances_and_loses_nothing() {
    let scenario = scenario();
    for seed in 0..4 {
        let (run, twin) = pair(&scenario, "checkpoint-rollback", seed);
        let (lost, repeated) = hurt(&run, &twin);
        assert_eq!(lost, BTreeSet::new(), "seed {seed}");
        assert_eq!(repeated, BTreeSet::from([0, 1]), "seed {seed}");
    }
}
