//! Faults that strike when a machine reaches a protocol point, or between two effects of one of its
//! handlers.

use super::super::diagnostic::{list, suggest};
use super::super::item::Item;
use super::super::keys::{Key, faults as keys};
use super::super::table::Table;
use super::{Surroundings, place};
use crate::config::{FaultAt, FaultPlace, LinkEnd};
use aftermath_systems::points::Point;
use std::collections::BTreeSet;

/// The keys of an address, with an example.
const ADDRESS: [(&Key, &str); 4] = [
    (&keys::ADDRESS_NODE, "node = \"count/0/0\""),
    (&keys::INCARNATION, "incarnation = 1"),
    (&keys::HANDLER, "handler = 57"),
    (&keys::EFFECT, "effect = 2, or the number of effects for after the last"),
];

/// Whether a table is an address: it has a key that nothing else has.
pub fn is_address(table: &Table) -> bool {
    let own = [&keys::INCARNATION, &keys::HANDLER, &keys::EFFECT];
    own.iter().any(|key| table.get(key.name).is_some())
}

/// Reads a protocol point. `befalls`: whom the fault befalls, if that is known.
pub fn point(
    table: &Table,
    item: &Item,
    befalls: Option<&FaultPlace>,
    around: &Surroundings,
) -> Option<FaultAt> {
    let named = named(item, around);
    let nth = match table.get(keys::NTH.name) {
        Some(nth) => nth.number(&keys::NTH),
        None => Some(keys::NTH.default_number()),
    };
    let node = table.get(keys::POINT_NODE.name);
    let nodes = match &node {
        Some(node) => place::end(node, around, false).map(|end| vec![end]),
        None => befalls.map(operators),
    };
    let (named, nodes) = (named?, nodes?);
    let reaches = |end: &LinkEnd| {
        let mut all = around.points.iter();
        all.any(|(operator, point)| *operator == end.operator && point.name == named.name)
    };
    // Of the ends of links one is enough.
    let reaching: Vec<LinkEnd> = nodes.iter().filter(|end| reaches(end)).cloned().collect();
    if reaching.is_empty() {
        let cannot: Vec<String> = nodes.iter().map(|end| format!("`{}`", end.operator)).collect();
        let can = around.points.iter().filter(|(_, point)| point.name == named.name);
        let can: BTreeSet<&str> = can.map(|(operator, _)| operator.as_str()).collect();
        let can: Vec<&str> = can.into_iter().collect();
        let help = match node {
            Some(_) => format!("it is reached by {}", list(&can)),
            None => format!("say who does, with node = \"{}\"", can.join("\" or \"")),
        };
        let message = format!("{} cannot reach `{}`", cannot.join(" and "), named.name);
        node.as_ref().unwrap_or(item).error(message, Some(help));
        return None;
    }
    Some(FaultAt::Point { name: named.name, nodes: reaching, nth: nth? })
}

/// The operators that a fault befalls.
fn operators(place: &FaultPlace) -> Vec<LinkEnd> {
    let whole = |name: &String| LinkEnd { operator: name.clone(), instance: None, replica: None };
    match place {
        FaultPlace::Node(_) | FaultPlace::Nodes(_) => {
            let names: BTreeSet<_> = place.targets().iter().map(|t| &t.operator).collect();
            names.into_iter().map(whole).collect()
        }
        FaultPlace::Link { from, to, .. } if from.operator == to.operator => {
            vec![whole(&from.operator)]
        }
        FaultPlace::Link { from, to, .. } => vec![whole(&from.operator), whole(&to.operator)],
    }
}

/// The point of this name, if anybody in the case can reach it.
fn named(item: &Item, around: &Surroundings) -> Option<&'static Point> {
    let name = item.text()?;
    around.flow?;
    if let Some((_, point)) = around.points.iter().find(|(_, point)| point.name == name) {
        return Some(point);
    }
    let reached: BTreeSet<&str> = around.points.iter().map(|(_, point)| point.name).collect();
    let by = around.registry.iter();
    let by = by.filter(|entry| entry.points().any(|point| point.name == name));
    let by: Vec<&str> = by.map(|entry| entry.name).collect();
    if by.is_empty() {
        let help = suggest(name, reached, "points that can be reached here");
        item.error(format!("unknown point `{name}`"), help);
    } else {
        let help = format!("{} can: name it in `strategies`", by.join(" or "));
        item.error(format!("nobody here can reach `{name}`"), Some(help));
    }
    None
}

/// Reads an address.
pub fn address(table: &Table, around: &Surroundings) -> Option<FaultAt> {
    let mut missing = Vec::new();
    let items = ADDRESS.map(|(key, example)| {
        let item = table.get(key.name);
        if item.is_none() && !table.misspelt(key.name) {
            missing.push((key.name, example));
        }
        item
    });
    if !missing.is_empty() {
        let keys: Vec<String> = missing.iter().map(|(key, _)| format!("`{key}`")).collect();
        let examples: Vec<&str> = missing.iter().map(|(_, example)| *example).collect();
        let help = format!(
            "write for example: {}; `aftermath replay --trace` shows all four",
            examples.join(", ")
        );
        table.error(format!("the address has no {}", keys.join(" and no ")), Some(help));
    }
    let [node, incarnation, handler, effect] = items;
    let node = node.and_then(|item| {
        let end = place::end(&item, around, false)?;
        if place::machines(&end, around).len() == 1 {
            return Some(end);
        }
        let help = format!("name one, such as `{}/0/0`", end.operator);
        item.error(format!("`{end}` is more than one machine"), Some(help));
        None
    });
    let number = |item: Option<Item>, key: &Key| item.and_then(|item| item.number(key));
    let incarnation = number(incarnation, &keys::INCARNATION);
    let handler = number(handler, &keys::HANDLER);
    let effect = number(effect, &keys::EFFECT);
    Some(FaultAt::Address {
        node: node?,
        incarnation: u32::try_from(incarnation?).ok()?,
        handler: handler?,
        effect: effect?,
    })
}
