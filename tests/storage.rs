//! Storage that is slow, refuses, lies or tears: it does what it says and no more than that, what
//! is slow or refused costs no output, whatever is killed meanwhile or afterwards, and what was
//! lost matters to who reads it, and to nobody else.

mod support;

use aftermath_harness::agreement::run;
use aftermath_harness::config::{Case, Worlds};
use aftermath_harness::machine::{Misread, SavesHit};
use aftermath_harness::run::RunLog;
use aftermath_reports::record::{Claimed, Record, Status};
use aftermath_systems::strategies::Registry;
use support::{SMALL, judge_logs, parse, plan, run_one, standard_errors, twin_of};

/// Strategies that save, with where their saves go: options, and the machine whose device it is.
const SAVERS: [(&str, &str, &str); 5] = [
    ("passive-standby", "store_at = \"primary\"", "count/0/0"),
    ("passive-standby", "store_at = \"secondary\"", "count/0/1"),
    ("passive-standby", "ship_output_log = \"resend\"", "count/0/1"),
    ("checkpoint-rollback", "snapshots = \"full\"", "count/0/0"),
    ("checkpoint-rollback", "snapshots = \"incremental\"", "count/0/0"),
];

/// The faults, when they do something: name, options.
const FAULTS: [(&str, &str); 4] = [
    ("storage-slow", ", by = \"40ms\""),
    ("storage-refuse", ", probability = \"70%\""),
    ("storage-lose", ", probability = \"70%\""),
    ("storage-tear", ""),
];

/// [`SMALL`] under one strategy, with these faults.
fn text(strategy: &str, options: &str, faults: &str) -> String {
    format!("strategies = [\"{strategy}\"]\n{SMALL}\n[strategy]\n{options}\n{faults}")
}

/// The table of a fault of the stream's 300 ms.
fn fault(name: &str, node: &str, options: &str, at: &str, length: &str) -> String {
    format!(
        "[[fault]]\n{name} = {{ node = \"{node}\"{options} }}\nat = \"{at}\"\nfor = \"{length}\"\n"
    )
}

/// A run, its twin and the record.
struct Ran {
    run: RunLog,
    twin: RunLog,
    record: Record,
}

fn ran(text: &str, seed: u64) -> Ran {
    let scenario = parse(text, "scenarios/storage.toml");
    let case: &Case = &scenario.cases[0];
    let (run, twin) = (run_one(&case.config, seed, false), twin_of(&case.config, seed, false));
    let record = judge_logs(&scenario, case, seed, &run, &twin);
    Ran { run, twin, record }
}

impl Ran {
    /// Saves that the first fault changed.
    fn hit(&self) -> SavesHit {
        self.run.strikes()[0].1.saves
    }

    /// What was read and was not as it should have been.
    fn misreads(&self) -> Vec<Misread> {
        self.run.nodes.iter().flat_map(|node| node.log.misreads.clone()).collect()
    }

    /// When points of this name were reached, in [from, to), ms.
    fn marks(&self, name: &str, from_ms: u64, to_ms: u64) -> usize {
        let marks = self.run.nodes.iter().flat_map(|node| &node.log.marks);
        let within = |at: u64| (from_ms * 1_000_000..to_ms * 1_000_000).contains(&at);
        marks.filter(|mark| mark.name == name && within(mark.at)).count()
    }

    #[track_caller]
    fn is_exactly_once(&self) {
        let counts = self.record.counts;
        assert_eq!((counts.lost, counts.duplicates, counts.wrong), (0, 0, 0), "{counts:?}");
        assert_eq!(self.record.status, Status::Held, "{:?}", self.record.reasons);
    }
}

#[test]
fn what_does_nothing_leaves_no_trace_and_is_inconclusive() {
    for (strategy, options, node) in SAVERS {
        for (name, setting) in [
            ("storage-slow", ", by = \"0ms\""),
            ("storage-refuse", ", probability = \"0%\""),
            ("storage-lose", ", probability = \"0%\""),
            ("storage-tear", ""),
        ] {
            let ran =
                ran(&text(strategy, options, &fault(name, node, setting, "60ms", "150ms")), 0);
            assert_eq!(ran.run.hash, ran.twin.hash, "{strategy}: {name}");
            assert_eq!(ran.run.strikes().len(), 1);
            assert_eq!(ran.record.status, Status::Inconclusive, "{strategy}: {name}");
        }
    }
}

