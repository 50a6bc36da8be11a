//! The sections about input, protection, network, timing, storage and sizes. Each key, its unit,
//! limits and default are here and nowhere else.

use super::diagnostic::{Diagnostic, suggest};
use super::item::Item;
use super::kept;
use super::pipeline::Dataflow;
use super::recording::{self, ReadError};
use super::table::Table;
use super::tree::Kind;
use crate::config::{
    InputConfig, Kept, NetworkConfig, Recording, SizesConfig, StorageConfig, TimingConfig,
};
use aftermath_systems::pipelines::{Column, InputSchema};
use aftermath_systems::plan::Dedup;
use aftermath_systems::protocol::{MILLISECOND, Nanos, SECOND};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most tuples of a run.
const TUPLES_MAX: u64 = 50_000_000;
/// Largest size or bandwidth: products with numbers of tuples stay in 64 bits.
const BYTES_MAX: u64 = 1_000_000_000_000;
/// Largest modelled size of one message.
const MESSAGE_MAX: u64 = 1_000_000_000;

/// File, first rows, pipeline whose columns it was read with.
type Key = (PathBuf, Option<u64>, &'static str);

/// Recorded streams, each read once however many cases use it.
pub struct Recordings<'a> {
    base_dir: &'a Path,
    read: RefCell<BTreeMap<Key, Result<Arc<Recording>, String>>>,
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
    let rate = table.require("rate_per_s", "rate_per_s = 2500", |i| i.integer(1..=1_000_000));
    let (recorded, generated) = table.either("recorded", "generated");
    let take = table.get("take");
    let rows = take.as_ref().and_then(|item| item.integer(1..=TUPLES_MAX));
    let only = table.get("only");
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
    let tuples = table.require("tuples", "tuples = 20000", |i| i.integer(1..=TUPLES_MAX));
    let keys = table.require("keys", "keys = 1000", |i| i.integer(1..=1_000_000_000));
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
    let spares_item = table.get("spares");
    let spares = match spares_item.as_ref().map(|item| (item, &item.value.kind)) {
        None => 1,
        Some((item, super::tree::Kind::Integer(Some(2..)))) => {
            item.error("at most one spare so far", None);
            1
        }
        Some((item, _)) => item.integer(0..=1).map_or(1, |n| n as u16),
    };
    let dedup = table.read("dedup", Dedup::Receiver, |item| {
        match item.name("deduplication", ["off", "receiver", "handshake"].into_iter())? {
            "off" => Some(Dedup::Off),
            "handshake" => Some(Dedup::Handshake),
            _ => Some(Dedup::Receiver),
        }
    });
    let duplicates_free = table.read("duplicate_cost", true, |item| {
        Some(item.name("cost of a duplicate", ["free", "service"].into_iter())? == "free")
    });
    table.finish();
    Protection { spares, spares_item, dedup, duplicates_free }
}

/// Reads `[network]`.
pub fn network(root: &Table, flow: Option<&Dataflow>) -> NetworkConfig {
    let table = root.table("network");
    let tick_item = table.get("tick");
    let tick_ns = tick_item.as_ref().and_then(tick).unwrap_or(MILLISECOND);
    let latency = table.get("latency");
    let latency_ns = match (&latency, &tick_item) {
        (Some(item), _) => item.duration_from(tick_ns, "one tick").unwrap_or(tick_ns),
        (None, Some(tick)) if tick_ns > MILLISECOND => {
            tick.error(
                "the tick is longer than the latency of the links (1ms if not given)",
                Some("nothing crosses between nodes within a tick: set `network.latency`".into()),
            );
            tick_ns
        }
        _ => MILLISECOND,
    };
    let jitter_ns = table.read("jitter", 0, Item::duration);
    let (mut edge_latency_ns, mut edge_jitter_ns) = (BTreeMap::new(), BTreeMap::new());
    let edges = table.table("edges");
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
    let bandwidth_bytes_per_s =
        table.read("bandwidth_bytes_per_s", 0, |item| item.integer(0..=BYTES_MAX));
    let retransmit_ns =
        table.read("retransmit", 20 * MILLISECOND, |item| item.duration_from(tick_ns, "one tick"));
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
    let latency = |item: &Item| item.duration_from(tick_ns, "one tick");
    if !matches!(item.value.kind, Kind::Table(_)) {
        return (latency(item), None);
    }
    let Some(table) = item.table() else { return (None, None) };
    let latency = table.get("latency").and_then(|item| latency(&item));
    let jitter = table.get("jitter").and_then(|item| item.duration());
    table.finish();
    (latency, jitter)
}

fn tick(item: &Item) -> Option<Nanos> {
    let ns = item.duration_from(MILLISECOND, "one millisecond")?;
    if ns % MILLISECOND != 0 {
        item.error("the tick must be a whole number of milliseconds", None);
        return None;
    }
    Some(ns)
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
    let tick = |item: &Item| item.duration_from(tick_ns, "one tick");
    let heartbeat_ns = table.read("heartbeat", 100 * MILLISECOND, tick);
    let misses = table.read("misses", 3, |item| item.integer(1..=1_000));
    let redirect_ns = table.read("redirect", 50 * MILLISECOND, Item::duration);
    let interval_ns = table.read("interval", SECOND, tick);
    let phases = table.table("phases");
    let phase = |key: &str, period: Nanos, what: &str| {
        let item = phases.get(key)?;
        let ns = item.duration()?;
        if ns >= period {
            let period = aftermath_systems::options::format_duration(period);
            item.error(format!("a phase must be less than its period, {what} ({period})"), None);
        }
        Some(ns)
    };
    let timing = TimingConfig {
        heartbeat_ns,
        misses,
        redirect_ns,
        interval_ns,
        heartbeat_phase_ns: phase("heartbeat", heartbeat_ns, "`timing.heartbeat`"),
        ack_phase_ns: phase("ack", interval_ns, "`timing.interval`"),
        checkpoint_phase_ns: phase("checkpoint", interval_ns, "`timing.interval`"),
        tuple_phase_ns: phase("tuple", SECOND / rate_per_s.max(1), "the time between tuples"),
    };
    phases.finish();
    table.finish();
    timing
}

/// Reads `[storage]`.
pub fn storage(root: &Table) -> StorageConfig {
    let table = root.table("storage");
    let bytes = |item: &Item| item.integer(0..=BYTES_MAX);
    let storage = StorageConfig {
        latency_ns: table.read("latency", 100 * MILLISECOND, Item::duration),
        bandwidth_bytes_per_s: table.read("bandwidth_bytes_per_s", 0, bytes),
        restore_bytes_per_s: table.read("restore_bytes_per_s", 0, bytes),
    };
    table.finish();
    storage
}

/// Reads `[sizes]`.
pub fn sizes(root: &Table) -> SizesConfig {
    let table = root.table("sizes");
    let size = |key, default| table.read(key, default, |item| item.integer(0..=MESSAGE_MAX));
    let sizes = SizesConfig {
        // A byte at least: overhead is measured in bytes of tuples.
        tuple: table.read("tuple", 100, |item| item.integer(1..=MESSAGE_MAX)),
        ack: size("ack", 32),
        heartbeat: size("heartbeat", 32),
        control: size("control", 32),
        entry: size("entry", 64),
    };
    table.finish();
    sizes
}
