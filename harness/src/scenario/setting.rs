//! What a case is run with, for people who have its report and not its file.

use super::faults::write::{fault, span, swarm};
use super::keys::top;
use super::write::{Defaults, input, network, pipeline, protection, sizes, storage, timing};
use crate::config::RunConfig;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// By section of a scenario, its keys with their values as scenarios write them; of each fault, all
/// of them in one line. `top` are keys that are in no section. Strategy, options and planted bug
/// are told elsewhere. `folder` is the scenario's: a recorded stream is named from there, as its
/// author did, or by its name alone if that would be the path on some computer.
pub fn setting(config: &RunConfig, folder: &Path) -> BTreeMap<String, Vec<String>> {
    let named = |file: &Path| -> PathBuf {
        let name = || file.file_name().unwrap_or_default().as_ref();
        file.strip_prefix(folder).ok().filter(|file| file.is_relative()).unwrap_or_else(name).into()
    };
    let one = |written: &_| fault(written).join(", ");
    let drain_within = config.drain_within_ns.map(span);
    let drain_within = drain_within.map(|span| format!("{} = {span}", top::DRAIN_WITHIN.name));
    let sections = [
        ("top", drain_within.into_iter().collect()),
        ("pipeline", pipeline(config)),
        ("input", input(config, named)),
        ("protection", protection(config)),
        ("network", network(&config.network, Defaults::Written)),
        ("timing", timing(&config.timing, Defaults::Written)),
        ("storage", storage(&config.storage, Defaults::Written)),
        ("sizes", sizes(config)),
        (top::FAULT.name, config.faults.iter().map(one).collect()),
        (top::FAULTS_DRAWN.name, config.swarm.iter().map(swarm).collect()),
    ];
    let told = sections.into_iter().filter(|(_, keys)| !keys.is_empty());
    told.map(|(section, keys)| (section.to_string(), keys)).collect()
}