#[test]
fn a_fault_of_who_does_not_save_is_inconclusive() {
    for strategy in ["amnesia", "active-standby", "upstream-backup"] {
        for (name, options) in FAULTS {
            let ran = ran(&text(strategy, "", &fault(name, "count", options, "60ms", "150ms")), 0);
            assert_eq!(ran.record.status, Status::Inconclusive, "{strategy}: {name}");
        }
    }
}

/// A save of 5 ms takes 45, so of the checkpoints of an interval of 50 ms each is late and none
/// waits for another.
#[test]
fn slow_storage_delays_what_is_confirmed_and_nothing_else() {
    for (strategy, options, node) in SAVERS {
        let slow = fault("storage-slow", node, ", by = \"40ms\"", "60ms", "150ms");
        let ran = ran(&text(strategy, options, &slow), 0);
        assert!((2..=4).contains(&ran.hit().delayed), "{strategy}: {:?}", ran.hit());
        ran.is_exactly_once();
        let outputs = |log: &RunLog| log.deliveries.iter().map(|d| d.at).collect::<Vec<_>>();
        assert_eq!(outputs(&ran.run), outputs(&ran.twin), "{strategy}");
        let durable = |log: &RunLog| {
            let all = log.nodes.iter().flat_map(|node| &node.log.durable);
            let mut all: Vec<u64> = all.map(|(at, _)| *at).collect();
            all.sort_unstable();
            all
        };
        let (slow, usual) = (durable(&ran.run), durable(&ran.twin));
        let late = slow.iter().zip(&usual).filter(|(slow, usual)| *slow - *usual == 40_000_000);
        assert!(late.count() >= 2, "{strategy}: {slow:?} {usual:?}");
    }
}

/// Saves of 5 ms, one each 20 ms; those asked for in the first 30 ms take 100 ms longer.
#[test]
fn no_save_overtakes_a_slow_one() {
    let slow = fault("storage-slow", "count/0/0", ", by = \"100ms\"", "60ms", "30ms");
    let text = text("passive-standby", "store_at = \"primary\"", &slow);
    let ran = ran(&text.replace("interval = \"50ms\"", "interval = \"20ms\""), 0);
    let log = &ran.run.nodes[1].log;
    assert!((1..=2).contains(&ran.hit().delayed), "{:?}", ran.hit());
    // Whatever was asked for while the slow ones were under way is durable at the same instant.
    let together = |at: u64| log.durable.iter().filter(|(other, _)| *other == at).count();
    let most = log.durable.iter().map(|(at, _)| together(*at)).max().unwrap_or(0);
    assert!(most >= 4, "{:?}", log.durable.iter().map(|(at, _)| *at).collect::<Vec<_>>());
    ran.is_exactly_once();
}

#[test]
fn a_refused_checkpoint_is_never_taken_and_the_next_one_counts() {
    for (strategy, options, node) in SAVERS {
        let ran =
            ran(&text(strategy, options, &fault("storage-refuse", node, "", "60ms", "130ms")), 0);
        let refused = ran.hit().refused;
        assert!((2..=4).contains(&refused), "{strategy}: {refused}");
        assert_eq!(ran.marks("checkpoint-refused", 0, 400), refused as usize, "{strategy}");
        ran.is_exactly_once();
        // A tick for the news of one that was under way; and afterwards they are confirmed again.
        let confirmed = if strategy == "passive-standby" {
            "checkpoint-confirmed"
        } else {
            "checkpoint-complete"
        };
        assert_eq!(ran.marks(confirmed, 75, 190), 0, "{strategy}");
        assert!(ran.marks(confirmed, 190, 300) >= 1, "{strategy}");
        let names = ran.run.plan.systems.nodes.iter().map(|node| &node.name);
        let count = names.zip(&ran.run.nodes).filter(|(name, _)| name.starts_with("count/"));
        let trims = count.flat_map(|(_, node)| &node.log.trims);
        let before = trims.filter(|(at, _, _)| (75_000_000..190_000_000).contains(at)).count();
        assert_eq!(before, 0, "{strategy}: upstream was told to forget what is nowhere");
    }
}

