//! The command line as scripts and people meet it: exit codes, messages, what goes where.

mod replay;
#[path = "../support/mod.rs"]
mod support;

use aftermath_harness::{Registry, faults, formulas};
use aftermath_reports::record::{Record, Status};
use aftermath_systems::{pipelines, planted_bugs};
use std::path::Path;
use support::{PROGRAM, Ran, SMALL, Scratch, aftermath, command, finish};

/// A fault of the leading replica of `count`, early enough to be recovered from.
const LOSS: &str = "[[fault]]\nmachine-loss = { node = \"count\" }\nat = \"120ms\"\n";

/// A scenario file of that text.
fn file(scratch: &Scratch, name: &str, text: &str) -> String {
    scratch.write(&format!("{name}.toml"), text)
}

/// Runs `aftermath run` over a scenario of that text.
fn run_text(name: &str, text: &str, more: &[&str]) -> Ran {
    let scratch = Scratch::new(name);
    let path = file(&scratch, name, text);
    let out = scratch.at("out");
    aftermath(&[&["run", &path, "--out", &out], more].concat())
}

/// Nothing that is wrong with the input may look like a bug of ours.
#[track_caller]
fn usage(ran: Ran) -> Ran {
    let ran = ran.exits(2);
    assert_eq!(ran.stdout, "", "results go to stdout, mistakes to stderr");
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    ran
}

#[test]
fn exit_0_when_every_promise_holds() {
    let ran = run_text("held", &format!("{SMALL}{LOSS}"), &[]).exits(0);
    for entry in Registry::built_in().iter() {
        assert!(ran.stdout.contains(entry.name), "{}", ran.stdout);
    }
    assert!(ran.stdout.contains("held"), "{}", ran.stdout);
}

#[test]
fn exit_1_when_one_is_broken() {
    let scratch = Scratch::new("broken");
    let out = scratch.at("out");
    let planted = "scenarios/planted/delta-skipped.toml";
    let ran = aftermath(&["run", planted, "--seeds", "0..1", "--out", &out]).exits(1);
    assert!(ran.stdout.contains("broken"), "{}", ran.stdout);
    assert!(ran.stdout.contains("aftermath replay"), "how to see it again:\n{}", ran.stdout);
    aftermath(&["replay", planted]).exits(1);
}

#[test]
fn exit_1_when_an_expectation_is_broken_that_no_strategy_promised() {
    let expect = "[expect]\n\"recovery.r2\" = { max = \"1ms\" }\n";
    let ran = run_text("slow", &format!("{SMALL}{LOSS}{expect}"), &[]).exits(1);
    assert!(ran.stdout.contains("recovery.r2"), "{}", ran.stdout);
}

#[test]
fn exit_2_for_a_flag_that_is_not_known() {
    usage(aftermath(&["run", "scenarios/flights.toml", "--sedes", "0..1"])).complains("--seeds");
    usage(aftermath(&["run"])).complains("SCENARIO");
    usage(aftermath(&["rnu", "scenarios/flights.toml"])).complains("rnu");
    usage(aftermath::<&str>(&[])).complains("Usage");
    for wrong in ["1..x", "5..1", "a", "..", "0..99999999999999999999"] {
        usage(aftermath(&["run", "scenarios/flights.toml", "--seeds", wrong])).complains(wrong);
    }
    usage(aftermath(&["run", "scenarios/flights.toml", "--jobs", "0"])).complains("--jobs");
}

#[test]
fn exit_2_for_a_scenario_with_a_mistake_which_is_shown_with_a_caret_and_a_suggestion() {
    let text = SMALL.replace("misses", "mises");
    let ran = usage(run_text("misspelt", &text, &[]));
    let line = text.lines().position(|line| line.starts_with("mises")).expect("it is there") + 1;
    ran.complains(&format!("misspelt.toml:{line}:1\n"));
    ran.complains("mises = 3\n").complains("| ^^^^^\n").complains("did you mean `misses`?");
}

