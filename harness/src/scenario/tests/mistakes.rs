use super::*;

#[test]
fn all_mistakes_come_at_once_with_their_places() {
    let text = r#"seeds = "5..5"
[pipeline]
name = "keyed-count"
protect = ["cuont"]
[input]
rate_per_s = 1000
generated = { tuples = 1000, keys = 10 }
[timing]
hartbeat = "100ms"
interval = 250
[[fault]]
machine-loss = { node = "sink" }
at = "2s"
"#;
    let expected = r#"error: no seed is in that range
 --> test.toml:1:9
  |
1 | seeds = "5..5"
  |         ^^^^^^
  = help: "0..20" are the seeds 0 to 19

error: pipeline `keyed-count` has no operator `cuont`
 --> test.toml:4:12
  |
4 | protect = ["cuont"]
  |            ^^^^^^^
  = help: did you mean `count`?

error: unknown key `hartbeat` in `timing`
 --> test.toml:9:1
  |
9 | hartbeat = "100ms"
  | ^^^^^^^^
  = help: did you mean `heartbeat`?

error: `timing.interval` must be a span of time, not an integer
  --> test.toml:10:12
   |
10 | interval = 250
   |            ^^^
   = help: write it as a string with its unit: "250ms"

error: `sink` cannot fail
  --> test.toml:12:25
   |
12 | machine-loss = { node = "sink" }
   |                         ^^^^^^
   = help: a source is a durable log and a sink records delivery and position in one durable step: both survive process crashes by construction; that their machines are lost, slow or stand still is not modelled
"#;
    assert_eq!(read(text).map(|_| ()), Err(expected.to_string()));
}

#[test]
fn what_is_not_toml_is_said_once_a_line() {
    let text = wrong(read("a = \"x\n[pipeline\nname = \"chain\"\n"), &["test.toml:1:7", ":2:10"]);
    assert_eq!(count(&text), 2, "{text}");
    wrong(read("[a]\nx = 1\nx = 2\n"), &["duplicate key", "test.toml:3:1"]);
}

#[test]
fn an_empty_file_lacks_what_is_required() {
    let text = wrong(
        read(""),
        &["`pipeline.name` is missing\n --> test.toml:1:1", "`input.rate_per_s` is missing"],
    );
    assert_eq!(count(&text), 2, "{text}");
}

/// One line after the minimal scenario, and what is said about it.
#[test]
fn each_mistake_has_its_message() {
    for (more, expected) in [
        ("[timing]\nmisses = 0", "8:10\n  |\n8 | misses = 0\n  |          ^\n"),
        ("[timing]\nmisses = 0", "`timing.misses` must be from 1 to 1000"),
        ("[timing]\nheartbeat = \"100us\"", "`timing.heartbeat` must be at least one tick (1ms)"),
        ("[timing]\nheartbeat = \"5m\"", "\"5m\" is not a span of time"),
        ("[timing]\nheartbeat = \"2000000s\"", "must be at most 1000000s"),
        ("[timing]\nphases = { ack = \"1s\" }", "less than its period, `timing.interval` (1s)"),
        ("[timing]\nphases = { tuple = \"1ms\" }", "the time between tuples (1ms)"),
        ("timing = 3", "unknown key `timing` in `input`"),
        ("[network]\ntick = \"1500us\"", "`network.tick` must be a whole number of milliseconds"),
        ("[network]\ntick = \"500us\"", "`network.tick` must be at least one millisecond (1ms)"),
        ("[network]\ntick = \"2ms\"", "the tick is longer than the latency"),
        ("[network]\ntick = \"2ms\"\nlatency = \"1ms\"", "must be at least one tick (2ms)"),
        ("[network]\nedges = { \"source > count\" = \"2ms\" }", "did you mean `source -> count`?"),
        ("[network]\nedges = { nope = \"2ms\" }", "edges: `source -> count`, `count -> format`"),
        ("[network]\njitter = 1", "`network.jitter` must be a span of time, not an integer"),
        (
            "[network]\nedges = { \"source -> count\" = { latncy = \"2ms\" } }",
            "did you mean `latency`?",
        ),
        (
            "[network]\nedges = { \"source -> count\" = { latency = \"2us\" } }",
            "must be at least one tick (1ms)",
        ),
        ("[network]\nbandwidth_bytes_per_s = -1", "must be from 0 to 1000000000000"),
        ("[network]\nbandwidth_bytes_per_s = 1.5", "must be an integer, not a float"),
        ("[protection]\nspares = 2", "`protection.spares` must be from 0 to 1"),
        ("[protection]\nspares = -1", "`protection.spares` must be from 0 to 1"),
        ("[protection]\ndedup = \"of\"", "did you mean `off`?"),
        ("[protection]\ndedup = \"handshak\"", "did you mean `handshake`?"),
        ("[sizes]\ntuple = 0", "`sizes.tuple` must be from 1 to 1000000000"),
        ("[storage]\nlatncy = \"1ms\"", "did you mean `latency`?"),
        ("[strategy]\nstore_at = \"third\"", "unknown value of `strategy.store_at` `third`"),
        ("[strategy]\nstore = \"primary\"", "unknown key `store` in `strategy`"),
        ("[strategy.passive-standby]\nstoreat = \"primary\"", "did you mean `store_at`?"),
        ("[strategy.passiv-standby]\nx = 1", "did you mean `passive-standby`?"),
        ("[strategy.amnesia]\nx = 1", "none is known here"),
        ("[expectt]", "did you mean `expect`?"),
        ("[something]", "unknown key `something` at the top of a scenario"),
        ("[expect]\nlots = 1", "nothing called `lots` is measured"),
        ("[expect]\nlots = 1", "did you mean `lost`?"),
        ("[expect]\nlost = \"1s\"", "`expect.lost` must be an integer, not a string"),
        ("[expect]\nrecovery.r2 = 1", "`expect.recovery.r2` must be a span of time"),
        ("[expect]\nrecovery.r4 = 1", "did you mean `recovery.r1`?"),
        ("[expect]\nlost = {}", "`expect.lost` has no bound"),
        ("[expect]\nlost = { min = 2, max = 1 }", "`min` is more than `max`"),
        ("[expect]\nlost = { of = \"passive.r3\" }", "did you mean `passive.r2`?"),
        ("[expect]\nlost = { of = \"passive.r2\", within = \"1\" }", "\"1\" is no tolerance"),
        ("[expect]\nlost = { max = 1, within = \"1%\" }", "`within` and `times` go with a formula"),
        ("[expect]\nlost = { max = 1, of = \"passive.r2\" }", "exclude each other"),
        ("[expect]\nobserved = \"exact\"", "unknown comparison `exact`"),
        ("[expect]\nstatus = \"brokn\"", "did you mean `broken`?"),
        ("[expect]\n\"recovery.r1\" = \"1s\"\nrecovery.r1 = \"1s\"", "is expected twice"),
    ] {
        let text = wrong(minimal(more), &[expected]);
        assert_eq!(count(&text), 1, "{more}\n{text}");
    }
}

