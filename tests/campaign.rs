//! Campaigns of many runs: whatever is killed, split, joined or run on how many threads, the report
//! is the one of an undisturbed campaign, byte for byte.
//!
//! Long because every way to split, kill and damage a campaign is compared with one that nobody
//! disturbed.

mod support;

use aftermath_reports::load;
use std::path::Path;
use std::process::Child;
use std::sync::LazyLock;
use support::{PROGRAM, Ran, SMALL, Scratch, aftermath, command, files_of, finish, parse, text_of};

/// Two strategies, one of which loses tuples, with expectations over all runs, one of them broken.
const CASES: &str = r#"
[[fault]]
machine-loss = { node = "count" }
at = { between = ["60ms", "200ms"] }

[[case]]
name = "amnesia, loses"
strategies = ["amnesia"]
expect = { min = { lost = { min = 1 } }, mean = { "recovery.r2" = { max = "1ms" } } }

[[case]]
name = "passive"
strategies = ["passive-standby"]
expect = { max = { lost = 0 }, delivery = "duplicates", "recovery.r2" = { max = "60ms" } }

[[case]]
name = "strata"
strategies = ["upstream-backup"]
fault = [{ machine-loss = { node = "count" }, at = { strata = 2, start = "60ms", span = "50ms" } }]
"#;

/// Seeds of the campaigns here, and the runs that they give.
const SEEDS: &str = "0..6";
const RUNS: usize = 6 * (1 + 1 + 2);

fn scenario(scratch: &Scratch) -> String {
    scratch.write("small.toml", format!("{SMALL}{CASES}"))
}

/// A scratch folder, the scenario in it, and its undisturbed campaign, on one thread.
static WHOLE: LazyLock<(Scratch, String, String)> = LazyLock::new(|| {
    let scratch = Scratch::new("campaign-whole");
    let (path, out) = (scenario(&scratch), scratch.at("whole"));
    campaign(&path, &out, &["--jobs", "1"]).exits(1);
    (scratch, path, out)
});

/// The path of the scenario and the folder of its undisturbed campaign.
fn whole() -> (&'static str, &'static str) {
    (&WHOLE.1, &WHOLE.2)
}

/// Runs a campaign into a folder.
fn campaign(path: &str, out: &str, more: &[&str]) -> Ran {
    aftermath(&[&["campaign", path, "--seeds", SEEDS, "--out", out], more].concat())
}

/// Asserts that two folders have the same files with the same bytes, but for those that
/// begin so.
#[track_caller]
fn same(folder: &str, other: &str, but: &[&str]) {
    let files = |folder: &str| {
        let mut files = files_of_all(folder);
        files.retain(|(name, _)| !but.iter().any(|begin| name.starts_with(begin)));
        files
    };
    let (files, others) = (files(folder), files(other));
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|f| f.0.clone()).collect::<Vec<_>>();
    assert_eq!(names(&files), names(&others));
    for ((name, bytes), (_, same)) in files.iter().zip(&others) {
        assert!(bytes == same, "{name} of {folder} and {other}");
    }
}

/// The files of a campaign's folder and those below `failures`.
fn files_of_all(folder: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut open = vec![(String::new(), Path::new(folder).to_path_buf())];
    while let Some((prefix, folder)) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("our own folders can be read") {
            let path = entry.expect("it can be read").path();
            let name = path.file_name().expect("a name").to_string_lossy();
            let name = format!("{prefix}{name}");
            if path.is_dir() {
                open.push((format!("{name}/"), path));
            } else {
                files.push((name, std::fs::read(path).expect("our own files can be read")));
            }
        }
    }
    files.sort();
    files
}

/// What a report of records alone has not.
const OF_CAMPAIGNS: &[&str] = &["campaign.", "failures/"];

#[test]
fn the_number_of_threads_changes_nothing() {
    let scratch = Scratch::new("campaign-jobs");
    let ((path, one), four) = (whole(), scratch.at("four"));
    let ran = campaign(path, &four, &["--jobs", "4"]).exits(1);
    assert!(ran.stdout.contains("mean recovery.r2"), "{}", ran.stdout);
    same(one, &four, &[]);
    let records = load::read_records(&Path::new(one).join("records.jsonl")).expect("records");
    assert_eq!(records.len(), RUNS);
    assert!(!Path::new(one).join("journal.jsonl").exists(), "all are done");
    // Once more, on what is done: nothing is run, and nothing changes.
    let again = campaign(path, &four, &[]).exits(1);
    assert!(again.stdout.contains(&format!("{RUNS} runs, {RUNS} of them done before")));
    assert!(!again.stdout.contains("in this sitting"), "{}", again.stdout);
    same(one, &four, &[]);
}