#[test]
fn exit_2_shows_all_mistakes_of_all_files_at_once() {
    let scratch = Scratch::new("many");
    let wrong = SMALL.replace("misses", "mises").replace("\"5ms\"", "\"5 parsecs\"");
    let wrong = file(&scratch, "first", &wrong.replace("keyed-count", "keyed-cuont"));
    let other = file(&scratch, "second", &SMALL.replace("rate_per_s = 1000", "rate_per_s = 0"));
    let ran = usage(aftermath(&["run", &wrong, &other, "--out", &scratch.at("out")]));
    for mistake in ["`misses`", "5 parsecs", "`keyed-count`", "second.toml", "rate_per_s"] {
        ran.complains(mistake);
    }
    assert!(ran.stderr.matches("error:").count() >= 5, "{}", ran.stderr);
}

#[test]
fn exit_2_for_a_file_that_is_missing() {
    usage(aftermath(&["run", "scenarios/nowhere.toml"])).complains("scenarios/nowhere.toml");
    usage(aftermath(&["replay", "scenarios/nowhere.toml"])).complains("scenarios/nowhere.toml");
    usage(aftermath(&["run", "scenarios"])).complains("directory");
    let text = "[pipeline]\nname = \"flights\"\n[input]\nrate_per_s = 1\nrecorded = \"no.csv\"\n";
    usage(run_text("no-data", text, &[])).complains("no.csv").complains("no-data.toml:5:");
}

#[test]
fn exit_2_for_a_strategy_that_is_not_known() {
    let ran = usage(run_text("strategy", SMALL, &["--strategy", "pasive-standby"]));
    ran.complains("pasive-standby").complains("passive-standby").complains("upstream-backup");
    let text = format!("strategies = [\"pasive-standby\"]\n{SMALL}");
    usage(run_text("named", &text, &[])).complains("did you mean `passive-standby`?");
}

#[test]
fn exit_2_for_two_scenarios_of_one_name() {
    let scratch = Scratch::new("one-name");
    let first = file(&scratch, "first", &format!("name = \"same\"\n{SMALL}"));
    let second = file(&scratch, "second", &format!("name = \"same\"\n{SMALL}"));
    let ran = usage(aftermath(&["run", &first, &second, "--out", &scratch.at("out")]));
    ran.complains(&first).complains(&second).complains("`same`");
}

#[test]
fn exit_2_for_a_scenario_that_is_not_text() {
    let scratch = Scratch::new("bytes");
    let path = scratch.write("bytes.toml", b"name = \"a\"\nabout = \"\xff\xfe\"\n");
    let ran = usage(aftermath(&["run", &path, "--out", &scratch.at("out")]));
    ran.complains("bytes.toml:2:10").complains("UTF-8");
}

#[test]
fn exit_2_when_the_output_directory_is_a_file() {
    let scratch = Scratch::new("out-file");
    let scenario = file(&scratch, "small", SMALL);
    let taken = scratch.write("taken", "mine");
    let ran = usage(aftermath(&["run", &scenario, "--out", &taken]));
    ran.complains(&taken);
    assert_eq!(std::fs::read_to_string(&taken).expect("it is still there"), "mine");
}

#[test]
fn exit_3_when_the_faults_met_nothing() {
    // The spare of upstream backup has nothing to lose.
    let idle = LOSS.replace("\"count\"", "\"count/0/1\"");
    let text = format!("strategies = [\"upstream-backup\"]\n{SMALL}{idle}for = \"20ms\"\n");
    let ran = run_text("idle", &text, &[]).exits(3);
    assert!(ran.stdout.contains("inconclusive"), "{}", ran.stdout);
    // Unless that is what the case is about.
    run_text("expected", &format!("{text}[expect]\nstatus = \"inconclusive\"\n"), &[]).exits(0);
}

#[test]
fn a_fault_after_the_stream_met_nothing_and_the_report_says_why() {
    let late = LOSS.replace("120ms", "5s");
    let text =
        format!("strategies = [\"active-standby\", \"amnesia\"]\n{SMALL}{late}for = \"20ms\"\n");
    let ran = run_text("late", &text, &[]).exits(3);
    // Lines are broken wherever they are full.
    let told: String = ran.stdout.split_whitespace().collect();
    let why = "inconclusive in 1 of 1 run: no fault met anything: the stream was over at 0.302 s, and \
               machine-loss struck at 5.000 s";
    assert_eq!(told.matches(&why.replace(' ', "")).count(), 2, "{}", ran.stdout);
    let ran = run_text("late-json", &text, &["--format", "json"]).exits(3);
    for line in ran.stdout.lines() {
        let record: Record = serde_json::from_str(line).expect("a record");
        assert!(record.faults[0].met.is_empty() && record.faults[0].recovery.is_none(), "{line}");
    }
}

