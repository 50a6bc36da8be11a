//! What is said of a wrong scenario, as a whole: each file of `mistakes/` beside what `run` prints.

use crate::committed;
use crate::support::{Ran, Scratch, aftermath, command, finish, root};
use std::path::Path;

/// Where the wrong scenarios are, from the top of the repository.
const FOLDER: &str = "tests/scenarios/mistakes";

/// Asserts that the program refuses a scenario with the text that is committed under this name.
#[track_caller]
fn refused(ran: Ran, name: &str) {
    let ran = ran.exits(2);
    assert_eq!(ran.stdout, "", "{name}");
    committed(&format!("{FOLDER}/{name}.stderr"), &ran.stderr);
}

#[test]
fn every_mistake_is_told_with_its_place_its_cause_and_what_to_write() {
    let entries = std::fs::read_dir(root().join(FOLDER)).expect("the folder is there");
    let names = entries.map(|entry| entry.expect("it can be read").file_name());
    let names = names.map(|name| name.into_string().expect("a plain name"));
    let mut names: Vec<String> =
        names.filter_map(|name| name.strip_suffix(".toml").map(str::to_string)).collect();
    names.sort();
    assert!(names.len() >= 40, "{names:?}");
    for name in names {
        refused(aftermath(&["run", &format!("{FOLDER}/{name}.toml")]), &name);
    }
}

/// Runs the program on a file that lies in another folder, by its bare name.
fn run_in(folder: &Path, file: &str) -> Ran {
    let mut command = command(crate::support::PROGRAM);
    command.current_dir(folder).args(["run", file]);
    finish(command)
}

#[test]
fn what_is_no_scenario_at_all_is_told_as_briefly() {
    let scratch = Scratch::new("no-scenario");
    std::fs::create_dir(scratch.at("folder.toml")).expect("there is room");
    let nested = format!("a = {}{}\n", "[".repeat(10_000), "]".repeat(10_000));
    let long = format!("about = \"{}\"\nsedes = \"0..1\"\n", "x".repeat(3 << 20));
    let files: [(&str, &[u8]); 5] = [
        ("bytes-that-are-no-text", b"about = \"ok\"\nname = \"caf\xe9\"\n"),
        ("nested-too-deeply", nested.as_bytes()),
        ("one-long-line", long.as_bytes()),
        ("too-large", &vec![b'#'; 10 << 20]),
        ("zeros", &[0; 64]),
    ];
    for (name, content) in files {
        scratch.write(&format!("{name}.toml"), content);
        refused(run_in(scratch.path(), &format!("{name}.toml")), name);
    }
    for name in ["folder", "missing"] {
        refused(run_in(scratch.path(), &format!("{name}.toml")), name);
    }
}
