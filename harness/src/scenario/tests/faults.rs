use super::*;
use crate::config::{FaultPlace, LinkEnd};
use aftermath_systems::options::OptionKind;

/// A fault on the minimal scenario, from line 7.
fn fault(what: &str, when: &str) -> Result<Scenario, String> {
    minimal(&format!("[[fault]]\n{what}\n{when}\n"))
}

#[test]
fn each_mistake_has_its_message() {
    let crash = "process-crash = { node = \"count\" }";
    let loss = |node: &str| format!("machine-loss = {{ node = \"{node}\" }}");
    for (what, when, expected) in [
        (crash, "", "`fault.0.at` is missing"),
        (crash, "", "test.toml:7:1\n  |\n7 | [[fault]]\n  | ^^^^^^^^^"),
        ("", "at = \"2s\"", "the fault does not say what happens"),
        ("process-crsh = { node = \"count\" }", "at = \"2s\"", "did you mean `process-crash`?"),
        ("process-crash = {}", "at = \"2s\"", "`fault.0.process-crash.node` is missing"),
        ("process-crash = \"count\"", "at = \"2s\"", "must be a table, not a string"),
        (
            "process-crash = { node = \"count\", wire = \"live\" }",
            "at = \"2s\"",
            "unknown key `wire` in `fault.0.process-crash`",
        ),
        ("machine-loss = { node = \"count\", wire = \"dies\" }", "at = \"2s\"", "`die`?"),
        (&loss("cuont"), "at = \"2s\"", "did you mean `count`?"),
        (&loss("source"), "at = \"2s\"", "`source` cannot fail"),
        (&loss("count/1"), "at = \"2s\"", "`count` has no instance 1"),
        (&loss("count/0/2"), "at = \"2s\"", "replicas are 0 and 1"),
        (&loss("count/0/x"), "at = \"2s\"", "`count/0/x` names no node"),
        (&loss("count/0/0/0"), "at = \"2s\"", "names no node"),
        (crash, "at = 2", "`fault.0.at` is no instant"),
        (crash, "at = \"0s\"", "`fault.0.at` must be at least one tick (1ms)"),
        (crash, "at = {}", "the fault does not say when it happens"),
        (crash, "at = { betwen = [\"1s\", \"2s\"] }", "did you mean `between`?"),
        (crash, "at = { between = [\"1s\"] }", "`between` takes two instants"),
        (crash, "at = { between = [\"2s\", \"1s\"] }", "must be later than the first"),
        (crash, "at = { between = [\"1s\", \"2s\"], after = \"1s\" }", "exclude each other"),
        (crash, "at = { strata = 20, span = \"1s\" }", "`fault.0.at.start` is missing"),
        (crash, "at = { strata = 20, start = \"1s\", span = \"3ns\" }", "1ns for each stratum"),
        (crash, "at = { strata = 0, start = \"1s\", span = \"1s\" }", "must be from 1 to 100000"),
        (crash, "at = { after = \"1s\" }", "the first fault has none before it"),
        (crash, "at = \"2s\"\nfor = \"0s\"", "`fault.0.for` must be longer than 0"),
        (crash, "at = \"2s\"\nunti = \"0s\"", "unknown key `unti` in `fault.0`"),
    ] {
        let text = wrong(fault(what, when), &[expected]);
        assert_eq!(count(&text), 1, "{what} {when}\n{text}");
    }
    wrong(minimal("[fault]\nat = \"2s\""), &["write [[fault]]"]);
    let text = wrong(fault("at = \"1s\"", ""), &["name a fault, such as"]);
    for entry in crate::faults::ALL {
        assert!(text.contains(entry.name), "{text}");
    }
    wrong(
        fault(crash, "machine-loss = { node = \"count\" }\nat = \"1s\""),
        &["exclude each other"],
    );
}

