//! `aftermath check`: silent and 0 where nothing has changed; whatever has, however little, is
//! reported by name. The differences are ones of the program and of scenarios, never of the file.

#[path = "../support/mod.rs"]
mod support;
mod tweaked;

use aftermath_harness::baseline::{Baseline, MARKER};
use std::path::Path;
use std::time::Duration;
use support::{PROGRAM, Ran, SMALL, Scratch, aftermath, command, finish, root};

/// The leading replica of `count` is lost, early enough to be recovered from.
pub const LOSS: &str = "[[fault]]\nmachine-loss = { node = \"count\" }\nat = \"120ms\"\n";

/// A scenario of two strategies.
fn text() -> String {
    format!("seeds = \"0..2\"\nstrategies = [\"amnesia\", \"passive-standby\"]\n{SMALL}{LOSS}")
}

/// Writes it; returns its path and that of its baseline.
fn files(scratch: &Scratch) -> (String, String) {
    (scratch.write("small.toml", text()), scratch.at("baseline.toml"))
}

fn check(scenario: &str, baseline: &str, more: &[&str]) -> Ran {
    aftermath(&[&["check", scenario, "--baseline", baseline], more].concat())
}

fn bless(scenario: &str, baseline: &str) -> Ran {
    check(scenario, baseline, &["--bless"])
}

#[track_caller]
fn silent(ran: Ran) {
    let ran = ran.exits(0);
    assert_eq!((&*ran.stdout, &*ran.stderr), ("", ""));
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).expect("it was written")
}

#[test]
fn an_unchanged_tree_is_silent_and_ends_with_0() {
    let scratch = Scratch::new("check-unchanged");
    let (path, baseline) = files(&scratch);
    let ran = bless(&path, &baseline).exits(0);
    assert!(ran.stdout.contains("small / base / amnesia: new: 2 runs, held, "), "{}", ran.stdout);
    assert!(ran.stdout.ends_with(&format!("baseline: {baseline}\n")), "{}", ran.stdout);
    let written = read(&baseline);
    silent(check(&path, &baseline, &[]));
    silent(check(&path, &baseline, &["--jobs", "1", "--world", "both"]));
    let again = bless(&path, &baseline).exits(0);
    assert_eq!(again.stdout, format!("baseline: {baseline}\n"), "nothing to tell");
    assert_eq!(read(&baseline), written, "the same bytes");
}

#[test]
fn one_millisecond_more_is_reported_by_name_and_can_be_blessed() {
    let scratch = Scratch::new("check-slower");
    let (path, baseline) = files(&scratch);
    bless(&path, &baseline).exits(0);
    scratch.write("small.toml", text().replace("redirect = \"5ms\"", "redirect = \"6ms\""));
    let ran = check(&path, &baseline, &[]).exits(1);
    for strategy in ["amnesia", "passive-standby"] {
        let line = format!("small / base / {strategy}: recovery.r2 +1ms in all 2 runs (seed 0: ");
        assert!(ran.stdout.contains(&line), "`{line}` is missing in\n{}", ran.stdout);
    }
    assert!(!ran.stdout.contains("hash"), "traces are told only where nothing else is");
    let blessed = bless(&path, &baseline).exits(0);
    assert!(blessed.stdout.starts_with(&ran.stdout), "{}", blessed.stdout);
    silent(check(&path, &baseline, &[]));
}

