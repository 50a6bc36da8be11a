use super::*;
use crate::config::{Bound, FaultAt, InputConfig, Observed, Quantity, Worlds};
use aftermath_reports::record::Status;
use aftermath_systems::claim::FaultKind;
use aftermath_systems::plan::Dedup;
use aftermath_systems::planted_bugs::Bug;
use aftermath_systems::protocol::{MILLISECOND, SECOND};
use std::collections::BTreeMap;

/// Every key, on a pipeline of generated tuples.
pub const FULL: &str = r#"
name = "everything"
about = "all keys"
seeds = "3..5"
world = "both"
strategies = ["passive-standby", "amnesia"]
drain_within = "30s"
plant = "trim-on-receipt"
expect = { lost = 0 }

[pipeline]
name = "window"
protect = ["window"]
parallelism = { window = 1 }
capacity_per_s = { window = 7500 }
options = { span = "2s" }

[input]
rate_per_s = 2000
generated = { tuples = 20_000, keys = 0x10 }

[protection]
spares = 1
dedup = "off"
duplicate_cost = "service"

[network]
tick = "2ms"
latency = "3ms"
jitter = "7us"
edges = { "source -> window" = "5ms", "window -> format" = { jitter = "1ms" } }
bandwidth_bytes_per_s = 1000000

[timing]
heartbeat = "50ms"
misses = 4
redirect = "1ms"
interval = "500ms"
phases = { heartbeat = "1ms", ack = "2ms", checkpoint = "3ms", tuple = "499us" }

[storage]
latency = "1ms"
bandwidth_bytes_per_s = 1
restore_bytes_per_s = 2

[sizes]
tuple = 1
ack = 2
heartbeat = 3
control = 4
entry = 5

[strategy]
store_at = "primary"
[strategy.passive-standby]
ack_phase = "5ms"
[strategy.upstream-backup]
retention = "bounded"

[[fault]]
machine-loss = { node = "window/0", wire = "die" }
at = "2s"
for = "1s"
[[fault]]
process-crash = { node = "window/0/1" }
at = { after = "8s" }
[[fault]]
process-crash = { node = "window" }
at = { strata = 20, start = "3s", span = "1s" }
[[fault]]
process-crash = { node = "window" }
at = { between = ["1.5s", "3.5s"] }

[[case]]
name = "one"
expect.observed = "exactly"
expect.status = "broken"
expect.recovery.r2 = { min = "1ms", max = "2s" }
expect."recovery.r1" = "3ms"
expect.mean = { duplicates = { of = "passive.duplicates", within = ["1%", "2 tuples"] } }
expect.max."overhead.retained_max" = { max = 7 }
[[case]]
name = "two"
strategies = ["upstream-backup"]
set.timing.interval = "250ms"
set."network.latency" = "4ms"
set."fault.0.at" = "1s"
"#;

#[test]
fn what_is_not_said_has_its_default() {
    let scenario = good(read(MINIMAL));
    assert_eq!((scenario.name.as_str(), scenario.path.as_str()), ("test", "test.toml"));
    assert_eq!(scenario.seeds, 0..1);
    let names: Vec<_> =
        scenario.cases.iter().map(|c| (c.name.as_str(), c.config.strategy)).collect();
    let all: Vec<_> = Registry::built_in().iter().map(|e| ("base", e.name)).collect();
    assert_eq!(names, all);
    let config = &scenario.cases[0].config;
    assert_eq!(config.pipeline, "keyed-count");
    assert_eq!(config.protect, ["count", "format"]);
    assert!(config.parallelism.is_empty() && config.service_ns.is_empty());
    assert!(matches!(config.input, InputConfig::Generated { tuples: 1000, keys: 10 }));
    assert_eq!((config.spares, config.dedup, config.duplicates_free), (1, Dedup::Receiver, true));
    assert_eq!((config.network.tick_ns, config.network.latency_ns), (MILLISECOND, MILLISECOND));
    assert_eq!(config.timing.heartbeat_ns, 100 * MILLISECOND);
    assert_eq!((config.timing.misses, config.timing.redirect_ns), (3, 50 * MILLISECOND));
    assert_eq!((config.timing.interval_ns, config.timing.ack_phase_ns), (SECOND, None));
    assert_eq!(config.storage.latency_ns, 100 * MILLISECOND);
    assert_eq!((config.sizes.tuple, config.sizes.ack, config.sizes.entry), (100, 32, 64));
    assert!(config.faults.is_empty() && config.plant.is_none());
    assert_eq!(scenario.cases[0].expect, Default::default());
}

