//! Which world runs what: the flag, the key of a scenario, the record, and what turmoil cannot do.

mod support;

use aftermath_harness::config::Worlds;
use aftermath_reports::record::Record;
use support::{Ran, SMALL, Scratch, aftermath, parse};

/// A fault of the leading replica of `count`, early enough to be recovered from.
const LOSS: &str = "[[fault]]\nmachine-loss = { node = \"count\" }\nat = \"120ms\"\n";

/// The records of a run of this text with these arguments.
fn records(name: &str, text: &str, more: &[&str]) -> Vec<Record> {
    let scratch = Scratch::new(name);
    let path = scratch.write("small.toml", text);
    let out = scratch.at("out");
    let args = [&["run", &path, "--format", "json", "--out", &out], more].concat();
    let ran = aftermath(&args).exits(0);
    ran.stdout.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
}

/// A record without the name of the world.
fn anywhere(record: &Record) -> Record {
    let (world, replay) = (String::new(), String::new());
    Record { world, replay, ..record.clone() }
}

#[test]
fn records_of_all_worlds_are_the_same_but_for_its_name() {
    let text = format!("{SMALL}{LOSS}");
    let of = |world| records(&format!("worlds-{world}"), &text, &["--world", world]);
    let [events, turmoil, both] = ["events", "turmoil", "both"].map(of);
    assert!(events.len() >= 5);
    for ((events, turmoil), both) in events.iter().zip(&turmoil).zip(&both) {
        assert_eq!(anywhere(events), anywhere(turmoil));
        assert_eq!(anywhere(events), anywhere(both));
        let worlds = [events, turmoil, both].map(|record| record.world.as_str());
        assert_eq!(worlds, ["events", "turmoil", "both"]);
        assert!(!events.replay.contains("--world"), "the default: {}", events.replay);
        assert!(turmoil.replay.ends_with(" --world turmoil"), "{}", turmoil.replay);
        assert!(both.replay.ends_with(" --world both"), "{}", both.replay);
    }
    assert_eq!((events.len(), events.len()), (turmoil.len(), both.len()));
}

#[test]
fn a_scenario_says_where_and_the_flag_is_stronger() {
    let text = format!("world = \"turmoil\"\nstrategies = [\"amnesia\"]\n{SMALL}");
    assert_eq!(parse(&text, "scenarios/small.toml").worlds, Worlds::Turmoil);
    assert_eq!(records("key", &text, &[])[0].world, "turmoil");
    let record = &records("flag", &text, &["--world", "events"])[0];
    assert_eq!(record.world, "events");
    // The scenario says otherwise, so the line that runs it again must.
    assert!(record.replay.ends_with(" --world events"), "{}", record.replay);
}

#[test]
fn replay_runs_where_it_is_told() {
    let scratch = Scratch::new("replay-worlds");
    let text = format!("strategies = [\"passive-standby\"]\n{SMALL}{LOSS}");
    let path = scratch.write("small.toml", text);
    let replay = |world| {
        let args = ["replay", &path, "--world", world, "--trace"];
        aftermath(&args).exits(0).stdout
    };
    let events = replay("events");
    assert!(events.lines().count() > 1_000);
    assert_eq!(events, replay("turmoil"));
    assert_eq!(events, replay("both"));
}

/// Refused before anything runs, with the reason and what to do.
#[track_caller]
fn refused(ran: Ran) -> Ran {
    let ran = ran.exits(2);
    assert_eq!(ran.stdout, "");
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    ran
}

#[test]
fn more_machines_than_turmoil_carries_are_refused() {
    let scratch = Scratch::new("large");
    let text = format!("strategies = [\"passive-standby\"]\n{SMALL}{LOSS}");
    let path = scratch
        .write("large.toml", text.replace("[input]", "parallelism = { count = 9 }\n\n[input]"));
    let out = scratch.at("out");
    for world in ["turmoil", "both"] {
        for ran in [
            aftermath(&["run", &path, "--out", &out, "--world", world]),
            aftermath(&["replay", &path, "--world", world]),
        ] {
            let ran = refused(ran);
            ran.complains("21 machines").complains("carries 20").complains("--world events");
        }
    }
    aftermath(&["run", &path, "--out", &out, "--world", "events"]).exits(0);
}

#[test]
fn a_world_that_there_is_not_is_refused() {
    let scratch = Scratch::new("no-world");
    let path = scratch.write("odd.toml", format!("world = \"turmoyl\"\n{SMALL}"));
    refused(aftermath(&["run", &path])).complains("did you mean `turmoil`?");
    let path = scratch.write("small.toml", SMALL);
    refused(aftermath(&["run", &path, "--world", "turmoyl"])).complains("turmoil");
}
