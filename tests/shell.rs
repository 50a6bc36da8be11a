//! The program among others: signals, full disks, closed pipes, colours, completions, and the
//! report made again.

mod support;

use aftermath_reports::load;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use support::{PROGRAM, Ran, SMALL, Scratch, aftermath, command, files_of, finish};

/// A fault of the leading replica of `count`, early enough to be recovered from.
const LOSS: &str = "[[fault]]\nmachine-loss = { node = \"count\" }\nat = \"120ms\"\n";

/// Writes the small scenario; returns its path.
fn small(scratch: &Scratch) -> String {
    scratch.write("small.toml", format!("{SMALL}{LOSS}"))
}

/// Runs the program with a changed environment.
fn with(variables: &[(&str, &str)], args: &[&str]) -> Ran {
    let mut command = command(PROGRAM);
    command.args(args).envs(variables.iter().copied());
    finish(command)
}

#[test]
fn a_second_run_and_a_report_from_records_give_the_same_bytes() {
    let scratch = Scratch::new("same-bytes");
    let path = small(&scratch);
    let (first, second, again) = (scratch.at("1"), scratch.at("2"), scratch.at("3"));
    let ran = aftermath(&["run", &path, "--seeds", "0..2", "--out", &first]).exits(0);
    aftermath(&["run", &path, "--seeds", "0..2", "--out", &second, "--jobs", "1"]).exits(0);
    let records = Path::new(&first).join("records.jsonl");
    let records = records.to_str().expect("a plain name");
    let made = aftermath(&["report", records, "--out", &again]).exits(0);
    let tables = |text: &str| text[text.find("case ").expect("a table")..].replace('\n', "");
    assert_eq!(
        tables(&made.stdout).replace(&again, ""),
        tables(&ran.stdout).replace(&first, ""),
        "the same tables"
    );
    let files = files_of(&first);
    let names: Vec<&str> = files.iter().map(|(name, _)| &**name).collect();
    for name in ["timeline.png", "recovery.svg", "tradeoff.png", "outputs.png", "report.html"] {
        assert!(names.contains(&name), "{names:?}");
    }
    for other in [second, again] {
        let others = files_of(&other);
        assert_eq!(names, others.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), "{other}");
        for ((name, bytes), (_, same)) in files.iter().zip(&others) {
            assert!(bytes == same, "{name} in {other}");
        }
    }
}

#[test]
fn a_report_of_two_files_has_the_runs_of_both_and_mistakes_are_shown() {
    let scratch = Scratch::new("two-files");
    let path = small(&scratch);
    let outs = ["a", "b"].map(|name| scratch.at(name));
    for (out, seed) in outs.iter().zip(["3", "4"]) {
        aftermath(&["run", &path, "--seeds", seed, "--out", out]).exits(0);
    }
    let [a, b] = outs.map(|out| format!("{out}/records.jsonl"));
    let both = scratch.at("both");
    aftermath(&["report", &a, &b, "--out", &both]).exits(0);
    let count = |path: &str| load::read_records(Path::new(path)).expect("records").len();
    assert_eq!(count(&format!("{both}/records.jsonl")), count(&a) + count(&b));
    let torn = scratch.write("torn.jsonl", "{\"format_version\":");
    aftermath(&["report", &torn, "--out", &both]).exits(2).complains("torn.jsonl:1");
    aftermath(&["report", "nowhere.jsonl", "--out", &both]).exits(2).complains("nowhere.jsonl");
}

/// Starts a campaign of many minutes, and interrupts it so long after it has said what it runs:
/// from then on it listens.
fn interrupted(path: &str, out: &str, after: Duration) -> Ran {
    let mut command = command(PROGRAM);
    command.args(["run", path, "--seeds", "0..20000", "--jobs", "2", "--out", out]);
    let mut child = command.spawn().expect("the program can be started");
    let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut stdout = String::new();
    output.read_line(&mut stdout).expect("it says what it runs");
    let mut shell = support::command("sh");
    shell.arg("-c").arg(format!("sleep {}; kill -INT {}", after.as_secs_f64(), child.id()));
    finish(shell).exits(0);
    output.read_to_string(&mut stdout).expect("it is text");
    let ended = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8(ended.stderr).expect("it is text");
    Ran { code: ended.status.code(), stdout, stderr }
}

