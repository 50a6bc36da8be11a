//! The same seed is the same run: in one process, in two, with one worker or several, in a debug
//! and in a release build; and when it is not, the first event that differs is named.

mod support;

use aftermath_harness::Registry;
use aftermath_harness::config::Scenario;
use aftermath_harness::machine::TraceEvent;
use aftermath_harness::run::{RunLog, run};
use aftermath_harness::trace;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use support::{SMALL, Scratch, aftermath, case, files_of, load, plan, run_one, text_of};

/// A run: scenario, case, strategy, seed, stratum (0 where there are none).
type Run = (&'static str, &'static str, &'static str, u64, u32);

const FLIGHTS: &str = "scenarios/flights.toml";
const GOLDEN: &str = "scenarios/golden.toml";
const HONEST: &str = "scenarios/honest.toml";
const MIXED: &str = "scenarios/mixed.toml";
const MIXTURE: &str = "the re-created pairs, mixture.clean=passive-standby, \
                       mixture.delays=checkpoint-rollback";

/// The runs whose hashes are committed: every strategy, pipeline and kind of fault, strata,
/// parallel instances, two failures, wrong variants.
const RUNS: &[Run] = &[
    (FLIGHTS, "base", "amnesia", 0, 0),
    (FLIGHTS, "base", "active-standby", 0, 0),
    (FLIGHTS, "base", "checkpoint-rollback", 0, 0),
    (FLIGHTS, "base", "passive-standby", 0, 0),
    (FLIGHTS, "base", "passive-standby", 19, 0),
    (FLIGHTS, "base", "upstream-backup", 0, 0),
    (GOLDEN, "amnesia", "amnesia", 0, 0),
    (GOLDEN, "passive, the secondary stores", "passive-standby", 0, 7),
    (GOLDEN, "passive, log shipped, acks half a period off", "passive-standby", 0, 19),
    (GOLDEN, "upstream, window of 1 s", "upstream-backup", 0, 13),
    (HONEST, "keyed count, two instances, one hit", "active-standby", 1, 0),
    (HONEST, "keyed count, two instances, one hit", "checkpoint-rollback", 2, 0),
    (HONEST, "keyed count, two instances, one hit", "passive-standby", 3, 0),
    (HONEST, "keyed count, two instances, one hit", "upstream-backup", 4, 0),
    (HONEST, "stateless, both operators protected", "amnesia", 5, 0),
    (HONEST, "window, duplicates let through", "upstream-backup", 6, 0),
    (HONEST, "both at once, log shipped", "passive-standby", 7, 0),
    (HONEST, "restart in place without a spare", "amnesia", 8, 0),
    (MIXED, MIXTURE, "passive-standby + checkpoint-rollback", 3, 0),
    ("scenarios/planted/announce-to-known-only.toml", "base", "passive-standby", 0, 0),
    ("scenarios/planted/sequence-restarts.toml", "base", "upstream-backup", 1, 0),
    ("scenarios/planted/static-role.toml", "base", "passive-standby", 2, 0),
];

const COMMITTED: &str = "tests/golden/trace-hashes.txt";

/// Scenarios, each read once.
fn scenarios() -> BTreeMap<&'static str, Scenario> {
    let paths: BTreeSet<&str> = RUNS.iter().map(|(path, ..)| *path).collect();
    paths.into_iter().map(|path| (path, load(path))).collect()
}

/// "scenario | case | strategy | seed | stratum".
fn name((path, case, strategy, seed, stratum): &Run) -> String {
    format!("{path} | {case} | {strategy} | {seed} | {stratum}")
}

/// Hash of a run.
fn hash(scenarios: &BTreeMap<&str, Scenario>, (path, name, strategy, seed, stratum): &Run) -> u64 {
    let config = &case(&scenarios[path], name, strategy).config;
    run(&plan(config, *seed, *stratum), false).hash
}

/// The hashes of all runs, in their order.
static HASHES: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let scenarios = scenarios();
    RUNS.iter().map(|run| hash(&scenarios, run)).collect()
});

#[test]
fn the_same_seed_gives_the_same_hash_twice_in_one_process() {
    let (scenarios, forwards) = (scenarios(), &*HASHES);
    // In another order, so that nothing left behind by one run may reach the next.
    let backwards: Vec<_> = RUNS.iter().rev().map(|run| hash(&scenarios, run)).collect();
    for ((run, first), second) in RUNS.iter().zip(forwards).zip(backwards.iter().rev()) {
        assert_eq!(first, second, "{}", name(run));
    }
    let different: BTreeSet<_> = forwards.iter().collect();
    assert_eq!(different.len(), RUNS.len(), "two runs have one hash: {forwards:x?}");
}