#[test]
fn what_cases_do_not_share_is_not_said_of_all() {
    let cases =
        "[[case]]\nname = \"a\"\n[[case]]\nname = \"b\"\nset = { \"input.rate_per_s\" = 500 }\n";
    let ran = run_text("cases", &format!("strategies = [\"amnesia\"]\n{SMALL}{LOSS}{cases}"), &[]);
    let (head, _) = ran.stdout.split_once("\ncases").expect("the table follows");
    assert!(head.contains("machine-loss = { node = \"count\" }, at = \"120ms\""), "{head}");
    assert!(head.contains("  timing     heartbeat = ") && !head.contains("rate_per_s"), "{head}");
}

#[test]
fn exit_4_when_nothing_ran() {
    let text = format!("strategies = [\"amnesia\"]\n{SMALL}");
    for more in [["--seeds", "5..5"], ["--strategy", "passive-standby"]] {
        let ran = run_text("nothing", &text, &more).exits(4);
        ran.complains("nothing ran");
        assert!(!ran.stdout.contains("held"), "{}", ran.stdout);
    }
}

#[test]
fn list_names_everything_that_a_scenario_can_name() {
    let ran = aftermath(&["list"]).exits(0);
    let registry = Registry::built_in();
    let strategies = registry.iter().flat_map(|e| {
        let options = e.options.iter().map(|option| option.name);
        std::iter::once(e.name).chain(options)
    });
    let pipelines = pipelines::ALL.iter().flat_map(|p| {
        let options = p.options.iter().map(|option| option.name);
        std::iter::once(p.name).chain(options)
    });
    let names = strategies
        .chain(pipelines)
        .chain(faults::ALL.iter().map(|fault| fault.name))
        .chain(formulas::names())
        .chain(aftermath_harness::config::Quantity::ALL.iter().map(|(name, _)| *name))
        .chain(planted_bugs::ALL.iter().map(|bug| bug.name))
        .chain(["timing.heartbeat", "fault.N.at", "case.N.matrix", "expect.mean"]);
    for name in names {
        let listed = |line: &str| line.split_whitespace().next() == Some(name);
        assert!(ran.stdout.lines().any(listed), "{name} is not listed:\n{}", ran.stdout);
    }
    assert_eq!(ran.stderr, "");
}

#[test]
fn list_of_one_kind_lists_nothing_else() {
    let ran = aftermath(&["list", "planted-bugs"]).exits(0);
    assert!(ran.stdout.contains("never-trims") && !ran.stdout.contains("upstream.r2"));
    let ran = aftermath(&["list", "formulas"]).exits(0);
    assert!(!ran.stdout.contains("never-trims") && ran.stdout.contains("upstream.r2"));
    assert!(ran.stdout.contains("  λ, σ      ") && ran.stdout.contains("heartbeat period"));
    usage(aftermath(&["list", "nonsense"])).complains("formulas");
}

#[test]
fn json_is_one_object_a_line_one_line_a_run() {
    let scratch = Scratch::new("json");
    let path = file(&scratch, "small", &format!("{SMALL}{LOSS}"));
    let out = scratch.at("out");
    let ran = aftermath(&["run", &path, "--format", "json", "--seeds", "2..5", "--out", &out]);
    let ran = ran.exits(0);
    let records: Vec<Record> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
        .collect();
    assert_eq!(records.len(), 3 * Registry::built_in().iter().count());
    let written = std::fs::read_to_string(scratch.path().join("out/records.jsonl"));
    assert_eq!(written.expect("it is written"), ran.stdout);
    for seed in 2..5 {
        assert_eq!(records.iter().filter(|record| record.seed == seed).count(), records.len() / 3);
    }
}