#[test]
fn parts_join_to_the_whole_however_it_was_split() {
    let scratch = Scratch::new("campaign-parts");
    let (path, whole) = whole();
    let records = format!("{whole}/records.jsonl");
    let joined = |name: &str, files: &[String]| {
        let out = scratch.at(name);
        let mut args = vec!["report".to_string()];
        args.extend_from_slice(files);
        args.extend(["--out".to_string(), out.clone()]);
        aftermath(&args).exits(0);
        same(whole, &out, OF_CAMPAIGNS);
    };
    // Shards of the command, the last one first.
    let shards = ["3/3", "1/3", "2/3"].map(|shard| {
        let out = scratch.at(&shard.replace('/', "-of-"));
        let ran = campaign(path, &out, &["--shard", shard]);
        assert!(ran.stdout.contains("cases that lack runs are not judged"), "{}", ran.stdout);
        assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
        format!("{out}/records.jsonl")
    });
    joined("of-shards", &shards);
    // Lines dealt out to three files, the head in the last one.
    let text = std::fs::read_to_string(&records).expect("records");
    let dealt = [2, 1, 0].map(|part| {
        let lines = text.lines().rev().enumerate().filter(|(n, _)| n % 3 == part);
        let lines: String = lines.map(|(_, line)| format!("{line}\n")).collect();
        scratch.write(&format!("dealt-{part}.jsonl"), lines)
    });
    joined("of-lines", &dealt);
    // Cut in two, and one half, a shard and the whole given once more: each run counts once.
    let cut = text.match_indices('\n').nth(RUNS / 2).expect("so many lines").0 + 1;
    let halves = [&text[cut..], &text[..cut]];
    let halves = ["b", "a"].map(|n| scratch.write(n, halves[usize::from(n == "a")]));
    let [b, a] = halves;
    joined("of-halves", &[b.clone(), a.clone(), b, shards[1].clone(), records, a]);
}

#[test]
fn one_run_with_two_results_is_no_report() {
    let scratch = Scratch::new("campaign-two-results");
    let ((_, whole), out) = (whole(), scratch.at("out"));
    let text = std::fs::read_to_string(format!("{whole}/records.jsonl")).expect("records");
    let line = text.lines().nth(3).expect("so many lines");
    let other = line.replace("\"handlers\":", "\"handlers\":1");
    assert_ne!(line, other);
    let other = scratch.write("other.jsonl", other);
    let ran = aftermath(&["report", &format!("{whole}/records.jsonl"), &other, "--out", &out]);
    ran.exits(2).complains("records.jsonl:4").complains("other.jsonl:1").complains("replay");
    // Nor is a run of something else that has its name.
    let other = line.replace("\"planted\":null", "\"planted\":\"no-fence\"");
    assert_ne!(line, other);
    let other = scratch.write("other.jsonl", other);
    let ran = aftermath(&["report", &format!("{whole}/records.jsonl"), &other, "--out", &out]);
    ran.exits(2).complains("records.jsonl:4").complains("other.jsonl:1");
    // Nor is one that has its name and is of something else.
    let other = line.replace("\"options\":{", "\"options\":{\"none\":\"1\"");
    assert_ne!(line, other);
    let other = scratch.write("other.jsonl", other);
    let ran = aftermath(&["report", &format!("{whole}/records.jsonl"), &other, "--out", &out]);
    ran.exits(2).complains("records.jsonl:4").complains("other.jsonl:1");
}

#[test]
fn a_recorded_stream_is_the_same_wherever_its_file_is_named_from() {
    let text = text_of("scenarios/flights.toml");
    let [here, there] = ["scenarios/flights.toml", "scenarios/faults/../flights.toml"];
    assert_eq!(parse(&text, here).content, parse(&text, there).content);
    // Its rows count.
    let scratch = Scratch::new("campaign-rows");
    std::fs::create_dir(scratch.at("data")).expect("there is room");
    let rows = text_of("scenarios/data/flights.csv");
    let (fewer, _) = rows.trim_end().rsplit_once('\n').expect("there are rows");
    scratch.write("data/flights.csv", fewer);
    let other = scratch.at("flights.toml");
    assert_ne!(parse(&text, here).content, parse(&text, &other).content);
}