#[test]
fn hashes_are_the_committed_ones_in_every_build() {
    let lines =
        RUNS.iter().zip(&*HASHES).map(|(run, hash)| format!("{} | {hash:016x}\n", name(run)));
    let found: String = lines.collect();
    if std::env::var_os("AFTERMATH_BLESS").is_some() {
        std::fs::write(support::root().join(COMMITTED), found).expect("the file can be written");
        return;
    }
    let committed = text_of(COMMITTED);
    let changed: Vec<_> =
        found.lines().filter(|line| !committed.lines().any(|old| old == *line)).collect();
    assert!(
        found == committed,
        "{COMMITTED} differs.\n\
         If only a debug or only a release build says so, or a change that should not change any \
         run was made, this is a bug: `aftermath replay SCENARIO --case CASE --strategy STRATEGY \
         --seed N --trace` before and after shows the first event that differs.\n\
         If runs were meant to change, write the file anew and review it:\n\
         AFTERMATH_BLESS=1 cargo test --test determinism\n\n\
         new or changed:\n{}",
        changed.join("\n")
    );
}

/// Runs the program into a directory; stdout and all files.
fn outcome(scratch: &Scratch, name: &str, args: &[&str]) -> (String, Vec<(String, Vec<u8>)>) {
    let out = scratch.at(name);
    let ran = aftermath(&[args, &["--format", "json", "--out", &out]].concat());
    assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
    (ran.stdout, files_of(&out))
}

/// Asserts that two outcomes are the same bytes, file by file.
fn assert_same(
    (stdout, files): &(String, Vec<(String, Vec<u8>)>),
    (other_stdout, other_files): &(String, Vec<(String, Vec<u8>)>),
) {
    assert!(stdout.lines().count() > 10, "there is something to compare:\n{stdout}");
    for (line, other) in stdout.lines().zip(other_stdout.lines()) {
        assert_eq!(line, other);
    }
    assert_eq!(stdout, other_stdout);
    let names = |files: &[(String, Vec<u8>)]| -> Vec<String> {
        files.iter().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(names(files), names(other_files));
    for needed in ["records.jsonl", "report.html", "summary.csv"] {
        assert!(names(files).iter().any(|name| name == needed), "{needed} is missing");
    }
    for ((name, bytes), (_, other)) in files.iter().zip(other_files) {
        assert!(bytes == other, "{name} differs");
    }
}

#[test]
fn two_processes_write_the_same_bytes() {
    let scratch = Scratch::new("two-processes");
    let args = ["run", HONEST, FLIGHTS, "--seeds", "0..1"];
    let first = outcome(&scratch, "first", &args);
    assert_same(&first, &outcome(&scratch, "second", &args));
}

#[test]
fn two_workers_write_the_same_bytes_as_one() {
    let scratch = Scratch::new("workers");
    let fault = "machine-loss = { node = \"count\" }";
    let strata = "at = { strata = 7, start = \"100ms\", span = \"50ms\" }";
    let stratified = format!("{SMALL}[[fault]]\n{fault}\n{strata}\n");
    let stratified = scratch.write("stratified.toml", stratified);
    let args = |jobs| ["run", HONEST, &stratified, "--seeds", "3..4", "--jobs", jobs];
    let one = outcome(&scratch, "one", &args("1"));
    assert_same(&one, &outcome(&scratch, "two", &args("2")));
}

#[test]
fn every_seed_is_another_run() {
    let honest = load(HONEST);
    for entry in Registry::built_in().iter() {
        let strategy = entry.name;
        let config = &case(&honest, "keyed count", strategy).config;
        let hashes: BTreeSet<_> = (0..16).map(|seed| run_one(config, seed, false).hash).collect();
        assert_eq!(hashes.len(), 16, "{strategy}");
    }
}

/// All events of a traced run by (time, node, handler), with the name of their node.
fn events(log: &RunLog) -> Vec<(String, TraceEvent)> {
    let mut events: Vec<_> = log
        .plan
        .systems
        .nodes
        .iter()
        .zip(&log.nodes)
        .flat_map(|(plan, node)| {
            let trace = node.log.trace.as_ref().expect("the run was traced");
            trace.iter().map(|event| (plan.name.clone(), event.clone()))
        })
        .collect();
    events.sort_by_key(|(_, event)| (event.at, event.handler.node, event.handler.number));
    events
}

/// Asserts that `text` shows an event, and returns what comes after it.
#[track_caller]
fn shows<'t>(text: &'t str, (node, event): &(String, TraceEvent)) -> &'t str {
    let words = [
        format!("{:.6} ms", event.at as f64 / 1e6),
        node.clone(),
        format!("#{}.{}", event.handler.incarnation, event.handler.number),
        event.event.clone(),
    ];
    let words = words.iter().chain(&event.effects);
    words.fold(text, |rest, word| match rest.find(word.as_str()) {
        Some(at) => &rest[at + word.len()..],
        None => panic!("`{word}` is missing in:\n{text}"),
    })
}

