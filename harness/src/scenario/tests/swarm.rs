use super::*;
use crate::config::SwarmConfig;
use aftermath_systems::claim::FaultKind;
use aftermath_systems::protocol::{MILLISECOND, SECOND};

/// A swarm on the minimal scenario, whose stream takes 1 s.
fn swarm(settings: &str) -> Result<Scenario, String> {
    minimal(&format!("[faults.swarm]\n{settings}\n"))
}

fn drawn(scenario: Scenario) -> SwarmConfig {
    scenario.cases[0].config.swarm.clone().expect("a swarm")
}

#[test]
fn what_a_swarm_does_not_say_has_its_default() {
    let all: Vec<FaultKind> = crate::faults::ALL.iter().map(|entry| entry.kind).collect();
    let expected = SwarmConfig {
        kinds: all,
        most: 4,
        from_ns: MILLISECOND,
        until_ns: SECOND,
        overlap: false,
        beyond_claims: false,
    };
    assert_eq!(drawn(good(swarm(""))), expected);
    assert_eq!(drawn(good(read(&format!("faults = {{ swarm = {{}} }}\n{MINIMAL}")))), expected);
    let settings = "kinds = [\"pause\", \"machine-loss\"]\nmost = 1000\nfrom = \"0.5s\"\n\
                    until = \"700ms\"\noverlap = true\nbeyond_claims = true";
    let expected = SwarmConfig {
        kinds: vec![FaultKind::Pause, FaultKind::MachineLoss],
        most: 1_000,
        from_ns: 500 * MILLISECOND,
        until_ns: 700 * MILLISECOND,
        overlap: true,
        beyond_claims: true,
    };
    assert_eq!(drawn(good(swarm(settings))), expected);
}

#[test]
fn each_absurd_request_is_refused() {
    for (settings, expected) in [
        ("most = 1_000_000_000", "`faults.swarm.most` must be from 1 to 1000"),
        ("most = 0", "`faults.swarm.most` must be from 1 to 1000"),
        ("most = -3", "`faults.swarm.most` must be from 1 to 1000"),
        ("most = \"4\"", "`faults.swarm.most` must be an integer, not a string"),
        ("kinds = [\"machine-los\"]", "did you mean `machine-loss`?"),
        ("kinds = [\"fire\"]", "unknown fault `fire`"),
        ("kinds = []", "`faults.swarm.kinds` names no fault"),
        ("kinds = \"pause\"", "must be an array, not a string"),
        ("kinds = [\"pause\", \"pause\"]", "`pause` is named twice"),
        ("from = \"300ms\"\nuntil = \"300ms\"", "no fault can start from 300ms and before 300ms"),
        ("from = \"2s\"", "no fault can start from 2s and before 1s"),
        ("until = \"1001ms\"", "`faults.swarm.until` is after the end of the stream (1s)"),
        ("from = \"-1s\"", "\"-1s\" is not a span of time"),
        ("from = \"0s\"", "`faults.swarm.from` must be at least one tick (1ms)"),
        ("overlap = \"yes\"", "must be `true` or `false`, not a string"),
        ("beyond_claims = 1", "must be `true` or `false`, not an integer"),
        ("beyond_claim = true", "did you mean `beyond_claims`?"),
    ] {
        let text = wrong(swarm(settings), &[expected]);
        assert_eq!(count(&text), 1, "{settings}\n{text}");
        let line = if settings.contains("until") && settings.contains('\n') { 9 } else { 8 };
        assert!(text.contains(&format!("test.toml:{line}:")), "another place:\n{text}");
    }
    wrong(
        minimal("[[faults]]\nmachine-loss = { node = \"count\" }"),
        &["[[fault]]; what is drawn"],
    );
    wrong(minimal("[faults]\nswram = {}"), &["did you mean `swarm`?"]);
    wrong(minimal("[faults]"), &["`faults.swarm` is missing"]);
    let loss = "[[fault]]\nat = \"1s\"\n[fault.message-loss]\n\
                between = [\"count\", \"format\"]\nprobability = \"101%\"";
    wrong(minimal(loss), &["\"101%\" is no share"]);
}

