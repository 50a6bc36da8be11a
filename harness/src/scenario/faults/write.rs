//! Faults as a scenario says them: what is read from this text is what was written.

use crate::config::{FaultAt, FaultConfig, FaultPlace};
use crate::faults::of;
use aftermath_systems::options::{OptionDoc, OptionKind, format_duration};
use aftermath_systems::protocol::Nanos;
use std::fmt::Write;

/// `[[fault]]` tables, one after the other.
pub fn faults(faults: &[FaultConfig]) -> String {
    faults.iter().map(fault).collect::<Vec<_>>().join("\n")
}

fn fault(fault: &FaultConfig) -> String {
    let entry = of(fault.kind);
    let mut settings = place(&fault.place);
    for doc in entry.options {
        let value = fault.options.choice(doc.name);
        if value != doc.default {
            settings.push(format!("{} = {}", doc.name, option(doc, value)));
        }
    }
    let settings = settings.join(", ");
    let mut text =
        format!("[[fault]]\n{} = {{ {settings} }}\nat = {}\n", entry.name, at(&fault.at));
    if let Some(ns) = fault.for_ns {
        let _ = writeln!(text, "for = {}", span(ns));
    }
    if let Some(number) = fault.draws {
        let _ = writeln!(text, "draws = {number}");
    }
    text
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
