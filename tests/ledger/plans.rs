//! Random plans: any pipeline under any strategy or mixture, on links and stores of any speed, with
//! up to two faults at any time.

use super::check;
use super::support::{LINK_FAULTS, NODE_FAULTS};
use aftermath_harness::{Registry, faults};
use aftermath_systems::pipelines;
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Where the input file of the pipeline `flights` is found from.
pub const PATH: &str = "scenarios/random.toml";

#[derive(Clone, Copy, Debug)]
struct Fault {
    /// Of the faults of machines, and then of those of links.
    what: usize,
    /// Which links, see [`Plan::ends`].
    ends: usize,
    /// Of the coordinator instead, where there is one.
    coordinator: bool,
    /// Of the protected operators, modulo their number.
    operator: usize,
    instance: u16,
    /// The one that leads if there is none.
    replica: Option<u16>,
    at_us: u64,
    for_us: Option<u64>,
}

/// A run with everything that is random about it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Index into FLOWS.
    flow: usize,
    /// Bits of the operators that are protected; all if none.
    protect: usize,
    /// Index into STRATEGIES.
    strategy: usize,
    /// Another strategy for the first protected operator.
    mixed: Option<usize>,
    parallelism: u16,
    tuples: u64,
    dedup: &'static str,
    around: Surroundings,
    faults: Vec<Fault>,
    pub seed: u64,
}

/// What the plan runs on. Time-outs are some milliseconds; links and stores may be slow.
#[derive(Clone, Copy, Debug)]
struct Surroundings {
    latency_ms: u64,
    /// Of the first edge, if it is another.
    first_edge_ms: Option<u64>,
    /// Of every frame, at most.
    jitter_us: u64,
    /// Bytes a second; 0: unlimited.
    bandwidth: u64,
    interval_ms: u64,
    storage_ms: u64,
    /// Bytes a second, of writing and of loading; 0: unlimited.
    storage_bandwidth: u64,
    restore_bandwidth: u64,
    /// CPU time of a tuple; at 1,000 tuples a second, 1,000 us are too much.
    service_us: u64,
}

impl Surroundings {
    /// The sections of a scenario.
    fn text(&self, first_operator: &str) -> String {
        let Surroundings { latency_ms, jitter_us, bandwidth, .. } = self;
        let Surroundings { interval_ms, storage_ms, .. } = self;
        let edge = self.first_edge_ms.map_or(String::new(), |ms| {
            format!("edges = {{ \"source -> {first_operator}\" = \"{ms}ms\" }}\n")
        });
        format!(
            "
[network]
latency = \"{latency_ms}ms\"
jitter = \"{jitter_us}us\"
{edge}bandwidth_bytes_per_s = {bandwidth}

[timing]
heartbeat = \"5ms\"
misses = 3
redirect = \"3ms\"
interval = \"{interval_ms}ms\"

[storage]
latency = \"{storage_ms}ms\"
bandwidth_bytes_per_s = {}
restore_bytes_per_s = {}

",
            self.storage_bandwidth, self.restore_bandwidth
        )
    }
}

/// Pipelines: name, options, operators, and the one that can be parallel.
const FLOWS: [(&str, &str, &[&str], &str); 13] = [
    ("chain", "", &["map", "format"], ""),
    ("filter", "", &["filter", "format"], ""),
    ("keyed-count", "", &["count", "format"], "count"),
    ("window", "span = \"40ms\"", &["window", "format"], ""),
    ("join", "window = \"30ms\"", &["left", "right", "join", "format"], "join"),
    ("diamond", "union = \"sorted\"", &["left", "right", "union", "format"], ""),
    ("diamond", "union = \"arrival\"", &["left", "right", "union", "format"], ""),
    ("time-out", "timeout = \"30ms\"", &["timeout", "format"], "timeout"),
    ("flights", "", &["clean", "delays"], "delays"),
    ("nexmark-q1", "", &["bids", "convert"], ""),
    ("nexmark-q3", "", &["people", "auctions", "join", "format"], "join"),
    ("nexmark-q8", "window = \"60ms\"", &["people", "auctions", "join", "format"], "join"),
    ("nexmark-q12", "window = \"30ms\"", &["bids", "count"], "count"),
];

/// Strategies with options.
const STRATEGIES: [(&str, &str); 7] = [
    ("amnesia", ""),
    ("active-standby", ""),
    ("passive-standby", "ship_output_log = \"no\"\nstore_at = \"primary\"\n"),
    ("passive-standby", "ship_output_log = \"resend\"\n"),
    ("upstream-backup", ""),
    ("checkpoint-rollback", "snapshots = \"full\"\n"),
    ("checkpoint-rollback", "snapshots = \"incremental\"\n"),
];

