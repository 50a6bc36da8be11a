//! No input may make the reader panic.

use super::valid::FULL;
use super::*;

const RECORDED: &str =
    "[pipeline]\nname = \"flights\"\n[input]\nrate_per_s = 1\nrecorded = \"y.csv\"\n";

#[test]
fn a_scenario_cut_anywhere_is_an_answer() {
    for end in (0..FULL.len()).filter(|end| FULL.is_char_boundary(*end)) {
        let _ = read(&FULL[..end]);
    }
}

#[test]
fn a_scenario_changed_anywhere_is_an_answer() {
    let bytes = FULL.as_bytes();
    for at in 0..bytes.len() {
        for new in [b'"', b'{', b'9', b'.', b'\n', b'z'] {
            let mut changed = bytes.to_vec();
            changed[at] = new;
            let _ = read(&String::from_utf8_lossy(&changed));
        }
        let without = [&bytes[..at], &bytes[at + 1..]].concat();
        let _ = read(&String::from_utf8_lossy(&without));
    }
}

#[test]
fn every_value_of_another_type_is_an_answer() {
    let lines: Vec<&str> = FULL.lines().collect();
    for (number, line) in lines.iter().enumerate() {
        let Some((key, _)) = line.split_once(" = ") else { continue };
        for value in
            ["-1", "\"\"", "\"é\"", "[]", "[[]]", "{}", "1.5", "true", "1979-05-27", "9e99"]
        {
            let mut changed = lines.clone();
            let line = format!("{key} = {value}");
            changed[number] = &line;
            let _ = read(&changed.join("\n"));
        }
    }
}

#[test]
fn a_recording_changed_anywhere_is_an_answer() {
    let here = directory("robust");
    let data = "time,origin,destination,distance_miles,delay_minutes\n\
                2001-01-01T00:47,DTW,\"L,S\",1750,66\r\n2001-01-01T01:10,HNL,SFO,2399,95";
    for at in 0..data.len() {
        for new in [&b""[..], b"\"", b",", b"\n", b"\r", b"\0", b"\xc3", "é".as_bytes()] {
            let changed = [&data.as_bytes()[..at], new, &data.as_bytes()[at + 1..]].concat();
            std::fs::write(here.join("y.csv"), changed).unwrap();
            let _ = read_in(&here, RECORDED);
        }
        std::fs::write(here.join("y.csv"), &data[..at]).unwrap();
        let _ = read_in(&here, RECORDED);
    }
    // What is no number may be long, and is not shown whole.
    std::fs::write(here.join("y.csv"), data.replace("1750", &"9".repeat(1_000_000))).unwrap();
    let text = read_in(&here, RECORDED).expect_err("no number");
    assert!(text.len() < 10_000, "{} bytes", text.len());
}

#[test]
fn extremes_are_answers() {
    let deep = format!("a = {}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let many: String = (0..5_000).map(|i| format!("k{i} = 1\n")).collect();
    let keys: String = (0..5_000).map(|i| format!("k{i} = \"1s\"\n")).collect();
    let cases: String = (0..5_000).map(|i| format!("[[case]]\nname = \"{i}\"\n")).collect();
    for text in [
        deep.as_str(),
        "\u{feff}",
        "\0",
        "a\r",
        &"é".repeat(100_000),
        &many,
        &format!("{MINIMAL}[pipeline.service]\n{keys}"),
        &format!("{MINIMAL}[[case]]\n[case.set]\n{keys}"),
        &format!("{MINIMAL}{cases}"),
        &format!("{}{MINIMAL}", "\n".repeat(100_000)),
        &format!("name = \"{}\"\n{MINIMAL}", "n".repeat(1_000_000)),
    ] {
        let _ = read(text).map_err(|text| assert!(text.len() < 100_000));
    }
    good(read(&format!("\u{feff}{MINIMAL}")));
    good(read(&MINIMAL.replace('\n', "\r\n")));
}

#[test]
fn what_a_file_holds_cannot_steer_a_terminal() {
    let text = wrong(minimal("\"\\u001b[31m\" = 1\n[timing]\ninterval = \"\\u001b[2J\"\n"), &[]);
    assert!(!text.contains('\u{1b}'), "{text}");
}