#[test]
fn ctrl_c_writes_what_is_done_in_the_usual_order() {
    let scratch = Scratch::new("interrupted");
    let (path, out) = (small(&scratch), scratch.at("out"));
    // How long the first run takes is nobody's business: try again until one is done.
    let pauses = (0..8).map(|doubled| Duration::from_millis(100 << doubled));
    let tries = pauses.map(|pause| interrupted(&path, &out, pause).exits(130));
    let mut done = tries.skip_while(|ran| ran.stderr.contains("before the first run was done"));
    let stderr = done.next().expect("a run takes less than ten seconds").stderr;
    assert!(stderr.contains("interrupted") && !stderr.contains("panicked"), "{stderr}");
    let records = load::read_records(&Path::new(&out).join("records.jsonl")).expect("records");
    assert!(!records.is_empty());
    assert!(records.is_sorted_by_key(|record| record.seed), "one strategy, seed by seed");
    for file in ["report.html", "summary.md", "junit.xml"] {
        let text = std::fs::read_to_string(Path::new(&out).join(file)).expect("it is written");
        assert!(text.contains("000 runs are done"), "{file} looks as if that were all");
    }
    let cases = load::read_cases(&Path::new(&out).join("cases.jsonl")).expect("cases");
    assert!(cases.is_empty(), "no case has all of its runs: {cases:?}");
}

#[test]
fn nothing_is_left_half_written() {
    let scratch = Scratch::new("kept");
    let (path, out) = (small(&scratch), scratch.at("out"));
    aftermath(&["run", &path, "--out", &out]).exits(0);
    let before = files_of(&out);
    // A file that cannot be replaced: the records of the first run stay as they are.
    std::fs::remove_file(Path::new(&out).join("tradeoff.png")).expect("it was there");
    std::fs::create_dir(Path::new(&out).join("tradeoff.png")).expect("there is room");
    std::fs::write(Path::new(&out).join("tradeoff.png/mine"), "mine").expect("there is room");
    aftermath(&["run", &path, "--out", &out]).exits(2).complains("tradeoff.png");
    let left = std::fs::read(Path::new(&out).join("records.jsonl")).expect("it is still there");
    let records = before.iter().find(|(name, _)| name == "records.jsonl").expect("it was there");
    assert!(left == records.1);
    let names =
        std::fs::read_dir(&out).expect("it is there").map(|e| e.expect("a file").file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().contains(".tmp")));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told_and_is_no_success() {
    let scratch = Scratch::new("full");
    let (path, out) = (small(&scratch), scratch.at("out"));
    for args in [
        &["list"][..],
        &["--help"],
        &["completions", "bash"],
        &["run", &path, "--out", &out],
        &["run", &path, "--out", &out, "--format", "json"],
        &["replay", &path, "--strategy", "amnesia", "--trace"],
    ] {
        let mut command = command(PROGRAM);
        let full = OpenOptions::new().write(true).open("/dev/full").expect("linux has it");
        let ran = finish({
            command.args(args).stdout(Stdio::from(full));
            command
        });
        ran.complains("standard output");
        assert!(!ran.stderr.contains("panicked"), "{args:?}: {}", ran.stderr);
        assert_eq!(ran.code, Some(2), "{args:?}");
    }
    // What is written elsewhere is written all the same.
    assert!(Path::new(&out).join("report.html").is_file());
    // Neither is a stderr that takes nothing a reason to panic.
    let mut command = command(PROGRAM);
    let full: File = OpenOptions::new().write(true).open("/dev/full").expect("linux has it");
    command.args(["run", "scenarios/nowhere.toml"]).stderr(Stdio::from(full));
    finish(command).exits(2);
}

