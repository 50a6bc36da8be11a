//! A failure at every protocol point: no point is left out, what ends early ends as the whole run
//! does, honest strategies break no claim, and a planted bug is found.

mod support;

use aftermath_harness::Registry;
use aftermath_harness::config::Case;
use aftermath_harness::run::RunLog;
use aftermath_harness::sweep::{Found, Ground, KILLS, Lengths, Sweep, Swept, cells, victims};
use aftermath_reports::record::Status;
use std::sync::atomic::AtomicBool;
use support::{SMALL, Scratch, aftermath, load, parse, run_one};

/// How long machines fail.
const LENGTHS: Lengths = Lengths { first_ns: 40_000_000, last_ns: 40_000_000 };

fn sweep_of<'a>(case: &'a Case, registry: &'a Registry) -> Sweep<'a> {
    Sweep {
        case,
        registry,
        seed: 1,
        lengths: LENGTHS,
        audit_millionths: 0,
        limit: None,
        pairs: None,
        jobs: 2,
    }
}

fn swept(sweep: &Sweep) -> Swept {
    sweep.run(&AtomicBool::new(false), &|| {})
}

/// Asserts that nothing was left undone, that no audited run says something else, and how many were
/// audited; returns those that broke a claim.
#[track_caller]
fn sound(what: &str, swept: &Swept) -> usize {
    let points = &swept.points;
    let name = |point: usize| points.kinds[points.list[point].kind].to_string();
    for found in &swept.found {
        assert!(found.verdict.is_some() || found.late, "{what}: {:?} never came", found.failures);
        if let Some(Some(how)) = &found.audit {
            panic!("{what}: {:?}, {}\n{how}", found.failures, name(found.point));
        }
    }
    let verdicts = swept.found.iter().filter_map(|found| found.verdict.as_ref());
    verdicts.filter(|verdict| verdict.status == Status::Broken).count()
}

/// Places between effects, counted from the text of a trace.
fn places(log: &RunLog) -> usize {
    let victims = victims(&log.plan.systems);
    let traces = victims.iter().filter_map(|node| log.nodes[node.index()].log.trace.as_ref());
    traces.flatten().map(|event| event.effects.len() + 1).sum()
}

#[test]
fn every_place_of_the_fault_free_run_is_swept_once_in_each_way() {
    let registry = Registry::built_in();
    let scenario = load("scenarios/sweep.toml");
    for case in &scenario.cases {
        let config = &case.config;
        let ground = Ground::new(config, &registry, 0, LENGTHS);
        let predicted = places(&run_one(config, 0, true));
        assert_eq!(ground.points.list.len(), predicted, "{}", config.label());
        assert!(predicted > 4_000, "{}: {predicted}", config.label());
    }
    let scenario = parse(SMALL, "scenarios/small.toml");
    for case in &scenario.cases {
        let swept = swept(&sweep_of(case, &registry));
        assert_eq!(swept.points.list.len(), places(&run_one(&case.config, 1, true)));
        let own = swept.points.list.len() - swept.merged;
        assert_eq!(swept.found.len(), KILLS * own, "{}", case.config.label());
        // Those that are the same as the one before count as well.
        let gathered = cells(&swept, ("small", "base", "any"));
        let runs: u64 = gathered.iter().map(|gathered| gathered.cell.tally.runs()).sum();
        let late = swept.found.iter().filter(|found| found.late).count();
        assert!(late < 100, "{late}");
        assert!(runs as usize <= KILLS * swept.points.list.len());
        assert!(runs as usize + 2 * late >= KILLS * swept.points.list.len());
        assert_eq!(sound(&case.config.label(), &swept), 0, "{}", case.config.label());
    }
}

/// Long enough for memory to be judged behind early failures, and short enough to try all.
fn lasting() -> String {
    let longer = SMALL.replace("tuples = 300", "tuples = 600").replace("\"50ms\"", "\"20ms\"");
    longer.replace("rate_per_s = 1000", "rate_per_s = 500")
}

#[test]
fn what_ends_early_has_the_verdict_of_the_whole_run() {
    let registry = Registry::built_in();
    let scenario = parse(&lasting(), "scenarios/lasting.toml");
    for case in &scenario.cases {
        let all = Sweep { audit_millionths: 1_000_000, ..sweep_of(case, &registry) };
        let swept = swept(&Sweep { limit: Some(70), ..all });
        let label = case.config.label();
        assert_eq!(sound(&label, &swept), 0, "{label}");
        assert!(swept.found.iter().all(|found| found.audit.is_some()));
        let early = swept.found.iter().filter(|found| found.early).count();
        // Counts that have once gone wrong stay wrong.
        let never = label == "amnesia";
        assert!(
            never || early * 2 > swept.found.len(),
            "{label}: {early} of {}",
            swept.found.len()
        );
    }
}

#[test]
fn what_is_wrong_and_still_on_its_way_when_the_state_is_right_again_counts() {
    let registry = Registry::built_in();
    let window = "strategies = [\"amnesia\"]\n[protection]\ndedup = \"off\"\n";
    let text = format!("{window}{}", lasting().replace("count\"]", "window\"]"));
    let text = text.replace("keyed-count\"", "window\"\noptions = { span = \"20ms\" }");
    let scenario = parse(&text.replace("{ count = ", "{ window = "), "scenarios/window.toml");
    let sweep = sweep_of(&scenario.cases[0], &registry);
    let swept = swept(&Sweep { audit_millionths: 1_000_000, limit: Some(40), ..sweep });
    assert_eq!(sound("window", &swept), 0);
    let wrong = |found: &&Found| found.early && found.verdict.as_ref().is_some_and(|v| v.wrong > 0);
    assert!(swept.found.iter().filter(wrong).count() > 20);
}