impl Plan {
    /// The operators that are protected.
    fn protected(&self) -> Vec<&'static str> {
        let operators = FLOWS[self.flow].2;
        let chosen = operators.iter().enumerate().filter(|(bit, _)| self.protect >> bit & 1 == 1);
        let chosen: Vec<_> = chosen.map(|(_, name)| *name).collect();
        if chosen.is_empty() { operators.to_vec() } else { chosen }
    }

    /// The instance that a fault hits.
    fn instance(&self, fault: &Fault) -> u16 {
        let protected = self.protected();
        let parallel = FLOWS[self.flow].3 == protected[fault.operator % protected.len()];
        if parallel { fault.instance % self.parallelism } else { 0 }
    }

    /// The plan as a scenario: what a user could write, so that a failure can be pasted.
    pub fn text(&self) -> String {
        let (pipeline, options, operators, parallel) = FLOWS[self.flow];
        let (strategy, own) = STRATEGIES[self.strategy];
        let protected = self.protected();
        let quoted = |names: &[&str]| format!("[\"{}\"]", names.join("\", \""));
        let service =
            operators.iter().map(|name| format!("{name} = \"{}us\"", self.around.service_us));
        let service: Vec<_> = service.collect();
        let mut text = format!("strategies = [\"{strategy}\"]\n\n[strategy.{strategy}]\n{own}\n");
        if let Some(other) = self.mixed {
            let (other, own) = STRATEGIES[other];
            if other != strategy {
                text += &format!("[strategy.{other}]\n{own}\n");
            }
            text += &format!("[mixture]\n{} = \"{other}\"\n\n", protected[0]);
        }
        text += &format!("[pipeline]\nname = \"{pipeline}\"\noptions = {{ {options} }}\n");
        text +=
            &format!("protect = {}\nservice = {{ {} }}\n", quoted(&protected), service.join(", "));
        if !parallel.is_empty() {
            text += &format!("parallelism = {{ {parallel} = {} }}\n", self.parallelism);
        }
        text += "\n[input]\nrate_per_s = 1000\n";
        text += &match pipeline {
            "flights" => format!("recorded = \"data/flights.csv\"\ntake = {}\n", self.tuples),
            nexmark if nexmark.starts_with("nexmark") => {
                format!("nexmark = {{ events = {} }}\n", self.tuples)
            }
            _ => format!("generated = {{ tuples = {}, keys = 20 }}\n", self.tuples),
        };
        text += &format!("\n[protection]\ndedup = \"{}\"\n", self.dedup);
        text += &self.around.text(operators[0]);
        for fault in self.faults() {
            text += &self.fault(fault);
        }
        text
    }

    /// What a fault hits, as scenarios name it.
    fn node(&self, fault: &Fault) -> String {
        let protected = self.protected();
        let coordinated = STRATEGIES[self.strategy].0 == "checkpoint-rollback"
            && (self.mixed.is_none() || protected.len() > 1);
        if fault.coordinator && coordinated {
            return "coordinator".to_string();
        }
        let operator = protected[fault.operator % protected.len()];
        let instance = self.instance(fault);
        match fault.replica {
            Some(replica) => format!("{operator}/{instance}/{replica}"),
            None => format!("{operator}/{instance}"),
        }
    }

    /// Between whom a fault of links is.
    fn ends(&self, fault: &Fault) -> String {
        let operators = FLOWS[self.flow].2;
        let protected = self.protected();
        let chosen = fault.operator % protected.len();
        let me = protected[chosen];
        let position = operators.iter().position(|name| *name == me).unwrap_or(0);
        let before = position.checked_sub(1).map_or("source", |index| operators[index]);
        let after = operators.get(position + 1).unwrap_or(&"sink");
        let coordinated = self.node(&Fault { coordinator: true, ..*fault }) == "coordinator";
        let (a, b) = match fault.ends {
            0 if coordinated => ("coordinator".to_string(), me.to_string()),
            0 | 1 => (me.to_string(), me.to_string()),
            2 => (format!("{me}/0/0"), format!("{me}/0/1")),
            3 => (before.to_string(), me.to_string()),
            4 => (format!("{me}/0/0"), after.to_string()),
            _ => (me.to_string(), after.to_string()),
        };
        match fault.at_us % 2 {
            0 => format!("between = [\"{a}\", \"{b}\"]"),
            _ => format!("from = \"{a}\", to = \"{b}\""),
        }
    }

    fn fault(&self, fault: &Fault) -> String {
        let what = match NODE_FAULTS.get(fault.what) {
            Some((name, options)) => {
                format!("{name} = {{ node = \"{}\"{options} }}", self.node(fault))
            }
            None => {
                let (name, options) = LINK_FAULTS[fault.what - NODE_FAULTS.len()];
                format!("{name} = {{ {}{options} }}", self.ends(fault))
            }
        };
        let length = fault.for_us.map_or(String::new(), |us| format!("for = \"{us}us\"\n"));
        format!("[[fault]]\n{what}\nat = \"{}us\"\n{length}", fault.at_us)
    }

    /// The faults. Two outcomes for one machine at one time are a mistake in a scenario, so a
    /// second fault that kills the same machine as the first is left out.
    fn faults(&self) -> &[Fault] {
        let named = |fault: &Fault| {
            let node = self.node(fault);
            let certain = fault.replica.is_some() || node == "coordinator";
            (certain && fault.what < 3).then_some(node)
        };
        let same = match &self.faults[..] {
            [a, b] => named(a).is_some() && named(a) == named(b),
            _ => false,
        };
        &self.faults[..self.faults.len() - usize::from(same)]
    }
}