#[test]
fn colours_are_as_the_environment_wants_them() {
    let scratch = Scratch::new("colours");
    let (path, out) = (small(&scratch), scratch.at("out"));
    for args in [&["run", &*path, "--out", &*out][..], &["run", "--help"]] {
        let coloured =
            |variables: &[(&str, &str)]| with(variables, args).exits(0).stdout.contains('\u{1b}');
        assert!(!coloured(&[]), "not into a pipe: {args:?}");
        assert!(coloured(&[("CLICOLOR_FORCE", "1")]), "{args:?}");
        assert!(!coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), "{args:?}");
        assert!(!coloured(&[("CLICOLOR", "0")]), "{args:?}");
    }
}

#[test]
fn every_shell_gets_its_completions() {
    for (shell, word) in
        [("bash", "complete -F"), ("zsh", "#compdef"), ("fish", "complete -c"), ("elvish", "set")]
    {
        let ran = aftermath(&["completions", shell]).exits(0);
        assert!(ran.stdout.contains(word) && ran.stdout.contains("replay"), "{shell}");
        assert_eq!(ran.stderr, "");
    }
    aftermath(&["completions", "dos"]).exits(2).complains("bash");
}

#[test]
fn help_teaches() {
    for command in [
        "run",
        "check",
        "campaign",
        "search",
        "replay",
        "shrink",
        "sweep",
        "report",
        "list",
        "schema",
        "completions",
    ] {
        let ran = aftermath(&[command, "--help"]).exits(0);
        assert!(ran.stdout.contains("Examples:"), "{}", ran.stdout);
        let widest = ran.stdout.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(100), "{}", ran.stdout);
    }
    let ran = aftermath(&["run", "--help"]).exits(0);
    for word in ["claimed", "observed", "silence", "overhead", "130", "Ctrl-C"] {
        assert!(ran.stdout.contains(word), "{word}");
    }
}

#[test]
fn replay_is_narrated_in_virtual_time_and_is_the_same_run() {
    let scratch = Scratch::new("narrated");
    let path = small(&scratch);
    let args = ["replay", &path, "--strategy", "passive-standby", "--format", "json"];
    let silent = with(&[], &args).exits(0);
    assert_eq!(silent.stderr, "");
    let told = with(&[("RUST_LOG", "info")], &args).exits(0);
    assert_eq!(told.stdout, silent.stdout, "nothing of it is in the record");
    for words in ["120.000000 ms      1  INFO count/0/0: machine-loss strikes", "activated"] {
        told.complains(words);
    }
    for world in ["turmoil", "both"] {
        let there = [&args[..], &["--world", world]].concat();
        let again = with(&[("RUST_LOG", "info")], &there).exits(0);
        assert_eq!(again.stderr, told.stderr, "told once, and nothing of the simulation's own");
    }
    let more = with(&[("RUST_LOG", "aftermath=trace")], &args).exits(0);
    more.complains("took-over").complains("DEBUG").complains("TRACE");
    assert!(more.stderr.lines().count() > 1_000 && !more.stderr.contains('\u{1b}'));
    with(&[("RUST_LOG", "=,=nonsense")], &args).exits(2).complains("RUST_LOG");
    let run = ["run", &path, "--out", &scratch.at("out")];
    assert_eq!(with(&[("RUST_LOG", "trace")], &run).exits(0).stderr, "", "one run at a time");
}

#[test]
fn a_command_that_is_told_can_be_given() {
    let scratch = Scratch::new("campaign-told");
    let head = "strategies = [\"amnesia\"]\nexpect = { lost = 0 }\n";
    scratch.write("-x y.toml", format!("{head}{SMALL}{LOSS}"));
    let mut command = command(PROGRAM);
    command.current_dir(scratch.path()).args(["campaign", "--seeds", "0..2", "--world", "both"]);
    command.args(["--shrink", "0", "--out", "out", "--", "-x y.toml"]);
    let ran = finish(command).exits(1);
    let told = |what: &str| {
        let line = ran.stdout.lines().find_map(|line| line.trim().strip_prefix(what));
        line.unwrap_or_else(|| panic!("no {what} in {}", ran.stdout)).to_string()
    };
    let one = "--case base --strategy amnesia --seed 0";
    assert_eq!(told("shrink: "), format!("aftermath shrink './-x y.toml' {one}"));
    let last = ran.stdout.lines().rfind(|line| line.contains("replay: ")).expect("a line");
    let replay = format!("replay: aftermath replay './-x y.toml' {one} --world both");
    assert_eq!(last.trim(), replay);
}