/// Starts a campaign and kills it as soon as its journal is so long.
fn killed(path: &str, out: &str, bytes: u64) -> bool {
    let mut command = command(PROGRAM);
    command.args(["campaign", path, "--seeds", SEEDS, "--jobs", "2", "--out", out]);
    let mut child: Child = command.spawn().expect("the program can be started");
    let journal = Path::new(out).join("journal.jsonl");
    loop {
        let length = std::fs::metadata(&journal).map_or(0, |file| file.len());
        let ended = child.try_wait().expect("it can be asked").is_some();
        if length >= bytes || ended {
            // A signal that cannot be caught; whatever is under way is not finished.
            child.kill().expect("it can be killed");
            child.wait().expect("it ends");
            return !ended;
        }
        std::thread::yield_now();
    }
}

#[test]
fn a_campaign_that_is_killed_goes_on_and_ends_in_the_same_bytes() {
    let scratch = Scratch::new("campaign-killed");
    let ((path, whole), out) = (whole(), scratch.at("out"));
    let length = std::fs::metadata(format!("{whole}/records.jsonl")).expect("records").len();
    let kills = (0..6).filter(|nth| killed(path, &out, length * nth / 6)).count();
    assert!(kills > 0, "it was over before the first kill");
    let ran = campaign(path, &out, &["--jobs", "3"]).exits(1);
    assert!(!ran.stdout.contains(", 0 of them done before"), "{}", ran.stdout);
    same(whole, &out, &[]);
}

#[test]
fn a_torn_last_line_is_cut_off_and_its_run_made_again() {
    let scratch = Scratch::new("campaign-torn");
    let ((path, whole), out) = (whole(), scratch.at("out"));
    let text = std::fs::read_to_string(format!("{whole}/records.jsonl")).expect("records");
    let lines: Vec<&str> = text.lines().collect();
    // In another order than the records are shown in, as threads finish them.
    let mut journal: String = [0, 9, 4, 7].iter().map(|n| format!("{}\n", lines[*n])).collect();
    journal += &lines[12][..lines[12].len() / 2];
    std::fs::create_dir(&out).expect("there is room");
    std::fs::copy(format!("{whole}/campaign.json"), format!("{out}/campaign.json"))
        .expect("a copy");
    std::fs::write(format!("{out}/journal.jsonl"), journal).expect("it can be written");
    // What a kill left of a report.
    std::fs::write(format!("{out}/.records.jsonl.1.tmp"), "half").expect("it can be written");
    let ran = campaign(path, &out, &[]).exits(1);
    assert!(ran.stdout.contains(&format!("{RUNS} runs, 3 of them done before")), "{}", ran.stdout);
    same(whole, &out, &[]);
    // What is broken in the middle is no torn end.
    std::fs::write(format!("{out}/journal.jsonl"), format!("{}\nhalf\n", lines[0])).expect("room");
    campaign(path, &out, &[]).exits(2).complains("journal.jsonl:2").complains("delete that line");
}

#[test]
fn a_folder_of_another_campaign_is_refused_with_what_differs() {
    let scratch = Scratch::new("campaign-refused");
    let (path, out) = (scenario(&scratch), scratch.at("out"));
    campaign(&path, &out, &[]).exits(1);
    let before = files_of_all(&out);
    let seeds = aftermath(&["campaign", &path, "--seeds", "0..7", "--out", &out]).exits(2);
    seeds.complains("seeds of small: 0..6 there, 0..7 now").complains("another --out");
    campaign(&path, &out, &["--shard", "1/2"]).exits(2).complains("shard: 1/1 there, 1/2 now");
    campaign(&path, &out, &["--strategy", "amnesia"]).exits(2).complains("cases of small");
    campaign(&path, &out, &["--world", "both"]).exits(2).complains("world of small");
    scratch.write("small.toml", format!("{SMALL}{CASES}").replace("\"60ms\"", "\"61ms\""));
    campaign(&path, &out, &[]).exits(2).complains("content of small");
    assert!(files_of_all(&out) == before, "nothing is touched");
    // Another build may have another strategy of the same name.
    scenario(&scratch);
    let plan = format!("{out}/campaign.json");
    let text = std::fs::read_to_string(&plan).expect("it is there");
    let (head, rest) = text.split_once("\"build\":\"").expect("the build is named");
    std::fs::write(&plan, format!("{head}\"build\":\"another {rest}")).expect("room");
    campaign(&path, &out, &[]).exits(2).complains("another build").complains("another --out");
    // Nor is what `run` wrote.
    scenario(&scratch);
    let other = scratch.at("other");
    aftermath(&["run", &path, "--seeds", "0..1", "--out", &other]).exits(1);
    campaign(&path, &other, &[]).exits(2).complains("records of something else");
    assert!(!Path::new(&other).join("campaign.lock").exists(), "nothing is left there");
}

