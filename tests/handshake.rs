//! Deduplication by handshake: a new primary asks first, so that no duplicate is even sent.

mod support;

use aftermath_harness::config::RunConfig;
use aftermath_reports::record::Status;
use support::{SMALL, judge, parse, run_one};

const SEEDS: std::ops::Range<u64> = 0..5;

/// A machine loss in mid-stream, under every strategy and this kind of deduplication.
fn scenario(dedup: &str) -> aftermath_harness::config::Scenario {
    let faults = format!(
        "{SMALL}\n[protection]\ndedup = \"{dedup}\"\n[[fault]]\nmachine-loss = {{ node = \"count\" }}\n\
         at = {{ between = [\"100ms\", \"200ms\"] }}\n"
    );
    parse(&faults, "scenarios/handshake.toml")
}

/// Tuples that reached `format`, the operator behind the one that fails.
fn arrivals(config: &RunConfig, seed: u64) -> usize {
    let log = run_one(config, seed, true);
    let systems = &log.plan.systems;
    let behind = systems.nodes.iter().position(|node| node.name == "format").expect("it has one");
    let trace = log.nodes[behind].log.trace.as_ref().expect("the run is traced");
    let data = trace.iter().filter(|event| event.event.starts_with("Data"));
    data.filter(|event| event.event.contains("Pair")).count()
}

#[test]
fn nothing_is_sent_twice_and_nothing_is_missing() {
    let (asking, dropping) = (scenario("handshake"), scenario("receiver"));
    let mut spared = 0;
    for (with, without) in asking.cases.iter().zip(&dropping.cases) {
        let strategy = with.config.strategy;
        if strategy == "amnesia" {
            continue;
        }
        for seed in SEEDS {
            let record = judge(&asking, with, seed);
            assert_eq!(record.status, Status::Held, "{strategy}, {seed}: {:?}", record.reasons);
            assert_eq!(arrivals(&with.config, seed), 300, "{strategy}, {seed}");
            spared += arrivals(&without.config, seed) - 300;
        }
    }
    assert!(spared > 0, "without a handshake duplicates are sent, or this test shows nothing");
}