#[test]
fn a_replica_exists_only_with_a_spare() {
    let fault = "[[fault]]\nprocess-crash = { node = \"count/0/1\" }\nat = \"1s\"\n";
    good(minimal(fault));
    let top = format!("strategies = [\"amnesia\"]\n{MINIMAL}");
    let text = format!("{top}[protection]\nspares = 0\n{fault}");
    wrong(read(&text), &["`count` has no replica 1", "`protection.spares` is 0"]);
    let text = top.replace("[input]", "protect = []\n[input]") + fault;
    wrong(read(&text), &["see `pipeline.protect`"]);
}

#[test]
fn one_machine_has_one_outcome_at_a_time() {
    let text = |a: &str, b: &str, at: &str| {
        format!(
            "[[fault]]\nprocess-crash = {{ node = \"{a}\" }}\nat = \"1s\"\nfor = \"1s\"\n\
             [[fault]]\nmachine-loss = {{ node = \"{b}\" }}\nat = \"{at}\"\n"
        )
    };
    wrong(
        minimal(&text("count/0/1", "count/0/1", "1.5s")),
        &[
            "another outcome for `count/0/1`",
            "the other is `process-crash` at 1s",
            "test.toml:11:1",
        ],
    );
    good(minimal(&text("count/0/1", "count/0/1", "2s")));
    good(minimal(&text("count/0/1", "count/0/0", "1.5s")));
    // Who leads is known only when it runs.
    good(minimal(&text("count", "count", "1.5s")));
    let same = text("count/0/1", "count/0/1", "1.5s").replace("machine-loss", "process-crash");
    good(minimal(&same));
}

#[test]
fn strata_and_numbers_are_limited() {
    let strata = "[[fault]]\nprocess-crash = { node = \"count\" }\n\
                  at = { strata = 2, start = \"1s\", span = \"1s\" }\n";
    wrong(minimal(&strata.repeat(2)), &["one stratified fault only", "test.toml:10:1"]);
    let fault = "[[fault]]\nprocess-crash = { node = \"count\" }\nat = \"1s\"\n";
    good(minimal(&fault.repeat(1_000)));
    wrong(minimal(&fault.repeat(1_001)), &["1001 faults, at most 1000", "test.toml:3007:1"]);
}

#[test]
fn each_mistake_about_links_and_options_has_its_message() {
    for (what, expected) in [
        ("partition = {}", "`fault.0.partition` has no ends"),
        ("partition = { betwen = [\"source\", \"count\"] }", "did you mean `between`?"),
        ("partition = { between = [\"source\"] }", "`between` takes two ends"),
        ("partition = { between = \"source\" }", "must be an array, not a string"),
        ("partition = { between = [\"source\", \"cuont\"] }", "did you mean `count`?"),
        ("partition = { between = [\"sorce\", \"count\"] }", "did you mean `source`?"),
        ("partition = { from = \"source\" }", "`fault.0.partition` has no `to`"),
        (
            "partition = { between = [\"source\", \"count\"], to = \"count\" }",
            "`between` and `to` exclude each other",
        ),
        (
            "partition = { between = [\"source\", \"count\"], from = \"count\" }",
            "`between` and `from` exclude each other",
        ),
        ("partition = { between = [\"source\", \"source\"] }", "they are one machine"),
        ("partition = { from = \"count/0/1\", to = \"count/0/1\" }", "they are one machine"),
        ("partition = { between = [\"source\", \"count/0/2\"] }", "replicas are 0 and 1"),
        ("partition = { between = [\"source/1\", \"count\"] }", "`source` has no instance 1"),
        ("partition = { between = [\"count\", \"coordinator\"] }", "has a coordinator"),
        (
            "partition = { between = [\"source\", \"count\"], in_flight = \"hold\" }",
            "did you mean `held`?",
        ),
        (
            "message-loss = { between = [\"source\", \"count\"], probability = \"100.1%\" }",
            "write \"0%\" to \"100%\"",
        ),
        (
            "message-loss = { between = [\"source\", \"count\"], probability = 5 }",
            "must be a share, not an integer",
        ),
        ("slow-node = { node = \"count\", times = 0 }", "must be from 1 to 1000"),
        ("slow-node = { node = \"sink\" }", "`sink` cannot fail"),
        ("pause = { node = \"count\", times = 2 }", "unknown key `times` in `fault.0.pause`"),
        ("puase = { node = \"count\" }", "did you mean `pause`?"),
        (
            "slow-link = { between = [\"source\", \"count\"], by = \"soon\" }",
            "is not a span of time",
        ),
        (
            "storage-refuse = { node = \"count\", probability = \"100.1%\" }",
            "write \"0%\" to \"100%\"",
        ),
        ("storage-lose = { node = \"count\", chance = \"1%\" }", "unknown key `chance`"),
        ("storage-slow = { node = \"count\", by = 100 }", "must be a span of time, not an integer"),
        ("storage-tear = { node = \"coordinator\" }", "has a coordinator"),
        ("storage-slow = { by = \"1s\" }", "`fault.0.storage-slow.node` is missing"),
        ("storage-losse = { node = \"count\" }", "did you mean `storage-lose`?"),
    ] {
        let top = "strategies = [\"amnesia\"]\n";
        let text = format!("{top}{MINIMAL}[[fault]]\n{what}\nat = \"2s\"\n");
        let text = wrong(read(&text), &[expected]);
        assert_eq!(count(&text), 1, "{what}\n{text}");
    }
}

