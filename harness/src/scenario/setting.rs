//! What a case is run with, for people who have its report and not its file.

use super::faults::write::{fault, span, swarm};
use super::keys::top;
use super::write::{Defaults, input, network, pipeline, protection, sizes, storage, timing};
use crate::config::RunConfig;
use std::collections::BTreeMap;
use std::path::Path;

/// By section of a scenario, its keys with their values as scenarios write them. Strategy, options
/// and planted bug are told elsewhere. No path: of a recorded stream there is the name of its file.
pub fn setting(config: &RunConfig) -> BTreeMap<String, Vec<String>> {
    let named = |file: &Path| file.file_name().unwrap_or_default().into();
    let faults = match &config.swarm {
        Some(swarm) => vec![self::swarm(swarm)],
        None => config.faults.iter().map(|one| fault(one).join(", ")).collect(),
    };
    let drain_within =
        config.drain_within_ns.map(|ns| format!("{} = {}", top::DRAIN_WITHIN.name, span(ns)));
    let sections = [
        ("pipeline", pipeline(config)),
        ("input", input(config, named)),
        ("protection", protection(config)),
        ("network", network(&config.network, Defaults::Told)),
        ("timing", timing(&config.timing, Defaults::Told)),
        ("storage", storage(&config.storage, Defaults::Told)),
        ("sizes", sizes(config)),
        ("end", drain_within.into_iter().collect()),
        ("fault", faults),
    ];
    let told = sections.into_iter().filter(|(_, keys)| !keys.is_empty());
    told.map(|(section, keys)| (section.to_string(), keys)).collect()
}
