//! What once went wrong stays mended: every scenario of the folder runs clean.

mod support;

use aftermath_reports::record::Status;
use support::{campaign, load, root};

#[test]
fn every_scenario_that_once_broke_runs_clean() {
    let folder = std::fs::read_dir(root().join("scenarios/regressions")).expect("the folder");
    let names = folder.map(|entry| entry.expect("an entry").file_name().into_string());
    let mut names: Vec<String> = names.map(|name| name.expect("a plain name")).collect();
    names.retain(|name| name.ends_with(".toml"));
    names.sort();
    assert!(names.len() >= 23, "regressions are not deleted: {names:?}");
    for name in names {
        let outcome = campaign(&load(&format!("scenarios/regressions/{name}")));
        assert!(!outcome.records.is_empty(), "{name} runs nothing");
        for record in &outcome.records {
            assert_ne!(record.status, Status::Broken, "{}: {:?}", record.replay, record.reasons);
            assert!(record.observed.settles, "{}: it does not drain", record.replay);
        }
    }
}
