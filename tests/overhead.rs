//! What protection costs while nothing fails, counted exactly: virtual counts do not vary, so they
//! are compared for equality. A number that changes here was changed by somebody, not by chance.
//!
//! The pinned scenario: source → count → format → sink, 1,000 tuples in a second over 10 keys,
//! `count` protected, every phase 0, links of 1 ms. Sizes are the defaults: 100 bytes a tuple, 64 a
//! state entry, 32 everything else.

mod support;

use aftermath_harness::Registry;
use aftermath_reports::record::{Record, Status};
use std::collections::BTreeSet;
use support::{case, judge, parse, plan};

const SCENARIO: &str = r#"
[pipeline]
name = "keyed-count"
protect = ["count"]
service = { count = "500us" }

[input]
generated = { tuples = 1000, keys = 10 }
rate_per_s = 1000

[timing]
heartbeat = "100ms"
misses = 3
redirect = "50ms"
interval = "250ms"
phases = { heartbeat = "0ms", ack = "0ms", checkpoint = "0ms", tuple = "0ms" }

[storage]
latency = "10ms"
"#;

fn record(strategy: &str, options: &str) -> Record {
    let text = format!("{SCENARIO}[strategy.{strategy}]\n{options}\n");
    let scenario = parse(&text, "scenarios/pinned.toml");
    let record = judge(&scenario, case(&scenario, "base", strategy), 0);
    assert_eq!(record.status, Status::Held, "{:?}", record.reasons);
    assert_eq!(record.trace_hash, record.twin_hash, "there is no fault");
    record
}

/// Messages and bytes by cause, as "cause: messages, bytes".
fn traffic(record: &Record) -> Vec<String> {
    let causes = record.overhead.traffic.iter();
    causes.map(|(cause, t)| format!("{cause}: {}, {}", t.messages, t.bytes)).collect()
}

/// What the dataflow itself sends, whoever protects it: each tuple and the end over three hops.
const DATAFLOW: [&str; 2] = ["marker: 3, 96", "tuple: 3000, 300000"];

/// One primary shows life at 100 ms, 200 ms, ..., 1,000 ms.
const HEARTBEATS: &str = "heartbeat: 10, 320";

#[test]
fn amnesia_costs_heartbeats_only() {
    let record = record("amnesia", "");
    assert_eq!(traffic(&record), [HEARTBEATS, DATAFLOW[0], DATAFLOW[1]]);
    let overhead = &record.overhead;
    assert_eq!(overhead.bytes_per_hop_ppm, 0);
    // 320 + 96 bytes of 300,000.
    assert_eq!(overhead.bytes_ppm, 1_386);
    assert_eq!((overhead.saves, overhead.retained_max), (0, 0));
    assert_eq!(record.handlers, 4_018);
}

#[test]
fn protection_costs_no_time_while_nothing_fails() {
    for entry in Registry::built_in().iter() {
        let strategy = entry.name;
        let record = record(strategy, "");
        let overhead = &record.overhead;
        // 1,000 services of 500 us, by each that computes.
        let computing = if strategy == "active-standby" { 2 } else { 1 };
        assert_eq!(overhead.cpu_ns, computing * 500_000_000, "{strategy}");
        // Three hops and a service.
        assert_eq!(overhead.lag_mean_ns, 3_500_000, "{strategy}");
        assert_eq!(overhead.lag_max_ns, 3_500_000, "{strategy}");
        // The end marker leaves at 1,000 ms.
        assert_eq!(record.length_ns, 1_003_000_000, "{strategy}");
    }
}

#[test]
fn passive_standby_costs_state_confirmations_acknowledgements_and_trims() {
    let record = record("passive-standby", "");
    // Checkpoints of 10 entries at 250, 500, 750 and 1,000 ms. The last is confirmed, and upstream
    // trimmed, after the end. Acknowledgements of the one retained edge come at the same instants.
    let protection = ["ack: 7, 224", HEARTBEATS, DATAFLOW[0], "state: 4, 2560", "trim: 3, 96"];
    assert_eq!(traffic(&record), [&protection[..], &[DATAFLOW[1]]].concat());
    let overhead = &record.overhead;
    // 2,560 + 224 + 96 bytes of 100,000 on the hop into `count`.
    assert_eq!(overhead.bytes_per_hop_ppm, 28_800);
    // A save for each checkpoint; the source keeps 250 ms of tuples and what comes until the trim.
    assert_eq!((overhead.saves, overhead.retained_max), (4, 252));
    assert_eq!(record.handlers, 4_043);
}

#[test]
fn a_checkpoint_that_is_saved_before_it_is_sent_costs_the_same() {
    let record = record("passive-standby", "store_at = \"primary\"");
    // The last one is still being saved at the end.
    let protection = ["ack: 7, 224", HEARTBEATS, DATAFLOW[0], "state: 3, 1920", "trim: 3, 96"];
    assert_eq!(traffic(&record), [&protection[..], &[DATAFLOW[1]]].concat());
    assert_eq!((record.overhead.saves, record.overhead.retained_max), (4, 252));
    assert_eq!(record.overhead.bytes_per_hop_ppm, 22_400);
    assert_eq!(record.handlers, 4_042);
}

