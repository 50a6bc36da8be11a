//! Whatever plan: strategies and mixtures, topology, latencies with fractions, jitter, bandwidth,
//! ticks, service times, deduplication, faults of every kind at any instant or point.

use super::agreed;
use super::support::{LINK_FAULTS, NODE_FAULTS, parse, plan};
use aftermath_harness::Registry;
use aftermath_systems::points::By;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use std::cell::Cell;

/// Random plans, unless PROPTEST_CASES says otherwise.
const CASES: u32 = 64;

/// Pipelines: name, options, operators, the one that can be parallel, the edge into the first.
const FLOWS: [(&str, &str, &[&str], &str, &str); 8] = [
    ("chain", "", &["map", "format"], "", "source -> map"),
    ("keyed-count", "", &["count", "format"], "count", "source -> count"),
    ("window", "span = \"40ms\"", &["window", "format"], "", "source -> window"),
    ("time-out", "timeout = \"30ms\"", &["timeout", "format"], "timeout", "source -> timeout"),
    ("diamond", "union = \"arrival\"", &["left", "right", "union"], "", "source -> left"),
    ("flights", "", &["clean", "delays"], "delays", "source -> clean"),
    ("nexmark-q3", "", &["people", "auctions", "join"], "join", "source -> people"),
    ("nexmark-q12", "window = \"30ms\"", &["bids", "count"], "count", "source -> bids"),
];

const STRATEGIES: [(&str, &str); 7] = [
    ("amnesia", ""),
    ("active-standby", ""),
    ("passive-standby", "store_at = \"primary\"\n"),
    ("passive-standby", "ship_output_log = \"resend\"\n"),
    ("upstream-backup", ""),
    ("checkpoint-rollback", "snapshots = \"full\"\n"),
    ("checkpoint-rollback", "snapshots = \"incremental\"\n"),
];

/// Latencies beyond the tick, ns: whole ticks, and a little more or less than that.
const BEYOND: [u64; 8] = [0, 1, 300_000, 999_999, 1_000_000, 1_000_001, 4_300_000, 15_000_000];

#[derive(Clone, Debug)]
struct Network {
    tick_ms: u64,
    /// Indexes into BEYOND: of all links, and of one edge.
    latency: usize,
    edge: usize,
    jitter_us: [u64; 2],
    bandwidth: u64,
}

/// Which fault and whether it is the coordinator's, which links, operator, replica, instant and
/// length, ns, and at which point or address instead, if at any.
type Fault = ((usize, bool), usize, usize, Option<u16>, u64, Option<u64>, Option<Waits>);

/// Which point of which replica for which time, or which handler and effect.
type Waits = (bool, usize, u16, u64, u64);

