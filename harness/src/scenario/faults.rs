//! The `[[fault]]` tables.

use super::diagnostic::suggest;
use super::item::Item;
use super::pipeline::Dataflow;
use super::reader::Table;
use super::tree::Kind;
use crate::config::{FaultAt, FaultConfig, Target};
use crate::plan::coordinator_name;
use aftermath_systems::claim::FaultKind;
use aftermath_systems::pipelines::VertexRole;
use aftermath_systems::protocol::Nanos;

/// Most faults of a case.
const FAULTS_MAX: usize = 1_000;
/// Most strata, and so runs, of a stratified fault.
const STRATA_MAX: u64 = 100_000;

/// What faults are checked against.
pub struct Surroundings<'a> {
    /// The pipeline, if it is known.
    pub flow: Option<&'a Dataflow>,
    /// How many regions have a coordinator.
    pub coordinators: usize,
    /// Additional replicas of protected operators.
    pub spares: u16,
    /// Nothing happens before the first tick.
    pub tick_ns: Nanos,
}

/// Reads the faults of a case.
pub fn read(root: &Table, around: &Surroundings) -> Vec<FaultConfig> {
    let Some(item) = root.get("fault") else { return Vec::new() };
    if let Kind::Table(_) = item.value.kind {
        let help = "every fault has a table of its own: write [[fault]]".to_string();
        item.error("`fault` must be an array of tables, not a table", Some(help));
        return Vec::new();
    }
    let items = item.list().unwrap_or_default();
    if items.len() > FAULTS_MAX {
        let message = format!("{} faults, at most {FAULTS_MAX} are possible", items.len());
        items[FAULTS_MAX].error(message, None);
        return Vec::new();
    }
    let mut faults: Vec<(FaultConfig, Item)> = Vec::new();
    let mut stratified = false;
    for (index, item) in items.iter().enumerate() {
        let Some(table) = item.table() else { continue };
        let Some(fault) = fault(&table, index == 0, around) else { continue };
        if matches!(fault.at, FaultAt::Strata { .. }) {
            if stratified {
                item.key_error("a case can have one stratified fault only", None);
            }
            stratified = true;
        }
        if let Some((other, _)) = faults.iter().find(|(other, _)| clash(other, &fault, around)) {
            let name = show(&fault.node);
            item.key_error(
                format!("another outcome for `{name}`, which has a fault at that time already"),
                Some(format!(
                    "the other is {} at {}; end it earlier with `for`, or name another machine",
                    kind_name(other.kind),
                    at_text(&other.at)
                )),
            );
        }
        faults.push((fault, item.clone()));
    }
    faults.into_iter().map(|(fault, _)| fault).collect()
}

fn fault(table: &Table, first: bool, around: &Surroundings) -> Option<FaultConfig> {
    let (loss, crash) = table.either("machine-loss", "process-crash");
    let (kind, item) = match (loss, crash) {
        (Some(item), _) => (Some(FaultKind::MachineLoss), Some(item)),
        (_, Some(item)) => (Some(FaultKind::ProcessCrash), Some(item)),
        (None, None) => {
            let help = "write machine-loss = { node = \"count\" } or process-crash = { ... }";
            if !["machine-loss", "process-crash"].iter().any(|kind| table.misspelt(kind)) {
                table.error("the fault does not say what happens", Some(help.to_string()));
            }
            (None, None)
        }
    };
    let mut node = None;
    let mut wire_dies = false;
    if let Some(what) = item.and_then(|item| item.table()) {
        node = what.require("node", "node = \"count/0/1\"", |item| target(item, around));
        if kind == Some(FaultKind::MachineLoss) {
            wire_dies = what.read("wire", false, |item| {
                Some(item.name("fate of frames on the wire", ["live", "die"].into_iter())? == "die")
            });
        } else if let Some(wire) = what.get("wire") {
            let reason = "a process that crashes leaves what it has sent on the wire";
            wire.key_error("`wire` is for machine losses", Some(reason.to_string()));
        }
        what.finish();
    }
    let at = table.require("at", "at = \"2s\"", |item| at(item, first, around.tick_ns));
    let for_item = table.get("for");
    let for_ns = for_item.as_ref().and_then(Item::duration_positive);
    table.finish();
    Some(FaultConfig { kind: kind?, node: node?, at: at?, for_ns, wire_dies })
}

