//! A broken run becomes the smallest scenario that shows the same violation. Planted bugs that a
//! swarm finds shrink to a fault or two and a handful of tuples; what is written is read as it was,
//! fails alone and tells its story; and leaving something out does not shift the rest.

mod support;

use aftermath_harness::Registry;
use aftermath_harness::config::{Case, Expect, FaultConfig, Kept, Scenario};
use aftermath_harness::plan::settled;
use aftermath_harness::record::RunId;
use aftermath_harness::scenario::{Heading, write};
use aftermath_harness::seed::Seed;
use aftermath_harness::shrink::{Limits, Shrunk, Unshrunk, judge, schedules, shrink};
use aftermath_harness::signature::Signature;
use aftermath_reports::record::Status;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use support::{SMALL, Scratch, aftermath, load, parse, plan, root, run_one, scenarios, text_of};

/// Enough for everything here.
const BUDGET: u32 = 500;

/// A swarm on a small window under upstream backup, which lets its input be trimmed on receipt.
const TRIMS: &str = r#"
strategies = ["upstream-backup"]
plant = "trim-on-receipt"
seeds = "0..10"

[pipeline]
name = "window"
options = { span = "40ms" }
service = { window = "300us" }

[input]
generated = { tuples = 600, keys = 20 }
rate_per_s = 1000

[timing]
heartbeat = "5ms"
redirect = "3ms"
interval = "20ms"

[storage]
latency = "4ms"

[faults.swarm]
most = 6
"#;

fn id(seed: u64) -> RunId {
    RunId { seed, stratum: None }
}

/// Shrinks the run of a case with this seed.
fn shrunk(scenario: &Scenario, case: &Case, seed: u64, budget: u32) -> Result<Shrunk, Unshrunk> {
    let stop = AtomicBool::new(false);
    let path = root().join("scenarios/shrunk.toml");
    let limits = Limits { budget, path: &path, stop: &stop, progress: &|_| () };
    shrink(scenario, case, id(seed), &limits, &Registry::built_in())
}

/// The first case and seed of a scenario that is broken.
fn first_broken(scenario: &Scenario) -> (&Case, u64, Signature) {
    let registry = Registry::built_in();
    let cases = scenario.cases.iter();
    let mut runs = cases.flat_map(|case| scenario.seeds.clone().map(move |seed| (case, seed)));
    let broken = |(case, seed)| {
        let (record, _) = judge(scenario, case, id(seed), &registry);
        Some((case, seed, Signature::of(&record)?))
    };
    runs.find_map(broken).unwrap_or_else(|| panic!("no run of {} is broken", scenario.name))
}

/// A planted bug's own scenario, with a swarm in place of the faults that are known to show it.
fn swarm_for(bug: &str) -> Scenario {
    let path = format!("scenarios/planted/{bug}.toml");
    let text = text_of(&path);
    let without = text.split("[[fault]]").next().expect("there is a beginning");
    parse(&format!("{without}[faults.swarm]\nmost = 6\n"), &path)
}

#[test]
fn a_bug_that_a_swarm_found_becomes_a_file_that_fails_alone() {
    let scenario = parse(TRIMS, "scenarios/trims.toml");
    let (case, seed, found) = first_broken(&scenario);
    let shrunk = shrunk(&scenario, case, seed, BUDGET).expect("it is broken");
    assert!(shrunk.is_smallest && shrunk.evaluations <= BUDGET);
    assert!(found.is_shown_by(&shrunk.signature), "{found} became {}", shrunk.signature);
    assert!(shrunk.before.tuples == 600, "{:?}", shrunk.before);
    assert!(shrunk.after.faults <= 2 && shrunk.after.tuples <= 20, "{:?}", shrunk.after);

    let scratch = Scratch::new("shrink-alone");
    let path = scratch.write("small.toml", &shrunk.text);
    aftermath(&["run", &path, "--out", &scratch.at("out")]).exits(1);
    // It is the bug that fails, and nothing else.
    let honest = shrunk.text.replace("plant = \"trim-on-receipt\"\n", "");
    assert_ne!(honest, shrunk.text);
    let path = scratch.write("honest.toml", &honest);
    aftermath(&["run", &path, "--out", &scratch.at("out")]).exits(0);
    // And as a regression it would say so.
    let pinned = format!("expect = {{ status = \"held\" }}\n{honest}");
    let path = scratch.write("pinned.toml", &pinned);
    aftermath(&["run", &path, "--out", &scratch.at("out")]).exits(0);

    for told in [
        "# The pipeline is source -> window -> format -> sink; upstream-backup protects window",
        "# Planted is trim-on-receipt: ",
        "# At ",
        " befalls ",
        "reaches `took-over`",
        "# - wrong-value: tuple ",
        "# Found by seed ",
        "# expect = { status = \"held\" }",
    ] {
        assert!(shrunk.text.contains(told), "`{told}` is not told in\n{}", shrunk.text);
    }
    assert!(shrunk.text.lines().all(|line| line.chars().count() <= 100), "{}", shrunk.text);
}