#[test]
fn budgets_are_kept_or_named_and_are_left_as_they_were_written() {
    let scratch = Scratch::new("check-budget");
    let (path, baseline) = files(&scratch);
    let head = |limit: &str| {
        format!(
            "# agreed on\n[budget]\n\"* / passive-standby\" = [\n  \"recovery_ms.r2.p99 <= {limit}\", \
             # why\n  \"lost <= 0\",\n]\n\n"
        )
    };
    scratch.write("baseline.toml", head("1000"));
    bless(&path, &baseline).exits(0);
    silent(check(&path, &baseline, &[]));
    let text = read(&baseline);
    assert!(text.starts_with(&head("1000")), "{text}");
    std::fs::write(&baseline, text.replace("<= 1000", "<= 1")).expect("it can be written");
    let ran = check(&path, &baseline, &[]).exits(1);
    let over = "small / base / passive-standby: over budget: recovery.r2.p99 is ";
    assert!(ran.stdout.starts_with(over), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("(recovery_ms.r2.p99 <= 1)\n"), "{}", ran.stdout);
    bless(&path, &baseline).exits(1);
    assert!(read(&baseline).starts_with(&head("1")), "blessed, and not kept");
    for (wrong, words) in [
        ("recovery_ms.r4.p99 <= 1", "did you mean `recovery.r1`?"),
        ("recovery.r2 <= fast", "\"fast\" is not a span of time"),
    ] {
        let text = text.replace("recovery_ms.r2.p99 <= 1000", wrong);
        std::fs::write(&baseline, text).expect("it can be written");
        check(&path, &baseline, &[]).exits(2).complains(words);
    }
    let text = text.replace("* / passive-standby", "smal / base / amnesia");
    std::fs::write(&baseline, text).expect("it can be written");
    check(&path, &baseline, &[]).exits(2).complains("such as \"small / base / amnesia\"");
}

#[test]
fn a_baseline_that_is_none_is_wrong_usage_and_stays_as_it_is() {
    let scratch = Scratch::new("check-none");
    let (path, baseline) = files(&scratch);
    let missing = check(&path, &baseline, &[]).exits(2);
    missing.complains("there is no such file").complains("--bless");
    assert!(!Path::new(&baseline).exists());
    bless(&path, &baseline).exits(0);
    let other = scratch.write("other.toml", text());
    check(&other, &baseline, &[]).exits(2).complains("it is of other scenarios: small");
    for (content, words) in [
        ("seeds = \"0..2\"", "unknown key `seeds`"),
        ("[measured", "baseline.toml: no TOML at line 1, column 10: unclosed table"),
        ("", "nothing has been measured yet"),
    ] {
        std::fs::write(&baseline, content).expect("it can be written");
        check(&path, &baseline, &[]).exits(2).complains(words);
        assert_eq!(read(&baseline), content);
    }
    std::fs::write(&baseline, "seeds = 3").expect("it can be written");
    bless(&path, &baseline).exits(2).complains("unknown key `seeds`");
    assert_eq!(read(&baseline), "seeds = 3", "not even with --bless");
    // What is wrong is told briefly, where it is, and cannot steer a terminal.
    let long = format!("# 1\n[budget]\n\"*\" = [\"\u{1b}[31m <= 1\"]\nx = {}", "[".repeat(100_000));
    std::fs::write(&baseline, long).expect("it can be written");
    let told = check(&path, &baseline, &[]).exits(2).stderr;
    assert!(told.contains("no TOML at line 4") && told.len() < 1_000, "{told}");
    std::fs::write(&baseline, "[budget]\n\"*\" = [\"\\u001b[31m <= 1\"]\n").expect("room");
    let told = check(&path, &baseline, &[]).exits(2).stderr;
    assert!(told.contains("[31m") && !told.contains('\u{1b}'), "{told}");
    std::fs::remove_file(&baseline).expect("it was there");
    std::fs::create_dir(&baseline).expect("there is room");
    check(&path, &baseline, &["--bless"]).exits(2).complains("it is no regular file");
    std::fs::remove_dir(&baseline).expect("it is empty");
    // The file would be replaced by the report, or the other way round.
    let out = scratch.at("out");
    let own = format!("{out}/summary.csv");
    let ran = check(&path, &own, &["--bless", "--out", &out]).exits(2);
    ran.complains("is a file of the report");
    check(&path, &scratch.at("b"), &["--strategy", "amnesi"]).exits(2).complains("amnesi");
    check(&path, &scratch.at("b"), &["--bless", "--seeds", "3..3"]).exits(4);
}