/// The first difference is where the two lists of events part, and both sides are shown.
#[track_caller]
fn assert_parts_there(a: &RunLog, b: &RunLog) {
    let (left, right) = (events(a), events(b));
    let same = left.iter().zip(&right).take_while(|(a, b)| a == b).count();
    let difference = trace::first_difference(a, b).expect("the runs differ");
    let rest = shows(&difference, &left[same]);
    let rest = shows(rest, &right[same]);
    assert_eq!(rest.trim(), "", "more than one event a side is shown:\n{difference}");
}

#[test]
fn the_first_event_of_two_different_seeds_is_named() {
    let honest = load(HONEST);
    let config = &case(&honest, "keyed count", "passive-standby").config;
    for seed in 0..3 {
        assert_parts_there(&run_one(config, seed, true), &run_one(config, seed + 1, true));
    }
}

#[test]
fn the_first_event_that_a_longer_latency_delays_is_named() {
    let honest = load(HONEST);
    let mut config = case(&honest, "keyed count", "upstream-backup").config.clone();
    let longer = config.network.latency_ns + 1_000_000;
    let edge = |from: &str, to: &str| (from.to_string(), to.to_string());
    // The longest link is known to failure detectors, and is as long in both.
    config.network.edge_latency_ns.insert(edge("source", "count"), longer);
    let mut slower = config.clone();
    slower.network.edge_latency_ns.insert(edge("count", "format"), longer);
    let (a, b) = (run_one(&config, 5, true), run_one(&slower, 5, true));
    assert_parts_there(&a, &b);
    // Nothing can differ before the first frame on the slow edge has been under way.
    let (left, right) = (events(&a), events(&b));
    let same = left.iter().zip(&right).take_while(|(a, b)| a == b).count();
    let (node, _) = &left[same];
    assert_eq!(node, "format", "it is the end of that edge that differs first");
}

#[test]
fn a_single_event_that_differs_is_found_among_thousands() {
    let honest = load(HONEST);
    let config = &case(&honest, "keyed count", "passive-standby").config;
    let a = run_one(config, 0, true);
    assert_eq!(trace::first_difference(&a, &run_one(config, 0, true)), None);

    let mut b = run_one(config, 0, true);
    for (node, number) in [(0, 100), (2, 700), (1, 50)] {
        let trace = b.nodes[node].log.trace.as_mut().expect("traced");
        trace[number].effects.push("Mark(\"doctored\")".into());
        trace[number].done += 1;
    }
    b.hash ^= 1;
    let difference = trace::first_difference(&a, &b).expect("b was doctored");
    assert_eq!(difference.matches("doctored").count(), 1, "{difference}");
    assert_parts_there(&a, &b);
}

#[test]
fn a_run_that_ends_early_differs_where_it_ends() {
    let honest = load(HONEST);
    let config = &case(&honest, "keyed count", "amnesia").config;
    let (a, mut b) = (run_one(config, 0, true), run_one(config, 0, true));
    let all = events(&a);
    let cut = &all[all.len() / 2];
    let order = |event: &TraceEvent| (event.at, event.handler.node, event.handler.number);
    for node in &mut b.nodes {
        let trace = node.log.trace.as_mut().expect("traced");
        trace.retain(|event| order(event) < order(&cut.1));
    }
    b.hash ^= 1;
    let difference = trace::first_difference(&a, &b).expect("b was cut");
    assert_eq!(shows(&difference, cut).trim(), "the run has ended");
    let difference = trace::first_difference(&b, &a).expect("b was cut");
    assert!(difference.starts_with("the run has ended"), "{difference}");
}