#[test]
fn planted_bugs_that_swarms_find_shrink_to_two_faults_at_most() {
    for bug in [
        "dedup-not-in-checkpoint",
        "incomplete-checkpoint",
        "kept-log-unsent",
        "needs-newest-only",
        "rewind-unmarked",
        "static-role",
    ] {
        let mut scenario = swarm_for(bug);
        scenario.seeds = 0..20;
        let (case, seed, found) = first_broken(&scenario);
        let shrunk = shrunk(&scenario, case, seed, BUDGET).expect("it is broken");
        let Shrunk { after, evaluations, .. } = &shrunk;
        println!("{bug}: seed {seed}, {:?} -> {after:?}, {evaluations}", shrunk.before);
        assert!(shrunk.is_smallest, "{bug}: {evaluations} runs are not enough");
        assert!(after.faults <= 2 && after.tuples <= 20, "{bug}: {after:?}\n{}", shrunk.text);
        assert!(found.is_shown_by(&shrunk.signature), "{bug}: {found} became something else");
        assert_eq!(shrunk.record.status, Status::Broken);
        assert_eq!(shrunk.record.planted.as_deref(), Some(bug));
    }
}

#[test]
fn a_property_test_draws_the_same_schedules_and_shrinks_them() {
    let text = TRIMS.replace("trim-on-receipt", "kept-log-unsent");
    let text = text.replace("upstream-backup", "active-standby").replace("600", "200");
    let scenario = parse(&text, "scenarios/property.toml");
    let case = &scenario.cases[0];
    let registry = Registry::built_in();
    let broken = |faults: &[FaultConfig]| {
        let mut case = case.clone();
        (case.config.faults, case.config.swarm) = (faults.to_vec(), None);
        let (record, _) = judge(&scenario, &case, id(3), &registry);
        record.status == Status::Broken
    };
    let (first, tried) = (Cell::new(0), Cell::new(0));
    let config = Config { cases: 50, max_shrink_iters: 1_000, ..Config::default() };
    let config = Config { failure_persistence: None, ..config };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let result =
        TestRunner::new_with_rng(config, random).run(&schedules(case, &registry), |faults| {
            tried.set(tried.get() + 1);
            if !broken(&faults) {
                return Ok(());
            }
            if first.get() == 0 {
                first.set(faults.len());
            }
            Err(TestCaseError::fail("broken"))
        });
    let Err(TestError::Fail(_, faults)) = result else { panic!("{result:?}") };
    println!("{} faults became {} in {} runs: {faults:?}", first.get(), faults.len(), tried.get());
    assert!(first.get() > 1, "the first was small already");
    assert_eq!(faults.len(), 1);
    assert!(broken(&faults) && tried.get() < 200);
}

#[test]
fn the_same_run_shrinks_to_the_same_file() {
    let scenario = swarm_for("kept-log-unsent");
    let (case, seed, _) = first_broken(&scenario);
    let once = || shrunk(&scenario, case, seed, 30).expect("it is broken").text;
    assert_eq!(once(), once());
}

#[test]
fn a_search_that_is_stopped_hands_out_the_smallest_so_far() {
    let scenario = parse(TRIMS, "scenarios/trims.toml");
    let (case, seed, found) = first_broken(&scenario);
    let small = shrunk(&scenario, case, seed, 10).expect("it is broken");
    assert!(small.evaluations == 10 && !small.is_smallest, "{small:?}");
    assert!(found.is_shown_by(&small.signature) && small.text.contains("More may be left out"));
    let stop = AtomicBool::new(false);
    let progress = |runs: u32| stop.store(runs >= 10, Ordering::Relaxed);
    let path = root().join("scenarios/shrunk.toml");
    let limits = Limits { budget: BUDGET, path: &path, stop: &stop, progress: &progress };
    let registry = Registry::built_in();
    let stopped = shrink(&scenario, case, id(seed), &limits, &registry).expect("it is broken");
    assert_eq!(stopped.text, small.text);
}

