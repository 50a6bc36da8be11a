//! A search finds the borders that arithmetic says, and says when there is none or more than one.

mod support;

use aftermath_harness::Registry;
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use support::{PROGRAM, Ran, SMALL, Scratch, aftermath, command, files_of, finish};

/// What a search writes.
const FILES: [&str; 4] = ["search.csv", "search.jsonl", "search.png", "search.svg"];

/// The leading replica of `count` stands still from 125 ms on.
const PAUSE: &str = "[[fault]]\npause = { node = \"count\" }\nat = \"125ms\"\nfor = \"26ms\"\n";

/// The small scenario with all grids at 0: heartbeats at 10, 20, 30 ms and so on, three misses, one
/// tick of latency, a tuple every millisecond.
fn pinned(scratch: &Scratch, more: &str) -> String {
    let at_0 = ["heartbeat", "ack", "checkpoint", "tuple"].map(|grid| format!("{grid} = \"0ms\""));
    let phases = format!("misses = 3\nphases = {{ {} }}\n", at_0.join(", "));
    scratch.write("pinned.toml", SMALL.replace("misses = 3\n", &phases) + more)
}

fn search(path: &str, out: &str, more: &str) -> Ran {
    let more: Vec<&str> = more.split('|').collect();
    aftermath(&[&["search", path, "--out", out, "--format", "json"], &more[..]].concat())
}

/// The lines that a search printed.
fn lines(ran: &Ran) -> Vec<Value> {
    let line = |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    ran.stdout.lines().map(line).collect()
}

#[test]
fn a_pause_is_suspected_if_it_outlasts_the_heartbeat_that_would_be_in_time() {
    let scratch = Scratch::new("search-pause");
    let (path, out) = (pinned(&scratch, PAUSE), scratch.at("out"));
    let range = "--parameter|fault.0.for|--from|5ms|--to|85ms|--until|recovery.detect > 0ms";
    let ran = search(&path, &out, range).exits(0);
    // The last heartbeat is that of 120 ms; the one of 150 ms comes just in time. 125 + 25 = 150.
    assert_eq!(lines(&ran).len(), Registry::built_in().iter().count());
    for line in lines(&ran) {
        assert_eq!(line["last_before"], "25ms", "{line}");
        assert_eq!(line["first_after"], "26ms", "{line}");
        assert_eq!((&line["found_at_first"], &line["crossings"]), (&false.into(), &1.into()));
    }
    let names: Vec<String> = files_of(&out).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, FILES);
    let written = std::fs::read_to_string(format!("{out}/search.jsonl")).expect("lines");
    assert_eq!(written, ran.stdout);
    // The same search gives the same bytes, and on one thread.
    let again = scratch.at("again");
    search(&path, &again, &format!("{range}|--jobs|1")).exits(0);
    assert!(files_of(&out) == files_of(&again));
}

#[test]
fn what_an_outage_without_protection_loses_grows_tuple_by_tuple() {
    let scratch = Scratch::new("search-lost");
    let fault = "[[fault]]\nmachine-loss = { node = \"count\" }\nat = \"99ms\"\nfor = \"9ms\"\n";
    let path = pinned(&scratch, &format!("[protection]\nspares = 0\n{fault}"));
    let text = std::fs::read_to_string(&path).expect("it was written");
    scratch.write("pinned.toml", format!("strategies = [\"amnesia\"]\n{text}"));
    let border = |lost: u64| {
        let until = format!("--until|lost > {lost}");
        let range = "--parameter|fault.0.for|--from|1ms|--to|150ms|--steps|3";
        let ran = search(&path, &scratch.at("out"), &format!("{range}|{until}")).exits(0);
        let line = lines(&ran).remove(0);
        let ms = |value: &Value| {
            let text = value.as_str().unwrap_or_else(|| panic!("{line}"));
            text.trim_end_matches("ms").parse::<u64>().unwrap_or_else(|e| panic!("{e}: {line}"))
        };
        let (before, after) = (ms(&line["last_before"]), ms(&line["first_after"]));
        assert_eq!(after, before + 1);
        after
    };
    // A tuple a millisecond.
    assert_eq!(border(80) - border(60), 20);
    assert_eq!(border(110) - border(80), 30);
}

