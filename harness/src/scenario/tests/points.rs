use super::*;
use crate::config::{FaultAt, LinkEnd};

/// A fault of `count` on the minimal scenario under one strategy; `at` is line 9.
fn fault(strategy: &str, what: &str, at: &str) -> Result<Scenario, String> {
    let text = format!("strategies = [\"{strategy}\"]\n{MINIMAL}[[fault]]\n{what}\nat = {at}\n");
    read(&text)
}

const CRASH: &str = "process-crash = { node = \"count\" }";

fn end(operator: &str, instance: Option<u16>, replica: Option<u16>) -> LinkEnd {
    LinkEnd { operator: operator.into(), instance, replica }
}

fn at_of(scenario: &Scenario) -> FaultAt {
    scenario.cases[0].config.faults[0].at.clone()
}

#[test]
fn points_and_addresses_are_read() {
    let point = |name, node, nth| FaultAt::Point { name, nodes: vec![node], nth };
    let whole = end("count", None, None);
    let read = |at: &str| at_of(&good(fault("passive-standby", CRASH, at)));
    assert_eq!(read("{ point = \"took-over\" }"), point("took-over", whole, 1));
    assert_eq!(
        read("{ point = \"checkpoint-cut\", node = \"count/0/1\", nth = 3 }"),
        point("checkpoint-cut", end("count", Some(0), Some(1)), 3)
    );
    assert_eq!(
        read("{ point = \"took-over\", node = \"format/0\" }"),
        point("took-over", end("format", Some(0), None), 1)
    );
    let address = |node, effect| FaultAt::Address { node, incarnation: 2, handler: 57, effect };
    assert_eq!(
        read("{ node = \"count/0/1\", incarnation = 2, handler = 57, effect = 0 }"),
        address(end("count", Some(0), Some(1)), 0)
    );
    // Sources mark nothing, but they have handlers, and one machine.
    assert_eq!(
        read("{ node = \"source\", incarnation = 2, handler = 57, effect = 1 }"),
        address(end("source", None, None), 1)
    );
    // Of the ends of links those count that can get there.
    let links = "partition = { between = [\"source\", \"count\"] }";
    let links = good(fault("amnesia", links, "{ point = \"suspected\" }"));
    assert_eq!(at_of(&links), point("suspected", end("count", None, None), 1));
}

#[test]
fn a_case_may_count_and_choose_points() {
    let text = format!(
        "strategies = [\"passive-standby\"]\n{MINIMAL}[[fault]]\n{CRASH}\n\
         at = {{ point = \"checkpoint-cut\" }}\n\
         [[case]]\nname = \"third\"\nset = {{ \"fault.0.at.nth\" = 3 }}\n\
         [[case]]\nname = \"other\"\nset = {{ \"fault.0.at\" = {{ point = \"took-over\" }} }}\n"
    );
    let read = good(read(&text));
    let ats: Vec<_> = read.cases.iter().map(|case| case.config.faults[0].at.clone()).collect();
    let point = |name, nth| FaultAt::Point { name, nodes: vec![end("count", None, None)], nth };
    assert_eq!(ats, [point("checkpoint-cut", 3), point("took-over", 1)]);
}

