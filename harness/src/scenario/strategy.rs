//! The `[strategy]` section and the names of strategies.

use super::item::Item;
use super::pipeline::{Dataflow, option, options, resolve};
use super::table::Table;
use crate::config::Mixed;
use aftermath_systems::options::Options;
use aftermath_systems::strategies::{Entry, Registry};
use std::collections::BTreeMap;

/// Reads a list of names of strategies; each once, at least one.
pub fn names(item: &Item, registry: &Registry) -> Option<Vec<Entry>> {
    let known: Vec<&str> = registry.iter().map(|entry| entry.name).collect();
    let mut entries: Vec<Entry> = Vec::new();
    let items = item.list()?;
    if items.is_empty() {
        let help = Some("leave the key out for all strategies".to_string());
        item.error("at least one strategy is needed", help);
    }
    for item in items {
        let name = item.name("strategy", known.iter().copied());
        let Some(entry) = name.and_then(|name| registry.find(name)) else { continue };
        if entries.iter().any(|other| other.name == entry.name) {
            item.error(format!("`{}` is named twice", entry.name), None);
        } else {
            entries.push(*entry);
        }
    }
    Some(entries)
}

/// Reads the options of the case's strategy: filled in, and as given.
///
/// `[strategy.NAME]` is for one strategy; what stands in `[strategy]` itself is for each that
/// knows it. A case's `strategy.OPTION` must be known to the case's strategy.
pub fn read(
    root: &Table,
    registry: &Registry,
    strategy: Option<&Entry>,
) -> (Options, BTreeMap<String, String>) {
    let section = root.table("strategy");
    let mut result = (Options::default(), BTreeMap::new());
    for entry in registry.iter() {
        let own = section.table(entry.name);
        let mine = strategy.is_some_and(|strategy| strategy.name == entry.name);
        // The sections of other strategies are read too: their mistakes count.
        let (_, mut given) = options(&own, entry.options, Item::duration);
        if mine {
            for doc in entry.options {
                let specific = own.get(doc.name);
                let Some(item) = section.get(doc.name) else { continue };
                let value = option(&item, doc, Item::duration);
                // What a case sets is stronger than the file, one strategy's than everyone's.
                let stronger = specific.is_none_or(|s| item.overrides && !s.overrides);
                if let (true, Some(value)) = (stronger, value) {
                    given.insert(doc.name.to_string(), value);
                }
            }
            result = (resolve(&own, entry.options, &given), given);
        } else {
            for doc in entry.options {
                if let Some(item) = section.get_from_file(doc.name) {
                    option(&item, doc, Item::duration);
                }
            }
        }
        own.finish();
    }
    section.finish();
    if strategy.is_none() {
        section.ignore();
    }
    result
}

/// Reads `[mixture]`: operators with a strategy of their own, with its options.
pub fn mixture(
    root: &Table,
    registry: &Registry,
    flow: Option<&Dataflow>,
) -> BTreeMap<String, Mixed> {
    let table = root.table("mixture");
    let known: Vec<&str> = registry.iter().map(|entry| entry.name).collect();
    let mut mixture = BTreeMap::new();
    for (operator, item) in table.items() {
        if let Some(flow) = flow
            && !flow.protect.contains(&operator)
        {
            let help = Some(format!("protected are: {}", flow.protect.join(", ")));
            item.key_error(format!("`{operator}` is not a protected operator"), help);
        }
        let name = item.name("strategy", known.iter().copied());
        let Some(entry) = name.and_then(|name| registry.find(name)) else { continue };
        let (options, given) = read(root, registry, Some(entry));
        mixture.insert(operator.clone(), Mixed { strategy: entry.name, options, given });
    }
    mixture
}
