//! What records say was run is what was run: put together to a scenario, it is read as the same.

use crate::support::{Scratch, aftermath, load, parse, root, scenarios};
use aftermath_harness::config::{InputConfig, Recording, RunConfig};
use aftermath_harness::scenario::setting;
use aftermath_reports::record::Record;
use std::path::Path;
use std::sync::Arc;

/// A scenario that says so, in that folder.
fn put_together(config: &RunConfig, folder: &Path) -> String {
    let mut text = format!("strategies = [\"{}\"]\n", config.strategy);
    let mut tables = String::new();
    for (section, keys) in setting(config, folder) {
        match &*section {
            "top" => text += &format!("{}\n", keys.join("\n")),
            "fault" => text += &format!("fault = [{{ {} }}]\n", keys.join(" }, { ")),
            section => tables += &format!("[{section}]\n{}\n", keys.join("\n")),
        }
    }
    // Strategies are in the record, beside.
    let mixed = config.mixture.iter().map(|(name, own)| format!("{name} = \"{}\"\n", own.strategy));
    format!("{text}{tables}[mixture]\n{}", mixed.collect::<String>())
}

/// Everything but what records say elsewhere.
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
        let file = recording.file.clone();
        *recording = Arc::new(Recording { file, ..Recording::default() });
    }
    format!("{config:#?}\n{rows} rows")
}

#[test]
fn what_a_record_says_was_run_is_what_was_run() {
    let mut cases = 0;
    for path in scenarios() {
        let whole = root().join(&path);
        let folder = whole.parent().expect("a file is in a folder");
        for case in &load(&path).cases {
            let text = put_together(&case.config, folder);
            let again = parse(&text, &path);
            let [read] = &again.cases[..] else { panic!("{path}: one case is expected:\n{text}") };
            let (read, config) = (said(&read.config), said(&case.config));
            let other = read.lines().zip(config.lines()).find(|(a, b)| a != b);
            assert!(read == config, "{path}, case {}: {other:?}\n{text}", case.name);
            cases += 1;
        }
    }
    assert!(cases > 200, "{cases} cases");
}

#[test]
fn a_record_has_what_was_run_and_no_path_of_a_computer() {
    let scratch = Scratch::new("setting");
    let rows =
        "time,origin,destination,distance_miles,delay_minutes\n2001-01-01T00:47,DTW,LAS,1750,66\n";
    scratch.write("rows.csv", rows);
    std::fs::create_dir(scratch.path().join("data")).expect("a folder can be made");
    let whole = scratch.at("rows.csv");
    for (typed, told) in
        [("rows.csv", "rows.csv"), ("data/../rows.csv", "data/../rows.csv"), (&*whole, "rows.csv")]
    {
        let text = format!(
            "strategies = [\"amnesia\"]\npipeline.name = \"flights\"\n\
             input = {{ recorded = \"{typed}\", rate_per_s = 1000 }}\n"
        );
        let path = scratch.write("s.toml", text);
        let ran = aftermath(&["run", &path, "--out", &scratch.at("out"), "--format", "json"]);
        let record: Record = serde_json::from_str(ran.stdout.trim()).expect("one record");
        let recorded = format!("recorded = \"{told}\"");
        assert_eq!(record.setting["input"], ["rate_per_s = 1000", &recorded, "take = 1"]);
        assert!(record.setting["timing"].contains(&"heartbeat = \"100ms\"".to_string()));
    }
}
