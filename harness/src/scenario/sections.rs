//! The sections about input, protection, network, timing, storage and sizes.

use super::diagnostic::{Diagnostic, suggest};
use super::item::Item;
use super::kept;
use super::keys::Key;
use super::keys::sections::{input as keys, network, protection, sizes, storage, timing};
use super::pipeline::Dataflow;
use super::recording::{self, ReadError};
use super::table::Table;
use super::tree::Kind;
use crate::config::{
    InputConfig, Kept, NetworkConfig, Recording, SizesConfig, StorageConfig, TimingConfig,
};
use aftermath_systems::pipelines::{Column, InputSchema};
use aftermath_systems::plan::Dedup;
use aftermath_systems::protocol::{Nanos, SECOND};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// File, first rows, pipeline whose columns it was read with.
type ReadAs = (PathBuf, Option<u64>, &'static str);

/// Recorded streams, each read once however many cases use it.
pub struct Recordings<'a> {
    base_dir: &'a Path,
    read: RefCell<BTreeMap<ReadAs, Result<Arc<Recording>, String>>>,
}

impl<'a> Recordings<'a> {
    /// Files relative to this directory.
    pub fn new(base_dir: &'a Path) -> Self {
        Recordings { base_dir, read: RefCell::default() }
    }

    /// Takes all rows that were read into a hash, but not where they were read from.
    pub fn hash(&self, hasher: &mut impl Hasher) {
        for ((_, take, pipeline), recording) in self.read.borrow().iter() {
            let read = recording.as_ref().map(|read| (&read.rows, &read.symbols));
            (take, pipeline, read.ok()).hash(hasher);
        }
    }

    /// The stream, or why it cannot be had.
    fn get(
        &self,
        file: &str,
        columns: &[Column],
        take: Option<u64>,
        pipeline: &'static str,
        elsewhere: impl FnOnce(Vec<Diagnostic>),
    ) -> Result<Arc<Recording>, String> {
        let path = self.base_dir.join(file);
        let mut read = self.read.borrow_mut();
        let entry = read.entry((path.clone(), take, pipeline)).or_insert_with(|| {
            let recorded = recording::read(&path, columns, take);
            let named = |read| Arc::new(Recording { file: path.clone(), ..read });
            recorded.map(named).map_err(|error| match error {
                ReadError::Data(list) => {
                    let n = list.len();
                    elsewhere(list);
                    let mistakes = if n == 1 { "a mistake" } else { "mistakes" };
                    format!("the recorded stream `{file}` has {mistakes}")
                }
                ReadError::File(why) => format!("cannot read `{file}`: {why}"),
            })
        });
        entry.clone()
    }
}

/// Reads `[input]`: what the source emits, which tuples of it are kept, and tuples a second.
pub fn input(
    root: &Table,
    flow: Option<&Dataflow>,
    recordings: &Recordings,
) -> (Option<InputConfig>, Kept, u64) {
    let table = root.table("input");
    let rate =
        table.require(&keys::RATE_PER_S, "rate_per_s = 2500", |i| i.number(&keys::RATE_PER_S));
    let (recorded, generated) = table.either(keys::RECORDED.name, keys::GENERATED.name);
    let take = table.get(keys::TAKE.name);
    let rows = take.as_ref().and_then(|item| item.number(&keys::TAKE));
    let only = table.get(keys::ONLY.name);
    table.finish();
    let schema = flow.map(|flow| (flow.pipeline.name, flow.pipeline.input));
    if let (Some(take), None) = (&take, &recorded)
        && !take.overrides
        && generated.as_ref().is_some_and(|g| !g.overrides)
    {
        take.key_error("`take` is for recorded streams", Some("write `tuples`".into()));
    }
    let generated = generated.map(|item| (generate(&item), item));
    let config = match (schema, recorded, generated) {
        (Some((name, InputSchema::Recorded(columns))), Some(file), _) => {
            let elsewhere = |list| table.reading.errors.elsewhere(list);
            file.text().and_then(|text| {
                match recordings.get(text, columns, rows, name, elsewhere) {
                    Ok(recording) => {
                        enough(&recording, rows, take.as_ref());
                        Some(InputConfig::Recorded(recording))
                    }
                    Err(why) => {
                        let place = "a path is relative to the scenario's directory";
                        let help = why.starts_with("cannot").then(|| place.to_string());
                        file.error(why, help);
                        None
                    }
                }
            })
        }
        (Some((name, InputSchema::Recorded(columns))), None, generated) => {
            let message = format!("pipeline `{name}` reads a recorded stream");
            let names: Vec<_> = columns.iter().map(|column| column.name).collect();
            let help =
                format!("write recorded = \"FILE.csv\"; its columns are {}", names.join(","));
            match generated {
                Some((_, item)) => item.key_error(message, Some(help)),
                None => table.error(message, Some(help)),
            }
            None
        }
        (Some((name, InputSchema::Generated)), recorded, generated) => {
            let help = "write generated = { tuples = 20000, keys = 1000 }".to_string();
            let message = format!("pipeline `{name}` reads generated tuples");
            match (recorded, &generated) {
                (Some(item), _) => item.key_error(message, Some(help)),
                (None, None) => table.error(message, Some(help)),
                _ => {}
            }
            generated.and_then(|(config, _)| config)
        }
        // Which of the two it must be is not known.
        (None, ..) => None,
    };
    let tuples = config.as_ref().map(InputConfig::tuples);
    let kept = only.and_then(|item| kept::read(&item, tuples)).unwrap_or_default();
    (config, kept, rate.unwrap_or(1))
}

fn generate(item: &Item) -> Option<InputConfig> {
    let table = item.table()?;
    let tuples = table.require(&keys::TUPLES, "tuples = 20000", |i| i.number(&keys::TUPLES));
    let keys = table.require(&keys::KEYS, "keys = 1000", |i| i.number(&keys::KEYS));
    table.finish();
    Some(InputConfig::Generated { tuples: tuples?, keys: u32::try_from(keys?).ok()? })
}

fn enough(recording: &Recording, rows: Option<u64>, take: Option<&Item>) {
    let there = recording.rows.len() as u64;
    if let (Some(rows), Some(take)) = (rows, take)
        && rows > there
    {
        take.error(format!("the recorded stream has only {there} rows"), None);
    }
}

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