#[test]
fn what_is_new_or_gone_is_named_and_what_was_not_asked_for_is_left_alone() {
    let scratch = Scratch::new("check-gone");
    let (path, baseline) = files(&scratch);
    bless(&path, &baseline).exits(0);
    let first = read(&baseline);
    let other = scratch.write("other.toml", text());
    bless(&other, &baseline).exits(0);
    let both = Baseline::parse(&read(&baseline)).expect("our own file").rows;
    assert_eq!(both.len(), 4, "the rows of the first scenario are still there");
    silent(check(&path, &baseline, &[]));
    silent(check(&path, &baseline, &["--strategy", "amnesia"]));
    let less = text().replace("\"amnesia\", \"passive", "\"active-standby\", \"passive");
    scratch.write("other.toml", less);
    let ran = check(&other, &baseline, &[]).exits(1);
    assert!(ran.stdout.contains("other / base / amnesia: gone: "), "{}", ran.stdout);
    assert!(ran.stdout.contains("other / base / active-standby: new: "), "{}", ran.stdout);
    assert_eq!(ran.stdout.lines().count(), 2, "{}", ran.stdout);
    silent(check(&other, &baseline, &["--strategy", "passive-standby"]));
    let ran = check(&path, &baseline, &["--seeds", "1..4"]).exits(1);
    assert!(ran.stdout.contains("amnesia: seeds 0..2 → 1..4\n"), "{}", ran.stdout);
    bless(&other, &baseline).exits(0);
    let rows = Baseline::parse(&read(&baseline)).expect("our own file").rows;
    let names: Vec<String> = rows.keys().map(ToString::to_string).collect();
    assert_eq!(
        names,
        [
            "other / base / active-standby",
            "other / base / passive-standby",
            "small / base / amnesia",
            "small / base / passive-standby"
        ]
    );
    let measured = |text: &str| text.split_once("[measured.small").expect("it is there").1.len();
    assert_eq!(measured(&read(&baseline)), measured(&first), "and so are their values");
}

#[test]
fn what_is_broken_fails_also_where_it_is_blessed() {
    let scratch = Scratch::new("check-broken");
    let expects = format!("expect = {{ lost = 0 }}\n{}", text());
    let (path, baseline) = (scratch.write("small.toml", expects), scratch.at("baseline.toml"));
    for more in [&["--bless"][..], &[]] {
        let ran = check(&path, &baseline, more).exits(1);
        let broken = "small / base / amnesia: broken: lost is ";
        assert!(ran.stdout.contains(broken), "{}", ran.stdout);
        let replay = "\n  replay: aftermath replay ";
        assert_eq!(ran.stdout.matches(replay).count(), 1, "{}", ran.stdout);
    }
    // A scenario that is to be broken is as it should be.
    let expects = "expect = { status = \"broken\" }\nplant = \"resend-one-too-late\"\n".to_string()
        + &text().replace("\"amnesia\", ", "");
    scratch.write("small.toml", expects);
    bless(&path, &baseline).exits(0);
    silent(check(&path, &baseline, &[]));
}

#[test]
fn a_report_is_written_beside_if_it_is_wanted() {
    let scratch = Scratch::new("check-out");
    let (path, baseline) = files(&scratch);
    bless(&path, &baseline).exits(0);
    let out = scratch.at("out");
    silent(check(&path, &baseline, &["--out", &out]));
    let run = scratch.at("run");
    aftermath(&["run", &path, "--out", &run]).exits(0);
    for name in ["records.jsonl", "report.html", "summary.csv"] {
        assert_eq!(read(&format!("{out}/{name}")), read(&format!("{run}/{name}")), "{name}");
    }
    let xml = read(&format!("{out}/junit.xml"));
    assert!(xml.contains("<testsuite name=\"small\" tests=\"2\" skipped=\"0\""), "{xml}");
    let markdown = read(&format!("{out}/summary.md"));
    assert!(markdown.contains("| ✅ | base | passive-standby | exactly once |"), "{markdown}");
    assert!(markdown.contains("Nothing is another than in the baseline."), "{markdown}");
    assert!(xml.contains("<testsuite name=\"baseline\" tests=\"2\" skipped=\"0\" errors=\"0\""));

    // What fails a check fails there too.
    scratch.write("small.toml", text().replace("redirect = \"5ms\"", "redirect = \"6ms\""));
    let ran = check(&path, &baseline, &["--out", &out]).exits(1);
    let first = ran.stdout.lines().next().expect("something is told");
    let xml = read(&format!("{out}/junit.xml"));
    assert!(xml.contains("type=\"changed\"") && xml.contains("failures=\"1\""), "{xml}");
    assert!(xml.contains(&first.replace('>', "&gt;").replace('"', "&quot;")), "{first}: {xml}");
    let markdown = read(&format!("{out}/summary.md"));
    assert!(markdown.contains("### ❌ Another than in the baseline"), "{markdown}");
    scratch.write("out/campaign.json", "{}");
    let refused = check(&path, &baseline, &["--out", &out]).exits(2);
    refused.complains("is the folder of a campaign");
}