/// Settings of the top and of the sections that the minimal scenario has.
#[test]
fn each_mistake_at_the_top_has_its_message() {
    for (from, to, expected) in [
        ("keyed-count", "keyed-cuont", "did you mean `keyed-count`?"),
        ("name = \"keyed-count\"", "nam = \"keyed-count\"", "did you mean `name`?"),
        ("1000\n", "0\n", "`input.rate_per_s` must be from 1 to 1000000"),
        ("tuples = 1000", "tuples = 5_000_001", "must be from 1 to 5000000"),
        ("tuples = 1000", "tuples = 99999999999999999999", "must be from 1 to 5000000"),
        (", keys = 10", "", "`input.generated.keys` is missing"),
        ("generated", "recorded", "pipeline `keyed-count` reads generated tuples"),
        ("generated", "take = 3\ngenerated", "`take` is for recorded streams"),
        ("generated", "recorded = \"x\"\ngenerated", "`recorded` and `generated` exclude"),
        ("[pipeline]", "strategies = []\n[pipeline]", "at least one strategy is needed"),
        ("[pipeline]", "strategies = [\"amnesa\"]\n[pipeline]", "did you mean `amnesia`?"),
        ("[pipeline]", "strategies = \"amnesia\"\n[pipeline]", "must be an array, not a string"),
        (
            "[pipeline]",
            "strategies = [\"amnesia\", \"amnesia\"]\n[pipeline]",
            "`amnesia` is named twice",
        ),
        ("[pipeline]", "seeds = \"5\"\n[pipeline]", "\"5\" is no range of seeds"),
        ("[pipeline]", "seeds = \"0..9999999\"\n[pipeline]", "more than 1000000 seeds"),
        ("[pipeline]", "name = \"\"\n[pipeline]", "a name cannot be empty"),
        ("[pipeline]", "name = \"a\\nb\"\n[pipeline]", "no line breaks"),
        ("[pipeline]", "drain_within = \"0s\"\n[pipeline]", "must be longer than 0"),
        ("[pipeline]", "plant = \"trim-on-reciept\"\n[pipeline]", "`trim-on-receipt`?"),
        ("[input]", "protect = [\"source\"]\n[input]", "`source` is the source or the sink"),
        ("[input]", "protect = [\"count\", \"count\"]\n[input]", "`count` is named twice"),
        ("[input]", "parallelism = { count = 17 }\n[input]", "must be from 1 to 16"),
        ("[input]", "parallelism = { sink = 2 }\n[input]", "`sink` is the source or the sink"),
        ("[input]", "capacity_per_s = { count = 0 }\n[input]", "must be from 1 to 1000000000"),
        ("[input]", "service = { cnt = \"1us\" }\n[input]", "operators: `count`"),
        (
            "[input]",
            "capacity_per_s = { count = 5 }\nservice = { count = \"1us\" }\n[input]",
            "`count` has a time in `service` already",
        ),
        ("[input]", "options = { span = \"1s\" }\n[input]", "unknown key `span`"),
    ] {
        let text = wrong(read(&MINIMAL.replacen(from, to, 1)), &[expected]);
        let also = from.starts_with("generated") && to.starts_with("recorded =");
        assert!(count(&text) == 1 || also, "{to}\n{text}");
    }
}