#[cfg(unix)]
#[test]
fn records_are_read_twice_and_so_from_no_pipe() {
    let scratch = Scratch::new("shell-pipe");
    let ran = aftermath(&["report", "/dev/null", "--out", &scratch.at("out")]).exits(2);
    ran.complains("/dev/null: not a file that can be read twice");
}

#[test]
fn a_run_does_not_replace_the_records_of_a_campaign() {
    let scratch = Scratch::new("campaign-in-the-way");
    let (path, out) = (small(&scratch), scratch.at("out"));
    let whole = ["campaign", &path, "--strategy", "amnesia", "--seeds", "0..2", "--out", &out];
    aftermath(&whole).exits(0);
    let before = files_of(&out);
    let other = ["run", &path, "--strategy", "passive-standby", "--out", &out];
    aftermath(&other).exits(2).complains("folder of a campaign").complains("--out");
    assert!(before == files_of(&out));
}

#[test]
fn a_folder_that_cannot_be_written_is_told_before_anything_is_run() {
    let scratch = Scratch::new("in-the-way");
    let (path, out) = (small(&scratch), scratch.write("out", "a file"));
    let range = ["--parameter", "timing.misses", "--from", "1", "--to", "2"];
    for args in [
        &["run", &path, "--out", &out][..],
        &["campaign", &path, "--out", &out],
        &["sweep", &path, "--out", &out],
        &[&["search", &path, "--out", &out], &range[..]].concat(),
    ] {
        let ran = aftermath(args).exits(2);
        assert_eq!(ran.complains("cannot write to").stdout, "", "{args:?}");
    }
}

#[test]
fn a_report_does_not_replace_the_records_of_one_of_several_files() {
    let scratch = Scratch::new("own-records");
    let path = small(&scratch);
    let outs = ["0..1", "1..2"].map(|seeds| {
        let out = scratch.at(seeds);
        aftermath(&["run", &path, "--seeds", seeds, "--out", &out]).exits(0);
        out
    });
    let records = outs.each_ref().map(|out| format!("{out}/records.jsonl"));
    let before = files_of(&outs[0]);
    let ran = aftermath(&["report", &records[0], &records[1], "--out", &outs[0]]).exits(2);
    ran.complains("is one of the files to read").complains("give another --out");
    assert!(files_of(&outs[0]) == before, "nothing is touched");
    // Of that file alone they are the same ones.
    aftermath(&["report", &records[0], "--out", &outs[0]]).exits(0);
    assert!(files_of(&outs[0]) == before);
    let campaign = scratch.at("campaign");
    std::fs::create_dir(&campaign).expect("there is room");
    scratch.write("campaign/campaign.json", "{}");
    let ran = aftermath(&["report", &records[0], "--out", &campaign]).exits(2);
    ran.complains("is the folder of a campaign");
}

#[test]
fn numbers_that_make_no_sense_are_told_in_words() {
    let scratch = Scratch::new("numbers");
    let (path, out) = (small(&scratch), scratch.at("out"));
    for (command, flags, told) in [
        ("sweep", &["--limit", "0"][..], "`0` is no number from 1 on"),
        ("sweep", &["--limit", "3", "--first-for", "1s"], "cannot be used with"),
        ("sweep", &["--for", "1000000s"], "shorten --for"),
        ("run", &["--seeds", "18446744073709551615"], "18446744073709551614"),
        ("run", &["--strategy", "\u{1b}[31m"], "\\u{1b}[31m"),
    ] {
        let args = [&[command, &path, "--out", &out], flags].concat();
        let ran = aftermath(&args).exits(2);
        assert!(!ran.complains(told).stderr.contains('\u{1b}'), "{}", ran.stderr);
    }
}