#[test]
fn a_place_that_is_the_same_as_the_one_before_has_its_verdict() {
    let registry = Registry::built_in();
    let scenario = parse(SMALL, "scenarios/small.toml");
    for case in &scenario.cases {
        let mut ground = Ground::new(&case.config, &registry, 1, LENGTHS);
        let same = |nth: &usize| ground.points.list[*nth].same_as_before;
        let merged: Vec<usize> = (0..ground.points.list.len()).filter(same).collect();
        assert!(!merged.is_empty(), "{}", case.config.label());
        for nth in merged.into_iter().step_by(5) {
            let [before, here] = [nth - 1, nth].map(|nth| {
                let point = ground.points.list[nth];
                let mut trunk = ground.trunk();
                trunk.advance_to(&ground.plan, &point);
                let failure = aftermath_harness::sweep::Failure { address: point.address, kind: 1 };
                ground.arm(&mut trunk.world, failure, false);
                ground.run(trunk, 1).verdict
            });
            assert!(here.is_some() && before == here, "{}, {nth}", case.config.label());
        }
    }
}

#[test]
fn honest_strategies_break_no_claim_when_two_machines_fail() {
    let registry = Registry::built_in();
    let scenario = parse(SMALL, "scenarios/small.toml");
    let mut covered = 0;
    for case in &scenario.cases {
        let sweep = Sweep { audit_millionths: 100_000, ..sweep_of(case, &registry) };
        let swept = swept(&Sweep { pairs: Some(400), ..sweep });
        let label = case.config.label();
        assert_eq!(sound(&label, &swept), 0, "{label}");
        assert!((101..=400).contains(&swept.found.len()), "{label}: {}", swept.found.len());
        assert!(swept.found.iter().all(|found| found.failures.len() == 2));
        let verdicts = swept.found.iter().filter_map(|found| found.verdict.as_ref());
        covered += verdicts.filter(|verdict| verdict.covered).count();
    }
    assert!(covered > 100, "{covered}");
}

#[test]
fn a_planted_bug_is_found_and_shown_alone() {
    let scratch = Scratch::new("planted");
    let text =
        format!("plant = \"resend-one-too-late\"\nstrategies = [\"passive-standby\"]\n{SMALL}");
    let path = scratch.at("planted.toml");
    std::fs::write(&path, text).expect("it can be written");
    let out = scratch.at("out");
    let ran = aftermath(&["sweep", &path, "--limit", "60", "--out", &out]).exits(1);
    assert!(ran.stdout.contains("BROKEN"), "{}", ran.stdout);
    let command = ran.stdout.lines().find_map(|line| line.trim().strip_prefix("aftermath run "));
    let shown = command.expect("there is a replay line");
    let alone = aftermath(&["run", shown, "--out", &scratch.at("alone")]).exits(1);
    assert!(alone.stdout.contains("broken"), "{}", alone.stdout);
}

#[test]
fn what_shows_a_mixture_can_be_pasted_into_a_shell_and_no_more_pairs_are_run_than_asked_for() {
    let scratch = Scratch::new("pasted");
    let two = SMALL.replace("[\"count\"]", "[\"count\", \"format\"]");
    let mixture = "[mixture]\ncount = \"passive-standby\"\nformat = \"upstream-backup\"\n";
    let text =
        format!("plant = \"resend-one-too-late\"\nstrategies = [\"amnesia\"]\n{two}{mixture}");
    let path = scratch.at("mixed.toml");
    std::fs::write(&path, text).expect("it can be written");
    let args = ["sweep", &path, "--second", "--pairs", "30", "--out", &scratch.at("out")];
    let ran = aftermath(&args).exits(1);
    let mut words = ran.stdout.lines().filter_map(|line| line.split_once(" pairs of failures"));
    let pairs = words.next().and_then(|(pairs, _)| pairs.trim().parse::<usize>().ok());
    assert!(pairs.is_some_and(|pairs| (20..=30).contains(&pairs)), "{}", ran.stdout);
    let command = ran.stdout.lines().find_map(|line| line.trim().strip_prefix("aftermath run "));
    let shown = command.and_then(|word| word.strip_prefix('\'')?.strip_suffix('\''));
    let shown = shown.expect("a replay line with a word in quotes");
    aftermath(&["run", shown, "--out", &scratch.at("alone")]).exits(1);
}

#[test]
fn any_number_of_jobs_writes_the_same_bytes() {
    let scratch = Scratch::new("jobs");
    let path = scratch.at("small.toml");
    std::fs::write(&path, SMALL).expect("it can be written");
    let written = |jobs: &str, second: &[&str]| {
        let out = scratch.at(&format!("out-{jobs}-{}", second.len()));
        let mut args = vec!["sweep", &path, "--jobs", jobs, "--out", &out];
        args.extend(["--strategy", "passive-standby", "--audit", "2%"]);
        args.extend(second);
        let ran = aftermath(&args).exits(0);
        let files = ["sweep.jsonl", "sweep.csv", "sweep.svg", "sweep.png"];
        let read = |name: &&str| std::fs::read(format!("{out}/{name}")).expect("it is written");
        let bytes: Vec<_> = files.iter().map(read).collect();
        (ran.stdout.replace(&out, ""), bytes)
    };
    assert!(written("1", &[]) == written("3", &[]));
    let pairs = ["--second", "--pairs", "100"];
    assert!(written("1", &pairs) == written("3", &pairs));
}
