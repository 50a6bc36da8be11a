use super::*;
use crate::config::{InputConfig, Recording};
use aftermath_systems::protocol::{Field, Symbol};
use std::sync::Arc;

const FLIGHTS: &str = "[pipeline]\nname = \"flights\"\n[input]\nrate_per_s = 100\n";
const HEADER: &str = "time,origin,destination,distance_miles,delay_minutes\n";

/// A scenario over a file of its own with this text.
fn over(name: &str, data: impl AsRef<[u8]>, more: &str) -> Result<Scenario, String> {
    let directory = directory(name);
    std::fs::write(directory.join("x.csv"), data).unwrap();
    read_in(&directory, &format!("{FLIGHTS}recorded = \"x.csv\"\n{more}"))
}

fn rows(scenario: &Scenario, case: usize) -> Arc<Recording> {
    match &scenario.cases[case].config.input {
        InputConfig::Recorded(recording) => recording.clone(),
        _ => panic!("a recorded stream is expected"),
    }
}

#[test]
fn rows_are_typed_and_texts_numbered_in_order() {
    let data = "\u{feff}time,origin,destination,distance_miles,delay_minutes\r\n\
                2001-01-01T00:47,DTW,LAS,1750,-66\r\n\r\n1970-01-01T00:01,\"LAS\",\"a,b\",0,+3";
    let scenario = good(over("typed", data, ""));
    let recording = rows(&scenario, 0);
    assert_eq!(recording.symbols, ["DTW", "LAS", "a,b"]);
    let row = |minute, a, b, miles, delay| {
        vec![
            Field::Integer(minute),
            Field::Text(Symbol(a)),
            Field::Text(Symbol(b)),
            Field::Integer(miles),
            Field::Integer(delay),
        ]
    };
    assert_eq!(recording.rows, [row(16_305_167, 0, 1, 1750, -66), row(1, 1, 2, 0, 3)]);
    // One reading for all cases.
    assert!(Arc::ptr_eq(&recording, &rows(&scenario, 1)));
}

#[test]
fn minutes_follow_the_civil_calendar() {
    let minute = |text: &str| {
        let data = format!("{HEADER}{text},A,B,1,1\n");
        over("minutes", data, "").map(|scenario| rows(&scenario, 0).rows[0][0])
    };
    for (text, days, minutes) in [
        ("1970-01-01T00:00", 0, 0),
        ("1969-12-31T23:59", -1, 1_439),
        ("2000-02-29T12:30", 11_016, 750),
        ("2001-03-31T22:27", 11_412, 1_347),
        ("1900-03-01T00:00", -25_508, 0),
        ("0000-01-01T00:00", -719_528, 0),
        ("9999-12-31T00:00", 2_932_896, 0),
    ] {
        assert_eq!(minute(text), Ok(Field::Integer(days * 1_440 + minutes)), "{text}");
    }
    for text in [
        "2001-02-29T00:00",
        "1900-02-29T00:00",
        "2001-13-01T00:00",
        "2001-00-01T00:00",
        "2001-04-31T00:00",
        "2001-01-01T24:00",
        "2001-01-01T00:60",
        "2001-01-01 00:00",
        "2001-01-01T00:00Z",
        "2001-1-01T00:00",
        "+001-01-01T00:00",
        "2001-01-0éT00:0",
        "",
    ] {
        assert!(minute(text).is_err(), "{text}");
    }
}

#[test]
fn mistakes_in_rows_have_their_places() {
    let data = format!(
        "{HEADER}2001-01-01T00:47,DTW,LAS,1750,66\n\
         2001-01-01T00:48,\"é,\",LAS,17x,66\n2001-01-01,DTW,LAS,1,late\n\na,b\n1,2,3,4,5,6\n"
    );
    let text = wrong(
        over("rows", data, ""),
        &[
            "column `distance_miles`: `17x` is not a whole number",
            "x.csv:3:27\n  |\n3 | 2001-01-01T00:48,\"é,\",LAS,17x,66\n  |                           ^^^\n",
            "`2001-01-01` is not an instant written YYYY-MM-DDTHH:MM",
            "x.csv:4:1\n",
            "x.csv:4:22\n",
            "5 columns expected, found 2",
            "x.csv:6:4\n",
            "5 columns expected, found 6",
            "x.csv:7:11\n",
            "the recorded stream `x.csv` has mistakes",
            "test.toml:5:12\n",
        ],
    );
    assert_eq!(count(&text), 6, "{text}");
}

#[test]
fn ten_mistakes_of_a_file_are_enough() {
    let text = wrong(over("ten", format!("{HEADER}{}", "x,y,z,1,2\n".repeat(50)), ""), &[]);
    assert_eq!(count(&text), 11);
}

#[test]
fn the_header_must_match() {
    for (data, expected) in [
        ("", "the recorded stream is empty"),
        ("", "the header must be time,origin,destination,distance_miles,delay_minutes"),
        (HEADER, "has a header but no rows"),
        ("time,from,destination\n", "column 2 must be `origin`, not `from`"),
        ("time,from,destination\n", "x.csv:1:6"),
        ("time,origin\n", "column `destination` is missing"),
        (&HEADER.replace('\n', ",more\n"), "unknown column `more`"),
    ] {
        wrong(over("header", data, ""), &[expected]);
    }
}

#[test]
fn files_that_cannot_be_read_are_mistakes_of_the_scenario() {
    let text = wrong(over("bytes", b"time\n\xff\n", ""), &["not UTF-8", "x.csv:2:1"]);
    assert_eq!(count(&text), 2, "{text}");
    let here = directory("none");
    let missing = format!("{FLIGHTS}recorded = \"nope.csv\"\n");
    wrong(
        read_in(&here, &missing),
        &[
            "cannot read `nope.csv`: there is no such file",
            "test.toml:5:12",
            "a path is relative to the scenario's directory",
        ],
    );
    let itself = format!("{FLIGHTS}recorded = \".\"\n");
    wrong(read_in(&here, &itself), &["cannot read `.`: it is a directory"]);
    let generated = format!("{FLIGHTS}generated = {{ tuples = 1, keys = 1 }}\n");
    wrong(read(&generated), &["pipeline `flights` reads a recorded stream", "test.toml:5:1"]);
    wrong(read(FLIGHTS), &["write recorded = \"FILE.csv\""]);
}

#[test]
fn only_the_first_rows_are_taken_if_wanted() {
    let data = format!("{HEADER}{}wrong\n", "2001-01-01T00:47,DTW,LAS,1750,66\n".repeat(3));
    assert_eq!(rows(&good(over("take", &data, "take = 2\n")), 0).rows.len(), 2);
    let data = data.replace("wrong\n", "");
    wrong(over("take", data, "take = 4\n"), &["has only 3 rows", "test.toml:6:8"]);
}
