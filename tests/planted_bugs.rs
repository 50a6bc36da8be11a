//! Deliberately wrong variants: each is found, with evidence and a line that reproduces it; and the
//! honest code is clean in the very same situation.

mod support;

use aftermath_reports::record::{Record, Status};
use aftermath_systems::planted_bugs::ALL;
use std::collections::BTreeSet;
use support::{PROGRAM, Ran, Scratch, aftermath, campaign, command, finish, parse, root, text_of};

const DIRECTORY: &str = "scenarios/planted";

fn path_of(bug: &str) -> String {
    format!("{DIRECTORY}/{bug}.toml")
}

/// Runs a scenario; what happened and the records.
fn run(scratch: &Scratch, path: &str, out: &str) -> (Ran, Vec<Record>) {
    let ran = aftermath(&["run", path, "--format", "json", "--out", &scratch.at(out)]);
    let records = ran.stdout.lines().map(|line| serde_json::from_str(line).expect("a record"));
    let records = records.collect();
    (ran, records)
}

#[test]
fn every_planted_bug_has_its_scenario_and_every_scenario_its_bug() {
    let names: BTreeSet<String> = ALL.iter().map(|bug| format!("{}.toml", bug.name)).collect();
    assert_eq!(names.len(), ALL.len(), "two bugs have one name");
    let kinds: BTreeSet<_> = ALL.iter().map(|bug| bug.bug).collect();
    assert_eq!(kinds.len(), ALL.len(), "one bug has two names");
    let entries = std::fs::read_dir(root().join(DIRECTORY)).expect("the directory is there");
    let files: BTreeSet<String> = entries
        .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(files, names);
    for bug in ALL {
        let planted = format!("plant = \"{}\"", bug.name);
        let text = text_of(&path_of(bug.name));
        assert!(text.lines().any(|line| line == planted), "{} does not plant it", bug.name);
    }
}

#[test]
fn every_planted_bug_is_found_with_evidence_and_a_line_that_reproduces_it() {
    let scratch = Scratch::new("planted");
    for bug in ALL {
        let (ran, records) = run(&scratch, &path_of(bug.name), bug.name);
        assert_eq!(ran.code, Some(1), "{}: {}", bug.name, ran.stderr);
        let named = records.iter().all(|record| record.planted.as_deref() == Some(bug.name));
        assert!(named, "{}: a record does not say what was planted", bug.name);
        let broken = records.iter().filter(|record| record.status == Status::Broken);
        let found = broken.filter(|record| !record.witnesses.is_empty()).collect::<Vec<_>>();
        // Not the first: its seed is the one that a replay takes when it is told nothing.
        let record = found.last().unwrap_or_else(|| panic!("{} has no evidence", bug.name));
        assert!(!record.reasons.is_empty(), "{} is broken for no reason", bug.name);
        reproduces(record);
    }
}

/// The replay line of a record, given to a shell, finds the same run broken again.
fn reproduces(record: &Record) {
    let arguments = record.replay.strip_prefix("aftermath ").expect("it runs this program");
    let mut shell = command("sh");
    shell.arg("-c").arg(format!("exec \"$0\" {arguments}")).arg(PROGRAM);
    let ran = finish(shell).exits(1);
    let shown = |what: &str| assert!(ran.stdout.contains(what), "{what} is not in {}", ran.stdout);
    shown(&format!("trace hash {}", record.trace_hash));
    let witness = &record.witnesses[0];
    shown(&witness.checker);
    shown(&witness.subject);
}

#[test]
fn the_honest_code_is_clean_in_the_same_situations() {
    let scratch = Scratch::new("unplanted");
    let data = root().join("scenarios/data");
    let data = data.to_str().expect("the repository has a plain name");
    for bug in ALL {
        let text = text_of(&path_of(bug.name));
        let honest: String = text
            .lines()
            .filter(|line| !line.starts_with("plant = "))
            .map(|line| line.replace("../data", data) + "\n")
            .collect();
        assert_ne!(honest.lines().count(), text.lines().count());
        let path = scratch.write(&format!("{}.toml", bug.name), honest);
        let (ran, records) = run(&scratch, &path, bug.name);
        let why: Vec<_> = records
            .iter()
            .filter(|record| record.status != Status::Held)
            .map(|record| format!("seed {}: {:?}", record.seed, record.reasons))
            .collect();
        assert_eq!(ran.code, Some(0), "{}: {}\n{}", bug.name, ran.stderr, why.join("\n"));
        assert!(!records.is_empty() && records.iter().all(|record| record.planted.is_none()));
    }
}

/// Who waits for a dead machine is late and in nothing else wrong; unless somebody whom the
/// take-over needs cannot be reached, the judge tells.
#[test]
fn an_instance_that_nobody_leads_is_told_unless_something_excuses_it() {
    let path = path_of("restart-onto-dead-spare");
    let told = |change: &dyn Fn(String) -> String| {
        let scenario = parse(&change(text_of(&path)), &path);
        let records = campaign(&scenario).records;
        assert_eq!(records.len(), 5);
        let tells = |record: &&Record| record.reasons.iter().any(|why| why.starts_with("leader: "));
        records.iter().filter(tells).count()
    };
    assert_eq!(told(&|text| text), 5);
    let honest = |text: String| text.replace("plant = \"restart-onto-dead-spare\"\n", "");
    assert_eq!(told(&honest), 0, "the living one is asked");
    let and = |fault: &'static str| move |text: String| format!("{text}\n[[fault]]\n{fault}");
    let cut = "partition = { between = [\"source\", \"count\"] }\nat = \"1s\"\nfor = \"0.2s\"\n";
    assert_eq!(told(&and(cut)), 0, "a neighbour is cut off");
    let still = "pause = { node = \"coordinator\" }\nat = \"1s\"\nfor = \"20ms\"\n";
    assert_eq!(told(&and(still)), 0, "the coordinator stands still");
    let soon = |text: String| text.replace("after = \"400ms\"", "after = \"60ms\"");
    assert_eq!(told(&soon), 0, "the spare may still be needed when the leader dies");
    let gone = |text: String| text.replace("for = \"100ms\"\n", "");
    assert_eq!(told(&gone), 0, "nobody lives");
}