type Plan = ((usize, usize, Option<usize>, u16), Network, (u64, &'static str, Vec<Fault>, u64));

/// The plan as a scenario: what a user could write, so that a failure can be pasted.
fn text(((flow, strategy, mixed, parallelism), network, rest): &Plan) -> String {
    let (pipeline, options, operators, parallel, edge) = FLOWS[*flow];
    let (strategy, own) = STRATEGIES[*strategy];
    let (service_us, dedup, faults, _) = rest;
    let mut text = format!("strategies = [\"{strategy}\"]\n[strategy.{strategy}]\n{own}");
    if let Some((other, own)) = mixed.map(|mixed| STRATEGIES[mixed]) {
        if other != strategy {
            text += &format!("[strategy.{other}]\n{own}");
        }
        text += &format!("[mixture]\n{} = \"{other}\"\n", operators[0]);
    }
    let protect = operators.join("\", \"");
    text += &format!(
        "[pipeline]\nname = \"{pipeline}\"\noptions = {{ {options} }}\nprotect = [\"{protect}\"]\n\
         service = {{ {} = \"{service_us}us\" }}\n",
        operators[0]
    );
    if !parallel.is_empty() {
        text += &format!("parallelism = {{ {parallel} = {parallelism} }}\n");
    }
    text += "[input]\nrate_per_s = 1000\n";
    text += match pipeline {
        "flights" => "recorded = \"data/flights.csv\"\ntake = 150\n",
        "nexmark-q3" | "nexmark-q12" => "nexmark = { events = 150 }\n",
        _ => "generated = { tuples = 150, keys = 20 }\n",
    };
    let tick = network.tick_ms * 1_000_000;
    let jitter = network.jitter_us;
    text += &format!(
        "[protection]\ndedup = \"{dedup}\"\n\
         [timing]\nheartbeat = \"7ms\"\nmisses = 3\nredirect = \"3ms\"\ninterval = \"20ms\"\n\
         [storage]\nlatency = \"4ms\"\nrestore_bytes_per_s = 2_000_000\n\
         [network]\ntick = \"{}ms\"\nlatency = \"{}ns\"\njitter = \"{}us\"\n\
         bandwidth_bytes_per_s = {}\n\
         edges = {{ \"{edge}\" = {{ latency = \"{}ns\", jitter = \"{}us\" }} }}\n",
        network.tick_ms,
        tick + BEYOND[network.latency],
        jitter[0],
        network.bandwidth,
        tick + BEYOND[network.edge],
        jitter[1],
    );
    // Two outcomes for one machine are a mistake, so only the first fault may name a replica, and
    // only one the coordinator.
    let coordinated = strategy == "checkpoint-rollback";
    let coordinators = faults.iter().position(|((_, coordinator), ..)| *coordinator);
    for (number, ((what, _), ends, operator, replica, at, length, waits)) in
        faults.iter().enumerate()
    {
        let place = operator % operators.len();
        let operator = operators[place];
        let replica = replica.filter(|_| number == 0).map_or(String::new(), |r| format!("/0/{r}"));
        let of_coordinator = coordinated && coordinators == Some(number);
        let node =
            if of_coordinator { "coordinator".into() } else { format!("{operator}{replica}") };
        let fault = match NODE_FAULTS.get(*what) {
            Some((name, options)) => format!("{name} = {{ node = \"{node}\"{options} }}"),
            None => {
                let (name, options) = LINK_FAULTS[what - NODE_FAULTS.len()];
                let before = place.checked_sub(1).map_or("source", |before| operators[before]);
                let ends = match ends {
                    0 => format!("between = [\"{operator}\", \"{operator}\"]"),
                    1 => format!("from = \"{operator}/0/0\", to = \"{operator}/0/1\""),
                    2 => format!("between = [\"{before}\", \"{operator}\"]"),
                    _ => format!("from = \"{operator}{replica}\", to = \"{before}\""),
                };
                format!("{name} = {{ {ends}{options} }}")
            }
        };
        text += &format!("[[fault]]\n{fault}\n");
        text += &match waits {
            None => format!("at = \"{}ns\"\n", at.max(&tick)),
            Some((true, point, replica, nth, _)) => {
                // An operator with another strategy may not have all of them.
                let mine = mixed.filter(|_| place == 0).map_or(strategy, |m| STRATEGIES[m].0);
                let points = points_of(mine);
                let point = points[point % points.len()];
                let nth = nth % 4 + 1;
                format!(
                    "at = {{ point = \"{point}\", node = \"{operator}/0/{replica}\", nth = {nth} }}\n"
                )
            }
            Some((false, _, replica, handler, effect)) => format!(
                "at = {{ node = \"{operator}/0/{replica}\", incarnation = 1, handler = {handler}, \
                 effect = {effect} }}\n"
            ),
        };
        text += &length.map_or(String::new(), |length| format!("for = \"{length}ns\"\n"));
    }
    text
}

/// The points that replicas reach under a strategy.
fn points_of(strategy: &str) -> Vec<&'static str> {
    let registry = Registry::built_in();
    let entry = registry.find(strategy).expect("it is on the list");
    let of_replicas = entry.points().filter(|point| point.by == By::Replicas);
    of_replicas.map(|point| point.name).collect()
}

fn fault() -> impl Strategy<Value = Fault> {
    // Whole milliseconds are instants at which frames are due.
    let whole = (5..180u64).prop_map(|ms| ms * 1_000_000);
    let at = prop_oneof![2 => 5_000_000..180_000_000u64, 1 => whole];
    let length = prop_oneof![Just(1), Just(4_000_000), 1..60_000_000u64];
    let length = prop::option::weighted(0.8, length);
    let replica = prop::option::weighted(0.3, 0..2u16);
    let what = prop_oneof![7 => 0..3usize, 1 => 3..NODE_FAULTS.len() + LINK_FAULTS.len()];
    let what = (what, prop::bool::weighted(0.2));
    let waits = (prop::bool::ANY, 0..20usize, 0..2u16, 1..60u64, 0..3u64);
    (what, 0..4usize, 0..3usize, replica, at, length, prop::option::weighted(0.25, waits))
}

fn plans() -> impl Strategy<Value = Plan> {
    let mixed = prop::option::weighted(0.3, 0..STRATEGIES.len());
    let what = (0..FLOWS.len(), 0..STRATEGIES.len(), mixed, 1..=2u16);
    let jitter = prop::sample::select(vec![[0, 0], [0, 0], [300, 0], [0, 3_000], [900, 15_000]]);
    let network = (
        prop::sample::select(vec![1, 1, 2, 5]),
        0..BEYOND.len(),
        0..BEYOND.len(),
        jitter,
        prop::sample::select(vec![0, 0, 200_000]),
    );
    let network = network.prop_map(|(tick_ms, latency, edge, jitter_us, bandwidth)| Network {
        tick_ms,
        latency,
        edge,
        jitter_us,
        bandwidth,
    });
    let service = prop::sample::select(vec![0, 100, 250, 667, 900]);
    let dedup = prop::sample::select(vec!["receiver", "off", "handshake"]);
    let faults = prop::collection::vec(fault(), 0..=3);
    (what, network, (service, dedup, faults, 0..1_000u64))
}

#[test]
fn whatever_is_planned() {
    let given = std::env::var_os("PROPTEST_CASES").is_some();
    let cases = if given { Config::default().cases } else { CASES };
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, random);
    let (runs, struck, lost) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let coordinators = Cell::new(0);
    let result = runner.run(&plans(), |random| {
        let text = text(&random);
        let seed = random.2.3;
        let scenario = parse(&text, "scenarios/random.toml");
        let log = agreed(&plan(&scenario.cases[0].config, seed, 0))
            .map_err(|told| TestCaseError::fail(format!("{told}\nseed {seed} of\n{text}")))?;
        runs.set(runs.get() + 1);
        let coordinator = text.contains("\"coordinator\"");
        coordinators.set(coordinators.get() + usize::from(coordinator));
        struck.set(struck.get() + log.strikes().len());
        lost.set(lost.get() + usize::from(log.nodes.iter().any(|node| node.log.frames_lost > 0)));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let (runs, struck, lost) = (runs.get(), struck.get(), lost.get());
    let coordinators = coordinators.get();
    println!("{runs} plans agree; {struck} faults struck, {coordinators} at coordinators");
    println!("{lost} runs lost frames");
    assert!(coordinators >= runs / 40, "{coordinators} faults of coordinators");
    assert!(struck >= runs && lost >= runs / 2, "the plans are too tame: {struck}, {lost}");
}
