//! Every strategy and everything that can befall it, for several seeds.

use super::agreed;
use super::support::{SMALL, load, parse, plan};
use aftermath_harness::Registry;
use aftermath_harness::config::{Case, FaultAt, InputConfig};
use aftermath_harness::plan::{RunPlan, strata};
use aftermath_harness::seed::Seed;
use aftermath_harness::world::Ended;
use std::rc::Rc;

/// Seeds of each case, unless AFTERMATH_SEEDS says otherwise.
const SEEDS: u64 = 3;

fn seeds() -> u64 {
    let given = std::env::var("AFTERMATH_SEEDS");
    given.map_or(SEEDS, |text| text.parse().expect("AFTERMATH_SEEDS is a number"))
}

/// What may befall: name, faults.
const BEFALLS: [(&str, &str); 19] = [
    ("nothing", ""),
    (
        "process crash",
        "[[fault]]\nprocess-crash = { node = \"count\" }\n\
         at = { between = [\"60ms\", \"200ms\"] }\nfor = \"70ms\"\n",
    ),
    (
        "machine loss",
        "[[fault]]\nmachine-loss = { node = \"count\", wire = \"die\" }\n\
         at = { between = [\"60ms\", \"200ms\"] }\nfor = \"40ms\"\n",
    ),
    (
        "restart in place",
        "[[fault]]\nprocess-crash = { node = \"count\" }\n\
         at = { between = [\"60ms\", \"200ms\"] }\nfor = \"10ms\"\n",
    ),
    (
        "restart within a tick",
        "[[fault]]\nprocess-crash = { node = \"count\" }\n\
         at = { between = [\"60ms\", \"200ms\"] }\nfor = \"1ns\"\n",
    ),
    (
        "restart on a spare",
        "[[fault]]\nmachine-loss = { node = \"count\" }\n\
         at = { between = [\"60ms\", \"200ms\"] }\n",
    ),
    (
        "one after the other",
        "[[fault]]\nmachine-loss = { node = \"count/0/0\" }\n\
         at = { between = [\"60ms\", \"120ms\"] }\nfor = \"40ms\"\n\
         [[fault]]\nprocess-crash = { node = \"count/0/1\" }\n\
         at = { after = \"90ms\" }\nfor = \"20ms\"\n",
    ),
    (
        "long pause",
        "[[fault]]\npause = { node = \"count\" }\n\
         at = { between = [\"60ms\", \"200ms\"] }\nfor = \"70ms\"\n",
    ),
    (
        "slow node",
        "[[fault]]\nslow-node = { node = \"count\", times = 3 }\n\
         at = { between = [\"60ms\", \"200ms\"] }\nfor = \"70ms\"\n",
    ),
    (
        "partition of a pair",
        "[[fault]]\npartition = { between = [\"count/0/0\", \"count/0/1\"] }\n\
         at = { between = [\"60ms\", \"200ms\"] }\nfor = \"70ms\"\n",
    ),
    (
        "slow link",
        "[[fault]]\nslow-link = { from = \"source\", to = \"count\", by = \"7.3ms\" }\n\
         at = { between = [\"60ms\", \"200ms\"] }\nfor = \"70ms\"\n",
    ),
    (
        "message loss",
        "[[fault]]\nmessage-loss = { between = [\"count\", \"format\"], probability = \"20%\" }\n\
         at = { between = [\"60ms\", \"200ms\"] }\nfor = \"70ms\"\n",
    ),
    (
        "heartbeat loss",
        "[[fault]]\nheartbeat-loss = { between = [\"count\", \"count\"], probability = \"60%\" }\n\
         at = { between = [\"60ms\", \"200ms\"] }\nfor = \"90ms\"\n",
    ),
    (
        "jitter of a link",
        "[[fault]]\nslow-link = { between = [\"source\", \"count\"], by = \"0ms\", jitter = \"6ms\" }\n\
         at = { between = [\"60ms\", \"200ms\"] }\nfor = \"70ms\"\n",
    ),
    (
        "connection reset",
        "[[fault]]\nconnection-reset = { between = [\"count\", \"count\"] }\n\
         at = { between = [\"60ms\", \"200ms\"] }\n",
    ),
    (
        "connection reset of an edge",
        "[[fault]]\nconnection-reset = { between = [\"source\", \"count\"] }\n\
         at = { between = [\"60ms\", \"200ms\"] }\n",
    ),
    (
        "duplicate",
        "[[fault]]\nduplicate = { between = [\"source\", \"count\"], probability = \"30%\", after = \"1700us\" }\n\
         at = { between = [\"60ms\", \"200ms\"] }\nfor = \"70ms\"\n",
    ),
    (
        "reorder",
        "[[fault]]\nreorder = { between = [\"source\", \"count\"], probability = \"30%\", by = \"5.3ms\" }\n\
         at = { between = [\"60ms\", \"200ms\"] }\nfor = \"70ms\"\n",
    ),
    (
        "redelivery, and a crash",
        "[[fault]]\nredelivery = { between = [\"source\", \"count\"], probability = \"40%\" }\n\
         at = \"60ms\"\nfor = \"150ms\"\n\
         [[fault]]\nprocess-crash = { node = \"count\" }\n\
         at = { between = [\"60ms\", \"200ms\"] }\nfor = \"10ms\"\n",
    ),
];

