//! Every fault does what it says, and no more than that: what does nothing leaves no trace, what
//! is shorter than detection lets nobody take over, what is longer makes a zombie, which is fenced,
//! and losses are as frequent as they should be.

mod support;

use aftermath_harness::config::Case;
use aftermath_harness::run::RunLog;
use aftermath_reports::record::{Record, Status};
use support::{SMALL, campaign, case, judge_logs, load, parse, root, run_one, twin_of};

/// [`SMALL`] with one fault of 100 ms after the start, under one strategy.
fn text(strategy: &str, what: &str, length: &str) -> String {
    format!(
        "strategies = [\"{strategy}\"]\n{SMALL}\n[[fault]]\n{what}\nat = \"100ms\"\n\
         for = \"{length}\"\n"
    )
}

/// A run, its twin and the record.
struct Ran {
    run: RunLog,
    twin: RunLog,
    record: Record,
}

fn run(text: &str) -> Ran {
    let scenario = parse(text, "scenarios/faults.toml");
    let case: &Case = &scenario.cases[0];
    let (run, twin) = (run_one(&case.config, 0, false), twin_of(&case.config, 0, false));
    let record = judge_logs(&scenario, case, 0, &run, &twin);
    Ran { run, twin, record }
}

impl Ran {
    /// How often a point was reached, by anybody.
    fn marks(&self, name: &str) -> usize {
        let marks = self.run.nodes.iter().flat_map(|node| &node.log.marks);
        marks.filter(|mark| mark.name == name).count()
    }

    /// Items that were fenced.
    fn fenced(&self) -> u64 {
        self.run.nodes.iter().map(|node| node.log.frames_fenced).sum()
    }

    #[track_caller]
    fn is_exactly_once(&self) {
        let counts = self.record.counts;
        assert_eq!((counts.lost, counts.duplicates, counts.wrong), (0, 0, 0), "{counts:?}");
        assert_eq!(self.record.status, Status::Held, "{:?}", self.record.reasons);
    }
}

/// Strategies whose standby takes over when the leader is silent.
const STANDBYS: [&str; 3] = ["active-standby", "passive-standby", "upstream-backup"];

#[test]
fn what_does_nothing_leaves_no_trace_and_is_inconclusive() {
    for what in [
        "slow-node = { node = \"count\", times = 1 }",
        "message-loss = { between = [\"source\", \"count\"], probability = \"0%\" }",
        "heartbeat-loss = { between = [\"count\", \"count\"], probability = \"0%\" }",
        "slow-link = { between = [\"source\", \"count\"], by = \"0ms\" }",
    ] {
        for strategy in STANDBYS.into_iter().chain(["amnesia", "checkpoint-rollback"]) {
            let ran = run(&text(strategy, what, "80ms"));
            assert_eq!(ran.run.hash, ran.twin.hash, "{strategy}: {what}");
            assert_eq!(ran.run.strikes().len(), 1);
            assert_eq!(ran.record.status, Status::Inconclusive, "{strategy}: {what}");
        }
    }
}

#[test]
fn what_is_shorter_than_detection_lets_nobody_take_over() {
    let pair = "between = [\"count/0/0\", \"count/0/1\"]";
    for what in [
        "pause = { node = \"count\" }".to_string(),
        format!("partition = {{ {pair} }}"),
        format!("partition = {{ {pair}, in_flight = \"held\" }}"),
        "partition = { between = [\"source\", \"count\"] }".to_string(),
    ] {
        for strategy in STANDBYS.into_iter().chain(["checkpoint-rollback"]) {
            let ran = run(&text(strategy, &what, "15ms"));
            assert_eq!(ran.marks("took-over"), 0, "{strategy}: {what}");
            let counts = ran.record.counts;
            assert_eq!((counts.lost, counts.duplicates), (0, 0), "{strategy}: {what}");
            assert_ne!(ran.record.status, Status::Broken, "{:?}", ran.record.reasons);
        }
    }
}

