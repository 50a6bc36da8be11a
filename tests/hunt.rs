//! Deliberately wrong variants are found by schedules that nobody wrote, and the honest code is
//! clean under the very same ones.
//!
//! Most are met by a swarm within claims. Three need two failures of which the second comes before
//! all is as it was before the first, which no such swarm draws: a sweep of pairs does.

mod support;

use aftermath_harness::Registry;
use aftermath_harness::config::Scenario;
use aftermath_harness::sweep::{Found, Lengths, Sweep};
use aftermath_reports::record::{Record, Status};
use aftermath_systems::planted_bugs::ALL;
use std::sync::atomic::AtomicBool;
use support::{campaign, parse, text_of};

/// How many seeds are tried before the next look.
const STEP: u64 = 10;
/// Hunts of more seeds than that are left to builds that are fast.
const SEEDS_MAX: u64 = if cfg!(debug_assertions) { 100 } else { u64::MAX };
/// So many seeds of each hunt show that the honest code is clean.
const HONEST_MAX: u64 = if cfg!(debug_assertions) { 10 } else { u64::MAX };

/// What a swarm needs beside the pipeline of the bug's own scenario, and how many seeds at most.
struct Hunt {
    bug: &'static str,
    swarm: &'static str,
    seeds: u64,
}

/// Most are found by anything at all.
const ANYTHING: &str = "";

/// A thing that old messages do is found sooner where messages come again and processes die.
const OLD_MESSAGES: &str = "kinds = [\"redelivery\", \"process-crash\"]\nmost = 6\n";

const HUNTS: [Hunt; 26] = [
    hunt("announce-to-known-only", ANYTHING, 100),
    hunt("cut-at-first-barrier", ANYTHING, 50),
    hunt("dedup-not-in-checkpoint", ANYTHING, 50),
    hunt("delta-skipped", ANYTHING, 50),
    hunt("incomplete-checkpoint", ANYTHING, 50),
    hunt("kept-log-unsent", ANYTHING, 50),
    hunt("needs-newest-only", ANYTHING, 50),
    hunt("never-trims", ANYTHING, 50),
    hunt("no-alignment", ANYTHING, 50),
    hunt("no-state-copy", ANYTHING, 50),
    hunt("old-checkpoint-applied", OLD_MESSAGES, 500),
    hunt("old-command-obeyed", OLD_MESSAGES, 500),
    hunt("old-stamp-taken", OLD_MESSAGES, 100),
    hunt("pointer-forgotten", ANYTHING, 50),
    hunt("refusal-ignored", ANYTHING, 50),
    hunt("resend-one-too-late", ANYTHING, 50),
    hunt("restart-without-parking", ANYTHING, 50),
    hunt("rewind-unmarked", ANYTHING, 50),
    hunt("sequence-restarts", ANYTHING, 50),
    hunt("session-unordered", ANYTHING, 50),
    hunt("standby-never-trimmed", ANYTHING, 50),
    hunt("static-role", ANYTHING, 50),
    hunt("trim-before-complete", ANYTHING, 50),
    hunt("trim-before-confirmed", ANYTHING, 50),
    hunt("trim-on-receipt", ANYTHING, 50),
    hunt("trim-without-ack", ANYTHING, 50),
];

/// How long the last of two failures lasts, ms: it is suspected meanwhile.
const LAST_MS: u64 = 40;

/// How long the first of two failures lasts, and how many pairs are tried.
struct Pairs {
    bug: &'static str,
    first_ms: u64,
    pairs: usize,
}

const PAIRS: [Pairs; 3] = [
    // A region is set back, and who sends to it again dies in the middle of that.
    Pairs { bug: "no-fence", first_ms: LAST_MS, pairs: 120 },
    // The spare stays dead while the leader dies and comes back: for long, so that nobody is
    // excused any more.
    Pairs { bug: "restart-onto-dead-spare", first_ms: 1_200, pairs: 60 },
    // One neighbour after the other, before the first has recovered.
    Pairs { bug: "unshipped-log-promised", first_ms: LAST_MS, pairs: 120 },
];

const fn hunt(bug: &'static str, swarm: &'static str, seeds: u64) -> Hunt {
    Hunt { bug, swarm, seeds }
}

fn path(bug: &str) -> String {
    format!("scenarios/planted/{bug}.toml")
}

