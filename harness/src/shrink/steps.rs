//! What is tried to make a scenario smaller, in turns, until a whole round has changed nothing.

use super::deletion::Deletion;
use super::runner;
use super::schedule::ScheduleTree;
use super::trial::Trials;
use crate::config::{FaultAt, FaultPlace, InputConfig, Kept, Recording, RunConfig};
use crate::scenario::keys::sections::{network, sizes};
use aftermath_systems::options::Options;
use aftermath_systems::pipelines::{self, InputSchema, Pipeline, VertexRole};
use aftermath_systems::plan::Dedup;
use aftermath_systems::protocol::{MILLISECOND, Nanos};
use proptest::num;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestCaseError;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The kinds of steps, those that save most first.
const STEPS: [fn(&Trials); 5] = [schedule, length, settings, keys, tuples];

/// Fewer keys than these are tried one by one.
const FEW_KEYS: u32 = 4;

/// Makes it as small as possible; whether nothing more could be done.
pub fn shrink(trials: &Trials) -> bool {
    loop {
        let before = trials.text("", &trials.best());
        for step in STEPS {
            step(trials);
            if trials.is_over() {
                return false;
            }
        }
        if trials.text("", &trials.best()) == before {
            return true;
        }
    }
}

/// Tries what the tree proposes; what still shows the violation is kept.
fn search<V: ValueTree>(trials: &Trials, tree: V, apply: impl Fn(&mut RunConfig, V::Value)) {
    let base = trials.best();
    let test = |value| {
        let mut config = base.clone();
        apply(&mut config, value);
        match trials.shows(&config) {
            true => Err(TestCaseError::fail("it shows the violation")),
            false => Ok(()),
        }
    };
    // What it would say is known: the best was kept when it was found.
    let _ = runner().run_one(tree, test);
    // It takes a panic for a failure, and that is a bug of aftermath which must not be passed over.
    assert!(!trials.has_panicked(), "a run that was tried has panicked");
}

/// Fewer faults, and simpler ones.
fn schedule(trials: &Trials) {
    let config = trials.best();
    let tree = ScheduleTree::new(config.faults, config.network.tick_ns);
    search(trials, tree, |config, mut faults| {
        // As they happen, for readers; stable, as planning is.
        faults.sort_by_key(|fault| match fault.at {
            FaultAt::Instant(at) => at,
            _ => Nanos::MAX,
        });
        config.faults = faults;
    });
}

/// A shorter stream.
fn length(trials: &Trials) {
    let config = trials.best();
    let kept = config.kept.of(config.input.tuples());
    if let Some(last) = kept.last() {
        trials.shows(&cut(&config, last + 1));
    }
    let config = trials.best();
    let all = num::u64::BinarySearch::new(config.input.tuples());
    search(trials, all, |config, tuples| *config = cut(config, tuples));
}

/// The first tuples only; at least one of those that are kept.
fn cut(config: &RunConfig, tuples: u64) -> RunConfig {
    let mut kept = config.kept.of(config.input.tuples());
    let first = kept.first().copied().unwrap_or(0);
    let tuples = tuples.clamp(first + 1, config.input.tuples().max(first + 1));
    kept.retain(|number| *number < tuples);
    let input = match &config.input {
        InputConfig::Generated { keys, .. } => InputConfig::Generated { tuples, keys: *keys },
        InputConfig::Nexmark { .. } => InputConfig::Nexmark { events: tuples },
        InputConfig::Recorded(recording) => {
            let rows = recording.rows.iter().take(tuples as usize).cloned().collect();
            let (file, symbols) = (recording.file.clone(), recording.symbols.clone());
            InputConfig::Recorded(Arc::new(Recording { file, rows, symbols }))
        }
    };
    RunConfig { kept: these(&kept, tuples), input, ..config.clone() }
}

/// These of so many tuples.
fn these(numbers: &[u64], tuples: u64) -> Kept {
    if numbers.len() as u64 == tuples { Kept::default() } else { Kept::numbers(numbers) }
}