#[test]
fn a_long_pause_makes_a_zombie_and_it_is_fenced() {
    for strategy in STANDBYS {
        // What was in service when it stood still is put out when it goes on.
        let mut fenced = 0;
        for at in ["100ms", "100.3ms", "100.6ms", "100.9ms"] {
            let text = text(strategy, "pause = { node = \"count\" }", "80ms");
            let ran = run(&text.replace("at = \"100ms\"", &format!("at = \"{at}\"")));
            assert!(ran.marks("took-over") > 0, "{strategy}");
            assert!(ran.marks("deposed") > 0, "{strategy}");
            ran.is_exactly_once();
            fenced += ran.fenced();
        }
        assert!(fenced > 0, "{strategy}: nothing was fenced");
    }
}

#[test]
fn a_long_partition_of_a_pair_lets_two_lead_and_one_is_fenced() {
    for strategy in STANDBYS {
        let what = "partition = { between = [\"count/0/0\", \"count/0/1\"] }";
        let ran = run(&text(strategy, what, "80ms"));
        assert!(ran.marks("took-over") > 0, "{strategy}");
        assert!(ran.fenced() > 0, "{strategy}: nothing was fenced");
        ran.is_exactly_once();
        assert_eq!(ran.record.faults[0].node, "count/0/0 <-> count/0/1");
    }
}

#[test]
fn a_slow_node_and_a_slow_link_are_late_and_nobody_minds() {
    for what in [
        "slow-node = { node = \"count\", times = 5 }",
        "slow-link = { from = \"source\", to = \"count\", by = \"30ms\" }",
        "message-loss = { between = [\"source\", \"count\"], probability = \"30%\" }",
    ] {
        for strategy in STANDBYS.into_iter().chain(["amnesia", "checkpoint-rollback"]) {
            let ran = run(&text(strategy, what, "80ms"));
            assert_eq!(ran.marks("took-over"), 0, "{strategy}: {what}");
            ran.is_exactly_once();
            let recovery = ran.record.faults[0].recovery.expect("it met something");
            assert!(recovery.peak_lag_ns > 15_000_000, "{strategy}: {what}: {recovery:?}");
        }
    }
}

#[test]
fn a_fault_of_an_idle_spare_is_inconclusive() {
    for what in ["pause = { node = \"count/0/1\" }", "slow-node = { node = \"count/0/1\" }"] {
        let ran = run(&text("amnesia", what, "15ms"));
        assert_eq!(ran.record.status, Status::Inconclusive, "{what}: {:?}", ran.record.faults);
    }
}

/// How far `found` of `of` is from a probability, in standard errors.
fn standard_errors(found: u64, of: u64, probability: f64) -> f64 {
    let (found, of) = (found as f64, of as f64);
    (found / of - probability).abs() / (probability * (1.0 - probability) / of).sqrt()
}

#[test]
fn messages_are_lost_as_often_as_they_should_be() {
    let long = SMALL.replace("tuples = 300", "tuples = 4000");
    for percent in [5, 20, 50] {
        let text = format!(
            "strategies = [\"amnesia\"]\n{long}\n[[fault]]\nmessage-loss = {{ from = \"source\", \
             to = \"count/0/0\", probability = \"{percent}%\" }}\nat = \"1ms\"\nfor = \"3900ms\"\n"
        );
        let ran = run(&text);
        let source = &ran.run.nodes[0].log;
        let lost = source.retransmissions;
        // Every transmission that came over while the fault lasted was one of an item.
        let between = |at: u64| (1_000_000..3_901_000_000).contains(&at);
        let inputs = ran.run.plan.systems.workload.inputs.len() as u64;
        let sent = (0..inputs).filter(|n| between(n * 1_000_000)).count() as u64;
        let errors = standard_errors(lost, sent + lost, f64::from(percent) / 100.0);
        println!("{percent} %: {lost} of {} lost, {errors:.2} standard errors", sent + lost);
        assert!(errors < 3.0, "{percent} %: {lost} of {}: {errors}", sent + lost);
        assert_eq!(ran.record.counts.lost, 0);
    }
}

