//! What the command line takes.

use super::help;
use crate::config::Worlds;
use crate::scenario::SEEDS_MAX;
use clap::builder::PossibleValue;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use std::ops::Range;
use std::path::PathBuf;

/// What a stream processor loses, repeats or gets wrong when something fails.
///
/// Runs recovery strategies in a deterministic simulated world, injects faults, and judges the
/// output against the same run without faults. The same seed gives the same run, always.
#[derive(Parser, Debug)]
#[command(name = "aftermath", version, after_help = help::PROGRAM)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run scenarios and judge them
    Run(RunArgs),
    /// Run one run of a scenario again, twice, and show what happened
    Replay(ReplayArgs),
    /// Make a broken run the smallest scenario that still shows the same violation
    Shrink(ShrinkArgs),
    /// Write the report again from records alone
    Report(ReportArgs),
    /// List strategies, pipelines, faults, formulas, planted bugs and protocol points
    List(ListArgs),
    /// Print a script that completes this command line in a shell
    Completions(CompletionsArgs),
}

#[derive(ClapArgs, Debug)]
#[command(after_help = help::RUN)]
pub struct RunArgs {
    /// Scenario files (TOML)
    #[arg(required = true, value_name = "SCENARIO")]
    pub scenarios: Vec<PathBuf>,
    /// Only this strategy; may be given several times
    #[arg(long, value_name = "NAME")]
    pub strategy: Vec<String>,
    /// Seeds from A up to but not including B; default: the scenario's
    #[arg(long, value_name = "A..B", value_parser = seeds)]
    pub seeds: Option<Range<u64>>,
    /// Runs at once; default: the number of cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Where to run it; both must agree exactly. Default: the scenario's, or events
    #[arg(long, value_enum, value_name = "WORLD")]
    pub world: Option<Worlds>,
    /// Folder for records.jsonl, cases.jsonl, summary.csv, report.html and plots
    #[arg(long, value_name = "DIR", default_value = "aftermath-out")]
    pub out: PathBuf,
    /// Also print the schedule of faults that a swarm drew for the first seed of each case
    #[arg(long)]
    pub schedules: bool,
    /// What to print: tables, or one JSON line a run
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = help::REPLAY)]
pub struct ReplayArgs {
    /// The scenario file
    #[arg(value_name = "SCENARIO")]
    pub scenario: PathBuf,
    /// The case; default: the only one
    #[arg(long, value_name = "NAME")]
    pub case: Option<String>,
    /// The strategy; default: the only one of the case
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// The seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// The stratum of a stratified case
    #[arg(long, value_name = "N")]
    pub stratum: Option<u32>,
    /// Where to run it; both must agree exactly. Default: the scenario's, or events
    #[arg(long, value_enum, value_name = "WORLD")]
    pub world: Option<Worlds>,
    /// Also print every event of every node and its effects
    #[arg(long)]
    pub trace: bool,
    /// What to print: an account for people, or the record as JSON
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = help::SHRINK)]
pub struct ShrinkArgs {
    /// The scenario file
    #[arg(value_name = "SCENARIO")]
    pub scenario: PathBuf,
    /// The case; default: the only one
    #[arg(long, value_name = "NAME")]
    pub case: Option<String>,
    /// The strategy; default: the only one of the case
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// The seed; default: the first of the scenario
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The stratum of a stratified case
    #[arg(long, value_name = "N")]
    pub stratum: Option<u32>,
    /// At most so many runs
    #[arg(long, value_name = "N", default_value_t = 500)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub budget: u32,
    /// Where to write the scenario; default: NAME-shrunk.toml in the current folder
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = help::REPORT)]
pub struct ReportArgs {
    /// Files of records, as `run` writes them
    #[arg(required = true, value_name = "RECORDS")]
    pub records: Vec<PathBuf>,
    /// Folder for the report
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = help::COMPLETIONS)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = help::LIST)]
pub struct ListArgs {
    /// What to list; everything if not given
    #[arg(value_enum)]
    pub what: Option<What>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    Strategies,
    Pipelines,
    Faults,
    Formulas,
    Quantities,
    PlantedBugs,
    Points,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Human,
    Json,
}

impl ValueEnum for Worlds {
    fn value_variants<'a>() -> &'a [Worlds] {
        &[Worlds::Events, Worlds::Turmoil, Worlds::Both]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

fn seeds(text: &str) -> Result<Range<u64>, String> {
    let wrong = || format!("`{text}` is not a range of seeds; write `0..20` or a single seed");
    if let Ok(seed) = text.parse::<u64>() {
        return Ok(seed..seed.checked_add(1).ok_or_else(wrong)?);
    }
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let (from, to) = (from.parse().map_err(|_| wrong())?, to.parse().map_err(|_| wrong())?);
    if from > to {
        return Err(format!("`{text}` runs backwards"));
    }
    if to - from > SEEDS_MAX {
        return Err(format!("more than {SEEDS_MAX} seeds; run them in parts"));
    }
    Ok(from..to)
}
