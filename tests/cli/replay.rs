//! One run again.

use super::support::{PROGRAM, SMALL, Scratch, aftermath, command, finish};
use super::{LOSS, file, usage};
use aftermath_harness::Registry;
use aftermath_reports::record::Record;

#[test]
fn replay_shows_the_same_run_as_the_record_that_names_it() {
    let scratch = Scratch::new("replay");
    // A name that a shell would take apart.
    let text =
        format!("{SMALL}{LOSS}[[case]]\nname = \"it's one, of $two\"\n[[case]]\nname = \"b\"\n");
    let path = file(&scratch, "with space", &text);
    let out = scratch.at("out");
    let ran =
        aftermath(&["run", &path, "--format", "json", "--seeds", "7", "--out", &out]).exits(0);
    for line in ran.stdout.lines() {
        let record: Record = serde_json::from_str(line).expect("a record");
        let arguments = record.replay.strip_prefix("aftermath ").expect("it runs this program");
        let mut shell = command("sh");
        shell.arg("-c").arg(format!("exec \"$0\" {arguments} --format json")).arg(PROGRAM);
        let again = finish(shell).exits(0);
        let again: Record = serde_json::from_str(&again.stdout).expect("one record");
        assert_eq!(again.trace_hash, record.trace_hash);
        assert_eq!(again.counts, record.counts);
        assert_eq!((again.case, again.strategy, again.seed), (record.case, record.strategy, 7));
    }
}

#[test]
fn replay_prints_every_event_on_demand() {
    let scratch = Scratch::new("trace");
    let path = file(&scratch, "small", &format!("strategies = [\"amnesia\"]\n{SMALL}{LOSS}"));
    let short = aftermath(&["replay", &path]).exits(0);
    let long = aftermath(&["replay", &path, "--trace"]).exits(0);
    assert!(long.stdout.ends_with(&short.stdout), "the account comes after the trace");
    let account = short.stdout.lines().count();
    assert!(account < 30 && long.stdout.lines().count() > 1_000 + account);
    assert!(short.stdout.contains("machine-loss of count/0/0"), "{}", short.stdout);
    let struck = "\n    120.000000 ms  == machine-loss of count/0/0 strikes\n";
    assert_eq!(long.stdout.matches(struck).count(), 1);
    let (before, after) = long.stdout.split_once(struck).expect("it is there");
    let last = before.lines().rfind(|line| line.contains(" ms  ")).expect("an event");
    assert!(last.trim() < "120.000001" && !after.contains("\n    119."), "{last}");
}

#[test]
fn a_trace_can_be_of_some_instants_only() {
    let scratch = Scratch::new("instants");
    let path = file(&scratch, "small", &format!("strategies = [\"amnesia\"]\n{SMALL}{LOSS}"));
    // Events are the lines that begin with their instant, ms; those of faults have two bars.
    let events = |trace: &str| -> Vec<(f64, String)> {
        let ran = aftermath(&["replay", &path, trace]).exits(0);
        let instant = |line: &str| line.split_once(" ms  ")?.0.trim().parse().ok();
        let events = ran.stdout.lines().filter(|line| !line.contains(" ms  == "));
        events.filter_map(|line| Some((instant(line)?, line.to_string()))).collect()
    };
    let whole = events("--trace");
    let some = events("--trace=100ms..200ms");
    let expected = whole.iter().filter(|(ms, _)| (100.0..200.0).contains(ms));
    assert_eq!(some, expected.cloned().collect::<Vec<_>>());
    assert!(!some.is_empty() && some.len() < whole.len());
    let left_out = whole.len() - some.len();
    let said = aftermath(&["replay", &path, "--trace=100ms..200ms"]).exits(0).stdout;
    assert!(said.contains(&format!("\n{left_out} events before or after, not shown\n")), "{said}");
    assert_eq!(events("--trace=.."), whole);
    assert_eq!([events("--trace=..100ms"), some, events("--trace=200ms..")].concat(), whole);
    for (wrong, why) in [("2s..1s", "backwards"), ("soon", "1.5s..2s"), ("1..2", "span of time")] {
        let ran = usage(aftermath(&["replay", &path, &format!("--trace={wrong}")]));
        ran.complains(why);
    }
    let ran = usage(aftermath(&["replay", &path, "--trace", "--format", "json"]));
    ran.complains("without --format json");
}

#[test]
fn replay_that_does_not_say_which_case_lists_the_choices() {
    let scratch = Scratch::new("choices");
    let cases = ["first", "second", "third"].map(|name| format!("[[case]]\nname = \"{name}\"\n"));
    let text = format!("strategies = [\"amnesia\"]\n{SMALL}{}", cases.concat());
    let path = file(&scratch, "cases", &text);
    let ran = usage(aftermath(&["replay", &path]));
    ran.complains("--case").complains("first").complains("second").complains("third");
    let ran = usage(aftermath(&["replay", &path, "--case", "fourth"]));
    ran.complains("first").complains("second").complains("third");
    aftermath(&["replay", &path, "--case", "second"]).exits(0);
}

#[test]
fn replay_that_does_not_say_which_strategy_lists_the_choices() {
    let scratch = Scratch::new("strategies");
    let path = file(&scratch, "small", SMALL);
    let ran = usage(aftermath(&["replay", &path]));
    ran.complains("--strategy");
    for entry in Registry::built_in().iter() {
        ran.complains(entry.name);
    }
}

#[test]
fn replay_refuses_a_stratum_that_there_is_not() {
    let scratch = Scratch::new("strata");
    let plain = file(&scratch, "plain", &format!("strategies = [\"amnesia\"]\n{SMALL}{LOSS}"));
    usage(aftermath(&["replay", &plain, "--stratum", "0"])).complains("not stratified");
    let strata = LOSS.replace("\"120ms\"", "{ strata = 4, start = \"100ms\", span = \"50ms\" }");
    let text = format!("strategies = [\"amnesia\"]\n{SMALL}{strata}");
    let path = file(&scratch, "stratified", &text);
    usage(aftermath(&["replay", &path, "--stratum", "4"])).complains("0 to 3");
    aftermath(&["replay", &path, "--stratum", "3"]).exits(0);
}

#[test]
fn a_replay_takes_the_first_seed_of_the_scenario_if_none_is_named() {
    let scratch = Scratch::new("cli-first-seed");
    let text = format!("seeds = \"5..7\"\nstrategies = [\"amnesia\"]\n{SMALL}");
    let ran = aftermath(&["replay", &file(&scratch, "first", &text), "--format", "json"]).exits(0);
    let record: Record = serde_json::from_str(ran.stdout.trim()).expect("one record");
    assert_eq!(record.seed, 5);
}
