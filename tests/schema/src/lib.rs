//! Scenarios against scenarios/schema.json, by a validator that we did not write: what the reader
//! takes is valid, and what a schema can know to be wrong is not.
//!
//! `cargo test --manifest-path tests/schema/Cargo.toml`

#![cfg(test)]

use jsonschema::Validator;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The top of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text_of(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn validator() -> Validator {
    let schema = text_of(&root().join("scenarios/schema.json"));
    let schema: Value = serde_json::from_str(&schema).expect("the schema is JSON");
    jsonschema::validator_for(&schema).expect("the schema can be used")
}

/// The files of a folder and of those below that end in `.toml`.
fn scenarios(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(path) = open.pop() {
        // Baselines are what `aftermath check` compares with, and no scenarios.
        if path.ends_with("baselines") {
            continue;
        }
        if path.is_dir() {
            let entries = std::fs::read_dir(path).expect("our own folders can be read");
            open.extend(entries.map(|entry| entry.expect("it can be read").path()));
        } else if path.extension().is_some_and(|ending| ending == "toml") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// What is wrong with a scenario, one mistake a line.
fn mistakes(validator: &Validator, text: &str) -> Vec<String> {
    let scenario: Value = match toml::from_str(text) {
        Ok(scenario) => scenario,
        Err(error) => return vec![error.to_string()],
    };
    let told = |error: jsonschema::ValidationError| format!("{}: {error}", error.instance_path());
    validator.iter_errors(&scenario).map(told).collect()
}

#[test]
fn every_scenario_of_the_repository_is_valid() {
    let validator = validator();
    let files = scenarios("scenarios");
    assert!(files.len() >= 100, "{}", files.len());
    for path in files {
        let found = mistakes(&validator, &text_of(&path));
        assert!(found.is_empty(), "{}:\n{}", path.display(), found.join("\n"));
    }
}

/// Mistakes that only the reader can know: machines, files, other places of the same file.
const READER_ONLY: [&str; 11] = [
    "cannot-fail",
    "far-after-the-end",
    "first-has-none-before",
    "needs-a-recording",
    "no-recording",
    "only",
    "parallel",
    "swarm-too-late",
    "too-few-spares",
    "two-outcomes",
    "wrong-recording",
];

#[test]
fn wrong_scenarios_are_not_valid() {
    let validator = validator();
    let files = scenarios("tests/scenarios/mistakes");
    let name = |path: &Path| path.file_stem().expect("a name").to_string_lossy().into_owned();
    let judged: Vec<_> =
        files.iter().filter(|path| !READER_ONLY.contains(&name(path).as_str())).collect();
    assert!(judged.len() >= 25, "{}", judged.len());
    for path in judged {
        assert!(!mistakes(&validator, &text_of(path)).is_empty(), "{}", path.display());
    }
}

const MINIMAL: &str = "\
[pipeline]
name = \"window\"
[input]
rate_per_s = 1000
generated = { tuples = 1000, keys = 10 }
";

#[test]
fn one_mistake_is_enough() {
    let validator = validator();
    assert_eq!(mistakes(&validator, MINIMAL), Vec::<String>::new());
    for more in [
        "[timing]\nmisses = 0",
        "[timing]\nmisses = \"3\"",
        "[timing]\nheartbeat = \"100\"",
        "[timing]\nheartbeat = \"1.5ns\"",
        "[timing]\nhartbeat = \"100ms\"",
        "[timing.phases]\nacks = \"1ms\"",
        "[protection]\ndedup = \"of\"",
        "[network.edges]\n\"source -> window\" = { latncy = \"1ms\" }",
        "[strategy.passive-standby]\nstore_at = \"third\"",
        "[mixture]\nwindow = \"amnesa\"",
        "[pipeline.options]\nspan = \"0.0s\"",
        "[pipeline.options]\nunion = \"sorted\"",
        "[[fault]]\nat = \"1s\"",
        "[[fault]]\npause = { node = \"window\" }",
        "[[fault]]\npause = { node = \"window\" }\nat = { between = [\"1s\"] }",
        "[[fault]]\nmessage-loss = { between = [\"source\", \"window\"], probability = \"101%\" }\nat = \"1s\"",
        "[faults.swarm]\nmost = 0",
        "[expect]\nlost = \"1\"",
        "[expect]\nrecovery.r2 = 1",
        "[expect.mean]\n\"recovery.r2\" = { of = \"nothing\" }",
        "[[case]]\nset = { \"timing.intervall\" = \"1s\" }",
        "[[case]]\nset = { \"fault.0.att\" = \"1s\" }",
        "[[case]]\nmatrix = { \"timing.interval\" = \"1s\" }",
        "[[case]]\nmatrix = { \"timing.interval\" = [] }",
        "[[case]]\nmatrix = { \"timing.interval\" = [1] }",
    ] {
        let text = match more.split_once("[pipeline.options]\n") {
            Some((_, option)) => {
                MINIMAL.replace("\n[input]", &format!("\noptions.{option}\n[input]"))
            }
            None => format!("{MINIMAL}{more}\n"),
        };
        assert!(!mistakes(&validator, &text).is_empty(), "{more}");
    }
}

#[test]
fn what_a_case_sets_may_be_written_in_any_way_that_is_read() {
    let validator = validator();
    for more in [
        "[[case]]\nset = { \"timing.interval\" = \"1s\", \"network.edges.source -> window\" = \"2ms\" }",
        "[[case]]\nset.timing.interval = \"1s\"\nset.input.generated.tuples = 5",
        "[case.set.timing]\ninterval = \"1s\"",
        "[[case]]\nset = { timing = { interval = \"1s\" }, \"fault.0.pause.node\" = [\"window\"] }",
        "[[case]]\nmatrix = { \"timing.interval\" = [\"1s\", \"2s\"], \"fault.10.at.after\" = [\"0s\"] }",
        "[[case]]\nmatrix.timing.interval = [\"1s\"]",
        "[[case]]\nfault = []\nexpect = { recovery.r2 = { max = \"1s\" }, amnesia = { lost = 1 } }",
    ] {
        let text = format!("{MINIMAL}{}\n", more.replace("[case.set", "[[case]]\n[case.set"));
        assert_eq!(mistakes(&validator, &text), Vec::<String>::new(), "{more}");
    }
}
