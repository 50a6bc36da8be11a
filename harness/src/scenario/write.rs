//! A case under one strategy as a scenario of its own: what is read from this text is what was
//! written. What has its default is left out.

use super::faults::write::{faults, option, span};
use super::keys::Key;
use super::keys::expect::{OBSERVED, OBSERVED_WORDS, STATUSES};
use super::keys::sections::{network, protection, sizes, storage, timing};
use crate::config::{
    Bound, Expect, InputConfig, NetworkConfig, Quantity, RunConfig, StorageConfig, TimingConfig,
};
use aftermath_systems::options::{OptionDoc, Options};
use aftermath_systems::pipelines::{self, VertexRole};
use aftermath_systems::planted_bugs;
use aftermath_systems::protocol::Nanos;
use aftermath_systems::strategies::Registry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

/// What a written scenario says beside its configuration.
pub struct Heading<'a> {
    /// What it shows.
    pub about: &'a str,
    /// Its seeds.
    pub seeds: Range<u64>,
    /// What each run is expected to show: what is about all runs of a case together is not written.
    pub expect: &'a Expect,
    /// The folder that the file will be in: recorded streams are named from there.
    pub directory: &'a Path,
}

/// The whole file.
///
/// # Panics
/// When the faults are drawn by a swarm: [`crate::plan::settled`] writes them out first.
pub fn scenario(heading: &Heading, config: &RunConfig, registry: &Registry) -> String {
    assert!(config.swarm.is_none(), "a drawn schedule is written out before");
    let mut text = String::new();
    if !heading.about.is_empty() {
        let _ = writeln!(text, "about = {}", quoted(heading.about));
    }
    let Range { start, end } = heading.seeds;
    let _ = writeln!(text, "seeds = \"{start}..{end}\"");
    let _ = writeln!(text, "strategies = [\"{}\"]", config.strategy);
    if let Some(ns) = config.drain_within_ns {
        let _ = writeln!(text, "drain_within = {}", span(ns));
    }
    let planted = planted_bugs::ALL.iter().find(|entry| Some(entry.bug) == config.plant);
    if let Some(planted) = planted {
        let _ = writeln!(text, "plant = \"{}\"", planted.name);
    }
    if let Some(line) = expect(heading.expect) {
        let _ = writeln!(text, "{line}");
    }
    section(&mut text, "pipeline", pipeline(config));
    section(&mut text, "input", input(config, |file| relative(file, heading.directory)));
    section(&mut text, "protection", protection(config));
    section(&mut text, "network", network(&config.network, Defaults::LeftOut));
    section(&mut text, "timing", timing(&config.timing, Defaults::LeftOut));
    section(&mut text, "storage", storage(&config.storage, Defaults::LeftOut));
    section(&mut text, "sizes", sizes(config));
    for (name, given) in given(config) {
        section(&mut text, &format!("strategy.{name}"), options_given(name, given, registry));
    }
    let mixture = config.mixture.iter();
    let mixture = mixture.map(|(operator, own)| format!("{operator} = \"{}\"", own.strategy));
    section(&mut text, "mixture", mixture.collect());
    if !config.faults.is_empty() {
        text += &format!("\n{}", faults(&config.faults));
    }
    text
}

fn section(text: &mut String, name: &str, lines: Vec<String>) {
    if !lines.is_empty() {
        let _ = writeln!(text, "\n[{name}]\n{}", lines.join("\n"));
    }
}

/// Any text as TOML.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn list(names: &[String]) -> String {
    format!("[{}]", names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", "))
}

/// `{ a = 1, b = 2 }`, if there is anything in it.
fn table<K: AsRef<str>>(key: &str, entries: impl Iterator<Item = (K, String)>) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let key_of = |name: &str| match name.chars().all(plain) {
        true => name.to_string(),
        false => quoted(name),
    };
    let all: Vec<_> = entries.map(|(k, v)| format!("{} = {v}", key_of(k.as_ref()))).collect();
    (!all.is_empty()).then(|| format!("{key} = {{ {} }}", all.join(", ")))
}