#[test]
fn a_curve_that_goes_up_and_down_is_said_to() {
    let scratch = Scratch::new("search-waves");
    let (path, out) = (pinned(&scratch, PAUSE), scratch.at("out"));
    // 26 ms are suspected if they begin 5 ms or more after a heartbeat, every 10 ms anew.
    let range = "--parameter|fault.0.at|--from|121ms|--to|149ms|--steps|28";
    let what = "--until|recovery.detect|--strategy|passive-standby";
    let ran = search(&path, &out, &format!("{range}|{what}")).exits(0);
    let line = &lines(&ran)[0];
    assert_eq!((&line["last_before"], &line["first_after"]), (&"124ms".into(), &"125ms".into()));
    assert!(line["crossings"].as_u64() > Some(3), "{line}");
    let words = format!("search|{path}|{range}|{what}|--out|{out}");
    let table = aftermath(&words.split('|').collect::<Vec<_>>()).exits(0);
    assert!(table.stdout.contains("the first crossing is at 125ms"), "{}", table.stdout);
}

#[test]
fn what_was_not_seen_to_end_is_below_no_limit() {
    let scratch = Scratch::new("search-open");
    // The stream ends at 300 ms: the later the machine is lost, the less is seen of its recovery.
    let fault = "[[fault]]\nmachine-loss = { node = \"count\" }\nat = \"100ms\"\n";
    let (path, out) = (pinned(&scratch, fault), scratch.at("out"));
    let range = "--parameter|fault.0.at|--from|100ms|--to|250ms|--strategy|upstream-backup";
    let ran = search(&path, &out, &format!("{range}|--until|recovery.r3 < 10s")).exits(0);
    let line = &lines(&ran)[0];
    assert_eq!((&line["found_at_first"], &line["crossings"]), (&true.into(), &1.into()), "{line}");
    let last = line["points"].as_array().and_then(|points| points.last()).expect("points");
    // There is a number, the bound, and it is not found.
    assert_eq!((&last["measured"], &last["found"]), (&1.into(), &0.into()), "{line}");
}

#[test]
fn no_border_inside_is_an_answer() {
    let scratch = Scratch::new("search-none");
    let (path, out) = (pinned(&scratch, PAUSE), scratch.at("out"));
    let args = ["search", &path, "--parameter", "timing.misses", "--from", "2", "--to", "5"];
    let ran = aftermath(&[&args[..], &["--seeds", "0..2", "--out", &out]].concat()).exits(0);
    assert!(ran.stdout.contains("no border inside, not found at all values"), "{}", ran.stdout);
    assert!(Path::new(&out).join("search.png").is_file());
}

#[test]
fn what_cannot_be_searched_is_said_with_what_can() {
    let scratch = Scratch::new("search-wrong");
    let (path, out) = (pinned(&scratch, PAUSE), scratch.at("out"));
    let wrong = |more: &str| search(&path, &out, more).exits(2);
    let ran = wrong("--parameter|fault.0.fro|--from|5ms|--to|85ms");
    ran.complains("did you mean `fault.0.for`?").complains("timing.interval, timing.misses");
    wrong("--parameter|fault.1.for|--from|5ms|--to|85ms").complains("fault.1.for");
    wrong("--parameter|timing.misses|--from|5ms|--to|85ms").complains("`timing.misses` cannot be");
    wrong("--parameter|fault.0.for|--from|5ms|--to|5ms").complains("the second one larger");
    wrong("--parameter|fault.0.for|--from|5ms|--to|7").complains("of one kind");
    wrong("--parameter|fault.0.for|--from|-1ms|--to|7ms").complains("`-1ms` is no number, time");
    wrong("--parameter|fault.0.for|--from|x|--to|7").complains("2.5%");
    let until = "--parameter|fault.0.for|--from|5ms|--to|85ms|--until";
    wrong(&format!("{until}|recovery.r9")).complains("recovery.r2");
    wrong(&format!("{until}|recovery.r2 > 5")).complains("not a span of time");
    let cases = "[[case]]\nname = \"a\"\n[[case]]\nname = \"b\"\n";
    let twice = pinned(&scratch, &format!("{PAUSE}{cases}"));
    let many = "--parameter|fault.0.for|--from|5ms|--to|85ms|--seeds|0..1000000";
    search(&twice, &out, many).exits(2).complains("take fewer seeds");
    pinned(&scratch, PAUSE);
    search(&path, &out, "--parameter|fault.0.for|--from|5ms|--to|85ms|--case|none").exits(4);
    assert!(!Path::new(&out).exists());
}

