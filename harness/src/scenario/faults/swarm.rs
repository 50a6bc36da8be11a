//! `faults = { swarm = { ... } }`: how a schedule is drawn as a whole.

use super::super::item::Item;
use super::super::keys::{Key, faults as keys};
use super::super::table::Table;
use super::super::tree::Kind;
use super::Surroundings;
use crate::config::SwarmConfig;
use crate::faults::ALL;
use aftermath_systems::claim::FaultKind;
use aftermath_systems::options::format_duration;
use aftermath_systems::protocol::Nanos;

/// Reads the key `faults`.
pub fn read(item: &Item, around: &Surroundings) -> Option<SwarmConfig> {
    if let Kind::Array(_) = item.value.kind {
        let help = "every fault that is written has a table of its own, [[fault]]; what is drawn \
                    is said by faults = { swarm = { most = 4 } }";
        item.error("`faults` must be a table, not an array", Some(help.to_string()));
        return None;
    }
    let table = item.table()?;
    let swarm = table.require(&keys::SWARM, "faults = { swarm = { most = 4 } }", Item::table);
    table.finish();
    let swarm = swarm?;
    let all = || ALL.iter().map(|entry| entry.kind).collect();
    let kinds = swarm.get(keys::KINDS.name).map_or_else(|| Some(all()), |item| kinds(&item));
    let most = swarm.number(&keys::MOST);
    let span = span(&swarm, around);
    let overlap = swarm.read(&keys::OVERLAP, Item::boolean).unwrap_or(false);
    let beyond_claims = swarm.read(&keys::BEYOND_CLAIMS, Item::boolean).unwrap_or(false);
    swarm.finish();
    let (from_ns, until_ns) = span?;
    let (kinds, most) = (kinds?, most as u32);
    Some(SwarmConfig { kinds, most, from_ns, until_ns, overlap, beyond_claims })
}

fn kinds(item: &Item) -> Option<Vec<FaultKind>> {
    let items = item.list()?;
    if items.is_empty() {
        let help = "leave `kinds` out to draw from all of them".to_string();
        item.error(format!("`{}` names no fault", item.path), Some(help));
        return None;
    }
    let mut kinds = Vec::new();
    let mut wrong = false;
    for item in &items {
        let name = item.name("fault", ALL.iter().map(|entry| entry.name));
        match ALL.iter().find(|entry| Some(entry.name) == name) {
            None => wrong = true,
            Some(entry) if kinds.contains(&entry.kind) => {
                item.error(format!("`{}` is named twice", entry.name), None);
                wrong = true;
            }
            Some(entry) => kinds.push(entry.kind),
        }
    }
    (!wrong).then_some(kinds)
}

/// From when until when faults may start, ns. The whole stream, if nothing is said.
fn span(swarm: &Table, around: &Surroundings) -> Option<(Nanos, Nanos)> {
    let tick_ns = around.tick_ns;
    let from_item = swarm.get(keys::SWARM_FROM.name);
    let until_item = swarm.get(keys::UNTIL.name);
    let instant = |item: &Option<Item>, key: &Key, default: Option<Nanos>| match item {
        Some(item) => item.span(key, tick_ns),
        None => default,
    };
    let from = instant(&from_item, &keys::SWARM_FROM, Some(tick_ns));
    let until = instant(&until_item, &keys::UNTIL, around.stream_ns);
    if let (Some(item), Some(until), Some(end)) = (&until_item, until, around.stream_ns)
        && until > end
    {
        let message =
            format!("`{}` is after the end of the stream ({})", item.path, format_duration(end));
        item.error(message, Some("leave it out to draw until the end".to_string()));
        return None;
    }
    let (from, until) = (from?, until?);
    if from >= until {
        let message = format!(
            "no fault can start from {} and before {}",
            format_duration(from),
            format_duration(until)
        );
        match until_item.or(from_item) {
            Some(item) => item.error(message, Some("`from` must be before `until`".to_string())),
            None => swarm.error(message, Some("the stream is too short".to_string())),
        }
        return None;
    }
    Some((from, until))
}
