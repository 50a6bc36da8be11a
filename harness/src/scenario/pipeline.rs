//! The `[pipeline]` section: which dataflow, what of it is protected, how parallel and how fast.

use super::diagnostic::suggest;
use super::item::Item;
use super::keys::sections::pipeline as keys;
use super::table::Table;
use aftermath_systems::options::{OptionDoc, OptionKind, Options};
use aftermath_systems::pipelines::{self, Pipeline, Topology, VertexRole};
use aftermath_systems::plan::Partitioning;
use aftermath_systems::protocol::{Nanos, SECOND};
use std::collections::BTreeMap;

/// A pipeline with the settings of a case.
pub struct Dataflow {
    /// Which.
    pub pipeline: &'static Pipeline,
    /// Its options.
    pub options: Options,
    /// Its vertices and connections.
    pub topology: Topology,
    /// Operators that the strategy protects.
    pub protect: Vec<String>,
    /// Operators with more than one instance.
    pub parallelism: BTreeMap<String, u16>,
    /// CPU time of a tuple, where it is not 0.
    pub service_ns: BTreeMap<String, Nanos>,
}

impl Dataflow {
    /// Names of the vertices that run an operator.
    pub fn tasks(&self) -> impl Iterator<Item = &'static str> + Clone + '_ {
        let vertices = self.topology.vertices.iter();
        vertices.filter(|v| matches!(v.role, VertexRole::Task(_))).map(|v| v.name)
    }

    /// What a vertex is.
    pub fn role(&self, name: &str) -> Option<&VertexRole> {
        self.topology.vertices.iter().find(|v| v.name == name).map(|v| &v.role)
    }

    /// How many instances a vertex has.
    pub fn instances(&self, name: &str) -> u16 {
        self.parallelism.get(name).copied().unwrap_or(1)
    }
}

/// Reads the section; `None` when it is not known which pipeline it is about.
pub fn read(root: &Table) -> Option<Dataflow> {
    let table = root.table("pipeline");
    let names = pipelines::ALL.iter().map(|pipeline| pipeline.name);
    let name = table.require(&keys::NAME, "name = \"keyed-count\"", |i| i.name("pipeline", names));
    let Some(pipeline) = name.and_then(pipelines::find) else {
        keys::ALL.iter().for_each(|key| drop(table.get(key.name)));
        table.finish();
        table.ignore();
        return None;
    };
    let given = table.table(keys::OPTIONS.name);
    // A pipeline's spans of time are lengths of windows and the like: 0 means nothing.
    let (options, _) = options(&given, pipeline.options, Item::duration_positive);
    given.finish();
    let mut flow = Dataflow {
        pipeline,
        topology: (pipeline.build)(&options),
        options,
        protect: Vec::new(),
        parallelism: BTreeMap::new(),
        service_ns: BTreeMap::new(),
    };
    flow.protect = match table.get(keys::PROTECT.name) {
        Some(item) => protect(&item, &flow).unwrap_or_default(),
        None => flow.tasks().map(str::to_string).collect(),
    };
    flow.parallelism = parallelism(&table.table(keys::PARALLELISM.name), &flow);
    flow.service_ns = service(&table, &flow);
    table.finish();
    Some(flow)
}

/// Reads the options that `docs` describe: filled in, and as given.
pub fn options<'t, 'r>(
    table: &Table<'t, 'r>,
    docs: &[OptionDoc],
    duration: impl Fn(&Item<'t, 'r>) -> Option<Nanos>,
) -> (Options, BTreeMap<String, String>) {
    let given: BTreeMap<String, String> = docs
        .iter()
        .filter_map(|doc| {
            let item = table.get(doc.name)?;
            Some((doc.name.to_string(), option(&item, doc, &duration)?))
        })
        .collect();
    (resolve(table, docs, &given), given)
}

/// Fills in defaults.
pub fn resolve(table: &Table, docs: &[OptionDoc], given: &BTreeMap<String, String>) -> Options {
    let defaults = || Options::resolve(docs, &BTreeMap::new()).unwrap_or_default();
    // Each value was checked where it stands; what is still wrong with them has no place there.
    Options::resolve(docs, given).unwrap_or_else(|mistakes| {
        for (key, why) in mistakes {
            table.error(format!("option `{key}`: {why}"), None);
        }
        defaults()
    })
}

