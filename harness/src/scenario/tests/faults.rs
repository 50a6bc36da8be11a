use super::*;

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
            "`wire` is for machine losses",
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
        (crash, "at = { strata = 0, start = \"1s\", span = \"1s\" }", "must be in 1..=100000"),
        (crash, "at = { after = \"1s\" }", "the first fault has none before it"),
        (crash, "at = \"2s\"\nfor = \"0s\"", "`fault.0.for` must be longer than 0"),
        (crash, "at = \"2s\"\nunti = \"0s\"", "unknown key `unti` in `fault.0`"),
    ] {
        let text = wrong(fault(what, when), &[expected]);
        assert_eq!(count(&text), 1, "{what} {when}\n{text}");
    }
    wrong(minimal("[fault]\nat = \"2s\""), &["write [[fault]]"]);
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
        &["another outcome for `count/0/1`", "a process crash at 1s", "test.toml:11:1"],
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