/// The bug's own scenario without its faults, and without the bug if `honest`.
fn bare(bug: &str, honest: bool) -> String {
    let mut text = String::new();
    let mut skipping = false;
    for line in text_of(&path(bug)).lines() {
        if line.starts_with('[') {
            skipping = line == "[[fault]]";
        }
        if !(skipping || honest && line.starts_with("plant =")) {
            text += line;
            text += "\n";
        }
    }
    text
}

impl Pairs {
    /// Lets two machines fail at the pairs of places; those that break a claim, by their number,
    /// and how many there are.
    fn swept(&self, honest: bool) -> (Vec<usize>, usize) {
        let bug = self.bug;
        let text = bare(bug, honest).replace("take = 2000", "take = 600");
        let scenario = parse(&text, &path(bug));
        let ns = |ms: u64| ms * 1_000_000;
        let sweep = Sweep {
            case: &scenario.cases[0],
            registry: &Registry::built_in(),
            seed: 0,
            lengths: Lengths { first_ns: ns(self.first_ms), last_ns: ns(LAST_MS) },
            audit_millionths: 10_000,
            limit: None,
            pairs: Some(self.pairs),
            jobs: 2,
        };
        let found = sweep.run(&AtomicBool::new(false), &|| ()).found;
        let broken =
            |found: &Found| found.verdict.as_ref().is_some_and(|v| v.status == Status::Broken);
        let all = found.iter().enumerate();
        let numbers = all.filter(|(_, found)| broken(found)).map(|(nth, _)| nth);
        assert!(found.iter().all(|found| !matches!(found.audit, Some(Some(_)))), "{bug}");
        (numbers.collect(), found.len())
    }
}

impl Hunt {
    /// The bug's own scenario with drawn faults in place of the written ones.
    fn scenario(&self, honest: bool, seeds: std::ops::Range<u64>) -> Scenario {
        let text = format!("{}\n[faults.swarm]\n{}", bare(self.bug, honest), self.swarm);
        Scenario { seeds, ..parse(&text, &path(self.bug)) }
    }

    /// The first run that is broken, and how many were run until then.
    fn found(&self) -> Option<(Record, u64)> {
        let mut runs = 0;
        for start in (0..self.seeds).step_by(STEP as usize) {
            let scenario = self.scenario(false, start..self.seeds.min(start + STEP));
            let records = campaign(&scenario).records;
            // By seed: cases of one scenario are run one after the other.
            let broken = records.iter().filter(|record| record.status == Status::Broken);
            if let Some(first) = broken.min_by_key(|record| record.seed) {
                let before = records.iter().filter(|record| record.seed <= first.seed).count();
                return Some((first.clone(), runs + before as u64));
            }
            runs += records.len() as u64;
        }
        None
    }
}

#[test]
fn every_planted_bug_is_hunted_once() {
    let mut hunted: Vec<&str> = HUNTS.iter().map(|hunt| hunt.bug).collect();
    hunted.extend(PAIRS.iter().map(|pairs| pairs.bug));
    hunted.sort_unstable();
    let mut all: Vec<&str> = ALL.iter().map(|bug| bug.name).collect();
    all.sort_unstable();
    assert_eq!(hunted, all);
}

#[test]
fn a_sweep_of_two_failures_finds_what_no_swarm_does_and_the_honest_code_is_clean() {
    for pairs in &PAIRS {
        let (broken, runs) = pairs.swept(false);
        let bug = pairs.bug;
        let first = broken.first().unwrap_or_else(|| panic!("{bug} escapes {runs} pairs"));
        println!("{bug}: by a sweep, after {} runs, by {} of {runs}", first + 1, broken.len());
        assert_eq!(pairs.swept(true).0, [0; 0], "{bug}: the honest code");
    }
}

#[test]
fn a_swarm_finds_them() {
    for hunt in HUNTS.iter().filter(|hunt| hunt.seeds <= SEEDS_MAX) {
        let (record, runs) = hunt.found().unwrap_or_else(|| panic!("{} escapes", hunt.bug));
        println!("{}: by a swarm, after {runs} runs: {}", hunt.bug, record.reasons.join("; "));
    }
}

#[test]
fn the_honest_code_is_clean_under_the_same_schedules() {
    for hunt in HUNTS.iter().filter(|hunt| hunt.seeds <= SEEDS_MAX) {
        for record in campaign(&hunt.scenario(true, 0..hunt.seeds.min(HONEST_MAX))).records {
            let reasons = record.reasons.join("; ");
            assert_ne!(record.status, Status::Broken, "{}: {}: {reasons}", hunt.bug, record.replay);
        }
    }
}
