use super::*;
use crate::config::InputConfig;
use aftermath_systems::protocol::MILLISECOND;

fn names(scenario: &Scenario) -> Vec<String> {
    scenario.cases.iter().map(|c| format!("{} | {}", c.name, c.config.strategy)).collect()
}

#[test]
fn a_matrix_multiplies_and_its_last_key_changes_fastest() {
    let scenario = good(minimal(
        "[[case]]\nstrategies = [\"amnesia\"]\n\
         matrix = { \"timing.interval\" = [\"250ms\", \"500ms\"], \"timing.misses\" = [2, 3] }\n",
    ));
    assert_eq!(
        names(&scenario),
        [
            "base, timing.interval=250ms, timing.misses=2 | amnesia",
            "base, timing.interval=250ms, timing.misses=3 | amnesia",
            "base, timing.interval=500ms, timing.misses=2 | amnesia",
            "base, timing.interval=500ms, timing.misses=3 | amnesia",
        ]
    );
    let timing = &scenario.cases[2].config.timing;
    assert_eq!((timing.interval_ns, timing.misses), (500 * MILLISECOND, 2));
}

#[test]
fn a_case_can_set_tables_options_pipelines_and_inputs() {
    let scenario = good(minimal(
        r#"
[timing]
heartbeat = "10ms"
interval = "20ms"
[strategy]
store_at = "primary"
[[fault]]
process-crash = { node = "count" }
at = "1s"
[[case]]
name = "whole table"
strategies = ["passive-standby"]
set = { timing = { interval = "30ms" }, "timing.misses" = 5, strategy.store_at = "secondary" }
plant = "never-trims"
[[case]]
name = "window"
strategies = ["passive-standby", "amnesia"]
set."pipeline.name" = "window"
set."pipeline.options.span" = "3s"
set.pipeline.capacity_per_s.window = 1000
set."input.generated.tuples" = 5
[[case.fault]]
machine-loss = { node = "window" }
at = "2s"
[[case]]
name = "calm"
strategies = ["amnesia"]
fault = []
"#,
    ));
    let cases: Vec<_> = scenario.cases.iter().map(|case| &case.config).collect();
    // In braces the whole table is replaced; the heartbeat is the default again.
    assert_eq!(cases[0].timing.heartbeat_ns, 100 * MILLISECOND);
    assert_eq!((cases[0].timing.interval_ns, cases[0].timing.misses), (30 * MILLISECOND, 5));
    assert_eq!(cases[0].strategy_options.choice("store_at"), "secondary");
    assert!(cases[0].plant.is_some() && cases[1].plant.is_none());
    assert_eq!((cases[1].pipeline, cases[1].protect.len()), ("window", 2));
    assert_eq!(cases[1].service_ns.get("window"), Some(&1_000_000));
    assert_eq!(cases[1].strategy_options.choice("store_at"), "primary");
    assert!(matches!(cases[1].input, InputConfig::Generated { tuples: 5, keys: 10 }));
    assert_eq!(target(&cases[1].faults[0]).operator, "window");
    assert_eq!((cases[3].faults.len(), cases[3].pipeline), (0, "keyed-count"));
}

#[test]
fn what_a_case_sets_displaces_the_files_alternative() {
    let text = MINIMAL.replace("[input]", "service = { count = \"7us\" }\n[input]");
    let scenario = good(read(&format!(
        "{text}[[fault]]\nmachine-loss = {{ node = \"count\" }}\nat = \"1s\"\n\
         [[case]]\nset.pipeline.capacity_per_s.count = 1000\n\
         set.\"fault.0.process-crash\" = {{ node = \"count\" }}\n"
    )));
    let config = &scenario.cases[0].config;
    assert_eq!(config.service_ns.get("count"), Some(&1_000_000));
    assert_eq!(config.faults[0].kind, aftermath_systems::claim::FaultKind::ProcessCrash);
}

#[test]
fn mistakes_in_what_a_case_sets_are_shown_there() {
    let text = wrong(
        minimal(
            "[[case]]\nname = \"a\"\nset = { \"timing.intervall\" = \"1s\" }\n\
             [[case]]\nname = \"b\"\nmatrix = { \"timing.interval\" = [\"1s\", \"1x\"] }\n",
        ),
        &[
            "error: no such setting: `timing.intervall`\n --> test.toml:9:9\n  |\n\
             9 | set = { \"timing.intervall\" = \"1s\" }\n  |         ^^^^^^^^^^^^^^^^^^\n  \
             = help: did you mean `timing.interval`?\n",
            "\"1x\" is not a span of time",
            "test.toml:12:39",
        ],
    );
    assert_eq!(count(&text), 2, "{text}");
}