#[test]
fn a_region_lives_with_a_pointer_that_is_refused() {
    for crash in ["process-crash", "machine-loss"] {
        for node in ["coordinator", "count"] {
            let refuse = fault("storage-refuse", "coordinator", "", "60ms", "130ms");
            let kill = fault(crash, node, "", "170ms", "30ms");
            let ran = ran(&text("checkpoint-rollback", "", &(refuse + &kill)), 0);
            assert!(ran.hit().refused >= 2, "{:?}", ran.hit());
            assert_eq!(ran.marks("checkpoint-complete", 75, 170), 0);
            assert_eq!(ran.record.status, Status::Held, "{crash} of {node}");
            ran.is_exactly_once();
        }
    }
}

#[test]
fn saves_are_refused_and_lost_as_often_as_they_should_be() {
    let long = SMALL.replace("tuples = 300", "tuples = 10000");
    let long = long.replace("interval = \"50ms\"", "interval = \"10ms\"");
    for percent in [10, 50, 90] {
        for name in ["storage-refuse", "storage-lose"] {
            let options = format!(", probability = \"{percent}%\"");
            let text = format!(
                "strategies = [\"passive-standby\"]\n{long}\n{}",
                fault(name, "count/0/1", &options, "1ms", "9990ms")
            );
            let ran = ran(&text, 0);
            let SavesHit { refused, lost, .. } = ran.hit();
            // But for the last, which were under way at the end.
            let saves: u64 = ran.run.nodes.iter().map(|node| node.log.saves).sum();
            let errors = standard_errors(refused + lost, saves, f64::from(percent) / 100.0);
            println!("{name}, {percent} %: {} of {saves}, {errors:.2} errors", refused + lost);
            assert!(saves > 300, "{name}: {saves}");
            assert!(errors < 3.0, "{name}, {percent} %: {refused} + {lost} of {saves}");
            assert_eq!((refused > 0, lost > 0), (name == "storage-refuse", name == "storage-lose"));
        }
    }
}

#[test]
fn what_is_lost_and_never_read_is_held_as_usual() {
    for (strategy, options, node) in SAVERS {
        let lies = fault("storage-lose", node, "", "60ms", "130ms");
        let alone = ran(&text(strategy, options, &lies), 0);
        assert!(alone.hit().lost >= 2, "{strategy}: {:?}", alone.hit());
        assert_eq!(alone.run.hash, alone.twin.hash, "{strategy}: nobody can know");
        alone.is_exactly_once();
        // Read later, when a newer version is there.
        let crash = fault("process-crash", "count", "", "255ms", "20ms");
        let later = ran(&text(strategy, options, &(lies + &crash)), 0);
        assert_eq!(later.misreads(), [], "{strategy}");
        later.is_exactly_once();
    }
}

#[test]
fn who_reads_what_was_lost_is_not_covered_and_who_does_not_need_it_is_held() {
    let mut spoilt = 0;
    for (strategy, options, node) in SAVERS {
        for seed in 0..5 {
            let lies = fault("storage-lose", node, "", "60ms", "130ms");
            let crash = fault("process-crash", node, "", "170ms", "30ms");
            let ran = ran(&text(strategy, options, &(lies + &crash)), seed);
            assert!(!ran.misreads().is_empty(), "{strategy}");
            assert!(ran.misreads().iter().all(|misread| misread.fault == 0), "{strategy}");
            let counts = ran.record.counts;
            if strategy == "checkpoint-rollback" {
                assert_eq!(ran.record.status, Status::NotCovered, "{:?}", ran.record.reasons);
                assert_eq!(ran.record.reasons, ["the storage had lost what it reported durable"]);
                spoilt += counts.wrong;
            } else {
                ran.is_exactly_once();
            }
        }
    }
    assert!(spoilt > 100, "a rollback to nothing did no harm: {spoilt} wrong outputs");
}

#[test]
fn a_pointer_that_was_lost_sets_a_region_back_to_what_is_gone() {
    let lies = fault("storage-lose", "coordinator", "", "60ms", "130ms");
    let crash = fault("process-crash", "coordinator", "", "170ms", "20ms");
    let ran = ran(&text("checkpoint-rollback", "", &(lies + &crash)), 0);
    assert!(!ran.misreads().is_empty());
    assert_eq!(ran.record.status, Status::NotCovered);
    assert!(matches!(ran.record.claimed, Claimed::NotCovered(_)), "{:?}", ran.record.claimed);
    assert!(ran.record.counts.wrong > 0, "{:?}", ran.record.counts);
}