fn fault() -> impl Strategy<Value = Fault> {
    let place = (0..4usize, 0..2u16, prop::option::weighted(0.3, 0..2u16));
    // Beyond the end of the stream too.
    let time = (1_000..200_000u64, prop::option::weighted(0.7, 1_000..80_000u64));
    // Half of them kill.
    let what = prop_oneof![0..3usize, 3..NODE_FAULTS.len() + LINK_FAULTS.len()];
    let whom = (what, 0..6usize, prop::bool::weighted(0.2));
    (whom, place, time).prop_map(
        |((what, ends, coordinator), (operator, instance, replica), (at_us, for_us))| Fault {
            what,
            ends,
            coordinator,
            operator,
            instance,
            replica,
            at_us,
            for_us,
        },
    )
}

/// Mostly the usual value, sometimes another.
fn one_of(usual: u64, others: &'static [u64]) -> impl Strategy<Value = u64> {
    prop_oneof![3 => Just(usual), 1 => prop::sample::select(others)]
}

fn surroundings() -> impl Strategy<Value = Surroundings> {
    let links = (
        one_of(1, &[2, 20, 60]),
        prop::option::weighted(0.2, prop::sample::select(&[5u64, 30, 100][..])),
        one_of(0, &[300, 3_000]),
        one_of(0, &[100_000, 300_000, 2_000_000]),
    );
    let stores = (one_of(4, &[1, 30]), one_of(0, &[20_000, 200_000]), one_of(0, &[5_000, 50_000]));
    (links, stores, one_of(20, &[5, 50]), one_of(200, &[0, 900, 1_100])).prop_map(
        |(links, stores, interval_ms, service_us)| Surroundings {
            latency_ms: links.0,
            first_edge_ms: links.1,
            jitter_us: links.2,
            bandwidth: links.3,
            interval_ms,
            storage_ms: stores.0,
            storage_bandwidth: stores.1,
            restore_bandwidth: stores.2,
            service_us,
        },
    )
}

/// Any plan.
pub fn plan() -> impl Strategy<Value = Plan> {
    let mixed = prop::option::weighted(0.3, 0..STRATEGIES.len());
    let what = (0..FLOWS.len(), 0..16usize, 0..STRATEGIES.len(), mixed, 1..=2u16);
    let dedup = prop::sample::select(vec!["receiver", "off", "handshake"]);
    let none = prop::collection::vec(fault(), 0..=0);
    let some = prop::collection::vec(fault(), 1..=2);
    let faults = prop_oneof![1 => none, 4 => some];
    let where_and_when = (surroundings(), 0..1_000u64);
    (what, 100..=300u64, dedup, faults, where_and_when).prop_map(
        |((flow, protect, strategy, mixed, parallelism), tuples, dedup, faults, (around, seed))| {
            Plan {
                flow,
                protect,
                strategy,
                mixed,
                parallelism,
                tuples,
                dedup,
                around,
                faults,
                seed,
            }
        },
    )
}

#[test]
fn the_plans_are_as_different_as_they_should_be() {
    let seen: RefCell<BTreeMap<String, u32>> = Default::default();
    check(|plan, judged| {
        let mut seen = seen.borrow_mut();
        let mut note = |what: String| *seen.entry(what).or_default() += 1;
        note(format!("{:?}", judged.record.status));
        note(format!("{} strikes", judged.run.strikes().len()));
        for (_, strike) in judged.run.strikes() {
            note(faults::of(judged.run.kind(strike.fault)).name.to_string());
        }
        note(FLOWS[plan.flow].0.to_string());
        note(STRATEGIES[plan.strategy].0.to_string());
        note(plan.dedup.to_string());
        note(format!("mixture: {}", plan.mixed.is_some()));
        note(format!("gap: {}", judged.record.observed.gap));
        note(format!("duplicates: {}", judged.record.observed.duplicates));
        Ok(())
    });
    let seen = seen.into_inner();
    for entry in Registry::built_in().iter() {
        assert!(STRATEGIES.iter().any(|(name, _)| *name == entry.name), "{}", entry.name);
    }
    for pipeline in pipelines::ALL {
        assert!(FLOWS.iter().any(|flow| flow.0 == pipeline.name), "{}", pipeline.name);
    }
    let statuses = ["Held", "NotCovered", "Inconclusive", "0 strikes", "1 strikes", "2 strikes"];
    let ways = ["receiver", "off", "handshake", "mixture: true", "mixture: false"];
    let seen_things = ["gap: true", "gap: false", "duplicates: true", "duplicates: false"];
    let flows = FLOWS.iter().map(|flow| flow.0);
    let strategies = STRATEGIES.iter().map(|strategy| strategy.0);
    let faults = faults::ALL.iter().map(|fault| fault.name);
    let needed = statuses
        .into_iter()
        .chain(ways)
        .chain(seen_things)
        .chain(flows)
        .chain(strategies)
        .chain(faults);
    for needed in needed {
        assert!(seen.get(needed).is_some_and(|n| *n >= 3), "{needed} is rare among {seen:?}");
    }
}