/// Options that do not have their default.
fn options(docs: &[OptionDoc], options: &Options) -> Vec<(&'static str, String)> {
    let other = docs.iter().filter(|doc| options.choice(doc.name) != doc.default);
    other.map(|doc| (doc.name, option(doc, options.choice(doc.name)))).collect()
}

pub(super) fn pipeline(config: &RunConfig) -> Vec<String> {
    let mut lines = vec![format!("name = \"{}\"", config.pipeline)];
    if let Some(pipeline) = pipelines::find(config.pipeline) {
        let topology = (pipeline.build)(&config.pipeline_options);
        let tasks = topology.vertices.iter().filter(|v| matches!(v.role, VertexRole::Task(_)));
        if !tasks.map(|vertex| vertex.name).eq(config.protect.iter().map(String::as_str)) {
            lines.push(format!("protect = {}", list(&config.protect)));
        }
        let own = options(pipeline.options, &config.pipeline_options);
        lines.extend(table("options", own.into_iter()));
    }
    let parallelism = config.parallelism.iter().map(|(name, n)| (name, n.to_string()));
    lines.extend(table("parallelism", parallelism));
    let service = config.service_ns.iter().map(|(name, ns)| (name, span(*ns)));
    lines.extend(table("service", service));
    lines
}

/// `named`: how the file of a recorded stream is named.
pub(super) fn input(config: &RunConfig, named: impl Fn(&Path) -> PathBuf) -> Vec<String> {
    let mut lines = vec![format!("rate_per_s = {}", config.rate_per_s)];
    match &config.input {
        InputConfig::Generated { tuples, keys } => {
            lines.push(format!("generated = {{ tuples = {tuples}, keys = {keys} }}"));
        }
        InputConfig::Nexmark { events } => {
            lines.push(format!("nexmark = {{ events = {events} }}"));
        }
        InputConfig::Recorded(recording) => {
            let file = named(&recording.file);
            lines.push(format!("recorded = {}", quoted(&file.to_string_lossy())));
            lines.push(format!("take = {}", recording.rows.len()));
        }
    }
    if !config.kept.is_all() {
        lines.push(format!("only = {}", config.kept));
    }
    lines
}