/// Saves of 45 ms, one each 50 ms: the crash falls into one, at most seeds.
#[test]
fn a_kill_tears_what_is_being_overwritten_on_the_own_disk_only() {
    let mut torn = [0; 3];
    let crashes = [("process-crash", ""), ("machine-loss", "")];
    for seed in 0..10 {
        for (strategy, options, node) in SAVERS {
            for (crash, setting) in crashes {
                let tears = fault("storage-tear", node, "", "60ms", "180ms");
                let kill = fault(crash, node, setting, "190ms", "30ms");
                let text = text(strategy, options, &(tears + &kill));
                let ran = ran(&text.replace("latency = \"5ms\"", "latency = \"45ms\""), seed);
                let hit = ran.hit().torn;
                assert_eq!(ran.misreads().len() as u64, hit, "{strategy}, {crash}");
                assert_eq!(ran.record.counts.lost + ran.record.counts.wrong, 0, "{strategy}");
                assert_ne!(ran.record.status, Status::Broken, "{:?}", ran.record.reasons);
                let kind = match (strategy, crash) {
                    ("checkpoint-rollback", _) => 0,
                    (_, "machine-loss") => 1,
                    _ => 2,
                };
                torn[kind] += hit;
            }
        }
    }
    assert_eq!(torn[..2], [0, 0], "the shared store and a disk that is gone cannot tear");
    assert!(torn[2] >= 15, "{torn:?}");
}

/// What is killed besides, when: the fault of storage lasts from 60 to 180 ms.
const KILLS: [(&str, &str, &str); 5] = [
    ("", "", ""),
    ("process-crash", "count", "130ms"),
    ("machine-loss", "count", "130ms"),
    ("process-crash", "count", "200ms"),
    ("machine-loss", "count", "200ms"),
];

/// Seeds of each combination, unless AFTERMATH_SEEDS says otherwise.
const SEEDS: u64 = 8;

fn seeds() -> u64 {
    std::env::var("AFTERMATH_SEEDS").map_or(SEEDS, |text| text.parse().expect("a number"))
}

/// Some seeds of every strategy, and of the options that say what is saved where: the two worlds
/// agree, and no claim is broken.
fn holds_with(fault_number: usize) {
    let (name, setting) = FAULTS[fault_number];
    let savers = SAVERS.map(|(strategy, options, _)| (strategy, options));
    let all = [("amnesia", ""), ("active-standby", ""), ("upstream-backup", "")];
    let all: Vec<_> = all.into_iter().chain(savers).collect();
    for entry in Registry::built_in().iter() {
        assert!(all.iter().any(|(strategy, _)| *strategy == entry.name), "{}", entry.name);
    }
    for (strategy, options) in all {
        let other = if strategy == "checkpoint-rollback" { "coordinator" } else { "count/0/1" };
        for (crash, node, at) in KILLS {
            for seed in 0..seeds() {
                let ill = if seed % 2 == 0 { "count" } else { other };
                let mut faults = fault(name, ill, setting, "60ms", "120ms");
                if !crash.is_empty() {
                    faults += &fault(crash, node, "", at, "30ms");
                }
                let text = text(strategy, options, &faults);
                let scenario = parse(&text, "scenarios/storage.toml");
                let case = &scenario.cases[0];
                let (log, told) = run(Worlds::Both, &plan(&case.config, seed, 0), false);
                assert_eq!(told, None, "seed {seed} of\n{text}");
                let twin = twin_of(&case.config, seed, false);
                let record = judge_logs(&scenario, case, seed, &log, &twin);
                let reasons = &record.reasons;
                assert_ne!(record.status, Status::Broken, "{reasons:?}, seed {seed} of\n{text}");
                let spared = strategy == "amnesia" || name == "storage-lose";
                let counts = record.counts;
                assert!(spared || counts.lost + counts.wrong == 0, "{counts:?}: {seed} of\n{text}");
            }
        }
    }
}

#[test]
fn every_strategy_lives_with_slow_storage_in_both_worlds() {
    holds_with(0);
}

#[test]
fn every_strategy_lives_with_storage_that_refuses_in_both_worlds() {
    holds_with(1);
}

#[test]
fn every_strategy_lives_with_storage_that_lies_in_both_worlds() {
    holds_with(2);
}

#[test]
fn every_strategy_lives_with_storage_that_tears_in_both_worlds() {
    holds_with(3);
}