/// What may befall a coordinator, where a strategy has one.
const BEFALLS_COORDINATORS: [(&str, &str); 2] = [
    (
        "crash of the coordinator",
        "[[fault]]\nprocess-crash = { node = \"coordinator\" }\n\
         at = { between = [\"60ms\", \"200ms\"] }\nfor = \"70ms\"\n",
    ),
    (
        "loss of the coordinator, then of a task",
        "[[fault]]\nmachine-loss = { node = \"coordinator\", wire = \"die\" }\n\
         at = { between = [\"60ms\", \"200ms\"] }\nfor = \"40ms\"\n\
         [[fault]]\nprocess-crash = { node = \"count\" }\n\
         at = { after = \"20ms\" }\nfor = \"30ms\"\n",
    ),
];

/// In what surroundings: name, sections of the scenario that follow [`SMALL`].
const SURROUNDINGS: [(&str, &str); 4] = [
    ("links of a tick", ""),
    ("long links, shorter than the time down", "[network]\nlatency = \"20ms\"\n"),
    (
        "two instances, jitter",
        "[network]\nlatency = \"1300us\"\njitter = \"3ms\"\n\
         edges = { \"source -> count\" = { latency = \"5.3ms\", jitter = \"9ms\" } }\n",
    ),
    (
        "a tick of 5 ms, slow links",
        "[network]\ntick = \"5ms\"\nlatency = \"7.000001ms\"\nbandwidth_bytes_per_s = 400_000\n",
    ),
];

/// Runs all seeds of a case in both worlds, and its twins.
fn check(case: &Case, seeds: u64) {
    for seed in 0..seeds {
        let context = || format!("{}, {}, seed {seed}", case.name, case.config.label());
        let twin = Rc::new(RunPlan::twin(&case.config, &Registry::built_in(), Seed(seed)));
        for plan in [twin, plan(&case.config, seed, 0)] {
            let log = agreed(&plan).unwrap_or_else(|told| panic!("{}:\n{told}", context()));
            assert_eq!(log.ended, Ended::Drained, "{}", context());
            assert_eq!(log.strikes().len(), plan.faults.len(), "{}", context());
        }
    }
}

