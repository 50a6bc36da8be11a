//! The sections about protection, network, timing, storage and sizes.

use super::diagnostic::suggest;
use super::item::Item;
use super::keys::Key;
use super::keys::sections::{network, protection, sizes, storage, timing};
use super::pipeline::Dataflow;
use super::table::Table;
use super::tree::Kind;
use crate::config::{NetworkConfig, SizesConfig, StorageConfig, TimingConfig};
use aftermath_systems::plan::Dedup;
use aftermath_systems::protocol::{Nanos, SECOND};
use std::collections::BTreeMap;

/// What `[protection]` says.
pub struct Protection<'t, 'r> {
    /// Additional replicas.
    pub spares: u16,
    /// Where that is said.
    pub spares_item: Option<Item<'t, 'r>>,
    /// On all edges.
    pub dedup: Dedup,
    /// Whether dropping a duplicate costs nothing.
    pub duplicates_free: bool,
}

/// Reads `[protection]`.
pub fn protection<'t, 'r>(root: &Table<'t, 'r>) -> Protection<'t, 'r> {
    let table = root.table("protection");
    let spares_item = table.get(protection::SPARES.name);
    let spares = table.number(&protection::SPARES);
    let dedup = table.word(&protection::DEDUP, "deduplication", &protection::DEDUPS);
    let cost = table.word(&protection::DUPLICATE_COST, "cost of a duplicate", &protection::COSTS);
    table.finish();
    let dedup = dedup.unwrap_or(Dedup::Receiver);
    Protection { spares: spares as u16, spares_item, dedup, duplicates_free: cost.unwrap_or(true) }
}

/// Reads `[network]`.
pub fn network(root: &Table, flow: Option<&Dataflow>) -> NetworkConfig {
    let table = root.table("network");
    let tick_item = table.get(network::TICK.name);
    let tick_ns = table.span(&network::TICK, 0);
    let latency = table.get(network::LATENCY.name);
    let default_ns = network::LATENCY.default_ns();
    let latency_ns = match (&latency, &tick_item) {
        (Some(item), _) => item.span(&network::LATENCY, tick_ns).unwrap_or(tick_ns),
        (None, Some(tick)) if tick_ns > default_ns => {
            let default = network::LATENCY.default_text();
            tick.error(
                format!(
                    "the tick is longer than the latency of the links ({default} if not given)"
                ),
                Some("nothing crosses between nodes within a tick: set `network.latency`".into()),
            );
            tick_ns
        }
        _ => default_ns,
    };
    let jitter_ns = table.span(&network::JITTER, tick_ns);
    let (mut edge_latency_ns, mut edge_jitter_ns) = (BTreeMap::new(), BTreeMap::new());
    let edges = table.table(network::EDGES.name);
    for (key, item) in edges.items() {
        let edge = edge(&key, &item, flow);
        let (latency, jitter) = delays(&item, tick_ns);
        if let (Some(edge), Some(ns)) = (&edge, latency) {
            edge_latency_ns.insert(edge.clone(), ns);
        }
        if let (Some(edge), Some(ns)) = (edge, jitter) {
            edge_jitter_ns.insert(edge, ns);
        }
    }
    let bandwidth_bytes_per_s = table.number(&network::BANDWIDTH_BYTES_PER_S);
    let retransmit_ns = table.span(&network::RETRANSMIT, tick_ns);
    table.finish();
    NetworkConfig {
        tick_ns,
        latency_ns,
        edge_latency_ns,
        jitter_ns,
        edge_jitter_ns,
        bandwidth_bytes_per_s,
        retransmit_ns,
    }
}

/// Latency and jitter of an edge: `"5ms"` or `{ latency = "5ms", jitter = "2ms" }`.
fn delays(item: &Item, tick_ns: Nanos) -> (Option<Nanos>, Option<Nanos>) {
    if !matches!(item.value.kind, Kind::Table(_)) {
        return (item.span(&network::EDGE_LATENCY, tick_ns), None);
    }
    let Some(table) = item.table() else { return (None, None) };
    let read = |key: &Key| table.read(key, |item| item.span(key, tick_ns));
    let (latency, jitter) = (read(&network::EDGE_LATENCY), read(&network::EDGE_JITTER));
    table.finish();
    (latency, jitter)
}