#[test]
fn each_mistake_about_a_point_has_its_message() {
    let address = |keys: &str| format!("{{ node = \"count/0/0\", {keys} }}");
    for (strategy, at, expected) in [
        ("amnesia", "{ point = \"took-ovr\" }", "did you mean `took-over`?"),
        ("amnesia", "{ point = \"lunch\" }", "points that can be reached here: `deposed`"),
        ("amnesia", "{ point = \"lunch\" }", "test.toml:10:16"),
        ("amnesia", "{ point = 3 }", "must be a string, not an integer"),
        ("amnesia", "{ pont = \"took-over\" }", "did you mean `point`?"),
        ("amnesia", "{ point = \"took-over\", nht = 2 }", "did you mean `nth`?"),
        ("amnesia", "{ point = \"took-over\", nth = 0 }", "`fault.0.at.nth` must be at least 1"),
        ("amnesia", "{ point = \"checkpoint-cut\" }", "nobody here can reach `checkpoint-cut`"),
        (
            "amnesia",
            "{ point = \"checkpoint-cut\" }",
            "passive-standby or checkpoint-rollback can: name it in `strategies`",
        ),
        ("amnesia", "{ point = \"took-over\", node = \"cuont\" }", "did you mean `count`?"),
        ("amnesia", "{ point = \"took-over\", node = \"count/1\" }", "`count` has no instance 1"),
        ("amnesia", "{ point = \"took-over\", node = \"count/0/2\" }", "replicas are 0 and 1"),
        ("amnesia", "{ point = \"took-over\", node = \"source\" }", "`source` cannot reach"),
        ("amnesia", "{ point = \"took-over\", node = \"coordinator\" }", "has a coordinator"),
        ("checkpoint-rollback", "{ point = \"restart\" }", "`count` cannot reach `restart`"),
        (
            "checkpoint-rollback",
            "{ point = \"restart\" }",
            "say who does, with node = \"coordinator\"",
        ),
        (
            "checkpoint-rollback",
            "{ point = \"restored\", node = \"coordinator\" }",
            "it is reached by `count`, `format`",
        ),
        (
            "amnesia",
            "{ point = \"took-over\", between = [\"1s\", \"2s\"] }",
            "`point` and an address exclude each other",
        ),
        (
            "amnesia",
            "{ point = \"took-over\", effect = 2 }",
            "`point` and an address exclude each other",
        ),
        ("amnesia", "{ node = \"count/0/0\" }", "the fault does not say when it happens"),
        ("amnesia", &address("handler = 57"), "the address has no `incarnation` and no `effect`"),
        ("amnesia", &address("handler = 57"), "`aftermath replay --trace` shows all four"),
        ("amnesia", "{ incarnation = 1, handler = 57, effect = 2 }", "the address has no `node`"),
        (
            "amnesia",
            &address("incarnation = 0, handler = 57, effect = 2"),
            "`fault.0.at.incarnation` must be from 1 to ",
        ),
        (
            "amnesia",
            &address("incarnation = 1, handler = 0, effect = 2"),
            "`fault.0.at.handler` must be at least 1",
        ),
        ("amnesia", &address("incarnation = 1, handler = 57, efect = 2"), "did you mean `effect`?"),
        (
            "amnesia",
            "{ node = \"count\", incarnation = 1, handler = 57, effect = 2 }",
            "`count` is more than one machine",
        ),
        (
            "amnesia",
            "{ node = \"count/0/7\", incarnation = 1, handler = 57, effect = 2 }",
            "replicas are 0 and 1",
        ),
    ] {
        let text = wrong(fault(strategy, CRASH, at), &[expected]);
        assert_eq!(count(&text), 1, "{strategy} {at}\n{text}");
    }
}

#[test]
fn all_mistakes_about_points_come_at_once() {
    let at = "{ point = \"tookover\", nth = 0, node = \"cuont\", tick = 1 }";
    let text = wrong(
        fault("amnesia", CRASH, at),
        &["`took-over`?", "must be at least 1", "`count`?", "unknown key `tick`"],
    );
    assert_eq!(count(&text), 4, "{text}");
    let at = "{ node = \"cuont\", incarnation = 0, handler = 0, effect = \"x\" }";
    assert_eq!(count(&wrong(fault("amnesia", CRASH, at), &[])), 4);
}

#[test]
fn only_some_strategies_of_a_file_can_reach_a_point() {
    let at =
        "[[fault]]\nprocess-crash = { node = \"count\" }\nat = { point = \"checkpoint-cut\" }\n";
    let text = wrong(minimal(at), &["nobody here can reach", "in case \"base\" under amnesia"]);
    assert_eq!(count(&text), 1, "{text}");
    // An operator that nobody protects has the points of amnesia.
    let top = MINIMAL.replace("[input]", "protect = [\"count\"]\n[input]");
    let text = format!("strategies = [\"passive-standby\"]\n{top}{at}");
    let of =
        |text: &str, node: &str| text.replace("node = \"count\"", &format!("node = \"{node}\""));
    good(read(&text));
    wrong(
        read(&of(&text, "format")),
        &["`format` cannot reach `checkpoint-cut`", "node = \"count\""],
    );
    good(read(&of(&text, "format").replace("checkpoint-cut", "took-over")));
}

#[test]
fn nothing_comes_after_a_fault_that_waits() {
    let text = |first: &str| {
        format!(
            "[[fault]]\n{CRASH}\nat = {first}\nfor = \"1s\"\n\
             [[fault]]\n{CRASH}\nat = {{ after = \"1s\" }}\n"
        )
    };
    let address = "{ node = \"count/0/0\", incarnation = 1, handler = 57, effect = 2 }";
    for at in ["{ point = \"took-over\", node = \"format\" }", address] {
        let text = format!("strategies = [\"amnesia\"]\n{MINIMAL}{}", text(at));
        let text = wrong(read(&text), &["has no instant to count from", "a point of its own"]);
        assert_eq!(count(&text), 1, "{text}");
    }
    good(minimal(&text("\"1s\"")));
}