#[cfg(target_os = "linux")]
#[test]
fn where_nothing_can_be_written_is_told_before_the_runs() {
    let scratch = Scratch::new("check-unwritable");
    let (path, baseline) = files(&scratch);
    // So many runs that a test would not end; a folder in which nobody can make files.
    let many = ["--bless", "--seeds", "0..20000"];
    check(&path, "/proc/baseline.toml", &many).exits(2).complains("no file can be written into it");
    check(&path, "/proc/none/b.toml", &many).exits(2).complains("cannot write to /proc/none");
    let out = [&many[..], &["--out", "/proc"]].concat();
    let deep = scratch.at("deep/er/baseline.toml");
    check(&path, &deep, &out).exits(2).complains("cannot write to /proc");
    assert!(!Path::new(&scratch.at("deep")).exists(), "what was made for nothing goes");
    assert!(!Path::new(&baseline).exists());
}

#[test]
fn with_all_the_baseline_has_nothing_but_what_is_run() {
    let scratch = Scratch::new("check-all");
    let (path, baseline) = files(&scratch);
    let other = scratch.write("other.toml", text());
    aftermath(&["check", &path, &other, "--baseline", &baseline, "--bless"]).exits(0);
    silent(check(&path, &baseline, &[]));
    let ran = check(&path, &baseline, &["--all"]).exits(1);
    assert!(ran.stdout.contains("other / base / amnesia: gone"), "{}", ran.stdout);
    check(&path, &baseline, &["--all", "--bless"]).exits(0);
    silent(check(&path, &baseline, &["--all"]));
    assert!(!read(&baseline).contains("other"), "{}", read(&baseline));
}

#[cfg(unix)]
#[test]
fn a_baseline_behind_a_link_is_written_where_the_link_leads() {
    let scratch = Scratch::new("check-link");
    let (path, baseline) = files(&scratch);
    let link = scratch.at("link.toml");
    // It leads nowhere yet.
    std::os::unix::fs::symlink("baseline.toml", &link).expect("a link");
    bless(&path, &link).exits(0);
    bless(&path, &link).exits(0);
    assert!(std::fs::symlink_metadata(&link).expect("it is there").is_symlink());
    silent(check(&path, &baseline, &[]));
}

#[cfg(unix)]
#[test]
fn ctrl_c_writes_nothing() {
    let scratch = Scratch::new("check-interrupted");
    let (path, baseline) = files(&scratch);
    bless(&path, &baseline).exits(0);
    let before = read(&baseline);
    let interrupted = |after: Duration| {
        let mut command = command(PROGRAM);
        command.args(["check", &path, "--baseline", &baseline, "--bless", "--seeds", "0..20000"]);
        let child = command.spawn().expect("the program can be started");
        let mut shell = support::command("sh");
        shell.arg("-c").arg(format!("sleep {}; kill -INT {}", after.as_secs_f64(), child.id()));
        finish(shell).exits(0);
        child.wait_with_output().expect("it ends").status.code()
    };
    // How long it takes until it listens is nobody's business: before that, the signal kills it.
    let mut pauses = (0..8).map(|doubled| Duration::from_millis(100 << doubled));
    assert!(pauses.any(|pause| interrupted(pause) == Some(130)), "it never listened");
    assert_eq!(read(&baseline), before);
}

#[test]
fn the_baselines_of_the_repository_can_be_read_and_are_of_its_scenarios() {
    for name in ["flights", "golden"] {
        let path = root().join(format!("scenarios/baselines/{name}.toml"));
        let baseline = Baseline::read(&path).expect("it is a baseline").expect("it is there");
        assert!(baseline.rows.keys().all(|row| row.scenario == name) && !baseline.rows.is_empty());
        let text = read(path.to_str().expect("a plain name"));
        assert_eq!(baseline.text(), text, "as --bless writes it");
        assert!(text.contains(MARKER) && !baseline.budgets.is_empty());
    }
}
