//! Hand-made records: for the tests and for `examples/sample.rs`, which includes this file.
#![allow(dead_code)]

use crate::record::*;
use std::collections::BTreeMap;

const MS: u64 = 1_000_000;

fn exactly_once() -> Guarantee {
    Guarantee {
        gap: false,
        duplicates: false,
        value: ValueClass::Same,
        state_same: true,
        memory_bounded: Some(true),
        settles: true,
    }
}

/// A run in which all went well.
pub fn record(scenario: &str, case: &str, strategy: &str, seed: u64) -> Record {
    Record {
        format_version: FORMAT_VERSION,
        scenario: scenario.to_owned(),
        case: case.to_owned(),
        strategy: strategy.to_owned(),
        options: BTreeMap::new(),
        planted: None,
        setting: setting(),
        seed,
        stratum: None,
        world: "events".to_owned(),
        status: Status::Held,
        reasons: Vec::new(),
        claimed: Claimed::Guarantee(exactly_once()),
        observed: exactly_once(),
        counts: Counts { expected: 800, delivered: 800, unique: 800, ..Counts::default() },
        faults: Vec::new(),
        unreached: Vec::new(),
        overhead: Overhead {
            traffic: BTreeMap::from([("tuple".to_owned(), traffic(2_400, 240_000))]),
            cpu_ns: 900 * MS,
            lag_mean_ns: 12 * MS,
            lag_max_ns: 15 * MS,
            ..Overhead::default()
        },
        checks: Vec::new(),
        witnesses: Vec::new(),
        series: None,
        retained_unpaired: 0,
        handlers: 10_000,
        length_ns: 20_000 * MS,
        trace_hash: "00ff".to_owned(),
        twin_hash: "11ee".to_owned(),
        replay: format!("aftermath run {scenario}.toml --case {case} -s {strategy} --seed {seed}"),
        schedule: None,
    }
}

fn setting() -> BTreeMap<String, Vec<String>> {
    let sections = [
        ("fault", &["process-crash = { node = \"count\" }, at = \"5s\", for = \"10s\""][..]),
        ("input", &["rate_per_s = 100", "generated = { tuples = 2000, keys = 10 }"]),
        ("timing", &["heartbeat = \"100ms\"", "misses = 2"]),
    ];
    let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
    sections.map(|(section, own)| (section.to_owned(), keys(own))).into()
}

fn traffic(messages: u64, bytes: u64) -> Traffic {
    Traffic { messages, bytes }
}

/// A crash from which the run recovers after these times, ms.
pub fn crash(r2_ms: u64, r3_ms: Option<u64>) -> Fault {
    let r2 = r2_ms * MS;
    Fault {
        rate: None,
        kind: "process-crash".to_owned(),
        node: "count/0/0".to_owned(),
        at_ns: 5_000 * MS,
        healed_ns: 15_000 * MS,
        met: vec!["stopped the active replica".to_owned()],
        recovery: Some(Recovery {
            r1: Time::Ns(r2),
            r2: Time::Ns(r2),
            r3: r3_ms.map_or(Time::MoreThanNs(9_000 * MS), |ms| Time::Ns(ms * MS)),
            silence_ns: r2 + 10 * MS,
            peak_lag_ns: r2 + 2 * MS,
            down: Time::None,
            detect: Time::Ns(200 * MS),
            redirect: Time::Ns(50 * MS),
            restore: Time::Ns(50 * MS),
            replay: Time::Ns(r2 - 300 * MS),
            catch_up: r3_ms.map_or(Time::MoreThanNs((9_000 * MS).saturating_sub(r2)), |ms| {
                Time::Ns(ms * MS - r2)
            }),
        }),
        colour: "#882255".to_owned(),
        point: None,
    }
}