#[test]
fn records_that_lost_their_head_are_still_judged() {
    let scratch = Scratch::new("campaign-headless");
    let ((path, whole), out) = (whole(), scratch.at("out"));
    let ran = campaign(path, &out, &["--time-limit", "0s"]).exits(4);
    ran.complains("the same command goes on");
    std::fs::write(format!("{out}/journal.jsonl"), "").expect("it can be written");
    campaign(path, &out, &[]).exits(1);
    same(whole, &out, &[]);
    let records = format!("{out}/records.jsonl");
    let text = std::fs::read_to_string(&records).expect("records");
    let (head, runs) = text.split_once('\n').expect("a head");
    std::fs::write(&records, runs).expect("it can be written");
    campaign(path, &out, &[]).exits(1);
    same(whole, &out, &[]);
    let other = head.replacen("\"seeds\":[0,6]", "\"seeds\":[0,7]", 1);
    std::fs::write(&records, format!("{other}\n{runs}")).expect("it can be written");
    let ran = campaign(path, &out, &[]).exits(2);
    ran.complains("records.jsonl:1: the head of another campaign");
}

#[test]
fn what_is_of_no_campaign_that_can_be_or_of_two_is_no_report() {
    let scratch = Scratch::new("campaign-heads");
    let ((_, whole), out) = (whole(), scratch.at("out"));
    let records = format!("{whole}/records.jsonl");
    let text = std::fs::read_to_string(&records).expect("records");
    let head = text.lines().next().expect("a head");
    let refused = |from: &str, to: &str, why: &str| {
        assert!(head.contains(from), "{from}: {head}");
        let other = scratch.write("head.jsonl", head.replace(from, to));
        let ran = aftermath(&["report", &records, &other, "--out", &out]).exits(2);
        ran.complains("head.jsonl:1").complains(why);
    };
    refused("[0,6]", "[6,0]", "seeds 6..0 of small cannot have been run");
    refused("[0,6]", "[0,18446744073709551615]", "cannot have been run");
    refused("\"content\":\"", "\"content\":\"1", "another one here");
    refused("\"program\":\"", "\"program\":\"9", "make reports of each version");
    assert!(!Path::new(&out).exists());
}

#[test]
fn a_folder_has_one_process_at_a_time() {
    let scratch = Scratch::new("campaign-lock");
    let (path, out) = (scenario(&scratch), scratch.at("out"));
    let mut command = command(PROGRAM);
    command.args(["campaign", &path, "--seeds", "0..100000", "--jobs", "1", "--out", &out]);
    let mut child = command.spawn().expect("the program can be started");
    while !Path::new(&out).join("journal.jsonl").exists() {
        std::thread::yield_now();
    }
    campaign(&path, &out, &[]).exits(2).complains("another process");
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    // The lock has gone with it.
    campaign(&path, &out, &[]).exits(2).complains("seeds of small");
}

#[test]
fn a_time_limit_is_no_verdict_and_the_same_command_goes_on() {
    let scratch = Scratch::new("campaign-limit");
    let ((path, whole), out) = (whole(), scratch.at("out"));
    let ran = campaign(path, &out, &["--time-limit", "0s"]).exits(4);
    ran.complains(&format!("the time is up: 0 of {RUNS} runs are done"));
    // Time enough for a run or two.
    let ran = campaign(path, &out, &["--time-limit", "20ms", "--jobs", "1"]);
    assert!(matches!(ran.code, Some(0 | 1 | 4)), "{ran:?}");
    campaign(path, &out, &["--time-limit", "1h"]).exits(1);
    same(whole, &out, &[]);
    for wrong in ["10", "1.5m", "m", "2d"] {
        campaign(path, &out, &["--time-limit", wrong]).exits(2).complains(wrong);
    }
}

