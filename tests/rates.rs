//! Faults of chance do something as often as they are told to, within three standard errors, and
//! detectors err as often as they must.

mod support;

use aftermath_harness::config::Case;
use aftermath_harness::run::RunLog;
use aftermath_reports::record::{Rate, Record, Status};
use support::{SMALL, judge_logs, parse, run_one, standard_errors, twin_of};

/// A run and its record.
struct Ran {
    run: RunLog,
    record: Record,
}

fn run(text: &str) -> Ran {
    let scenario = parse(text, "scenarios/rates.toml");
    let case: &Case = &scenario.cases[0];
    let (run, twin) = (run_one(&case.config, 0, false), twin_of(&case.config, 0, false));
    let record = judge_logs(&scenario, case, 0, &run, &twin);
    Ran { run, record }
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

/// What a fault of chance between source and count did, over 3.9 s of 1,000 tuples a second.
fn rate(fault: &str, percent: u32, more: &str) -> Rate {
    let long = SMALL.replace("tuples = 300", "tuples = 4000");
    let text = format!(
        "strategies = [\"amnesia\"]\n{long}\n[[fault]]\n{fault} = {{ from = \"source\", \
         to = \"count/0/0\", probability = \"{percent}%\"{more} }}\nat = \"1ms\"\nfor = \"3900ms\"\n"
    );
    let ran = run(&text);
    assert_eq!(ran.record.status, Status::Held, "{fault}: {:?}", ran.record.reasons);
    ran.record.faults[0].rate.expect("it is a fault of chance")
}

#[test]
fn every_fault_of_chance_reports_a_rate_that_matches_what_was_set() {
    let faults = [
        ("message-loss", ""),
        ("duplicate", ""),
        ("reorder", ", by = \"20ms\""),
        ("redelivery", ""),
    ];
    for (fault, more) in faults {
        for percent in [1, 5, 20, 50] {
            let rate = rate(fault, percent, more);
            assert_eq!(rate.configured_ppm, percent * 10_000);
            assert!((3_890..9_000).contains(&rate.of), "{fault}: {rate:?}");
            let errors = standard_errors(rate.changed, rate.of, f64::from(percent) / 100.0);
            println!("{fault} {percent} %: {rate:?}, {errors:.2} standard errors");
            assert!(errors < 3.0, "{fault} {percent} %: {rate:?}: {errors}");
        }
    }
}

/// A tuple is overtaken if it is held up and one of those that leave before it would have come is
/// not: with 20 of them, all but certainly. What is held up by less than the time to the next
/// tuple is overtaken by nobody.
#[test]
fn reordered_are_only_those_that_are_really_overtaken() {
    for percent in [1, 5, 20, 50] {
        let all = rate("reorder", percent, ", by = \"20500us\"");
        let all_but_few = all.overtaken * 100 >= all.changed * 99;
        assert!(all.overtaken <= all.changed && all_but_few, "{percent} %: {all:?}");
        // One of two that follow at 1 ms each: overtaken unless both are held up as well.
        let two = rate("reorder", percent, ", by = \"2500us\"");
        let share = f64::from(percent) / 100.0;
        let errors = standard_errors(two.overtaken, two.changed, 1.0 - share * share);
        println!("{percent} %: {two:?}, {errors:.2} standard errors");
        assert!(errors < 3.0 || percent < 5 && two.overtaken + 1 >= two.changed, "{two:?}");
        let none = rate("reorder", percent, ", by = \"900us\"");
        assert_eq!(none.overtaken, 0, "{percent} %: {none:?}");
        assert!(none.changed > 0);
    }
}
