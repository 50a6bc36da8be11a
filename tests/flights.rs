//! The main job: recorded flights, the machine that aggregates them lost. Who lost what, who kept
//! what; checked against answers computed here from the file alone.

mod support;

use aftermath_harness::Registry;
use aftermath_harness::config::Scenario;
use aftermath_harness::run::RunLog;
use aftermath_reports::record::{Claimed, Record, Status, ValueClass};
use aftermath_systems::operators::FlightDelays;
use aftermath_systems::protocol::{Field, Payload};
use std::collections::{BTreeMap, BTreeSet};
use support::{
    Scratch, aftermath, campaign, case, judge_logs, load, parse, root, run_one, text_of, twin_of,
};

const PATH: &str = "scenarios/flights.toml";

/// The records of two seeds.
fn records() -> Vec<Record> {
    let mut scenario = load(PATH);
    scenario.seeds = 0..2;
    campaign(&scenario).records
}

fn of<'a>(records: &'a [Record], strategy: &str) -> Vec<&'a Record> {
    let found: Vec<_> = records.iter().filter(|record| record.strategy == strategy).collect();
    assert_eq!(found.len(), 2, "{strategy} ran under both seeds");
    found
}

#[test]
fn amnesia_forgets_the_others_do_not_and_upstream_backup_pays_with_memory() {
    let records = records();
    for record in &records {
        assert_eq!(record.status, Status::Held, "{}: {:?}", record.strategy, record.reasons);
        // Among what would be there is a twin that differs from the answer computed from the input.
        assert_eq!(record.witnesses, [], "{}", record.strategy);
        let counts = record.counts;
        assert_eq!(counts.unexpected, 0, "{}", record.strategy);
        assert!(record.faults[0].recovery.is_some(), "{}", record.strategy);
    }

    for record in of(&records, "amnesia") {
        let (seen, counts) = (record.observed, record.counts);
        assert!(seen.gap && counts.lost > 100, "{counts:?}");
        assert!(!seen.duplicates && counts.duplicates == 0, "{counts:?}");
        assert_eq!(seen.value, ValueClass::Diverges);
        assert!(!seen.state_same && seen.settles);
        assert_eq!(seen.memory_bounded, Some(true));
    }
    for entry in Registry::built_in().iter().filter(|entry| entry.name != "amnesia") {
        let strategy = entry.name;
        for record in of(&records, strategy) {
            let (seen, counts) = (record.observed, record.counts);
            let trouble = [counts.lost, counts.duplicates, counts.wrong];
            assert_eq!(trouble, [0, 0, 0], "{strategy}");
            assert!(!seen.gap && !seen.duplicates && seen.state_same && seen.settles);
            assert_eq!(seen.value, ValueClass::Same);
            let bounded = strategy != "upstream-backup";
            assert_eq!(seen.memory_bounded, Some(bounded), "{strategy}");
            let Claimed::Guarantee(claimed) = &record.claimed else {
                panic!("{strategy} covers a single loss");
            };
            assert_eq!(*claimed, seen, "{strategy} claims what it does");
        }
    }
}

/// A row of the file, read by nobody else's code.
struct Row {
    day: i64,
    origin: String,
    delay: i64,
    plausible: bool,
}

/// Reads rows: all of the year 2001.
fn rows(text: &str) -> Vec<Row> {
    let before = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |text: &str| text.parse::<i64>().expect("a number");
        let (month, day) = (number(&fields[0][5..7]), number(&fields[0][8..10]));
        assert!(fields.len() == 5 && fields[0].starts_with("2001-"), "{line}");
        let (distance, delay) = (number(fields[3]), number(fields[4]));
        Row {
            // There are 11,323 days from 1970 to 2001, eight of them leap days.
            day: 31 * 365 + 8 + before[month as usize - 1] + day - 1,
            origin: fields[1].to_string(),
            delay,
            plausible: distance > 0 && (-120..=24 * 60).contains(&delay),
        }
    };
    text.lines().skip(1).map(row).collect()
}

