//! What records say was run is what was run: put together to a scenario, it is read as the same.

use crate::support::{load, parse, root, scenarios};
use aftermath_harness::config::{InputConfig, Recording, RunConfig};
use aftermath_harness::scenario::setting;
use std::sync::Arc;

/// A scenario that says so; recorded streams are named from the folder of the data.
fn put_together(config: &RunConfig) -> String {
    let mut text = format!("strategies = [\"{}\"]\n", config.strategy);
    let mut tables = String::new();
    for (section, keys) in setting(config) {
        match (&*section, &config.swarm) {
            ("end", _) => text += &format!("{}\n", keys.join("\n")),
            ("fault", None) => text += &format!("fault = [{{ {} }}]\n", keys.join(" }, { ")),
            ("fault", Some(_)) => tables += &format!("[faults]\n{}\n", keys.join("\n")),
            (section, _) => tables += &format!("[{section}]\n{}\n", keys.join("\n")),
        }
    }
    // Strategies are in the record, beside.
    let mixed = config.mixture.iter().map(|(name, own)| format!("{name} = \"{}\"\n", own.strategy));
    format!("{text}{tables}[mixture]\n{}", mixed.collect::<String>())
}

/// Everything but what records say elsewhere, and in which folder a recorded stream is.
fn said(config: &RunConfig) -> String {
    let mut config = config.clone();
    (config.strategy_options, config.plant) = Default::default();
    config.given_options.clear();
    for mixed in config.mixture.values_mut() {
        mixed.options = Default::default();
        mixed.given.clear();
    }
    // Thousands of rows take seconds to write; they are the same if their file is.
    let mut rows = 0;
    if let InputConfig::Recorded(recording) = &mut config.input {
        rows = recording.rows.len();
        let file = recording.file.file_name().expect("a file").into();
        *recording = Arc::new(Recording { file, ..Recording::default() });
    }
    format!("{config:#?}\n{rows} rows")
}

#[test]
fn what_a_record_says_was_run_is_what_was_run() {
    assert!(root().join("scenarios/data/flights.csv").exists());
    let mut cases = 0;
    for path in scenarios() {
        for case in &load(&path).cases {
            let text = put_together(&case.config);
            let again = parse(&text, "scenarios/data/again.toml");
            let [read] = &again.cases[..] else { panic!("{path}: one case is expected:\n{text}") };
            let (read, config) = (said(&read.config), said(&case.config));
            let other = read.lines().zip(config.lines()).find(|(a, b)| a != b);
            assert!(read == config, "{path}, case {}: {other:?}\n{text}", case.name);
            cases += 1;
        }
    }
    assert!(cases > 200, "{cases} cases");
}
