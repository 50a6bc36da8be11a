//! The `[[fault]]` tables: what befalls, whom ([`place`]), when ([`when`]) and for how long. Which
//! faults there are, and their options, is read off [`crate::faults::ALL`]. Or how they are drawn
//! ([`swarm`]). [`write`] is the way back.

mod around;
mod place;
mod point;
mod swarm;
mod when;
pub mod write;

pub use around::{Strategies, Surroundings};

use super::item::Item;
use super::keys::faults::{self as keys, FAULTS_MAX};
use super::pipeline::options;
use super::table::Table;
use super::tree::Kind;
use crate::config::{FaultAt, FaultConfig, SwarmConfig};
use crate::faults::{ALL, Place, of};
use aftermath_systems::options::format_duration;
use when::Before;

/// Reads the faults of a case: as they are written, or how they are drawn.
pub fn read(root: &Table, around: &Surroundings) -> (Vec<FaultConfig>, Option<SwarmConfig>) {
    let (mut written, mut drawn) = (root.get("fault"), root.get("faults"));
    if let (Some(a), Some(b)) = (&written, &drawn) {
        match (a.overrides, b.overrides) {
            // What a case sets displaces what the file says.
            (true, false) => drawn = None,
            (false, true) => written = None,
            _ => {
                let help = "a swarm draws the whole schedule: keep one of the two".to_string();
                b.key_error("`faults` and [[fault]] exclude each other", Some(help));
            }
        }
    }
    let swarm = drawn.and_then(|item| swarm::read(&item, around));
    (written.map(|item| list(&item, around)).unwrap_or_default(), swarm)
}

/// Reads `[[fault]]`.
fn list(item: &Item, around: &Surroundings) -> Vec<FaultConfig> {
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
        let before = match index.checked_sub(1) {
            None => Before::Nothing,
            Some(_) if awaits(&items[..index]) => Before::Awaited,
            Some(_) => Before::Instant,
        };
        let Some(fault) = fault(&table, before, around) else { continue };
        if matches!(fault.at, FaultAt::Strata { .. }) {
            if stratified {
                item.key_error("a case can have one stratified fault only", None);
            }
            stratified = true;
        }
        let clash = |(other, _): &(FaultConfig, Item)| {
            let clash = other.clash(&fault, |operator| place::replicas(operator, around));
            clash.map(|target| (other.clone(), target))
        };
        if let Some((other, target)) = faults.iter().find_map(clash) {
            item.key_error(
                format!("another outcome for `{target}`, which has a fault at that time already"),
                Some(format!(
                    "the other is `{}` at {}; end it earlier with `for`, or name another machine",
                    of(other.kind).name,
                    at_text(&other.at)
                )),
            );
        }
        faults.push((fault, item.clone()));
    }
    faults.into_iter().map(|(fault, _)| fault).collect()
}

/// Whether the last of these faults waits for what a machine does, as far as can be read.
fn awaits(items: &[Item]) -> bool {
    let at = items.last().and_then(Item::table).and_then(|table| table.get("at"));
    let at = at.filter(|at| matches!(at.value.kind, Kind::Table(_))).and_then(|at| at.table());
    at.is_some_and(|at| at.get("point").is_some() || point::is_address(&at))
}

fn fault(table: &Table, before: Before, around: &Surroundings) -> Option<FaultConfig> {
    let names: Vec<&str> = ALL.iter().map(|entry| entry.name).collect();
    let found = table.one_of(&names);
    if found.is_none() && !names.iter().any(|name| table.misspelt(name)) {
        let help = format!(
            "name a fault, such as machine-loss = {{ node = \"count\" }}; there are {}",
            names.join(", ")
        );
        table.error("the fault does not say what happens", Some(help));
    }
    let what = found.and_then(|(index, item)| {
        let (entry, what) = (&ALL[index], item.table()?);
        let place = match entry.place {
            Place::Node => place::node(&what, around),
            Place::Link => place::links(&what, around),
        };
        let (options, _) = options(&what, entry.options, Item::duration);
        what.finish();
        Some((entry.kind, place, options))
    });
    let at = table.require(&keys::AT, "at = \"2s\"", |item| {
        when::at(item, before, what.as_ref().and_then(|(_, place, _)| place.as_ref()), around)
    });
    let for_ns = table.read(&keys::FOR, |item| item.span(&keys::FOR, around.tick_ns));
    let draws = table.read(&keys::DRAWS, |item| item.number(&keys::DRAWS));
    table.finish();
    let (kind, place, options) = what?;
    Some(FaultConfig { kind, place: place?, options, at: at?, for_ns, draws })
}

fn at_text(at: &FaultAt) -> String {
    match at {
        FaultAt::Instant(ns) => format_duration(*ns),
        _ => "an instant of its own".to_string(),
    }
}