/// Adds the overhead of a cause. The pipeline has three hops.
pub fn pay(record: &mut Record, cause: &str, messages: u64, bytes: u64) {
    record.overhead.traffic.insert(cause.to_owned(), traffic(messages, bytes));
    let sum = |heartbeats: bool| -> u64 {
        let counts = |c: &str| c != "tuple" && (heartbeats || c != "heartbeat");
        record.overhead.traffic.iter().filter(|(c, _)| counts(c)).map(|(_, t)| t.bytes).sum()
    };
    let (all, protocol) = (sum(true), sum(false));
    record.overhead.bytes_ppm = all * 1_000_000 / 240_000;
    record.overhead.bytes_per_hop_ppm = protocol * 1_000_000 / 80_000;
}

/// Outputs at a steady rate, silence after the fault, a burst, and lag that falls back to normal.
pub fn series() -> Series {
    let bins = 200;
    let lag = |bin: u64| match bin {
        50..=63 => 0,
        64..=80 => (81 - bin) * 80 * MS,
        _ => 12 * MS,
    };
    let count = |bin: u64| match bin {
        50..=63 => 0,
        64..=80 => 8,
        _ => 4,
    };
    Series {
        bin_ns: 100 * MS,
        new_outputs: (0..bins).map(count).collect(),
        repeated_outputs: vec![0; bins as usize],
        lag_max_ns: (0..bins).map(lag).collect(),
        retained: vec![3; bins as usize],
        twin_outputs: vec![4; bins as usize],
        twin_lag_max_ns: vec![12 * MS; bins as usize],
    }
}

/// Three strategies with three seeds each: one that loses, one that recovers quickly at a price,
/// one that recovers slowly for nearly nothing and is broken once.
pub fn three_strategies() -> Vec<Record> {
    let mut records = Vec::new();
    for seed in 1..=3 {
        let mut amnesia = record("crash-count", "crash", "amnesia", seed);
        let gap = Guarantee {
            gap: true,
            value: ValueClass::Diverges,
            state_same: false,
            ..exactly_once()
        };
        amnesia.claimed = Claimed::Guarantee(gap);
        amnesia.observed = gap;
        amnesia.counts = Counts {
            lost: 24 + seed,
            unique: 776 - seed,
            delivered: 776 - seed,
            wrong: 410,
            ..amnesia.counts
        };
        amnesia.faults.push(crash(304 + seed, Some(340)));
        pay(&mut amnesia, "heartbeat", 600, 4_800);
        records.push(amnesia);
    }
    for seed in 1..=3 {
        let mut passive = record("crash-count", "crash", "passive-standby", seed);
        let repeats = Guarantee { duplicates: true, ..exactly_once() };
        passive.claimed = Claimed::Guarantee(repeats);
        passive.observed = repeats;
        passive.counts = Counts { duplicates: 10 + seed, delivered: 810 + seed, ..passive.counts };
        passive.faults.push(crash(539 + 50 * seed, Some(700 + 80 * seed)));
        pay(&mut passive, "state", 200, 31_000);
        pay(&mut passive, "ack", 40, 1_000);
        pay(&mut passive, "heartbeat", 600, 4_800);
        records.push(passive);
    }
    for seed in 1..=3 {
        let mut upstream = record("crash-count", "crash", "upstream-backup", seed);
        upstream.faults.push(crash(1_000 + 150 * seed, (seed != 3).then_some(2_600)));
        pay(&mut upstream, "ack", 4, 24);
        pay(&mut upstream, "trim", 4, 24);
        pay(&mut upstream, "heartbeat", 600, 4_800);
        if seed == 2 {
            upstream.status = Status::Broken;
            upstream.observed.gap = true;
            upstream.counts = Counts { lost: 1, unique: 799, delivered: 799, ..upstream.counts };
            upstream.reasons =
                vec!["claimed exactly once, observed a gap <1 output> & no more".to_owned()];
            upstream.witnesses = vec![Witness {
                checker: "lost".to_owned(),
                subject: "origin DTW, row 51".to_owned(),
                expected: "count=17, sum=402".to_owned(),
                observed: "nothing".to_owned(),
                at_ns: Some(5_120 * MS),
            }];
        }
        records.push(upstream);
    }
    records.iter_mut().filter(|r| r.seed == 1).for_each(|r| r.series = Some(series()));
    records
}

