//! Honest strategies keep their claims whatever is killed at whichever of their points.

mod support;

use aftermath_harness::Registry;
use aftermath_reports::record::{Record, Status};
use aftermath_systems::points::By;
use std::collections::{BTreeMap, BTreeSet};
use support::{SMALL, judge_logs, parse, run_one, twin_of};

/// Seeds, unless AFTERMATH_SEEDS says otherwise.
const SEEDS: u64 = 5;

/// What befalls before, so that every point is reached: nothing; a leader that dies and comes back;
/// one that lives on and is replaced; a coordinator that dies.
const BEFORE: [(&str, &str); 4] = [
    ("nothing before", ""),
    (
        "after a crash",
        "[[fault]]\nprocess-crash = { node = \"count\" }\nat = \"90ms\"\nfor = \"25ms\"\n",
    ),
    ("after a pause", "[[fault]]\npause = { node = \"count\" }\nat = \"90ms\"\nfor = \"60ms\"\n"),
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

/// Everything that is killed at one point of a strategy.
fn sweep(strategy: &str, kill: &str) {
    let registry = Registry::built_in();
    let entry = registry.find(strategy).expect("it is on the list");
    let (mut runs, mut struck) = (0, BTreeMap::<String, u64>::new());
    let mut statuses = BTreeMap::<String, u64>::new();
    let mut broken: Vec<String> = Vec::new();
    let mut twins = BTreeMap::new();
    let places: BTreeSet<(&str, &str)> = entry
        .points()
        .flat_map(|point| match point.by {
            By::Replicas => REPLICAS.map(|node| (point.name, node)).to_vec(),
            By::Coordinator => vec![(point.name, "coordinator")],
        })
        .collect();
    for (name, reached_by) in places {
        let coordinated = entry.points().any(|point| point.by == By::Coordinator);
        let coordinator = coordinated.then_some("coordinator");
        for befalls in REPLICAS.into_iter().chain(coordinator) {
            for (before, faults) in
                BEFORE.iter().filter(|(_, f)| coordinated || !f.contains("coordinator"))
            {
                for nth in 1..=3 {
                    let text = format!(
                        "strategies = [\"{strategy}\"]\n{SMALL}\n{faults}[[fault]]\n\
                         {kill} = {{ node = \"{befalls}\" }}\n\
                         at = {{ point = \"{name}\", node = \"{reached_by}\", nth = {nth} }}\n\
                         for = \"40ms\"\n"
                    );
                    let scenario = parse(&text, "scenarios/points.toml");
                    let case = &scenario.cases[0];
                    for seed in 0..seeds() {
                        let run = run_one(&case.config, seed, false);
                        let twin =
                            twins.entry(seed).or_insert_with(|| twin_of(&case.config, seed, false));
                        runs += 1;
                        if !run.unreached().is_empty() {
                            continue;
                        }
                        *struck.entry(format!("{name} by {reached_by}")).or_default() += 1;
                        let record: Record = judge_logs(&scenario, case, seed, &run, twin);
                        *statuses.entry(format!("{:?}", record.status)).or_default() += 1;
                        if record.status == Status::Broken {
                            let why = record.reasons.join("; ");
                            broken.push(format!(
                                "{strategy}: {kill} of {befalls} at {nth}. {name} of {reached_by}, \
                                 {before}, seed {seed}: {why}"
                            ));
                        }
                    }
                }
            }
        }
    }
    println!("{strategy}, {kill}: {runs} runs; struck {struck:?}; {statuses:?}");
    for b in &broken {
        println!("{b}");
    }
    assert!(broken.is_empty(), "{} broken", broken.len());
}

#[test]
fn x() {
    let s = std::env::var("S").unwrap();
    sweep(&s, &std::env::var("K").unwrap());
}
