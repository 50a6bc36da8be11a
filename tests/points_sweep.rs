//! Honest strategies keep their claims whatever is killed at whichever of their points.

mod support;

use aftermath_harness::Registry;
use aftermath_harness::run::RunLog;
use aftermath_reports::record::Status;
use aftermath_reports::words;
use aftermath_systems::points::By;
use std::collections::BTreeMap;
use support::{SMALL, judge_logs, parse, run_one, text_of, twin_of};

/// What is done to a machine.
const KILLS: [&str; 2] = ["process-crash", "machine-loss"];

/// Seeds, unless AFTERMATH_SEEDS says otherwise.
const SEEDS: u64 = 5;

/// What befalls before, so that every point is reached: nothing; a leader that dies and comes back;
/// one that lives on and is replaced; leaders that die in turn; a coordinator that dies.
const BEFORE: [(&str, &str); 5] = [
    ("nothing before", ""),
    (
        "after a crash",
        "[[fault]]\nprocess-crash = { node = \"count\" }\nat = \"90ms\"\nfor = \"25ms\"\n",
    ),
    ("after a pause", "[[fault]]\npause = { node = \"count\" }\nat = \"90ms\"\nfor = \"60ms\"\n"),
    (
        "after crashes of whoever leads",
        "[[fault]]\nprocess-crash = { node = \"count\" }\nat = \"20ms\"\nfor = \"15ms\"\n\
         [[fault]]\nprocess-crash = { node = \"count\" }\nat = \"70ms\"\nfor = \"15ms\"\n\
         [[fault]]\nprocess-crash = { node = \"count\" }\nat = \"120ms\"\nfor = \"15ms\"\n\
         [[fault]]\nprocess-crash = { node = \"count\" }\nat = \"170ms\"\nfor = \"15ms\"\n\
         [[fault]]\nprocess-crash = { node = \"count\" }\nat = \"220ms\"\nfor = \"15ms\"\n",
    ),
    (
        "after a crash of the coordinator",
        "[[fault]]\nprocess-crash = { node = \"coordinator\" }\nat = \"90ms\"\nfor = \"25ms\"\n",
    ),
];

/// Whom it befalls, and by whom the point is reached.
const REPLICAS: [&str; 2] = ["count/0/0", "count/0/1"];

fn seeds() -> u64 {
    std::env::var("AFTERMATH_SEEDS").map_or(SEEDS, |text| text.parse().expect("a number"))
}

/// Everything that is killed at the points of a strategy.
fn sweep(strategy: &str, kill: &str) {
    let registry = Registry::built_in();
    let entry = registry.find(strategy).expect("it is on the list");
    let coordinated = entry.points().any(|point| point.by == By::Coordinator);
    let places = entry.points().flat_map(|point| match point.by {
        By::Replicas => REPLICAS.map(|node| (point.name, node)).to_vec(),
        By::Coordinator => vec![(point.name, "coordinator")],
    });
    let possible = |faults: &str| coordinated || !faults.contains("coordinator");
    let befalls = REPLICAS.into_iter().chain(coordinated.then_some("coordinator"));
    let befalls: Vec<&str> = befalls.collect();
    let mut sweep = Sweep::default();
    for (name, by) in places {
        for (whom, (before, faults)) in befalls.iter().flat_map(|w| BEFORE.map(|b| (*w, b))) {
            for nth in (1..=3).filter(|_| possible(faults)) {
                let text = format!(
                    "strategies = [\"{strategy}\"]\n{SMALL}\n{faults}[[fault]]\n\
                     {kill} = {{ node = \"{whom}\" }}\n\
                     at = {{ point = \"{name}\", node = \"{by}\", nth = {nth} }}\n\
                     for = \"40ms\"\n"
                );
                let what =
                    format!("{strategy}: {kill} of {whom} at {nth}. {name} of {by}, {before}");
                sweep.check(&what, &text);
            }
        }
    }
    let Sweep { runs, struck, statuses, broken, .. } = sweep;
    println!("{strategy}, {kill}: {struck} of {runs} runs struck: {statuses:?}");
    assert!(struck > 50 && statuses.contains_key("held"), "{struck} struck: {statuses:?}");
    assert!(broken.is_empty(), "{} broken:\n{}", broken.len(), broken.join("\n"));
}

/// What came of it.
#[derive(Default)]
struct Sweep {
    runs: u64,
    struck: u64,
    /// Runs that struck, by status.
    statuses: BTreeMap<&'static str, u64>,
    broken: Vec<String>,
    /// By seed: faults do not change them.
    twins: BTreeMap<u64, RunLog>,
}

impl Sweep {
    /// All seeds of one scenario.
    fn check(&mut self, what: &str, text: &str) {
        let scenario = parse(text, "scenarios/points.toml");
        let case = &scenario.cases[0];
        for seed in 0..seeds() {
            self.runs += 1;
            let run = run_one(&case.config, seed, false);
            if !run.unreached().is_empty() {
                continue;
            }
            self.struck += 1;
            let twin = self.twins.entry(seed);
            let twin = twin.or_insert_with(|| twin_of(&case.config, seed, false));
            let record = judge_logs(&scenario, case, seed, &run, twin);
            *self.statuses.entry(words::status(record.status)).or_default() += 1;
            if record.status == Status::Broken {
                self.broken.push(format!("{what}, seed {seed}: {}", record.reasons.join("; ")));
            }
        }
    }
}

#[test]
fn amnesia() {
    KILLS.iter().for_each(|kill| sweep("amnesia", kill));
}

#[test]
fn active_standby() {
    KILLS.iter().for_each(|kill| sweep("active-standby", kill));
}

#[test]
fn passive_standby() {
    KILLS.iter().for_each(|kill| sweep("passive-standby", kill));
}

#[test]
fn upstream_backup() {
    KILLS.iter().for_each(|kill| sweep("upstream-backup", kill));
}

#[test]
fn checkpoint_rollback() {
    KILLS.iter().for_each(|kill| sweep("checkpoint-rollback", kill));
}

#[test]
fn every_strategy_of_the_list_is_swept() {
    let names: Vec<&str> = Registry::built_in().iter().map(|entry| entry.name).collect();
    let swept = text_of("tests/points_sweep.rs");
    assert!(names.iter().all(|name| swept.contains(&format!("sweep(\"{name}\", kill)"))));
}