/// The cases of [`three_strategies`].
pub fn three_strategies_cases() -> Vec<CaseResult> {
    let check = |what: &str, expected: &str, measured: &str, held| Check {
        what: what.to_owned(),
        expected: expected.to_owned(),
        measured: measured.to_owned(),
        held,
    };
    let case = |strategy: &str, status, checks| CaseResult {
        format_version: FORMAT_VERSION,
        scenario: "crash-count".to_owned(),
        case: "crash".to_owned(),
        strategy: strategy.to_owned(),
        status,
        runs: BTreeMap::from([("held".to_owned(), 3)]),
        checks,
    };
    vec![
        case(
            "amnesia",
            Status::Broken,
            vec![
                check("mean lost", "amnesia.lost = 30.000 within 1% or 2 tuples", "26.000", false),
                check("mean recovery.r2", "amnesia.r2 = 306.000 ms within 1%", "306.000 ms", true),
            ],
        ),
        case(
            "passive-standby",
            Status::Held,
            vec![check(
                "mean recovery.r2",
                "passive.r2 = 639.000 ms within 1% or 2 tuples",
                "639.000 ms",
                true,
            )],
        ),
    ]
}

/// Twelve cases of one scenario, four for each of three strategies, the last ones not covered.
pub fn twelve_cases() -> Vec<Record> {
    let mut records = Vec::new();
    for (nth, m) in [50_u64, 250, 500, 1000].into_iter().enumerate() {
        for (which, strategy) in
            ["passive-standby", "upstream-backup", "checkpoint-rollback"].into_iter().enumerate()
        {
            let case = format!("interval-{m}-ms-{}", ["a", "b", "c"][which]);
            for seed in 1..=5 {
                let mut r = record("checkpoint-interval-sweep", &case, strategy, seed);
                if nth == 3 && which == 2 {
                    r.status = Status::NotCovered;
                    r.claimed = Claimed::NotCovered("two failures within one repair".to_owned());
                } else {
                    let base = 320 + m * (which as u64 + 1) / 2;
                    r.faults.push(crash(base + 20 * seed, Some(base + 400 + 30 * seed)));
                }
                if nth == 2 && which == 1 && seed == 4 {
                    r.status = Status::Inconclusive;
                    r.reasons = vec!["no fault met anything".to_owned()];
                }
                pay(&mut r, "state", 200, [3_200_000, 32_000 * 50, 900][which] / m);
                pay(&mut r, "heartbeat", 600, 4_800);
                records.push(r);
            }
        }
    }
    records
}

/// Thirty cases with long names of one strategy; recovery takes from milliseconds to a minute.
pub fn long_names() -> Vec<Record> {
    let case = |nth: u64| {
        let case = format!("a-case-with-a-name-of-some-length-number-{nth}-of-thirty");
        let mut r = record(
            "a-scenario-whose-name-is-longer-than-names-should-be",
            &case,
            "active-standby",
            7,
        );
        r.options.insert("m_ms".to_owned(), "250".to_owned());
        r.faults.push(crash(310 + nth * nth * 70, Some(900 + nth * nth * 75)));
        pay(&mut r, "copy", nth, nth * 250_000 / 30);
        r
    };
    (0..30).map(case).collect()
}

/// Eight strategies with 2 to 3 decades of overhead, in two cases, most in the same place.
pub fn crowded() -> Vec<Record> {
    let mut records = Vec::new();
    for case in ["crash", "machine-loss"] {
        for nth in 0..8 {
            let strategy = format!("strategy-{nth}");
            for seed in 0..4 {
                let mut r = record("crowded", case, &strategy, seed);
                r.faults
                    .push(crash(400 + 6 * nth + 20 * seed + 15 * case.len() as u64, Some(2_000)));
                pay(&mut r, "copy", 5, 150 * (nth / 2) + seed * 10);
                if nth == 3 {
                    r.status = Status::Broken;
                }
                records.push(r);
            }
        }
    }
    records
}
