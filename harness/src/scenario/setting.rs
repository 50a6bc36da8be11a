//! What a case is run with, for people who have its report and not its file.

use super::faults::write::{fault, swarm};
use super::keys::top;
use super::write::{Defaults, input, network, pipeline, protection, sizes, storage, timing};
use crate::config::RunConfig;
use aftermath_systems::options::format_duration;
use std::collections::BTreeMap;
use std::path::Path;

/// By section of a scenario, keys and values as scenarios write them. Strategy, options and planted
/// bug are told elsewhere. No path: of a recorded stream there is the name of its file.
pub fn setting(config: &RunConfig) -> BTreeMap<String, String> {
    let named = |file: &Path| file.file_name().unwrap_or_default().into();
    let faults = match &config.swarm {
        Some(swarm) => self::swarm(swarm),
        None => {
            config.faults.iter().map(|one| fault(one).join(", ")).collect::<Vec<_>>().join("; ")
        }
    };
    let drain_within = config.drain_within_ns.map(format_duration).unwrap_or_default();
    let sections = [
        ("pipeline", pipeline(config).join(", ")),
        ("input", input(config, named).join(", ")),
        ("protection", protection(config).join(", ")),
        ("network", network(&config.network, Defaults::Told).join(", ")),
        ("timing", timing(&config.timing, Defaults::Told).join(", ")),
        ("storage", storage(&config.storage, Defaults::Told).join(", ")),
        ("sizes", sizes(config).join(", ")),
        (top::DRAIN_WITHIN.name, drain_within),
        ("fault", faults),
    ];
    let told = sections.into_iter().filter(|(_, text)| !text.is_empty());
    told.map(|(section, text)| (section.to_string(), text)).collect()
}
