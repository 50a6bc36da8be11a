//! What of which scenarios a command is about.

use super::args::Selection;
use crate::campaign::Campaign;
use crate::config::Scenario;
use crate::scenario::diagnostic::nearest;
use crate::scenario::setting;
use crate::{formulas, scenario};
use aftermath_reports::setting::shared;
use aftermath_reports::words::plural;
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
    let near = nearest(unknown, registry.iter().map(|entry| entry.name));
    let near = near.map_or(String::new(), |near| format!(" did you mean `{near}`?"));
    let several = match unknown.contains(',') {
        true => " for several, give --strategy several times;",
        false => "",
    };
    let unknown = unknown.escape_debug();
    Err(format!("error: there is no strategy `{unknown}`;{near}{several} there are: {known}\n"))
}

/// What a scenario is about, how much of it is run, and what all of its cases are run with.
pub fn describe(scenario: &Scenario, campaign: &Campaign) -> String {
    let blocks = campaign.blocks().into_iter().filter(|b| b.scenario.name == scenario.name);
    let runs: u64 = blocks.map(|block| block.runs()).sum();
    let seeds = campaign.seeds.as_ref().unwrap_or(&scenario.seeds);
    let mut text = format!(
        "{}: {}\n  seeds {}..{}, {}\n",
        scenario.name,
        scenario.about,
        seeds.start,
        seeds.end,
        plural(runs, "run")
    );
    let folder = scenario.folder();
    let settings: Vec<_> =
        scenario.cases.iter().map(|case| setting(&case.config, folder)).collect();
    for (section, keys) in shared(&settings) {
        text += &format!("  {section:<10} {keys}\n");
    }
    text
}

/// How many runs at once: as many as there are cores, if nobody says.
pub fn jobs(said: Option<u16>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    said.map_or_else(cores, usize::from)
}