#[test]
fn an_option_must_be_the_strategys_own() {
    let set = "[[case]]\nset = { \"strategy.store_at\" = \"primary\" }\n";
    let text = wrong(
        minimal(set),
        &[
            "strategy `amnesia` has no option `store_at`",
            "strategy `upstream-backup` has no option `store_at`",
            "test.toml:8:9",
        ],
    );
    // One for each strategy but the one that has it.
    assert_eq!(count(&text), aftermath_systems::strategies::ALL.len() - 1, "{text}");
    good(minimal(&format!("{set}strategies = [\"passive-standby\"]\n")));
    good(minimal(&set.replace("strategy.store_at", "strategy.passive-standby.store_at")));
}

#[test]
fn a_mistake_that_only_some_cases_have_names_one() {
    let text = wrong(
        minimal("[protection]\nspares = 0\n"),
        &[
            "strategy `passive-standby` needs 1 spare, there are 0",
            "test.toml:8:10",
            "= note: in case \"base\" under passive-standby\n",
        ],
    );
    assert!(!text.contains("`amnesia` needs"), "{text}");
    // A fault of the file that suits one case's pipeline only.
    let text = wrong(
        minimal(
            "[[fault]]\nprocess-crash = { node = \"count\" }\nat = \"1s\"\n[[case]]\nname = \"a\"\n\
             [[case]]\nname = \"b\"\nset = { \"pipeline.name\" = \"chain\" }\n",
        ),
        &[
            "pipeline `chain` has no operator `count`",
            "= note: in case \"b\" under amnesia and 4 more",
        ],
    );
    assert_eq!(count(&text), 1, "{text}");
}

#[test]
fn each_mistake_of_a_case_has_its_message() {
    for (text, expected) in [
        ("[[case]]\n[[case]]\nname = \"b\"", "of several cases, each needs a name"),
        ("[[case]]\nname = \"b\"\n[[case]]\nname = \"b\"", "two cases are called \"b\""),
        ("[[case]]\nmatrix = { \"timing.misses\" = [1, 1] }", "two cases are called"),
        ("[[case]]\nmatrix = { \"timing.misses\" = [] }", "at least one value is needed"),
        ("[[case]]\nmatrix = { \"timing.misses\" = 1 }", "needs an array of values here"),
        ("[[case]]\nset.plant = \"never-trims\"\nmatrix.plant = []", "at least one value"),
        (
            "[[case]]\nset.timing.misses = 2\nmatrix.timing.misses = [1]",
            "`timing.misses` is set already",
        ),
        (
            "[[case]]\nmatrix.\"timing.mises\" = [1, 2]",
            "8:8\n  |\n8 | matrix.\"timing.mises\" = [1, 2]\n  |        ^^^^^^^^^^^^^^\n",
        ),
        ("[[case]]\nset.fault = []", "write [[case.fault]]"),
        ("[[case]]\nset.seeds = \"0..2\"", "`seeds` is not a setting of a run"),
        ("[[case]]\nset = 3", "`case.0.set` must be a table, not an integer"),
        (
            "[[case]]\nstrategies = [\"nope\"]\nset.strategy.store_at = \"primary\"",
            "unknown strategy",
        ),
        ("[[case]]\nexpects = {}", "did you mean `expect`?"),
        ("[[case]]\nset.timing.interval.x = 1", "no such setting: `timing.interval.x`"),
        ("[[case]]\nset.\"\" = 1", "no such setting: ``"),
        ("[[case]]\nset.\"fault.0.at\" = \"1s\"", "no such setting: `fault.0.at`"),
        ("[case]\nname = \"x\"", "write [[case]]"),
    ] {
        let text_wrong = wrong(minimal(text), &[expected]);
        assert_eq!(count(&text_wrong), 1, "{text}\n{text_wrong}");
    }
}

#[test]
fn an_explosion_of_cases_is_refused() {
    let values = (1..=100).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    let keys = ["timing.misses", "sizes.tuple", "sizes.ack", "sizes.entry", "sizes.control"];
    let matrix = |n: usize| {
        let all = keys.iter().take(n).map(|key| format!("matrix.{key} = [{values}]\n"));
        format!("[[case]]\nstrategies = [\"amnesia\"]\n{}", all.collect::<String>())
    };
    assert_eq!(good(minimal(&matrix(2))).cases.len(), 10_000);
    wrong(minimal(&matrix(5)), &["more than 10000 cases", "test.toml:9:15"]);
}