/// A path as it is named from a folder.
fn relative(file: &Path, directory: &Path) -> PathBuf {
    // Without the names that lead nowhere; where there is no current folder, as it is.
    let plain = |path: &Path| {
        let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let mut parts: Vec<Component> = Vec::new();
        for part in whole.components() {
            match part {
                Component::ParentDir => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        parts.iter().collect::<PathBuf>()
    };
    // Where a name is a link to another folder, what is above it is above that folder.
    let folder = |path: &Path| path.canonicalize().unwrap_or_else(|_| plain(path));
    let directory = folder(directory);
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = folder(parent.unwrap_or(Path::new(".")));
    let file = file.file_name().map_or_else(|| plain(file), |name| parent.join(name));
    let shared = file.components().zip(directory.components()).take_while(|(a, b)| a == b).count();
    let up = directory.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(file.components().skip(shared)).collect()
}

/// Whether the periods and delays that recoveries are measured by are written when they have their
/// default.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Defaults {
    /// They are left out, as everything else is.
    LeftOut,
    /// They are written: nobody knows them by heart.
    Written,
}

impl Defaults {
    fn number(self, key: &Key, value: u64) -> Option<String> {
        let written = self == Defaults::Written || value != key.default_number();
        written.then(|| format!("{} = {value}", key.name))
    }

    fn time(self, key: &Key, ns: Nanos) -> Option<String> {
        let written = self == Defaults::Written || ns != key.default_ns();
        written.then(|| format!("{} = {}", key.name, span(ns)))
    }
}

/// A key with its number, unless that is the default.
fn number(key: &Key, value: u64) -> Option<String> {
    Defaults::LeftOut.number(key, value)
}

/// A key with its span of time, unless that is the default.
fn time(key: &Key, ns: Nanos) -> Option<String> {
    Defaults::LeftOut.time(key, ns)
}

/// A key with its word, unless that is the default.
fn word<T: PartialEq>(key: &Key, value: &T, words: &[(&str, T)]) -> Option<String> {
    let (word, _) = words.iter().find(|(_, other)| other == value)?;
    (*word != key.default_text()).then(|| format!("{} = \"{word}\"", key.name))
}

pub(super) fn protection(config: &RunConfig) -> Vec<String> {
    let lines = [
        number(&protection::SPARES, u64::from(config.spares)),
        word(&protection::DEDUP, &config.dedup, &protection::DEDUPS),
        word(&protection::DUPLICATE_COST, &config.duplicates_free, &protection::COSTS),
    ];
    lines.into_iter().flatten().collect()
}

pub(super) fn network(config: &NetworkConfig, defaults: Defaults) -> Vec<String> {
    let mut lines: Vec<_> = [
        defaults.time(&network::TICK, config.tick_ns),
        defaults.time(&network::LATENCY, config.latency_ns),
        time(&network::JITTER, config.jitter_ns),
        number(&network::BANDWIDTH_BYTES_PER_S, config.bandwidth_bytes_per_s),
        time(&network::RETRANSMIT, config.retransmit_ns),
    ]
    .into_iter()
    .flatten()
    .collect();
    let edges = config.edge_latency_ns.keys().chain(config.edge_jitter_ns.keys());
    let edges: BTreeSet<_> = edges.collect();
    let delays = |edge: &(String, String)| {
        let one = |name: &'static str, ns: Option<&Nanos>| ns.map(|ns| (name, span(*ns)));
        let latency = one("latency", config.edge_latency_ns.get(edge));
        let jitter = one("jitter", config.edge_jitter_ns.get(edge));
        let both: Vec<_> = latency.into_iter().chain(jitter).collect();
        both.iter().map(|(name, ns)| format!("{name} = {ns}")).collect::<Vec<_>>().join(", ")
    };
    let edges = edges.into_iter().map(|edge| {
        let (from, to) = edge;
        (format!("{from} -> {to}"), format!("{{ {} }}", delays(edge)))
    });
    lines.extend(table("edges", edges));
    lines
}

pub(super) fn timing(config: &TimingConfig, defaults: Defaults) -> Vec<String> {
    let lines = [
        defaults.time(&timing::HEARTBEAT, config.heartbeat_ns),
        defaults.number(&timing::MISSES, config.misses),
        defaults.time(&timing::REDIRECT, config.redirect_ns),
        defaults.time(&timing::INTERVAL, config.interval_ns),
    ];
    let phases = [
        (timing::PHASE_HEARTBEAT, config.heartbeat_phase_ns),
        (timing::PHASE_ACK, config.ack_phase_ns),
        (timing::PHASE_CHECKPOINT, config.checkpoint_phase_ns),
        (timing::PHASE_TUPLE, config.tuple_phase_ns),
    ];
    let phases = phases.into_iter().filter_map(|(key, ns)| Some((key.name, span(ns?))));
    lines.into_iter().flatten().chain(table("phases", phases)).collect()
}

pub(super) fn storage(config: &StorageConfig, defaults: Defaults) -> Vec<String> {
    let lines = [
        defaults.time(&storage::LATENCY, config.latency_ns),
        number(&storage::BANDWIDTH_BYTES_PER_S, config.bandwidth_bytes_per_s),
        number(&storage::RESTORE_BYTES_PER_S, config.restore_bytes_per_s),
    ];
    lines.into_iter().flatten().collect()
}

pub(super) fn sizes(config: &RunConfig) -> Vec<String> {
    let config = &config.sizes;
    let lines = [
        number(&sizes::TUPLE, config.tuple),
        number(&sizes::ACK, config.ack),
        number(&sizes::HEARTBEAT, config.heartbeat),
        number(&sizes::CONTROL, config.control),
        number(&sizes::ENTRY, config.entry),
    ];
    lines.into_iter().flatten().collect()
}

/// The options that were given, by strategy.
fn given(config: &RunConfig) -> BTreeMap<&'static str, &BTreeMap<String, String>> {
    let mixed = config.mixture.values().map(|mixed| (mixed.strategy, &mixed.given));
    mixed.chain([(config.strategy, &config.given_options)]).collect()
}