#[test]
fn every_fault_of_the_list_can_be_written() {
    for entry in crate::faults::ALL {
        let place = match entry.place {
            crate::faults::Place::Node => "node = \"count/0/1\"",
            crate::faults::Place::Link => "between = [\"count/0/0\", \"count/0/1\"]",
        };
        let options = entry.options.iter().map(|option| match option.kind {
            OptionKind::Number(..) => format!(", {} = {}", option.name, option.default),
            _ => format!(", {} = \"{}\"", option.name, option.default),
        });
        let options: String = options.collect();
        let text = |options: &str| format!("{} = {{ {place}{options} }}", entry.name);
        let short = good(fault(&text(""), "at = \"1s\""));
        let long = good(fault(&text(&options), "at = \"1s\""));
        let (short, long) = (&short.cases[0].config.faults, &long.cases[0].config.faults);
        assert_eq!(short, long);
        assert_eq!(short[0].kind, entry.kind);
    }
}

#[test]
fn ends_of_links_are_one_machine_or_several_and_a_case_may_turn_them() {
    let link = |from: LinkEnd, to: LinkEnd, both| FaultPlace::Link { from, to, both };
    let end = |operator: &str, instance, replica| LinkEnd {
        operator: operator.into(),
        instance,
        replica,
    };
    let place = |text: &str| {
        let text = format!("partition = {{ {text} }}");
        good(fault(&text, "at = \"1s\"")).cases[0].config.faults[0].place.clone()
    };
    let (source, count) = (end("source", None, None), end("count", None, None));
    assert_eq!(
        place("between = [\"source\", \"count\"]"),
        link(source.clone(), count.clone(), true)
    );
    assert_eq!(
        place("from = \"count\", to = \"sink\""),
        link(count, end("sink", None, None), false)
    );
    assert_eq!(
        place("from = \"count/0\", to = \"format/0/1\""),
        link(end("count", Some(0), None), end("format", Some(0), Some(1)), false)
    );
    // All replicas of one operator, with each other.
    place("between = [\"count\", \"count\"]");
    let text = "[[fault]]\npartition = { from = \"source\", to = \"count\" }\nat = \"1s\"\n\
                [[case]]\nname = \"both\"\n\
                set = { \"fault.0.partition.between\" = [\"source\", \"format\"] }\n";
    let read = good(minimal(text));
    let expected = link(source, end("format", None, None), true);
    assert_eq!(read.cases[0].config.faults[0].place, expected);
}

#[test]
fn what_does_not_kill_may_befall_a_machine_beside_anything_else() {
    let text = "[[fault]]\nprocess-crash = { node = \"count/0/1\" }\nat = \"1s\"\n\
                [[fault]]\npause = { node = \"count/0/1\" }\nat = \"1s\"\n\
                [[fault]]\nslow-node = { node = \"count/0/1\" }\nat = \"1s\"\n";
    good(minimal(text));
}