#[test]
fn all_mistakes_of_a_swarm_come_at_once() {
    let text = wrong(
        swarm("kinds = [\"paus\"]\nmost = 1_000_000_000\nfrom = \"3s\"\nuntil = \"2s\""),
        &[
            "error: unknown fault `paus`
 --> test.toml:8:10
  |
8 | kinds = [\"paus\"]
  |          ^^^^^^
  = help: did you mean `pause`?
",
            "error: `faults.swarm.most` must be from 1 to 1000
 --> test.toml:9:8
  |
9 | most = 1_000_000_000
  |        ^^^^^^^^^^^^^
",
            "error: `faults.swarm.until` is after the end of the stream (1s)
  --> test.toml:11:9
   |
11 | until = \"2s\"
   |         ^^^^
   = help: leave it out to draw until the end
",
        ],
    );
    assert_eq!(count(&text), 3, "{text}");
}

#[test]
fn what_is_written_and_what_is_drawn_exclude_each_other_unless_a_case_displaces_one() {
    let fault = "[[fault]]\npause = { node = \"count\" }\nat = \"500ms\"\n";
    let both = format!("{fault}[faults.swarm]\n");
    let text = wrong(minimal(&both), &["`faults` and [[fault]] exclude each other"]);
    assert_eq!(count(&text), 1, "{text}");

    let case = "[[case]]\nfaults = { swarm = { most = 2 } }\n";
    let config = good(minimal(&format!("{fault}{case}"))).cases[0].config.clone();
    assert_eq!((config.faults.len(), config.swarm.map(|swarm| swarm.most)), (0, Some(2)));
    let case = fault.replace("[[fault]]", "[[case]]\n[[case.fault]]");
    let config = good(swarm(&case)).cases[0].config.clone();
    assert_eq!((config.faults.len(), config.swarm), (1, None));
    let case = "[[case]]\nset = { \"faults.swarm.most\" = 7 }\n";
    assert_eq!(drawn(good(swarm(case))).most, 7);
    let matrix = "[[case]]\nmatrix = { \"faults.swarm.beyond_claims\" = [false, true] }\n";
    let beyond = |case: &crate::config::Case| case.config.swarm.as_ref().unwrap().beyond_claims;
    let scenario = good(swarm(matrix));
    assert!(!beyond(&scenario.cases[0]) && beyond(scenario.cases.last().unwrap()));
}

#[test]
fn several_machines_are_one_fault() {
    // Under a strategy without a coordinator, which could fail as well.
    let fault = |node: &str| {
        let top = "strategies = [\"amnesia\"]\n";
        read(&format!(
            "{top}{MINIMAL}[[fault]]\nmachine-loss = {{ node = {node} }}\nat = \"500ms\"\n"
        ))
    };
    let scenario = good(fault("[\"count/0/0\", \"format\"]"));
    let [one] = scenario.cases[0].config.faults.as_slice() else { panic!("one line, one fault") };
    let names: Vec<_> = one.place.targets().iter().map(|target| target.to_string()).collect();
    assert_eq!(names, ["count/0/0", "format"]);
    // A list of one is one.
    assert_eq!(target(&good(fault("[\"count/0/1\"]")).cases[0].config.faults[0]).replica, Some(1));
    for (node, expected) in [
        ("[]", "`fault.0.machine-loss.node` names no machine"),
        ("[\"count/0/0\", \"count/0/0\"]", "`count/0/0` is named twice"),
        ("[\"count\", \"count/0\"]", "`count` is named twice"),
        ("[\"count\", \"count/0/1\"]", "`count` and `count/0/1` may be the same machine"),
        ("[\"count\", \"cuont\"]", "did you mean `count`?"),
        ("[\"count\", 7]", "must be a string, not an integer"),
        ("7", "must be a string, not an integer"),
        (
            "[\"count\", \"count\", \"count\", \"count\", \"count\", \"count\"]",
            "6 machines, and there are 4 that can fail",
        ),
    ] {
        let text = wrong(fault(node), &[expected]);
        assert_eq!(count(&text), 1, "{node}\n{text}");
    }
    let clash = "[[fault]]\nprocess-crash = { node = \"format/0/1\" }\nat = \"500ms\"\n[[fault]]\n\
                 machine-loss = { node = [\"count/0/0\", \"format/0/1\"] }\nat = \"500ms\"\n";
    wrong(minimal(clash), &["another outcome for `format/0/1`"]);
}