#[test]
fn a_shipped_output_log_costs_every_output_once_more() {
    let record = record("passive-standby", "ship_output_log = \"resend\"\nack_phase = \"0ms\"");
    // Each output is in the one checkpoint that comes between it and its trim: 249 of the first
    // interval, 251 of each later one, since trims arrive just after the cut. They travel with the
    // state, so they are bytes and no messages. Both edges acknowledge and trim now.
    let protection = ["ack: 11, 352", HEARTBEATS, "log: 0, 100200", DATAFLOW[0]];
    let rest = ["state: 4, 2560", "trim: 7, 224", DATAFLOW[1]];
    assert_eq!(traffic(&record), [&protection[..], &rest].concat());
    assert_eq!((record.overhead.saves, record.overhead.retained_max), (4, 754));
    assert_eq!(record.overhead.bytes_per_hop_ppm, 1_030_800);
    assert_eq!(record.handlers, 4_055);
}

#[test]
fn upstream_backup_costs_acknowledgements_trims_and_memory() {
    // One acknowledgement and one trim per interval and hop, whatever is kept.
    let protection = ["ack: 8, 256", HEARTBEATS, DATAFLOW[0], "trim: 8, 256", DATAFLOW[1]];
    // A count depends on all inputs: 1,000 tuples at the source, and 252 outputs unacknowledged.
    for (retention, retained) in [("honest", 1_252), ("bounded", 504)] {
        let record = record("upstream-backup", &format!("retention = \"{retention}\""));
        assert_eq!(traffic(&record), protection, "{retention}");
        assert_eq!(record.overhead.saves, 0, "{retention}");
        assert_eq!(record.overhead.retained_max, retained, "{retention}");
        // 4 x (32 + 32) bytes of 100,000.
        assert_eq!(record.overhead.bytes_per_hop_ppm, 2_560, "{retention}");
        assert_eq!(record.handlers, 4_042, "{retention}");
    }
}

#[test]
fn a_fault_does_not_change_what_protection_costs_while_nothing_fails() {
    let fault = "[[fault]]\nmachine-loss = { node = \"count\" }\nat = \"400ms\"\n";
    let scenario = parse(&format!("{SCENARIO}{fault}"), "scenarios/pinned.toml");
    for entry in Registry::built_in().iter() {
        let strategy = entry.name;
        let with = judge(&scenario, case(&scenario, "base", strategy), 0);
        let without = record(strategy, "");
        assert_eq!(with.overhead, without.overhead, "{strategy}");
        assert_eq!(with.twin_hash, without.trace_hash, "{strategy}");
        assert_ne!(with.trace_hash, without.trace_hash, "{strategy}");
    }
}
#[test]
fn active_standby_costs_every_input_and_all_work_twice() {
    let record = record("active-standby", "");
    // The standby is fed each tuple and the end. `format` acknowledges and trims once an interval,
    // and the primary hands each trim on.
    let protection = ["ack: 4, 128", "copy: 1000, 100000", HEARTBEATS, "marker: 4, 128"];
    assert_eq!(traffic(&record), [&protection[..], &["trim: 8, 256", DATAFLOW[1]]].concat());
    let overhead = &record.overhead;
    assert_eq!(overhead.cpu_ns, 1_000_000_000);
    // Both keep the outputs of 250 ms and what comes until the trim.
    assert_eq!((overhead.saves, overhead.retained_max), (0, 502));
    assert_eq!(overhead.bytes_per_hop_ppm, 1_001_280);
    assert_eq!(record.handlers, 5_035);
}

#[test]
fn checkpoint_rollback_costs_triggers_reports_and_state_in_a_store() {
    let record = record("checkpoint-rollback", "");
    // Four checkpoints: a trigger and a part each. Three of them complete before the end: a report,
    // a decision (saved too, of no size) and a trim each. Primary and coordinator show life.
    let protection = ["ack: 10, 320", "heartbeat: 20, 640", "marker: 7, 224", "state: 7, 2560"];
    assert_eq!(traffic(&record), [&protection[..], &["trim: 3, 96", DATAFLOW[1]]].concat());
    assert_eq!((record.overhead.saves, record.overhead.retained_max), (7, 251));
    assert_eq!(record.overhead.bytes_per_hop_ppm, 29_760);
    assert_eq!(record.handlers, 4_060);
}

#[test]
fn full_snapshots_cost_all_entries_and_incremental_ones_those_that_changed() {
    let scenario = |snapshots: &str| {
        let text = SCENARIO.replace("keys = 10", "keys = 400");
        let options = format!("[strategy.checkpoint-rollback]\nsnapshots = \"{snapshots}\"\n");
        parse(&format!("{text}{options}"), "scenarios/pinned.toml")
    };
    let bytes = |snapshots: &str| {
        let scenario = scenario(snapshots);
        let record = judge(&scenario, case(&scenario, "base", "checkpoint-rollback"), 0);
        record.overhead.traffic["state"].bytes
    };
    // Straight from the input: a tuple is absorbed 1.5 ms after it was scheduled, and the trigger
    // of 250, 500, ... ms arrives 1 ms later.
    let config = &case(&scenario("full"), "base", "checkpoint-rollback").config.clone();
    let plan = plan(config, 0, 0);
    let entries = |from: u64, to: u64| {
        let inputs = plan.systems.workload.inputs.iter();
        let absorbed = inputs.filter(|input| {
            let at = input.scheduled + 1_500_000;
            at > from && at <= to
        });
        let keys: BTreeSet<_> = absorbed.filter_map(|input| input.payload.key(0)).collect();
        keys.len() as u64
    };
    let cut = |number: u64| if number == 0 { 0 } else { number * 250_000_000 + 1_000_000 };
    let full: u64 = (1..=4).map(|number| entries(0, cut(number))).sum();
    let changed: u64 = (1..=4).map(|number| entries(cut(number - 1), cut(number))).sum();
    assert!(changed < full);
    assert_eq!(bytes("full"), 64 * full);
    assert_eq!(bytes("incremental"), 64 * changed);
}