#[test]
fn a_setting_that_only_one_case_has_is_searched_in_that_one() {
    let scratch = Scratch::new("search-case");
    let fault = PAUSE.replace("[[fault]]", "[[case.fault]]");
    let cases = format!(
        "[[case]]\nname = \"pause\"\nmatrix = {{ \"timing.redirect\" = [\"5ms\", \"6ms\"] }}\n{fault}\
         [[case]]\nname = \"swarm\"\nfaults = {{ swarm = {{ most = 2 }} }}\n"
    );
    let (path, out) = (pinned(&scratch, &cases), scratch.at("out"));
    let range = "--parameter|fault.0.for|--from|5ms|--to|85ms|--until|recovery.detect";
    let ran = search(&path, &out, range).exits(2);
    ran.complains("fault.0.for").complains("in case \"swarm\"").complains("faults.swarm.most");
    let case = "--strategy|amnesia|--case|pause, timing.redirect=6ms";
    let found = lines(&search(&path, &out, &format!("{range}|{case}")).exits(0));
    assert_eq!((found.len(), &found[0]["first_after"]), (1, &"26ms".into()), "{found:?}");
    let most = "--parameter|faults.swarm.most|--from|1|--to|3|--case|swarm|--strategy|amnesia";
    search(&path, &out, most).exits(0);
}

#[cfg(unix)]
#[test]
fn a_search_that_is_told_to_end_writes_what_it_has_seen() {
    let scratch = Scratch::new("search-ended");
    let (path, out) = (pinned(&scratch, PAUSE), scratch.at("out"));
    let ended = |after_ms: u64| {
        let mut command = command(PROGRAM);
        command.args(["search", &path, "--out", &out, "--seeds", "0..300", "--steps", "40"]);
        command.args(["--parameter", "fault.0.for", "--from", "5ms", "--to", "85ms"]);
        let command = command.args(["--strategy", "amnesia"]).stdout(Stdio::null());
        let mut child = command.spawn().expect("the program can be started");
        let mut shell = support::command("sh");
        let after_s = after_ms as f64 / 1e3;
        shell.arg("-c").arg(format!("sleep {after_s}; kill -TERM {}", child.id()));
        finish(shell);
        let code = child.wait().expect("it ends").code();
        // Done, told to end, or ended before it listened.
        assert!(matches!(code, Some(0 | 130) | None), "{code:?}");
        let files = files_of_any(&out);
        // All of them or none, and no folder without.
        assert!(files.is_empty() != Path::new(&out).exists(), "{files:?}");
        assert!(files.is_empty() || files == FILES, "{files:?}");
        let partly = code == Some(130) && !files.is_empty();
        let _ = std::fs::remove_dir_all(&out);
        partly
    };
    // How long a value takes is nobody's business; one of these falls between first and last.
    assert!((0..9).any(|doubled| ended(50 << doubled)), "it never wrote a part");
}

/// Names of the files in a folder, if it is there.
#[cfg(unix)]
fn files_of_any(folder: &str) -> Vec<String> {
    if !Path::new(folder).exists() {
        return Vec::new();
    }
    files_of(folder).into_iter().map(|(name, _)| name).collect()
}
