//! Faults as a scenario says them: what is read from this text is what was written.

use crate::config::{FaultAt, FaultConfig, FaultPlace, SwarmConfig};
use crate::faults::{ALL, of};
use crate::scenario::keys::{Key, faults as keys};
use aftermath_systems::options::{OptionDoc, OptionKind, format_duration};
use aftermath_systems::protocol::Nanos;

/// `[[fault]]` tables, one after the other.
pub fn faults(faults: &[FaultConfig]) -> String {
    let table = |fault| format!("[[fault]]\n{}\n", self::fault(fault).join("\n"));
    faults.iter().map(table).collect::<Vec<_>>().join("\n")
}

/// The lines of a fault's table.
pub fn fault(fault: &FaultConfig) -> Vec<String> {
    let entry = of(fault.kind);
    let mut settings = place(&fault.place);
    for doc in entry.options {
        let value = fault.options.choice(doc.name);
        if value != doc.default {
            settings.push(format!("{} = {}", doc.name, option(doc, value)));
        }
    }
    let what = format!("{} = {{ {} }}", entry.name, settings.join(", "));
    let lines = [
        Some(what),
        Some(format!("at = {}", at(&fault.at))),
        fault.for_ns.map(|ns| format!("for = {}", span(ns))),
        fault.draws.map(|number| format!("draws = {number}")),
    ];
    lines.into_iter().flatten().collect()
}

/// How faults are drawn as a whole: `swarm = { … }`.
pub fn swarm(config: &SwarmConfig) -> String {
    let every = ALL.iter().all(|entry| config.kinds.contains(&entry.kind));
    let kinds = config.kinds.iter().map(|kind| format!("\"{}\"", of(*kind).name));
    let kinds = (!every).then(|| kinds.collect::<Vec<_>>().join(", "));
    let yes = |key: &Key, said: bool| said.then(|| format!("{} = true", key.name));
    let all = [
        kinds.map(|kinds| format!("{} = [{kinds}]", keys::KINDS.name)),
        Some(format!("{} = {}", keys::MOST.name, config.most)),
        Some(format!("{} = {}", keys::SWARM_FROM.name, span(config.from_ns))),
        Some(format!("{} = {}", keys::UNTIL.name, span(config.until_ns))),
        yes(&keys::OVERLAP, config.overlap),
        yes(&keys::BEYOND_CLAIMS, config.beyond_claims),
    ];
    let all: Vec<_> = all.into_iter().flatten().collect();
    format!("{} = {{ {} }}", keys::SWARM.name, all.join(", "))
}

fn place(place: &FaultPlace) -> Vec<String> {
    match place {
        FaultPlace::Node(target) => vec![format!("node = \"{target}\"")],
        FaultPlace::Nodes(targets) => {
            let names: Vec<_> = targets.iter().map(|target| format!("\"{target}\"")).collect();
            vec![format!("node = [{}]", names.join(", "))]
        }
        FaultPlace::Link { from, to, both: true } => {
            vec![format!("between = [\"{from}\", \"{to}\"]")]
        }
        FaultPlace::Link { from, to, both: false } => {
            vec![format!("from = \"{from}\""), format!("to = \"{to}\"")]
        }
    }
}

/// A value of an option. None needs escapes: they are words, numbers and spans.
pub fn option(doc: &OptionDoc, value: &str) -> String {
    match doc.kind {
        OptionKind::Number(..) => value.to_string(),
        _ => format!("\"{value}\""),
    }
}

fn at(at: &FaultAt) -> String {
    match at {
        FaultAt::Instant(ns) => span(*ns),
        FaultAt::Between(from, to) => format!("{{ between = [{}, {}] }}", span(*from), span(*to)),
        FaultAt::Strata { count, start, span: length } => {
            format!("{{ strata = {count}, start = {}, span = {} }}", span(*start), span(*length))
        }
        FaultAt::After(ns) => format!("{{ after = {} }}", span(*ns)),
        FaultAt::Point { name, nodes, nth } => match &nodes[..] {
            [node] => format!("{{ point = \"{name}\", node = \"{node}\", nth = {nth} }}"),
            // What the fault befalls, as when no node is named.
            _ => format!("{{ point = \"{name}\", nth = {nth} }}"),
        },
        FaultAt::Address { node, incarnation, handler, effect } => format!(
            "{{ node = \"{node}\", incarnation = {incarnation}, handler = {handler}, \
             effect = {effect} }}"
        ),
    }
}

/// Exact: in the largest unit that has not more than three digits behind the point.
pub fn span(ns: Nanos) -> String {
    format!("\"{}\"", format_duration(ns))
}