fn at(item: &Item, first: bool, tick_ns: Nanos) -> Option<FaultAt> {
    let instant = |item: &Item| item.duration_from(tick_ns, "one tick");
    match item.value.kind {
        Kind::String(_) => return instant(item).map(FaultAt::Instant),
        Kind::Table(_) => {}
        _ => {
            let help = "write \"2s\", { between = [\"1s\", \"2s\"] }, { after = \"1s\" } or \
                        { strata = 20, start = \"3s\", span = \"1s\" }";
            item.error(format!("`{}` is no instant", item.path), Some(help.to_string()));
            return None;
        }
    }
    let table = item.table()?;
    let found = match (table.get("between"), table.get("strata"), table.get("after")) {
        (Some(item), None, None) => {
            let ends = item.list()?;
            let [from, to] = ends.as_slice() else {
                let help = "between = [\"1.5s\", \"3.5s\"]".to_string();
                item.error("`between` takes two instants", Some(help));
                return None;
            };
            let (start, end) = (instant(from)?, instant(to)?);
            if end <= start {
                to.error("the second instant must be later than the first", None);
                return None;
            }
            Some(FaultAt::Between(start, end))
        }
        (None, Some(item), None) => {
            let count = item.integer(1..=STRATA_MAX);
            let start = table.require("start", "start = \"3s\"", instant);
            let least = count.unwrap_or(1);
            let span = table.require("span", "span = \"1s\"", |item| {
                item.duration_from(least, "1ns for each stratum")
            });
            let count = u32::try_from(count?).ok()?;
            Some(FaultAt::Strata { count, start: start?, span: span? })
        }
        (None, None, Some(item)) => {
            if first {
                item.key_error("the first fault has none before it to come after", None);
                return None;
            }
            item.duration().map(FaultAt::After)
        }
        (None, None, None) => {
            table.get("start");
            table.get("span");
            if !["between", "strata", "after"].iter().any(|key| table.misspelt(key)) {
                let help = "one of `between`, `strata`, `after`".to_string();
                item.error("the fault does not say when it happens", Some(help));
            }
            None
        }
        _ => {
            item.error("`between`, `strata` and `after` exclude each other", None);
            None
        }
    };
    table.finish();
    found
}

fn target(item: &Item, around: &Surroundings) -> Option<Target> {
    let text = item.text()?;
    let mut parts = text.split('/');
    let operator = parts.next().unwrap_or_default();
    let numbers: Vec<Option<u16>> = parts.map(|part| part.parse().ok()).collect();
    let number = |index: usize| numbers.get(index).copied().flatten();
    let instance = number(0).unwrap_or(0);
    let replica = number(1);
    let node = Target { operator: operator.to_string(), instance, replica };
    // What follows is judged only where the pipeline is known.
    let flow = around.flow?;
    let tasks = || flow.tasks();
    if operator.to_lowercase().starts_with("coord") && flow.role(operator).is_none() {
        return coordinator(item, node, &numbers, around);
    }
    match flow.role(operator) {
        None => {
            let message = format!("pipeline `{}` has no operator `{operator}`", flow.pipeline.name);
            item.error(message, suggest(operator, tasks(), "operators"));
            return None;
        }
        Some(VertexRole::Source | VertexRole::Sink) => {
            item.error(
                format!("`{operator}` cannot fail"),
                Some(
                    "a source is a durable log and a sink records delivery and position in one \
                     durable step: both survive process crashes by construction; machine loss of \
                     either is not modelled"
                        .to_string(),
                ),
            );
            return None;
        }
        Some(VertexRole::Task(_)) => {}
    }
    if numbers.len() > 2 || numbers.iter().any(Option::is_none) {
        let help = "`count` (whoever leads), `count/1` (of instance 1) or `count/0/1` (instance 0, \
                    replica 1)";
        item.error(format!("`{text}` names no node"), Some(help.to_string()));
        return None;
    }
    let instances = flow.instances(operator);
    if instance >= instances {
        let help = match instances {
            1 => "it has one instance, 0".to_string(),
            n => format!("its instances are 0 to {}", n - 1),
        };
        item.error(format!("`{operator}` has no instance {instance}"), Some(help));
        return None;
    }
    let replicas = replicas(operator, around);
    if let Some(replica) = replica.filter(|replica| *replica >= replicas) {
        let why = if replica > 1 {
            "there is at most one spare: replicas are 0 and 1"
        } else if around.spares == 0 {
            "there are no spares: `protection.spares` is 0"
        } else {
            "it is not protected and has no spare: see `pipeline.protect`"
        };
        item.error(format!("`{operator}` has no replica {replica}"), Some(why.to_string()));
        return None;
    }
    Some(node)
}