#[test]
fn a_run_that_is_not_broken_has_nothing_to_shrink() {
    let honest = TRIMS.replace("plant = \"trim-on-receipt\"\n", "");
    let scenario = parse(&honest, "scenarios/honest.toml");
    match shrunk(&scenario, &scenario.cases[0], 0, BUDGET) {
        Err(Unshrunk::NotBroken(record)) => assert_ne!(record.status, Status::Broken),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_program_says_what_it_has_shrunk_and_what_it_cannot() {
    let scratch = Scratch::new("shrink-program");
    let path = scratch.write("trims.toml", TRIMS);
    let scenario = parse(TRIMS, "trims.toml");
    let seed = first_broken(&scenario).1.to_string();
    let out = scratch.at("new/small.toml");
    let ran = aftermath(&["shrink", &path, "--seed", &seed, "--out", &out]).exits(0);
    for told in ["before", "faults", "tuples", "keys", "operators", "machines", "length", "runs; "]
    {
        assert!(ran.stdout.contains(told), "`{told}` is missing in\n{}", ran.stdout);
    }
    assert!(ran.stdout.contains(&format!("written: {out}")), "{}", ran.stdout);
    let replay = ran.stdout.lines().find(|line| line.starts_with("aftermath replay "));
    let words: Vec<&str> = replay.expect("a line").split(' ').skip(1).collect();
    aftermath(&words).exits(1);

    let honest = TRIMS.replace("plant = \"trim-on-receipt\"\n", "");
    let path = scratch.write("honest.toml", honest);
    let out = scratch.at("never.toml");
    aftermath(&["shrink", &path, "--out", &out]).exits(3).complains("nothing to shrink");
    assert!(!Path::new(&out).exists());
    aftermath(&["shrink", &path, "--case", "other"]).exits(2).complains("no such case");
    aftermath(&["shrink", &path, "--stratum", "0"]).exits(2).complains("not stratified");
    aftermath(&["shrink", &path, "--budget", "0"]).exits(2);
    aftermath(&["shrink", "nowhere.toml"]).exits(2).complains("cannot read the scenario");
}

#[test]
fn what_is_expected_stays_when_it_is_mended() {
    let text = SMALL.replace("service = { count = \"500us\" }", "parallelism = { count = 2 }");
    let fault = "[[fault]]\nmachine-loss = { node = \"count\" }\nat = \"100ms\"\n";
    let head = "strategies = [\"amnesia\"]\nexpect = { lost = 0 }\n";
    let scenario = parse(&format!("{head}{text}{fault}"), "scenarios/loses.toml");
    let small = shrunk(&scenario, &scenario.cases[0], 0, BUDGET).expect("it is broken");
    // One instance is what there is without a word.
    assert!(!small.text.contains("parallelism"), "{}", small.text);
    // The line of the story takes the place of the one that is there.
    let (said, mended) = ("\nexpect = { \"lost\" = 0 }\n", "\n# expect = { status = \"held\", ");
    assert!(small.text.contains(said) && small.text.contains(mended), "{}", small.text);
    let regression = small.text.replace(said, "\n").replace("\n# expect", "\nexpect");
    let scenario = parse(&regression, "scenarios/regression.toml");
    let expect = &scenario.cases[0].expect;
    assert_eq!((expect.status, expect.run.len()), (Some(Status::Held), 1), "{regression}");
}

#[test]
fn every_case_is_written_as_it_was_read() {
    let registry = Registry::built_in();
    let mut cases = 0;
    for path in scenarios() {
        let scenario = load(&path);
        for case in &scenario.cases {
            let seed = scenario.seeds.start;
            let drawn = plan(&case.config, seed, 0);
            let faults = drawn.drawn.as_ref().map_or(&case.config.faults, |drawn| &drawn.faults);
            let mut config = case.config.clone();
            config.faults = settled(faults, &case.config, (Seed(seed), 0));
            config.swarm = None;
            let run = case.expect.clone();
            let folder = root().join("scenarios/planted");
            let expect = Expect { run: run.run, observed: run.observed, ..Expect::default() };
            let heading = Heading {
                about: "what it \"shows\"\n",
                seeds: scenario.seeds.clone(),
                expect: &expect,
                directory: &folder,
            };
            let text = write(&heading, &config, &registry);
            let again = parse(&text, "scenarios/planted/again.toml");
            assert_eq!(again.about, heading.about);
            assert_eq!(again.seeds, scenario.seeds);
            let [read] = &again.cases[..] else { panic!("{path}: one case was written:\n{text}") };
            assert_eq!(read.expect.run, expect.run, "{path}:\n{text}");
            let said = |config: &aftermath_harness::config::RunConfig| {
                let mut config = config.clone();
                if let aftermath_harness::config::InputConfig::Recorded(rows) = &mut config.input {
                    let file = std::fs::canonicalize(&rows.file).expect("it is there");
                    std::sync::Arc::make_mut(rows).file = file;
                }
                format!("{config:?}")
            };
            assert_eq!(said(&read.config), said(&config), "{path}:\n{text}");
            cases += 1;
        }
    }
    assert!(cases > 200, "{cases} cases");
}

#[test]
fn a_fault_that_numbers_its_draws_does_not_care_whether_others_are_there() {
    // It is over before anything meets it.
    let idle = "[[fault]]\nheartbeat-loss = { between = [\"count\", \"count\"] }\n\
                at = \"1ms\"\nfor = \"1ns\"\n";
    for (strategy, what) in [
        ("amnesia", "message-loss = { between = [\"source\", \"count\"], probability = \"30%\" }"),
        ("amnesia", "slow-link = { between = [\"source\", \"count\"], jitter = \"9ms\" }"),
        ("checkpoint-rollback", "storage-refuse = { node = \"count\", probability = \"50%\" }"),
    ] {
        let chance = format!("[[fault]]\n{what}\nat = \"50ms\"\nfor = \"200ms\"\n");
        let hash = |faults: &str, seed| {
            let text = format!("strategies = [\"{strategy}\"]\n{SMALL}{faults}");
            run_one(&parse(&text, "scenarios/draws.toml").cases[0].config, seed, false).hash
        };
        let differs = |seed| {
            let both = hash(&format!("{idle}{chance}"), seed);
            assert_eq!(hash(&format!("{chance}draws = 1\n"), seed), both, "{what}");
            assert_eq!(hash(&format!("{idle}{chance}draws = 1\n"), seed), both, "{what}");
            hash(&chance, seed) != both
        };
        assert!((0..8).filter(|seed| differs(*seed)).count() > 4, "{what}: any number will do");
    }
    // An instant that is drawn, too.
    let at = |draws: &str| {
        let crash = "[[fault]]\nprocess-crash = { node = \"count\" }\n\
                     at = { between = [\"10ms\", \"90ms\"] }\n";
        let text = format!("strategies = [\"amnesia\"]\n{SMALL}{idle}{crash}{draws}");
        plan(&parse(&text, "scenarios/draws.toml").cases[0].config, 5, 0).faults[1].at
    };
    assert_eq!(at(""), at("draws = 1\n"));
    assert_ne!(at(""), at("draws = 0\n"));
}

#[test]
fn tuples_that_are_kept_keep_their_instants_keys_and_values() {
    for path in [
        "scenarios/swarm.toml",
        "scenarios/planted/no-alignment.toml",
        "scenarios/flights.toml",
        "scenarios/nexmark.toml",
    ] {
        let scenario = load(path);
        let config = &scenario.cases[0].config;
        let whole = plan(config, 4, 0);
        let mut some = config.clone();
        some.kept = Kept::numbers(&[0, 3, 4, 17, 99]);
        let some = plan(&some, 4, 0);
        let (all, kept) = (&whole.systems.workload, &some.systems.workload);
        let expected: Vec<_> = [0, 3, 4, 17, 99].map(|number| all.inputs[number].clone()).into();
        assert_eq!(kept.inputs, expected, "{path}");
        assert_eq!(kept.end_at, all.end_at, "{path}");
    }
}