/// Every strategy in these surroundings, whatever befalls it.
fn everything_in(surroundings: usize) {
    let (name, network) = SURROUNDINGS[surroundings];
    let everybody = BEFALLS.map(|befalls| (befalls, ""));
    let coordinated = "strategies = [\"checkpoint-rollback\"]\n";
    let coordinators = BEFALLS_COORDINATORS.map(|befalls| (befalls, coordinated));
    for ((fault, faults), strategies) in everybody.into_iter().chain(coordinators) {
        let mut text = format!("{strategies}{SMALL}");
        if name.starts_with("two instances") {
            text = text.replace("[input]", "parallelism = { count = 2 }\n\n[input]");
        }
        let scenario = parse(&format!("{text}{network}{faults}"), "scenarios/agreement.toml");
        let all = Registry::built_in().iter().count();
        assert_eq!(scenario.cases.len(), if strategies.is_empty() { all } else { 1 });
        for case in &scenario.cases {
            let mut case = case.clone();
            case.name = format!("{name}, {fault}");
            check(&case, seeds());
        }
    }
}

#[test]
fn on_links_of_a_tick() {
    everything_in(0);
}

#[test]
fn on_links_longer_than_the_time_down() {
    everything_in(1);
}

#[test]
fn with_two_instances_and_jitter() {
    everything_in(2);
}

#[test]
fn with_a_tick_of_5_ms_and_slow_links() {
    everything_in(3);
}

/// Options that change what is stored where and who asks whom.
#[test]
fn with_other_options() {
    let fault = BEFALLS[2].1;
    for (strategy, options) in [
        ("passive-standby", "store_at = \"primary\""),
        ("passive-standby", "ship_output_log = \"resend\""),
        ("upstream-backup", "retention = \"bounded\""),
        ("checkpoint-rollback", "snapshots = \"incremental\""),
    ] {
        for dedup in ["receiver", "off", "handshake"] {
            let text = format!(
                "strategies = [\"{strategy}\"]\n{SMALL}[strategy]\n{options}\n\
                 [protection]\ndedup = \"{dedup}\"\n{fault}"
            );
            check(&parse(&text, "scenarios/agreement.toml").cases[0], seeds());
        }
    }
}

/// Nothing happens for most ticks, which the event world skips, and the run is given up: both
/// worlds must notice at the same one, here 1.5 ms after everything has healed.
#[test]
fn a_run_that_does_not_drain_is_given_up_at_the_same_tick() {
    let slow = SMALL.replace("500us", "80ms").replace("rate_per_s = 1000", "rate_per_s = 20");
    let quiet = slow.replace("tuples = 300", "tuples = 30").replace("\"10ms\"", "\"90ms\"");
    let text = format!("drain_within = \"1500us\"\n{quiet}{}", BEFALLS[2].1);
    for case in &parse(&text, "scenarios/stuck.toml").cases {
        let label = case.config.label();
        let log =
            agreed(&plan(&case.config, 0, 0)).unwrap_or_else(|told| panic!("{label}\n{told}"));
        assert_eq!(log.ended, Ended::Stuck, "{label}");
    }
}

/// Closed forms hold on turmoil too, because its runs are the same to the nanosecond: the base
/// rows of the golden scenario, a service of 2/3 ms and all, on a shorter stream.
#[test]
fn golden_rows_at_five_phases() {
    let golden = load("scenarios/golden.toml");
    let base = golden.cases.iter().filter(|case| {
        let config = &case.config;
        config.faults.len() == 1 && config.service_ns.values().any(|ns| ns % 1_000 != 0)
    });
    let mut rows = 0;
    for case in base {
        let mut case = case.clone();
        let InputConfig::Generated { tuples, .. } = &mut case.config.input else {
            panic!("golden rows are generated");
        };
        *tuples = 3_000;
        case.config.faults[0].at =
            FaultAt::Strata { count: 5, start: 1_000_000_000, span: 1_000_000_000 };
        assert_eq!(strata(&case.config.faults), Some(5));
        for stratum in 0..5 {
            let told = agreed(&plan(&case.config, 0, stratum)).err();
            assert_eq!(told, None, "{}, stratum {stratum}", case.name);
        }
        rows += 1;
    }
    assert!(rows >= 5, "{rows} rows");
}