/// Reads one option.
pub fn option<'t, 'r>(
    item: &Item<'t, 'r>,
    doc: &OptionDoc,
    duration: impl Fn(&Item<'t, 'r>) -> Option<Nanos>,
) -> Option<String> {
    match doc.kind {
        OptionKind::Choice(words) => {
            let what = format!("value of `{}`", item.path);
            item.name(&what, words.iter().copied()).map(str::to_string)
        }
        OptionKind::Duration => {
            duration(item)?;
            item.text().map(str::to_string)
        }
        OptionKind::Number(least, most) => {
            item.integer(least..=most).map(|number| number.to_string())
        }
        OptionKind::Percent => item.percent().map(str::to_string),
    }
}

/// Whether `name` is an operator that can be protected, slow, parallel or faulty.
fn is_task(item: &Item, name: &str, at_key: bool, flow: &Dataflow) -> bool {
    let (message, help) = match flow.role(name) {
        Some(VertexRole::Task(_)) => return true,
        Some(_) => (
            format!("`{name}` is the source or the sink; only operators can be named here"),
            suggest("", flow.tasks(), "operators"),
        ),
        None => (
            format!("pipeline `{}` has no operator `{name}`", flow.pipeline.name),
            suggest(name, flow.tasks(), "operators"),
        ),
    };
    if at_key {
        item.key_error(message, help)
    } else {
        item.error(message, help)
    }
    false
}

fn protect(item: &Item, flow: &Dataflow) -> Option<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for item in item.list()? {
        let Some(name) = item.text() else { continue };
        if names.iter().any(|n| n == name) {
            item.error(format!("`{name}` is named twice"), None);
        } else if is_task(&item, name, false, flow) {
            names.push(name.to_string());
        }
    }
    Some(names)
}

fn parallelism(table: &Table, flow: &Dataflow) -> BTreeMap<String, u16> {
    let mut wanted = BTreeMap::new();
    let mut items = Vec::new();
    for (name, item) in table.items() {
        let Some(n) = item.number_of(keys::INSTANCES).and_then(|n| u16::try_from(n).ok()) else {
            continue;
        };
        if is_task(&item, &name, true, flow) {
            items.push((name.clone(), item));
            if n > 1 {
                wanted.insert(name, n);
            }
        }
    }
    let instances = |name: &str| wanted.get(name).copied().unwrap_or(1);
    for connection in &flow.topology.connections {
        let (from, to) = (instances(connection.from), instances(connection.to));
        let forward = matches!(connection.partitioning, Partitioning::Forward);
        if !forward || to == 1 || from == to {
            continue;
        }
        if let Some((_, item)) = items.iter().find(|(name, _)| name == connection.to) {
            item.error(
                format!(
                    "`{}` cannot have {to} instances: the edge from `{}` ({from}) neither \
                     distributes by key nor broadcasts",
                    connection.to, connection.from
                ),
                Some(if from == 1 {
                    "only operators behind a keyed or broadcasting edge can be parallel".into()
                } else {
                    format!("both ends need the same number, {from}")
                }),
            );
        }
    }
    wanted
}

fn service(table: &Table, flow: &Dataflow) -> BTreeMap<String, Nanos> {
    // A case that sets one of the two for an operator displaces the other of the file.
    let times = table.table(keys::SERVICE.name).items();
    let capacities = table.table(keys::CAPACITY_PER_S.name).items();
    let mut service = BTreeMap::new();
    for (name, item) in &times {
        let ns = item.duration();
        if is_task(item, name, true, flow) {
            service.insert(name.clone(), ns.unwrap_or(0));
        }
    }
    for (name, item) in &capacities {
        let capacity = item.number_of(keys::CAPACITY);
        let other = times.iter().find(|(n, _)| n == name).map(|(_, other)| other);
        match other {
            Some(other) if other.overrides && !item.overrides => continue,
            Some(other) if other.overrides == item.overrides => item.key_error(
                format!("`{name}` has a time in `service` already"),
                Some("a capacity is another way to say the time of a tuple: keep one".into()),
            ),
            _ => {}
        }
        if is_task(item, name, true, flow) {
            service.insert(name.clone(), capacity.map_or(0, |c| SECOND / c));
        }
    }
    service.retain(|_, ns| *ns > 0);
    service
}
