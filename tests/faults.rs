//! Every fault does what it says, and no more than that: what does nothing leaves no trace, what
//! is shorter than detection lets nobody take over, what is longer makes a zombie, which is fenced.

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
        "duplicate = { between = [\"source\", \"count\"], probability = \"0%\" }",
        "reorder = { between = [\"source\", \"count\"], probability = \"0%\" }",
        "redelivery = { between = [\"source\", \"count\"], probability = \"0%\" }",
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
fn a_reset_connection_is_taken_for_a_death_if_its_ends_are_told() {
    for strategy in STANDBYS {
        for (told, taken_over) in [("both", true), ("nobody", false)] {
            let what = format!(
                "connection-reset = {{ between = [\"count/0/0\", \"count/0/1\"], told = \"{told}\" }}"
            );
            let ran = run(&text(strategy, &what, "1ms"));
            assert_eq!(ran.marks("took-over") > 0, taken_over, "{strategy}: told {told}");
            let counts = ran.record.counts;
            assert_eq!((counts.lost, counts.duplicates), (0, 0), "{strategy}: told {told}");
            assert_ne!(ran.record.status, Status::Broken, "{:?}", ran.record.reasons);
        }
    }
}

#[test]
fn sessions_hide_copies_and_disorder() {
    for what in [
        "duplicate = { between = [\"source\", \"count\"], probability = \"40%\", after = \"3ms\" }",
        "reorder = { between = [\"source\", \"count\"], probability = \"40%\", by = \"5ms\" }",
    ] {
        for strategy in STANDBYS.into_iter().chain(["amnesia", "checkpoint-rollback"]) {
            let ran = run(&text(strategy, what, "80ms"));
            ran.is_exactly_once();
            let log = &ran.run.nodes;
            let copies: u64 = log.iter().map(|node| node.log.copies_dropped).sum();
            assert_eq!(copies > 0, what.starts_with("duplicate"), "{strategy}: {what}");
        }
    }
}

#[test]
fn what_comes_again_is_taken_once_where_positions_are_remembered() {
    let what = "redelivery = { between = [\"source\", \"count\"], probability = \"40%\" }";
    for strategy in STANDBYS.into_iter().chain(["amnesia", "checkpoint-rollback"]) {
        let ran = run(&text(strategy, what, "80ms"));
        ran.is_exactly_once();
        let text = text(strategy, what, "80ms")
            .replace("[timing]", "[protection]\ndedup = \"off\"\n[timing]");
        let ran = run(&text);
        assert!(ran.record.counts.duplicates > 10, "{strategy}: {:?}", ran.record.counts);
        assert_eq!(ran.record.status, Status::Held, "{:?}", ran.record.reasons);
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