/// Fewer tuples, which keep their instants.
fn tuples(trials: &Trials) {
    let config = trials.best();
    let all = config.input.tuples();
    let tree = Deletion::new(config.kept.of(all), 1);
    search(trials, tree, |config, numbers| config.kept = these(&numbers, all));
}

/// Fewer keys.
fn keys(trials: &Trials) {
    let InputConfig::Generated { keys, .. } = trials.best().input else { return };
    let set = |config: &mut RunConfig, fewer: u32| {
        if let InputConfig::Generated { keys, .. } = &mut config.input {
            *keys = fewer.max(1);
        }
    };
    // With few keys others collide: a search by halves may pass by the fewest.
    for few in 1..keys.min(FEW_KEYS) {
        let mut config = trials.best();
        set(&mut config, few);
        if trials.shows(&config) {
            return;
        }
    }
    search(trials, num::u32::BinarySearch::new(keys), set);
}

/// One thing less that a scenario says.
type Change<'c> = Box<dyn Fn(&mut RunConfig) + 'c>;

/// Smaller pipelines, and defaults.
fn settings(trials: &Trials) {
    let best = trials.best();
    for change in smaller(&best).into_iter().chain(defaults(&best)) {
        let mut config = trials.best();
        change(&mut config);
        trials.shows(&config);
    }
}

/// Fewer operators, protected ones, instances and replicas.
fn smaller(config: &RunConfig) -> Vec<Change<'_>> {
    let mut changes: Vec<Change<'_>> = Vec::new();
    for pipeline in pipelines::ALL {
        if let Some(moved) = moved(config, pipeline) {
            changes.push(Box::new(move |config| *config = moved.clone()));
        }
    }
    for name in &config.protect {
        changes.push(Box::new(move |config| {
            config.protect.retain(|protected| protected != name);
            config.mixture.remove(name);
        }));
    }
    for name in config.parallelism.keys() {
        changes.push(Box::new(move |config| {
            config.parallelism.insert(name.clone(), 2);
        }));
        changes.push(Box::new(move |config| {
            config.parallelism.remove(name);
        }));
    }
    changes.push(Box::new(|config| config.spares = 0));
    changes
}

/// What is done in a pipeline that has fewer operators, the first in place of the first; none if
/// there is no place for them or the input is of another kind.
fn moved(config: &RunConfig, pipeline: &'static Pipeline) -> Option<RunConfig> {
    let old = pipelines::find(config.pipeline)?;
    let made = matches!(pipeline.input, InputSchema::Generated | InputSchema::Nexmark);
    let fits = made && pipeline.input == old.input;
    let options = Options::resolve(pipeline.options, &BTreeMap::new());
    let options = options.ok().filter(|_| fits)?;
    let (from, to) = (tasks(old, &config.pipeline_options), tasks(pipeline, &options));
    if to.len() >= from.len() {
        return None;
    }
    let names: BTreeMap<&str, &str> = from.into_iter().zip(to).collect();
    let rename = |name: &mut String| {
        if let Some(new) = names.get(name.as_str()) {
            *name = new.to_string();
        }
    };
    let mut config = config.clone();
    (config.pipeline, config.pipeline_options) = (pipeline.name, options);
    config.protect.retain(|name| names.contains_key(name.as_str()));
    config.protect.iter_mut().for_each(rename);
    config.parallelism.clear();
    config.mixture.clear();
    config.network.edge_latency_ns.clear();
    config.network.edge_jitter_ns.clear();
    let service = config.service_ns.iter();
    let service = service.filter_map(|(name, ns)| Some((names.get(name.as_str())?, *ns)));
    config.service_ns = service.map(|(name, ns)| (name.to_string(), ns)).collect();
    for fault in &mut config.faults {
        match &mut fault.place {
            FaultPlace::Node(target) => rename(&mut target.operator),
            FaultPlace::Nodes(targets) => targets.iter_mut().for_each(|t| rename(&mut t.operator)),
            FaultPlace::Link { from, to, .. } => {
                rename(&mut from.operator);
                rename(&mut to.operator);
            }
        }
        match &mut fault.at {
            FaultAt::Point { nodes, .. } => nodes.iter_mut().for_each(|n| rename(&mut n.operator)),
            FaultAt::Address { node, .. } => rename(&mut node.operator),
            _ => {}
        }
    }
    Some(config)
}