fn edge(key: &str, item: &Item, flow: Option<&Dataflow>) -> Option<(String, String)> {
    let flow = flow?;
    let written = |c: &aftermath_systems::pipelines::Connection| format!("{} -> {}", c.from, c.to);
    let ends = key.split_once("->").map(|(from, to)| (from.trim(), to.trim()));
    let connections = &flow.topology.connections;
    // `left -> union/0/1` is the link to one replica.
    let operator = |to: &str| to.split('/').next().map(str::to_string).unwrap_or_default();
    let found = connections
        .iter()
        .find(|c| ends.is_some_and(|(from, to)| c.from == from && c.to == operator(to)));
    if found.is_none() {
        let edges: Vec<String> = connections.iter().map(written).collect();
        let help = suggest(key, edges.iter().map(String::as_str), "edges");
        item.key_error(format!("pipeline `{}` has no edge `{key}`", flow.pipeline.name), help);
    }
    let (from, to) = ends?;
    let found = found?;
    if let Some(why) = no_receiver(to, flow) {
        let help = format!(
            "`{0} -> {1}` are all links of the edge, `{0} -> {1}/0/1` those to replica 1 of instance 0",
            found.from, found.to
        );
        item.key_error(why, Some(help));
        return None;
    }
    Some((from.to_string(), to.to_string()))
}

/// Why an edge cannot end there: `union` and `union/0/1` it can, if there is such a replica.
fn no_receiver(to: &str, flow: &Dataflow) -> Option<String> {
    let mut parts = to.split('/');
    let operator = parts.next().unwrap_or_default();
    let numbers: Vec<&str> = parts.collect();
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<u16>().ok().filter(|_| digits)
    };
    match numbers.as_slice() {
        [] => None,
        [instance, replica] => {
            let protected = flow.protect.iter().any(|name| name == operator);
            let instances = flow.instances(operator);
            let fits = number(instance).is_some_and(|i| i < instances)
                && number(replica).is_some_and(|r| r <= u16::from(protected));
            (!fits).then(|| format!("`{to}` names no replica of `{operator}`"))
        }
        _ => Some(format!("`{to}` names no replica of `{operator}`")),
    }
}

/// Reads `[timing]`.
pub fn timing(root: &Table, tick_ns: Nanos, rate_per_s: u64) -> TimingConfig {
    let table = root.table("timing");
    let heartbeat_ns = table.span(&timing::HEARTBEAT, tick_ns);
    let interval_ns = table.span(&timing::INTERVAL, tick_ns);
    let phases = table.table(timing::PHASES.name);
    let phase = |key: &Key, period: Nanos, what: &str| {
        let item = phases.get(key.name)?;
        let ns = item.span(key, tick_ns)?;
        if ns >= period {
            let period = aftermath_systems::options::format_duration(period);
            item.error(format!("a phase must be less than its period, {what} ({period})"), None);
        }
        Some(ns)
    };
    let between_tuples = SECOND / rate_per_s.max(1);
    let timing = TimingConfig {
        heartbeat_ns,
        misses: table.number(&timing::MISSES),
        redirect_ns: table.span(&timing::REDIRECT, tick_ns),
        interval_ns,
        heartbeat_phase_ns: phase(&timing::PHASE_HEARTBEAT, heartbeat_ns, "`timing.heartbeat`"),
        ack_phase_ns: phase(&timing::PHASE_ACK, interval_ns, "`timing.interval`"),
        checkpoint_phase_ns: phase(&timing::PHASE_CHECKPOINT, interval_ns, "`timing.interval`"),
        tuple_phase_ns: phase(&timing::PHASE_TUPLE, between_tuples, "the time between tuples"),
    };
    phases.finish();
    table.finish();
    timing
}

/// Reads `[storage]`.
pub fn storage(root: &Table) -> StorageConfig {
    let table = root.table("storage");
    let storage = StorageConfig {
        latency_ns: table.span(&storage::LATENCY, 0),
        bandwidth_bytes_per_s: table.number(&storage::BANDWIDTH_BYTES_PER_S),
        restore_bytes_per_s: table.number(&storage::RESTORE_BYTES_PER_S),
    };
    table.finish();
    storage
}

/// Reads `[sizes]`.
pub fn sizes(root: &Table) -> SizesConfig {
    let table = root.table("sizes");
    let sizes = SizesConfig {
        tuple: table.number(&sizes::TUPLE),
        ack: table.number(&sizes::ACK),
        heartbeat: table.number(&sizes::HEARTBEAT),
        control: table.number(&sizes::CONTROL),
        entry: table.number(&sizes::ENTRY),
    };
    table.finish();
    sizes
}
