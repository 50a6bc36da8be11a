//! `faults = { swarm = { ... } }`: how a schedule is drawn as a whole.

use super::super::item::Item;
use super::super::table::Table;
use super::super::tree::Kind;
use super::{FAULTS_MAX, Surroundings};
use crate::config::SwarmConfig;
use crate::faults::ALL;
use aftermath_systems::claim::FaultKind;
use aftermath_systems::options::format_duration;
use aftermath_systems::protocol::Nanos;

/// Most faults of a schedule, if the scenario does not say.
const MOST: u64 = 4;

/// Reads the key `faults`.
pub fn read(item: &Item, around: &Surroundings) -> Option<SwarmConfig> {
    if let Kind::Array(_) = item.value.kind {
        let help = "every fault that is written has a table of its own, [[fault]]; what is drawn \
                    is said by faults = { swarm = { most = 4 } }";
        item.error("`faults` must be a table, not an array", Some(help.to_string()));
        return None;
    }
    let table = item.table()?;
    let swarm = table.require("swarm", "faults = { swarm = { most = 4 } }", Item::table);
    table.finish();
    let swarm = swarm?;
    let all = || ALL.iter().map(|entry| entry.kind).collect();
    let kinds = swarm.get("kinds").map_or_else(|| Some(all()), |item| kinds(&item));
    let most = swarm.read("most", MOST, |item| item.integer(1..=FAULTS_MAX as u64));
    let span = span(&swarm, around);
    let beyond_claims = swarm.read("beyond_claims", false, Item::boolean);
    swarm.finish();
    let (from_ns, until_ns) = span?;
    Some(SwarmConfig { kinds: kinds?, most: most as u32, from_ns, until_ns, beyond_claims })
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
    let from_item = swarm.get("from");
    let until_item = swarm.get("until");
    let instant = |item: &Option<Item>, default: Option<Nanos>| match item {
        Some(item) => item.duration_from(tick_ns, "one tick"),
        None => default,
    };
    let from = instant(&from_item, Some(tick_ns));
    let until = instant(&until_item, around.stream_ns);
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