/// The operators of a pipeline, upstream first.
fn tasks(pipeline: &Pipeline, options: &Options) -> Vec<&'static str> {
    let vertices = (pipeline.build)(options).vertices;
    let tasks = vertices.iter().filter(|vertex| matches!(vertex.role, VertexRole::Task(_)));
    tasks.map(|vertex| vertex.name).collect()
}

/// Everything as if nothing were said, one by one. What the clock of a scenario is (heartbeats,
/// intervals, the rate, what a save takes) stays: with the default all would only last longer.
fn defaults(config: &RunConfig) -> Vec<Change<'_>> {
    let mut changes: Vec<Change<'_>> = vec![
        Box::new(|config| config.mixture.clear()),
        Box::new(|config| config.dedup = Dedup::Receiver),
        Box::new(|config| config.duplicates_free = true),
        Box::new(|config| config.drain_within_ns = None),
        Box::new(|config| config.network.jitter_ns = 0),
        Box::new(|config| config.network.bandwidth_bytes_per_s = 0),
        Box::new(|config| config.network.retransmit_ns = network::RETRANSMIT.default_ns()),
        Box::new(|config| {
            config.network.tick_ns = MILLISECOND;
            config.network.latency_ns = MILLISECOND;
        }),
        Box::new(|config| config.network.tick_ns = MILLISECOND),
        Box::new(|config| config.timing.heartbeat_phase_ns = None),
        Box::new(|config| config.timing.ack_phase_ns = None),
        Box::new(|config| config.timing.checkpoint_phase_ns = None),
        Box::new(|config| config.timing.tuple_phase_ns = None),
        Box::new(|config| config.storage.bandwidth_bytes_per_s = 0),
        Box::new(|config| config.storage.restore_bytes_per_s = 0),
        Box::new(|config| config.sizes.tuple = sizes::TUPLE.default_number()),
        Box::new(|config| config.sizes.ack = sizes::ACK.default_number()),
        Box::new(|config| config.sizes.heartbeat = sizes::HEARTBEAT.default_number()),
        Box::new(|config| config.sizes.control = sizes::CONTROL.default_number()),
        Box::new(|config| config.sizes.entry = sizes::ENTRY.default_number()),
    ];
    for name in config.service_ns.keys() {
        changes.push(Box::new(move |config| {
            config.service_ns.remove(name);
        }));
    }
    for edge in config.network.edge_latency_ns.keys() {
        changes.push(Box::new(move |config| {
            config.network.edge_latency_ns.remove(edge);
        }));
    }
    for edge in config.network.edge_jitter_ns.keys() {
        changes.push(Box::new(move |config| {
            config.network.edge_jitter_ns.remove(edge);
        }));
    }
    for doc in pipelines::find(config.pipeline).map_or(&[][..], |pipeline| pipeline.options) {
        changes.push(Box::new(|config| {
            config.pipeline_options = config.pipeline_options.with(doc, doc.default);
        }));
    }
    for key in config.given_options.keys() {
        changes.push(Box::new(move |config| {
            config.given_options.remove(key);
        }));
    }
    let mixed = config.mixture.values();
    for (strategy, key) in mixed.flat_map(|m| m.given.keys().map(|key| (m.strategy, key))) {
        changes.push(Box::new(move |config| {
            let same = config.mixture.values_mut().filter(|mixed| mixed.strategy == strategy);
            same.for_each(|mixed| drop(mixed.given.remove(key)));
        }));
    }
    changes
}
