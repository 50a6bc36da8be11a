//! Tests of the scenario reader. The texts that people see are compared as a whole.

use super::parse;
use crate::config::{FaultConfig, FaultPlace, Scenario, Target};
use aftermath_systems::strategies::Registry;
use std::path::{Path, PathBuf};

mod cases;
mod faults;
mod kept;
mod keys;
mod mistakes;
mod points;
mod recordings;
mod robust;
mod swarm;
mod valid;

const FORMULAS: &[&str] = &["passive.r2", "passive.duplicates"];

/// The least that a scenario says.
const MINIMAL: &str = "\
[pipeline]
name = \"keyed-count\"

[input]
rate_per_s = 1000
generated = { tuples = 1000, keys = 10 }
";

fn read_in(directory: &Path, text: &str) -> Result<Scenario, String> {
    let registry = Registry::built_in();
    parse(text, "test.toml", directory, &registry, FORMULAS).map_err(|wrong| wrong.to_string())
}

fn read(text: &str) -> Result<Scenario, String> {
    read_in(Path::new("."), text)
}

/// The minimal scenario with more after it.
fn minimal(more: &str) -> Result<Scenario, String> {
    read(&format!("{MINIMAL}{more}"))
}

#[track_caller]
fn good(result: Result<Scenario, String>) -> Scenario {
    result.unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// Whether the mistakes hold each of these texts, and are as many.
#[track_caller]
fn wrong(result: Result<Scenario, String>, expected: &[&str]) -> String {
    let text = result.map(|_| ()).expect_err("a mistake is expected");
    for part in expected {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    text
}

/// The machine that a fault befalls.
#[track_caller]
fn target(fault: &FaultConfig) -> &Target {
    let FaultPlace::Node(target) = &fault.place else { panic!("{fault:?}") };
    target
}

/// The number of mistakes in rendered text.
fn count(text: &str) -> usize {
    text.lines().filter(|line| line.starts_with("error: ")).count()
}

/// A directory of its own for a test's files.
fn directory(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("aftermath-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&path).expect("a temporary directory can be made");
    path
}
