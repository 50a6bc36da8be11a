//! What of which scenarios a command is about.

use super::args::Selection;
use crate::campaign::Campaign;
use crate::config::{InputConfig, Scenario};
use crate::{formulas, scenario};
use aftermath_reports::words::plural;
use aftermath_systems::options::format_duration;
use aftermath_systems::strategies::Registry;
use std::path::PathBuf;

impl Selection {
    /// What is to be run of these scenarios.
    pub fn campaign<'a>(&self, scenarios: &'a [Scenario]) -> Campaign<'a> {
        Campaign {
            scenarios,
            seeds: self.seeds.clone(),
            strategies: self.strategy.clone(),
            jobs: jobs(self.jobs),
            worlds: self.world,
        }
    }
}

/// Reads scenarios, and reports the mistakes of all of them.
pub fn load(paths: &[PathBuf], registry: &Registry) -> Result<Vec<Scenario>, String> {
    let mut scenarios: Vec<Scenario> = Vec::new();
    let mut mistakes = String::new();
    for path in paths {
        match scenario::load(path, registry, &formulas::names()) {
            Ok(scenario) => {
                if let Some(other) = scenarios.iter().find(|other| other.name == scenario.name) {
                    mistakes += &format!(
                        "error: {} and {} are both called `{}`; give one another `name`\n",
                        other.path, scenario.path, scenario.name
                    );
                }
                scenarios.push(scenario);
            }
            Err(diagnostics) => mistakes += &format!("{diagnostics}\n"),
        }
    }
    if mistakes.is_empty() { Ok(scenarios) } else { Err(mistakes) }
}

/// Whether there are these strategies.
pub fn known(strategies: &[String], registry: &Registry) -> Result<(), String> {
    let Some(unknown) = strategies.iter().find(|name| registry.find(name).is_none()) else {
        return Ok(());
    };
    let known: Vec<_> = registry.iter().map(|entry| entry.name).collect();
    let known = known.join(", ");
    // As it was typed, but for what would steer a terminal.
    let unknown = unknown.escape_debug();
    Err(format!("error: there is no strategy `{unknown}`; there are: {known}\n"))
}

/// What a scenario is about, and how much of it is run.
pub fn describe(scenario: &Scenario, campaign: &Campaign) -> String {
    let mut text = format!("{}: {}\n", scenario.name, scenario.about);
    let Some(case) = scenario.cases.first() else { return text };
    let config = &case.config;
    let tuples = match &config.input {
        InputConfig::Generated { tuples, keys } => format!("{tuples} tuples over {keys} keys"),
        InputConfig::Recorded(recording) => format!("{} recorded rows", recording.rows.len()),
        InputConfig::Nexmark { events } => format!("{events} events of NEXMark"),
    };
    let seeds = campaign.seeds.as_ref().unwrap_or(&scenario.seeds);
    let blocks = campaign.blocks().into_iter().filter(|b| b.scenario.name == scenario.name);
    let runs: u64 = blocks.map(|block| block.runs()).sum();
    text += &format!(
        "  {} at {}/s through `{}`, {} protected; seeds {}..{}, {}\n",
        tuples,
        config.rate_per_s,
        config.pipeline,
        config.protect.join(" and "),
        seeds.start,
        seeds.end,
        plural(runs, "run"),
    );
    let timing = &config.timing;
    text += &format!(
        "  heartbeat {} x {}, redirect {}, interval {}, latency {}, tick {}\n",
        format_duration(timing.heartbeat_ns),
        timing.misses,
        format_duration(timing.redirect_ns),
        format_duration(timing.interval_ns),
        format_duration(config.network.latency_ns),
        format_duration(config.network.tick_ns),
    );
    text
}

/// How many runs at once: as many as there are cores, if nobody says.
pub fn jobs(said: Option<u16>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    said.map_or_else(cores, usize::from)
}