fn options_given(
    strategy: &str,
    given: &BTreeMap<String, String>,
    registry: &Registry,
) -> Vec<String> {
    let docs = registry.find(strategy).map_or(&[][..], |entry| entry.options);
    let known = docs.iter().filter_map(|doc| Some((doc, given.get(doc.name)?)));
    known.map(|(doc, value)| format!("{} = {}", doc.name, option(doc, value))).collect()
}

/// The line that says what each run is expected to show, if anything is.
pub fn expect(expect: &Expect) -> Option<String> {
    let all = expected(expect);
    (!all.is_empty()).then(|| format!("expect = {{ {} }}", all.join(", ")))
}

fn expected(expect: &Expect) -> Vec<String> {
    let mut all = Vec::new();
    let statuses = STATUSES.iter().filter(|(_, status)| Some(*status) == expect.status);
    all.extend(statuses.map(|(word, _)| format!("status = \"{word}\"")));
    all.extend(expect.observed.and_then(|own| word(&OBSERVED, &own, &OBSERVED_WORDS)));
    all.extend(expect.run.iter().map(|(quantity, bound)| {
        format!("\"{}\" = {}", quantity.name(), self::bound(*quantity, bound))
    }));
    all
}

fn bound(quantity: Quantity, bound: &Bound) -> String {
    let value = |value: u64| if quantity.is_time() { span(value) } else { value.to_string() };
    match bound {
        Bound::Exact(exact) => value(*exact),
        Bound::Range(min, max) => {
            let min = min.map(|min| format!("min = {}", value(min)));
            let max = max.map(|max| format!("max = {}", value(max)));
            let limits: Vec<_> = min.into_iter().chain(max).collect();
            format!("{{ {} }}", limits.join(", "))
        }
        Bound::Formula { name, times, within_ppm, within_milli_tuples } => format!(
            "{{ of = \"{name}\", times = {times}, within = [\"{}.{:04}%\", \"{}.{:03} tuples\"] }}",
            within_ppm / 10_000,
            within_ppm % 10_000,
            within_milli_tuples / 1_000,
            within_milli_tuples % 1_000
        ),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_named_from_where_a_link_leads() {
        let top = std::env::temp_dir().join(format!("aftermath-{}-links", std::process::id()));
        let (deep, data) = (top.join("real/deep"), top.join("data"));
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::create_dir_all(&data).unwrap();
        std::fs::write(data.join("x.csv"), "rows").unwrap();
        std::os::unix::fs::symlink(&deep, top.join("link")).unwrap();
        std::os::unix::fs::symlink(&data, deep.join("data")).unwrap();
        let folders = [top.clone(), top.join("link"), deep.clone(), top.join("link/../deep")];
        let files = ["data/x.csv", "link/data/x.csv", "real/deep/../../data/x.csv"];
        for (folder, file) in folders.iter().flat_map(|folder| files.map(|file| (folder, file))) {
            let named = relative(&top.join(file), folder);
            assert!(named.is_relative(), "{named:?}");
            let text = std::fs::read_to_string(folder.join(&named));
            assert_eq!(text.ok().as_deref(), Some("rows"), "{file} from {folder:?}: {named:?}");
        }
        std::fs::remove_dir_all(top).unwrap();
    }
}