#[test]
fn a_run_writes_records_cases_summary_report_and_plot() {
    let scratch = Scratch::new("files");
    let path = file(&scratch, "small", &format!("{SMALL}{LOSS}"));
    let out = scratch.at("deeper/out");
    let ran = aftermath(&["run", &path, "--out", &out]).exits(0);
    let texts = ["summary.csv", "summary.md", "junit.xml", "report.html", "tradeoff.svg"];
    for name in ["records.jsonl", "cases.jsonl"].into_iter().chain(texts) {
        let length = std::fs::metadata(Path::new(&out).join(name)).map(|file| file.len());
        assert!(length.is_ok_and(|length| length > 0), "{name}");
    }
    assert!(ran.stdout.contains("report.html"), "where it is:\n{}", ran.stdout);
}

#[test]
fn piped_output_is_results_only_and_plain_text() {
    let human = run_text("plain", &format!("{SMALL}{LOSS}"), &[]).exits(0);
    assert_eq!(human.stderr, "", "no progress bar where nobody watches");
    assert!(!human.stdout.contains('\u{1b}'), "no colours where nobody watches");
    let json = run_text("plain-json", SMALL, &["--format", "json"]).exits(0);
    assert_eq!(json.stderr, "");
    assert!(json.stdout.lines().all(|line| line.starts_with('{')), "{}", json.stdout);
}

/// Runs the program with nobody reading its output.
fn unread(args: &[&str]) -> Ran {
    let mut command = command(PROGRAM);
    let mut child = command.args(args).spawn().expect("the program can be started");
    // The reading end is closed before the first word.
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8(output.stderr).expect("text");
    Ran { code: output.status.code(), stdout: String::new(), stderr }
}

#[test]
fn a_reader_that_has_left_is_no_reason_to_panic() {
    let scratch = Scratch::new("pipe");
    let path = file(&scratch, "small", &format!("{SMALL}{LOSS}"));
    let out = scratch.at("out");
    let replay = ["replay", &path, "--strategy", "amnesia", "--trace"];
    for args in [
        &["list"][..],
        &["--help"],
        &["run", &path, "--out", &out],
        &["run", &path, "--out", &out, "--format", "json", "--seeds", "0..30"],
        &replay,
    ] {
        let ran = unread(args);
        assert!(!ran.stderr.contains("panicked"), "{args:?}: {}", ran.stderr);
        assert!(matches!(ran.code, Some(0..=2)), "{args:?}: {ran:?}");
    }
}

#[test]
fn help_names_the_exit_codes() {
    for args in [&["--help"][..], &["run", "--help"]] {
        let ran = aftermath(args).exits(0);
        for word in ["held", "broken", "inconclusive", "nothing ran"] {
            assert!(ran.stdout.contains(word), "{word} is not in:\n{}", ran.stdout);
        }
    }
    assert!(aftermath(&["--version"]).exits(0).stdout.starts_with("aftermath "));
}

#[test]
fn a_run_leaves_nothing_behind_but_its_output_directory() {
    let scratch = Scratch::new("nothing-else");
    let path = file(&scratch, "small", &format!("{SMALL}{LOSS}"));
    let here = |args: &[&str]| {
        let mut command = command(PROGRAM);
        command.args(args).current_dir(scratch.path());
        finish(command).exits(0);
    };
    here(&["list"]);
    here(&["replay", &path, "--strategy", "amnesia"]);
    assert_eq!(entries(scratch.path()), ["small.toml"]);
    here(&["run", &path, "--out", "chosen"]);
    assert_eq!(entries(scratch.path()), ["chosen", "small.toml"]);
    here(&["run", &path]);
    assert_eq!(entries(scratch.path()), ["aftermath-out", "chosen", "small.toml"]);
}

fn entries(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("it is there");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn statuses_that_a_case_expects_are_no_failure() {
    // A planted bug that is expected to be found: a scenario can be a test of the judge.
    let text = format!(
        "strategies = [\"passive-standby\"]\nplant = \"resend-one-too-late\"\n{SMALL}{LOSS}\
         [expect]\nstatus = \"broken\"\n"
    );
    let ran = run_text("expects-broken", &text, &["--format", "json"]);
    let record: Record = serde_json::from_str(ran.stdout.trim()).expect("one record");
    assert_eq!(record.status, Status::Broken);
    ran.exits(0);
}