/// Weekly windows: (week, origin) → (count, sum, largest) of delays. A row of a later week than the
/// open one still belongs to the open one, closes it, and opens its own week.
fn windows(rows: &[Row]) -> BTreeMap<(i64, String), (i64, i64, i64)> {
    let mut windows: BTreeMap<(i64, String), (i64, i64, i64)> = BTreeMap::new();
    let mut open = None;
    for row in rows.iter().filter(|row| row.plausible) {
        let week = open.unwrap_or(row.day / 7);
        let (count, sum, max) =
            windows.entry((week, row.origin.clone())).or_insert((0, 0, row.delay));
        (*count, *sum, *max) = (*count + 1, *sum + row.delay, row.delay.max(*max));
        open = Some(week.max(row.day / 7));
    }
    windows
}

/// The windows that a run put out.
fn windows_of(log: &RunLog) -> BTreeMap<(i64, String), (i64, i64, i64)> {
    let symbols = &log.plan.systems.workload.symbols;
    let closed = log.deliveries.iter().filter(|d| d.semantic.kind == FlightDelays::CLOSED_WEEK);
    let mut windows = BTreeMap::new();
    for delivery in closed {
        let Payload::Record(fields) = &delivery.payload else { panic!("{delivery:?}") };
        let [Field::Integer(count), Field::Integer(sum), Field::Integer(max)] = fields[..] else {
            panic!("{delivery:?}")
        };
        let origin = symbols[delivery.semantic.key as usize].clone();
        let key = (delivery.semantic.index as i64, origin);
        assert_eq!(windows.insert(key, (count, sum, max)), None, "a window came twice");
    }
    windows
}

/// The rows that a run answered with a running total.
fn rows_of(log: &RunLog) -> BTreeSet<u64> {
    let totals = log.deliveries.iter().filter(|d| d.semantic.kind == FlightDelays::RUNNING_TOTAL);
    totals.map(|delivery| delivery.semantic.index).collect()
}

#[test]
fn the_twin_agrees_with_the_file() {
    let scenario = load(PATH);
    let rows = rows(&text_of("scenarios/data/flights.csv"));
    assert_eq!(rows.len(), 20_000);
    let expected = windows(&rows);
    for entry in Registry::built_in().iter() {
        let strategy = entry.name;
        let config = &case(&scenario, "base", strategy).config;
        let twin = twin_of(config, 1, false);
        assert_eq!(twin.deliveries.len(), rows.len() + expected.len(), "{strategy}");
        assert_eq!(rows_of(&twin).len(), rows.len(), "{strategy}");
        assert_eq!(windows_of(&twin), expected, "{strategy}");
    }
}

#[test]
fn a_twin_that_differs_from_the_direct_answer_is_reported() {
    let scenario = load(PATH);
    let case = case(&scenario, "base", "passive-standby");
    let run = run_one(&case.config, 0, false);
    let mut twin = twin_of(&case.config, 0, false);
    let last = twin.deliveries.last_mut().expect("there are outputs");
    last.payload = Payload::Record([1, 2, 3].map(Field::Integer).into());
    let record = judge_logs(&scenario, case, 0, &run, &twin);
    assert_eq!(record.status, Status::Broken);
    let checkers: Vec<_> = record.witnesses.iter().map(|w| w.checker.as_str()).collect();
    assert!(checkers.contains(&"reference"), "{checkers:?}");
}

/// The scenario over another file; an absolute path, so it may lie anywhere.
fn over(file: &str) -> String {
    text_of(PATH).replace("data/flights.csv", file)
}

/// The scenario over the five made-up rows, without its fault: they last two milliseconds.
fn tripwire() -> Scenario {
    let text = over("data/tripwire.csv");
    let fault = text.find("[[fault]]").expect("the scenario has a fault");
    parse(&text[..fault], PATH)
}

