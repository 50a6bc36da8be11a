//! What once went wrong stays mended: every scenario of the folder ends as it says.

mod support;

use aftermath_reports::record::Status;
use aftermath_reports::words;
use std::collections::BTreeSet;
use support::{campaign, load, root};

/// All of them: regressions are not deleted.
const NAMES: &[&str] = &[
    "again-within-a-region",
    "asked-by-the-replaced",
    "complete-before-the-fault",
    "copy-overtakes",
    "cut-without-what-was-held",
    "dead-on-the-wire",
    "dead-while-sending-again",
    "empty-standby-leads",
    "excused-too-early",
    "given-up-and-held",
    "handshake-active",
    "handshake-and-two-fed",
    "handshake-ping-pong",
    "handshake-upstream-backup",
    "heartbeats-behind-data",
    "held-and-lost",
    "joined-before-it-died",
    "later-than-one-waits",
    "left-at-work",
    "long-way",
    "memory-judge",
    "more-out-than-in",
    "not-recovered-yet",
    "old-rewound-believed",
    "overload",
    "overload-without-output",
    "overtaken",
    "pair-neighbour-down",
    "pair-restore",
    "pair-storage",
    "panic-union",
    "queued-before-the-take-over",
    "recovered-from-the-wrong-one",
    "region-moves-as-a-whole",
    "region-neighbour",
    "region-neighbour-forgets",
    "registered-before-restart",
    "repeated-in-the-end",
    "retention-bounded",
    "slow-links",
    "spare-lost-too",
    "startup-suspicion",
    "stranded-half-way",
    "trigger-dropped",
    "trigger-dropped-chain",
    "two-lead-in-one-term",
    "value-judge",
    "wrong-once-more",
    "zombie-at-the-end",
    "zombie-wants",
];

#[test]
fn no_scenario_is_missing_here_or_there() {
    let folder = std::fs::read_dir(root().join("scenarios/regressions")).expect("the folder");
    let names = folder.map(|entry| entry.expect("an entry").file_name().into_string());
    let names: BTreeSet<String> = names.map(|name| name.expect("a plain name")).collect();
    assert_eq!(names, NAMES.iter().map(|name| format!("{name}.toml")).collect());
}

#[test]
fn every_scenario_that_once_broke_ends_as_it_says() {
    for name in NAMES {
        let scenario = load(&format!("scenarios/regressions/{name}.toml"));
        let outcome = campaign(&scenario);
        assert!(!outcome.records.is_empty(), "{name} runs nothing");
        assert_eq!(outcome.cases.len(), scenario.cases.len());
        for (case, result) in scenario.cases.iter().zip(&outcome.cases) {
            let context = || format!("{name}, {}, {}", case.name, result.strategy);
            let pinned = case.expect.status.unwrap_or_else(|| panic!("{}: no status", context()));
            assert_ne!(pinned, Status::Broken, "{}", context());
            let seen: Vec<_> = result.runs.keys().map(String::as_str).collect();
            assert_eq!(seen, [words::status(pinned)], "{}", context());
            assert_ne!(result.status, Status::Broken, "{}", context());
            assert!(result.checks.iter().all(|check| check.held), "{}", context());
        }
        for record in &outcome.records {
            assert!(record.observed.settles, "{}: it does not drain", record.replay);
        }
    }
}