/// A coordinator, which has one replica and is there only where a strategy is coordinated.
fn coordinator(
    item: &Item,
    node: Target,
    numbers: &[Option<u16>],
    around: &Surroundings,
) -> Option<Target> {
    let names: Vec<String> = (0..around.coordinators).map(coordinator_name).collect();
    if names.is_empty() {
        let help = "coordinators belong to strategies such as `checkpoint-rollback`: name them in \
                    `strategies` or `mixture`";
        item.error("no operator here has a coordinator", Some(help.to_string()));
        return None;
    }
    if !names.contains(&node.operator) {
        let help = suggest(&node.operator, names.iter().map(String::as_str), "coordinators");
        item.error(format!("there is no `{}`", node.operator), help);
        return None;
    }
    if numbers.iter().any(|number| *number != Some(0)) || numbers.len() > 2 {
        item.error(format!("`{}` has no other replica", node.operator), None);
        return None;
    }
    Some(node)
}

fn replicas(operator: &str, around: &Surroundings) -> u16 {
    let protected = around.flow.is_some_and(|f| f.protect.iter().any(|name| name == operator));
    if protected { 1 + around.spares } else { 1 }
}

/// Whether two faults certainly give one machine two outcomes at one time. Who leads, and instants
/// that are drawn, are known only when it runs.
fn clash(a: &FaultConfig, b: &FaultConfig, around: &Surroundings) -> bool {
    let (FaultAt::Instant(a_at), FaultAt::Instant(b_at)) = (&a.at, &b.at) else { return false };
    let alone = replicas(&a.node.operator, around) == 1;
    let machine = |target: &Target| target.replica.or(alone.then_some(0));
    let same = a.node.operator == b.node.operator
        && a.node.instance == b.node.instance
        && machine(&a.node).is_some()
        && machine(&a.node) == machine(&b.node);
    let end = |at: Nanos, f: &FaultConfig| f.for_ns.map_or(Nanos::MAX, |ns| at.saturating_add(ns));
    let overlap = *a_at < end(*b_at, b) && *b_at < end(*a_at, a);
    same && overlap && (a.kind, a.wire_dies) != (b.kind, b.wire_dies)
}

fn show(node: &Target) -> String {
    match node.replica {
        Some(replica) => format!("{}/{}/{replica}", node.operator, node.instance),
        None => node.operator.clone(),
    }
}

fn kind_name(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::ProcessCrash => "a process crash",
        FaultKind::MachineLoss => "a machine loss",
    }
}

fn at_text(at: &FaultAt) -> String {
    match at {
        FaultAt::Instant(ns) => aftermath_systems::options::format_duration(*ns),
        _ => "an instant of its own".to_string(),
    }
}