#[test]
fn the_domain_rule_drops_exactly_the_two_bad_rows_of_the_tripwire() {
    let scenario = tripwire();
    let rows = rows(&text_of("scenarios/data/tripwire.csv"));
    let bad: Vec<_> = (0..5).filter(|row| !rows[*row as usize].plausible).collect();
    assert_eq!(bad, [1, 3], "the file trips it twice");
    for case in &scenario.cases {
        let log = run_one(&case.config, 0, false);
        assert_eq!(rows_of(&log), BTreeSet::from([0, 2, 4]), "{}", case.config.strategy);
        assert_eq!(windows_of(&log), windows(&rows), "{}", case.config.strategy);
        let record = judge_logs(&scenario, case, 0, &log, &twin_of(&case.config, 0, false));
        assert_eq!(record.status, Status::Held, "{:?}", record.reasons);
    }
}

/// Runs the scenario over the first lines of the real file and one more line.
fn with_line(name: &str, line: &str) -> (support::Ran, String) {
    let scratch = Scratch::new(name);
    let head: Vec<_> =
        text_of("scenarios/data/flights.csv").lines().take(4).map(String::from).collect();
    let data = scratch.write("bad.csv", format!("{}\n{line}\n", head.join("\n")));
    let scenario = scratch.write("bad.toml", over(&data));
    (aftermath(&["run", &scenario, "--out", &scratch.at("out")]), data)
}

#[test]
fn a_malformed_row_is_a_load_error_with_file_line_and_column() {
    // Line 5, since the header is line 1.
    for (name, line, column, complaint) in [
        ("too-few", "2001-01-01T01:39,LAS,PHX,256", 29, "5 columns expected, found 4"),
        ("too-many", "2001-01-01T01:39,LAS,PHX,256,4,7", 32, "5 columns expected, found 6"),
        ("text", "2001-01-01T01:39,LAS,PHX,far,4", 26, "`far` is not a whole number"),
        ("fraction", "2001-01-01T01:39,LAS,PHX,256,4.5", 30, "`4.5` is not a whole number"),
        ("time", "2001-02-29T01:39,LAS,PHX,256,4", 1, "2001-02-29T01:39"),
    ] {
        let (ran, data) = with_line(name, line);
        let ran = ran.exits(2);
        ran.complains(&format!("{data}:5:{column}\n")).complains(complaint);
        assert_eq!(ran.stdout, "", "{name}");
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    }
    let (ran, _) = with_line("well-formed", "2001-01-01T01:39,LAS,PHX,256,4");
    // Four rows are over long before the fault.
    assert_ne!(ran.code, Some(2), "{}", ran.stderr);
}

#[test]
fn the_file_is_what_its_note_says() {
    let note = text_of("scenarios/data/README.md");
    let rows = rows(&text_of("scenarios/data/flights.csv"));
    let origins: BTreeSet<_> = rows.iter().map(|row| &row.origin).collect();
    assert!(note.contains(&format!("{} origins", origins.len())), "{} origins", origins.len());
    assert!(rows.iter().all(|row| row.plausible), "every row is plausible");
    assert!(rows.is_sorted_by_key(|row| row.day), "the rows are in order of time");
    assert!(root().join("scenarios/data/tripwire.csv").is_file());
}

#[test]
fn a_stream_from_before_1970_is_answered_like_any_other() {
    let scratch = Scratch::new("flights-before-1970");
    let header = "time,origin,destination,distance_miles,delay_minutes\n";
    let rows = "1969-12-20T10:00,A,B,100,5\n1969-12-21T10:00,A,B,100,6\n\
                1970-01-20T10:00,A,B,100,7\n1970-01-20T11:00,A,B,100,8\n";
    scratch.write("rows.csv", format!("{header}{rows}"));
    let text = "strategies = [\"amnesia\"]\n[pipeline]\nname = \"flights\"\n[input]\n\
                recorded = \"rows.csv\"\nrate_per_s = 100\n";
    let path = scratch.write("early.toml", text);
    aftermath(&["run", &path, "--out", &scratch.at("out")]).exits(0);
}