#[test]
fn only_behind_a_keyed_edge_is_an_operator_parallel() {
    let chain = MINIMAL.replace("keyed-count", "chain");
    let with = |text: &str| read(&chain.replace("[input]", &format!("{text}\n[input]")));
    wrong(
        with("parallelism = { map = 2 }"),
        &["`map` cannot have 2 instances: the edge from `source` (1) neither", "test.toml:4:23"],
    );
    // Instance 1 exists then, and two parallel operators in a row are fed one to one.
    let count = "[pipeline.parallelism]\ncount = 4\n";
    let fault = "[[fault]]\nprocess-crash = { node = \"count/3\" }\nat = \"1s\"\n";
    let scenario = good(minimal(&format!("{count}{fault}")));
    let config = &scenario.cases[0].config;
    assert_eq!((config.parallelism["count"], target(&config.faults[0]).instance), (4, 3));
    good(minimal(&format!("{count}format = 4\n")));
    wrong(minimal(&format!("{count}format = 2\n")), &["both ends need the same number, 4"]);
}

#[test]
fn a_length_of_nothing_is_refused() {
    let window = MINIMAL.replace("keyed-count\"", "window\"\noptions = { span = \"0s\" }");
    wrong(read(&window), &["`pipeline.options.span` must be longer than 0", "test.toml:3:20"]);
}

#[test]
fn an_unknown_pipeline_hides_no_other_mistake_and_makes_none() {
    let text = MINIMAL.replace("keyed-count\"", "wndow\"\nprotct = []");
    let more = "[network]\nedges = { \"a -> b\" = \"1us\" }\n[[fault]]\n\
                machine-loss = { node = \"nope\" }\nat = \"0s\"\n\
                [[case]]\nset = { \"pipeline.service.x\" = \"1s\", \"fault.0.for\" = \"1s\" }\n";
    let text = wrong(
        read(&format!("{text}{more}")),
        &["did you mean `window`?", "`protect`?", "one tick", "`fault.0.at` must be at least"],
    );
    assert_eq!(count(&text), 4, "{text}");
}

#[test]
fn what_is_no_file_of_text_is_a_mistake() {
    let registry = Registry::built_in();
    let load = |path: &Path| {
        super::super::load(path, &registry, FORMULAS).map(|_| ()).unwrap_err().to_string()
    };
    let directory = directory("files");
    assert!(load(&directory.join("no.toml")).contains("there is no such file"));
    assert!(load(&directory).contains("it is a directory"));
    let path = directory.join("bytes.toml");
    std::fs::write(&path, b"a = 1\nb = \"\xc3\xa9\xff\"\n").unwrap();
    let text = load(&path);
    assert!(text.contains("the file is not UTF-8 text"), "{text}");
    assert!(text.contains("bytes.toml:2:7") && text.contains("byte 13 is 0xff"), "{text}");
    std::fs::write(&path, vec![b'#'; (4 << 20) + 1]).unwrap();
    assert!(load(&path).contains("it is larger than 4 MiB"));
}

/// Machines note their memory every 25 ms here, and 4,000,000 notes are possible.
#[test]
fn a_run_that_could_last_for_days_is_refused_and_what_is_longest_is_named() {
    for (more, longest) in [
        ("[network]\nlatency = \"864000s\"", "`network.latency` (3456000s)"),
        ("[network]\nedges = { \"source -> count\" = \"864000s\" }", "`network.latency`"),
        ("[network]\njitter = \"864000s\"", "`network.jitter`"),
        ("[timing]\nredirect = \"1000000s\"", "`timing.redirect`"),
        (
            "[[fault]]\nat = \"1s\"\n\
             reorder = { between = [\"source\", \"count\"], by = \"1000000s\" }",
            "`fault.0.reorder`",
        ),
    ] {
        wrong(minimal(more), &["a run could last", "at most 100000s", longest]);
    }
    wrong(read(&format!("drain_within = \"100000s\"\n{MINIMAL}")), &["`drain_within`"]);
    let slow =
        MINIMAL.replace("rate_per_s = 1000", "rate_per_s = 1").replace("= 1000,", "= 1000000,");
    wrong(read(&slow), &["most of it is the stream (1000000s)"]);
    // Notes further apart last longer, and so does what is a little shorter.
    good(minimal(
        "[network]\nlatency = \"864000s\"\n[timing]\nheartbeat = \"1000s\"\ninterval = \"1000s\"",
    ));
    good(minimal("[network]\nlatency = \"1000s\""));
}
