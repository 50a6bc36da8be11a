//! Keys and faults as tables of Markdown, for scenarios/README.md.

use super::{Key, Kind, WhenLeftOut, told, top};
use crate::faults::{ALL, Place};
use aftermath_systems::strategies::Registry;

/// One row for the keys at the top, and one for each section.
pub fn keys(registry: &Registry) -> String {
    let all = top::all();
    let (sections, others): (Vec<Key>, Vec<Key>) = all.into_iter().partition(|key| {
        matches!(
            key.kind,
            Kind::Table(_) | Kind::Named(..) | Kind::StrategyOptions | Kind::List(..)
        ) && key.name != top::STRATEGIES_OF_ALL.name
    });
    let mut table =
        "| table | what it says | its keys, with their defaults |\n|---|---|---|\n".to_string();
    let plain: Vec<String> = others.iter().map(named).collect();
    table += &row("top level", "What the scenario is and how it is run.", &plain.join(", "));
    for section in sections {
        // Below `faults` there is one table, and its keys are what matters.
        let (name, kind) = match section.kind {
            Kind::List(of, ..) => (format!("`[[{}]]`", section.name), *of),
            Kind::Table([one]) => (format!("`[{}.{}]`", section.name, one.name), one.kind),
            kind => (format!("`[{}]`", section.name), kind),
        };
        let keys = match kind {
            Kind::Named(what, of) => format!("{what} = {}", told::takes(*of)),
            Kind::StrategyOptions => "see `aftermath list strategies`".to_string(),
            Kind::Fault => {
                let keys: Vec<_> = super::faults::WHEN.iter().map(named).collect();
                format!("one of the faults below, {}", keys.join(", "))
            }
            kind => {
                let keys = kind.keys(registry).unwrap_or_default();
                keys.iter().map(named).collect::<Vec<_>>().join(", ")
            }
        };
        table += &row(&name, section.doc, &keys);
    }
    table
}

/// A key with its default, where that is a value.
fn named(key: &Key) -> String {
    match key.default {
        WhenLeftOut::Is("") | WhenLeftOut::Else(_) => format!("`{}`", key.name),
        WhenLeftOut::Is(_) => format!("`{}` {}", key.name, told::written(key)),
        WhenLeftOut::Required => format!("`{}` (required)", key.name),
    }
}

/// One row for each fault.
pub fn faults() -> String {
    let mut table = "| fault | options | |\n|---|---|---|\n".to_string();
    for fault in ALL {
        let place = match fault.place {
            Place::Node => "`node`",
            Place::Link => "ends",
        };
        let options = fault.options.iter().map(|option| format!(", `{}`", option.name));
        let options = format!("{place}{}", options.collect::<String>());
        table += &row(&format!("`{}`", fault.name), &options, fault.summary);
    }
    table
}

fn row(first: &str, second: &str, third: &str) -> String {
    let cell = |text: &str| text.replace('|', "or");
    format!("| {} | {} | {} |\n", cell(first), cell(second), cell(third))
}