#[test]
fn fail_fast_stops_at_the_first_broken_run_which_is_told_with_its_trace() {
    let scratch = Scratch::new("campaign-fail-fast");
    let planted = "scenarios/planted/delta-skipped.toml";
    let run = |out: &str, more: &[&str]| {
        let args = ["campaign", planted, "--seeds", "0..20", "--jobs", "1", "--out", out];
        aftermath(&[&args, more].concat())
    };
    let (fast, all) = (scratch.at("fast"), scratch.at("all"));
    let ran = run(&fast, &["--fail-fast"]).exits(1);
    ran.complains("stopped at a broken run").complains("the same command goes on");
    assert!(ran.stdout.contains("1 failing run, 1 signature"), "{}", ran.stdout);
    let told = std::fs::read_to_string(format!("{fast}/failures/1.txt")).expect("a failure");
    for words in ["aftermath replay", "1 of 1 of its kind", "broken", " #1.1  Started"] {
        assert!(told.contains(words), "{words}: {}", &told[..told.len().min(2000)]);
    }
    let small = format!("{fast}/failures/1.toml");
    assert!(ran.stdout.contains(&format!("smallest: {small}: 1 fault, ")), "{}", ran.stdout);
    aftermath(&["run", &small, "--out", &scratch.at("small")]).exits(1);
    let ran = run(&all, &["--keep-going", "--shrink", "0"]).exits(1);
    let shrink = ran.stdout.lines().find_map(|line| line.trim().strip_prefix("shrink: aftermath "));
    let words: Vec<&str> = shrink.expect("a command").split(' ').collect();
    let small = scratch.at("small.toml");
    aftermath(&[&words[..], &["--budget", "1", "--out", &small]].concat()).exits(0);
    let failing = load::read_records(&Path::new(&all).join("records.jsonl")).expect("records");
    let of = failing.iter().filter(|record| !record.reasons.is_empty()).count();
    assert!(ran.stdout.contains(&format!("{of} failing runs")), "{}", ran.stdout);
    let files = files_of(&format!("{all}/failures"));
    assert!(files.len() <= of && files.len() >= of.min(3), "{} of {of}", files.len());
    run(&all, &["--fail-fast", "--keep-going"]).exits(2).complains("--keep-going");
}

#[test]
fn an_empty_shard_ran_nothing() {
    let scratch = Scratch::new("campaign-empty");
    let (path, out) = (scenario(&scratch), scratch.at("out"));
    campaign(&path, &out, &["--shard", "19/19"]).exits(4).complains("nothing ran");
    assert!(!Path::new(&out).exists(), "nor is there a folder");
    for wrong in ["0/4", "5/4", "1", "a/b"] {
        let ran = campaign(&path, &out, &["--shard", wrong]).exits(2);
        ran.complains("1/4");
    }
}

#[test]
fn ctrl_c_writes_what_is_done_and_says_how_to_go_on() {
    let scratch = Scratch::new("campaign-interrupted");
    let (path, out) = (scenario(&scratch), scratch.at("out"));
    let mut command = command(PROGRAM);
    command.args(["campaign", &path, "--seeds", "0..20000", "--jobs", "1", "--out", &out]);
    let child = command.spawn().expect("the program can be started");
    let journal = Path::new(&out).join("journal.jsonl");
    let lines = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    while lines() < 3 {
        std::thread::yield_now();
    }
    let mut shell = support::command("sh");
    shell.arg("-c").arg(format!("kill -INT {}", child.id()));
    finish(shell).exits(0);
    let ended = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8(ended.stderr).expect("it is text");
    assert_eq!(ended.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("runs are done") && stderr.contains("goes on"), "{stderr}");
    let records = load::read_records(&Path::new(&out).join("records.jsonl")).expect("records");
    assert!(records.len() >= 2 && journal.exists());
    let page = std::fs::read_to_string(format!("{out}/report.html")).expect("a page");
    assert!(page.contains(&format!("{} of 80000 runs are done", records.len())));
}

#[test]
fn a_folder_that_is_removed_ends_the_campaign() {
    let scratch = Scratch::new("campaign-removed");
    let (path, out) = (scenario(&scratch), scratch.at("out"));
    let mut command = command(PROGRAM);
    command.args(["campaign", &path, "--seeds", "0..20000", "--jobs", "1", "--out", &out]);
    let child = command.spawn().expect("the program can be started");
    let journal = Path::new(&out).join("journal.jsonl");
    while std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count()) < 2 {
        std::thread::yield_now();
    }
    std::fs::remove_dir_all(&out).expect("it is ours");
    let ended = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8(ended.stderr).expect("it is text");
    assert_eq!(ended.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("journal.jsonl has been removed"), "{stderr}");
}