#[test]
fn every_key_is_read() {
    let scenario = good(read(FULL));
    assert_eq!((scenario.name.as_str(), scenario.about.as_str()), ("everything", "all keys"));
    assert_eq!((scenario.seeds.clone(), scenario.cases.len()), (3..5, 3));
    let config = &scenario.cases[0].config;
    assert_eq!((config.strategy, config.pipeline), ("passive-standby", "window"));
    assert_eq!(config.pipeline_options.duration("span"), Some(2 * SECOND));
    assert!(config.parallelism.is_empty());
    assert_eq!(config.service_ns.get("window"), Some(&133_333));
    assert!(matches!(config.input, InputConfig::Generated { tuples: 20_000, keys: 16 }));
    assert_eq!((config.dedup, config.duplicates_free), (Dedup::Off, false));
    assert_eq!(config.network.tick_ns, 2 * MILLISECOND);
    let edge = ("source".to_string(), "window".to_string());
    assert_eq!(config.network.edge_latency_ns.get(&edge), Some(&(5 * MILLISECOND)));
    assert_eq!(config.network.jitter_ns, 7_000);
    let edge = ("window".to_string(), "format".to_string());
    assert_eq!(config.network.edge_jitter_ns, BTreeMap::from([(edge, MILLISECOND)]));
    assert_eq!(config.network.edge_latency_ns.len(), 1);
    assert_eq!(scenario.worlds, Worlds::Both);
    assert_eq!(config.timing.tuple_phase_ns, Some(499_000));
    assert_eq!(config.timing.checkpoint_phase_ns, Some(3 * MILLISECOND));
    assert_eq!((config.storage.bandwidth_bytes_per_s, config.storage.restore_bytes_per_s), (1, 2));
    assert_eq!((config.sizes.tuple, config.sizes.control), (1, 4));
    assert_eq!(config.strategy_options.choice("store_at"), "primary");
    let given: Vec<_> =
        config.given_options.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_eq!(given, [("ack_phase", "5ms"), ("store_at", "primary")]);
    assert_eq!(config.drain_within_ns, Some(30 * SECOND));
    assert_eq!(config.plant, Some(Bug::TrimOnReceipt));

    let [loss, crash, strata, between] = config.faults.as_slice() else { panic!() };
    assert_eq!((loss.kind, loss.options.choice("wire")), (FaultKind::MachineLoss, "die"));
    assert_eq!((target(loss).instance, target(loss).replica), (0, None));
    assert_eq!((&loss.at, loss.for_ns), (&FaultAt::Instant(2 * SECOND), Some(SECOND)));
    assert_eq!((crash.kind, target(crash).replica), (FaultKind::ProcessCrash, Some(1)));
    assert_eq!(crash.at, FaultAt::After(8 * SECOND));
    assert_eq!(strata.at, FaultAt::Strata { count: 20, start: 3 * SECOND, span: SECOND });
    assert_eq!(between.at, FaultAt::Between(1_500_000_000, 3_500_000_000));

    let expect = &scenario.cases[0].expect;
    assert_eq!(expect.observed, Some(Observed::Exactly));
    assert_eq!(expect.status, Some(Status::Broken));
    let range = Bound::Range(Some(MILLISECOND), Some(2 * SECOND));
    assert!(expect.run.contains(&(Quantity::R2, range)));
    assert!(expect.run.contains(&(Quantity::R1, Bound::Exact(3 * MILLISECOND))));
    let formula = Bound::Formula {
        name: "passive.duplicates".to_string(),
        times: 1,
        within_ppm: 10_000,
        within_milli_tuples: 2_000,
    };
    assert_eq!(expect.mean, [(Quantity::Duplicates, formula)]);
    assert_eq!(expect.max, [(Quantity::RetainedMax, Bound::Range(None, Some(7)))]);

    let two = &scenario.cases[2];
    assert_eq!((two.name.as_str(), two.config.strategy), ("two", "upstream-backup"));
    assert_eq!(two.expect.run, [(Quantity::Lost, Bound::Exact(0))]);
    assert_eq!(two.config.timing.interval_ns, 250 * MILLISECOND);
    assert_eq!(two.config.network.latency_ns, 4 * MILLISECOND);
    assert_eq!(two.config.faults[0].at, FaultAt::Instant(SECOND));
    assert_eq!(two.config.strategy_options.choice("retention"), "bounded");
}

#[test]
fn a_file_is_named_after_itself_and_reads_beside_itself() {
    let directory = directory("load");
    let path = directory.join("two words.toml");
    std::fs::write(&path, MINIMAL).unwrap();
    let scenario = super::super::load(&path, &Registry::built_in(), FORMULAS).unwrap();
    assert_eq!(scenario.name, "two words");
    assert_eq!(scenario.path, path.display().to_string());
}

#[test]
fn a_pipeline_of_nexmark_reads_its_events_and_nothing_else() {
    let pipeline = "[pipeline]\nname = \"nexmark-q3\"\n[input]\nrate_per_s = 100\n";
    let with = |input: &str| read(&format!("{pipeline}{input}\n"));
    let scenario = good(with("nexmark = { events = 7 }"));
    assert!(matches!(scenario.cases[0].config.input, InputConfig::Nexmark { events: 7 }));
    let reads = "pipeline `nexmark-q3` reads events of NEXMark";
    wrong(with(""), &[reads, "write nexmark = { events = 20000 }"]);
    wrong(with("generated = { tuples = 7, keys = 1 }"), &[reads, "test.toml:5:1"]);
    wrong(with("recorded = \"x.csv\""), &[reads, "test.toml:5:1"]);
    wrong(with("nexmark = { tuples = 7 }"), &["`input.nexmark.events` is missing"]);
    wrong(with("nexmark = { events = 7 }\ntake = 3"), &["is for recorded streams", "`events`"]);
    let other =
        MINIMAL.replace("generated = { tuples = 1000, keys = 10 }", "nexmark = { events = 7 }");
    wrong(read(&other), &["pipeline `keyed-count` reads generated tuples"]);
}