/// 20 s in which heartbeats of the leader are lost, under a detector of so many misses.
fn heartbeats_lost(percent: u32, misses: u32) -> Case {
    let long = SMALL.replace("tuples = 300", "tuples = 20000");
    let text = format!(
        "strategies = [\"amnesia\"]\n{long}\n[[fault]]\nheartbeat-loss = {{ from = \"count/0/0\", \
         to = \"count/0/1\", probability = \"{percent}%\" }}\nat = \"1ms\"\nfor = \"19990ms\"\n"
    );
    let text = text.replace("misses = 3", &format!("misses = {misses}"));
    parse(&text, "scenarios/faults.toml").cases.remove(0)
}

/// Heartbeats that the leader sends while they are lost, until `to`.
fn heartbeats_until(log: &RunLog, to: u64) -> u64 {
    let leader = log.plan.systems.nodes.iter().find(|node| node.name == "count/0/0");
    let phase = leader.expect("it has a name").heartbeat_phase;
    let sent = (0..).map(|n| phase + n * 10_000_000).skip_while(|at| *at < 1_000_000);
    sent.take_while(|at| *at <= to).count() as u64
}

#[test]
fn heartbeats_are_lost_as_often_as_they_should_be() {
    for percent in [10, 50, 90] {
        let log = run_one(&heartbeats_lost(percent, 100).config, 0, false);
        let (lost, sent) =
            (log.strikes()[0].1.touched.heartbeats, heartbeats_until(&log, 19_990_999_999));
        let errors = standard_errors(lost, sent, f64::from(percent) / 100.0);
        println!("{percent} %: {lost} of {sent} lost, {errors:.2} standard errors");
        assert!(errors < 3.0, "{percent} %: {lost} of {sent}: {errors}");
    }
}

/// With losses of probability q, K in a row are missing after (1 - q^K) / ((1 - q) q^K) heartbeats
/// in the mean: the waiting time for a run of K.
#[test]
fn detectors_err_as_often_as_they_must() {
    let case = heartbeats_lost(30, 3);
    let mut waits = Vec::new();
    for seed in 0..200 {
        let log = run_one(&case.config, seed, false);
        let marks = log.nodes.iter().flat_map(|node| &node.log.marks);
        let suspected = marks.filter(|mark| mark.name == "suspected").map(|mark| mark.at).min();
        let suspected = suspected.expect("2,000 heartbeats are enough");
        // A heartbeat takes 1 ms; the detector errs when the third that is missing is due.
        waits.push(heartbeats_until(&log, suspected - 1_000_000) as f64);
    }
    let (q, k): (f64, i32) = (0.3, 3);
    let expected = (1.0 - q.powi(k)) / ((1.0 - q) * q.powi(k));
    let n = waits.len() as f64;
    let mean = waits.iter().sum::<f64>() / n;
    let variance = waits.iter().map(|wait| (wait - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let errors = (mean - expected).abs() / (variance / n).sqrt();
    println!("suspected after {mean:.1} heartbeats, expected {expected:.1}: {errors:.2} errors");
    assert!(errors < 3.0, "{mean} heartbeats, expected {expected}, {errors} standard errors");
}

#[test]
fn every_scenario_of_faults_is_as_it_expects() {
    let folder = std::fs::read_dir(root().join("scenarios/faults")).expect("the folder");
    let names = folder.map(|entry| entry.expect("an entry").file_name().into_string());
    let mut names: Vec<String> = names.map(|name| name.expect("a plain name")).collect();
    names.sort();
    for fault in aftermath_harness::faults::ALL.iter().filter(|fault| !fault.kind.kills()) {
        assert!(names.contains(&format!("{}.toml", fault.name)), "{} has none", fault.name);
    }
    for name in names {
        let scenario = load(&format!("scenarios/faults/{name}"));
        let outcome = campaign(&scenario);
        assert!(!outcome.records.is_empty(), "{name} runs nothing");
        let checks = outcome.cases.iter().flat_map(|case| &case.checks);
        checks.for_each(|check| assert!(check.held, "{name}: {check:?}"));
        for record in &outcome.records {
            // Held, unless the case says otherwise.
            let expected = case(&scenario, &record.case, &record.strategy).expect.status;
            let expected = expected.unwrap_or(Status::Held);
            assert_eq!(record.status, expected, "{}: {:?}", record.replay, record.reasons);
        }
    }
}
