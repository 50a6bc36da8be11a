//! What the command line takes.

use super::help;
use super::values::{at_least_one, instants, jobs, seed, seeds, shard, steps, time_limit};
use crate::config::Worlds;
use crate::journal::Shard;
use crate::scenario::parameter::Amount;
use crate::search::Until;
use aftermath_systems::options::{parse_duration, parse_percent};
use aftermath_systems::protocol::Nanos;
use clap::builder::PossibleValue;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

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
    /// Run scenarios and say what is another than in a baseline; silent if nothing is
    Check(CheckArgs),
    /// Run scenarios over many seeds: in parts, resumable, nothing per run in memory
    Campaign(CampaignArgs),
    /// Find the value of one setting from which on something breaks
    Search(SearchArgs),
    /// Run one run of a scenario again, twice, and show what happened
    Replay(ReplayArgs),
    /// Make a broken run the smallest scenario that still shows the same violation
    Shrink(ShrinkArgs),
    /// Let a machine fail at every protocol point of a scenario and judge each run
    Sweep(SweepArgs),
    /// Write the report again from records alone
    Report(ReportArgs),
    /// List strategies, pipelines, faults, points, quantities, formulas, planted bugs and keys
    List(ListArgs),
    /// Print a JSON schema of scenarios, for editors
    Schema(SchemaArgs),
    /// Print a script that completes this command line in a shell
    Completions(CompletionsArgs),
}

// A comment for readers of the help would stand above that of every command.
#[derive(ClapArgs, Debug)]
pub struct Selection {
    /// Only this strategy; may be given several times
    #[arg(long, value_name = "NAME")]
    pub strategy: Vec<String>,
    /// Seeds from A up to but not including B; default: the scenario's
    #[arg(long, value_name = "A..B", value_parser = seeds)]
    pub seeds: Option<Range<u64>>,
    /// Runs at once; default: the number of cores
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<u16>,
    /// Where to run it; both must agree exactly. Default: the scenario's, or events
    #[arg(long, value_enum, value_name = "WORLD")]
    pub world: Option<Worlds>,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = help::RUN)]
pub struct RunArgs {
    /// Scenario files (TOML)
    #[arg(required = true, value_name = "SCENARIO")]
    pub scenarios: Vec<PathBuf>,
    #[command(flatten)]
    pub selection: Selection,
    /// Folder for records.jsonl, cases.jsonl, summary.csv, summary.md, junit.xml, report.html and
    /// plots
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
#[command(after_help = help::CHECK)]
pub struct CheckArgs {
    /// Scenario files (TOML)
    #[arg(required = true, value_name = "SCENARIO")]
    pub scenarios: Vec<PathBuf>,
    #[command(flatten)]
    pub selection: Selection,
    /// The file of the baseline (TOML)
    #[arg(long, value_name = "FILE")]
    pub baseline: PathBuf,
    /// Write what is measured now into the baseline, and say what it changes there
    #[arg(long)]
    pub bless: bool,
    /// The baseline has nothing else: what it has of other scenarios and strategies is gone
    #[arg(long)]
    pub all: bool,
    /// Folder for a report, as `run` writes it; default: none is written
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = help::CAMPAIGN)]
pub struct CampaignArgs {
    /// Scenario files (TOML)
    #[arg(required = true, value_name = "SCENARIO")]
    pub scenarios: Vec<PathBuf>,
    #[command(flatten)]
    pub selection: Selection,
    /// Only the I-th of N parts, from 1; every part has some seeds of each case
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub shard: Option<Shard>,
    /// Start no run after so long: 90s, 10m, 2h; the same command goes on later
    #[arg(long, value_name = "TIME", value_parser = time_limit)]
    pub time_limit: Option<Duration>,
    /// Start no run after the first broken one
    #[arg(long, conflicts_with = "keep_going")]
    pub fail_fast: bool,
    /// Go on after broken runs, which is the default
    #[arg(long)]
    pub keep_going: bool,
    /// Runs to shrink the first failure of each of five kinds with, into failures/; 0: do not
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub shrink: u32,
    /// Folder of the campaign; if it has been there before, what is missing is run
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = help::SEARCH)]
pub struct SearchArgs {
    /// The scenario file
    #[arg(value_name = "SCENARIO")]
    pub scenario: PathBuf,
    /// The setting, as in a case's `set`: fault.0.for, timing.interval
    #[arg(long, value_name = "PATH")]
    pub parameter: String,
    /// Its first value: 3, 250ms, 2.5%
    #[arg(long, value_name = "X", value_parser = Amount::parse, allow_hyphen_values = true)]
    pub from: Amount,
    /// Its last value
    #[arg(long, value_name = "Y", value_parser = Amount::parse, allow_hyphen_values = true)]
    pub to: Amount,
    /// What to look for in any run: broken, lost, duplicates, "recovery.r2 > 500ms"
    #[arg(long, value_name = "WHAT", default_value = "broken", value_parser = Until::parse)]
    pub until: Until,
    /// Parts of the grid that is tried first
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = steps())]
    pub steps: u64,
    /// Only this case
    #[arg(long, value_name = "NAME")]
    pub case: Option<String>,
    #[command(flatten)]
    pub selection: Selection,
    /// Folder for search.csv, search.jsonl, search.svg and search.png
    #[arg(long, value_name = "DIR", default_value = "aftermath-search")]
    pub out: PathBuf,
    /// What to print: a table, or one JSON line a case and strategy
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}

#[derive(ClapArgs, Debug)]
pub struct OneRun {
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
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
    /// The stratum of a stratified case
    #[arg(long, value_name = "N")]
    pub stratum: Option<u32>,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = help::REPLAY)]
pub struct ReplayArgs {
    #[command(flatten)]
    pub run: OneRun,
    /// Where to run it; both must agree exactly. Default: the scenario's, or events
    #[arg(long, value_enum, value_name = "WORLD")]
    pub world: Option<Worlds>,
    /// Also print every event of every node and its effects: all, or with --trace=1.5s..2s those
    /// from 1.5 s on and before 2 s
    #[arg(long, value_name = "FROM..UNTIL", num_args = 0..=1, require_equals = true,
        default_missing_value = "..", value_parser = instants)]
    pub trace: Option<Range<Nanos>>,
    /// What to print: an account for people, or the record as JSON
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = help::SWEEP)]
pub struct SweepArgs {
    /// The scenario file
    #[arg(value_name = "SCENARIO")]
    pub scenario: PathBuf,
    /// The case; default: all
    #[arg(long, value_name = "NAME")]
    pub case: Option<String>,
    /// Only this strategy; may be given several times
    #[arg(long, value_name = "NAME")]
    pub strategy: Vec<String>,
    /// The seed; default: the scenario's first
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
    /// How long a failure lasts; default: until it is suspected, and two redirects
    #[arg(long = "for", value_name = "SPAN", value_parser = parse_duration)]
    pub for_ns: Option<u64>,
    /// How long the first of two failures lasts; default: as long as the second. Try a long one,
    /// too: what was lost long ago is easily forgotten
    #[arg(long = "first-for", value_name = "SPAN", value_parser = parse_duration,
        requires = "second", conflicts_with = "limit")]
    pub first_for_ns: Option<u64>,
    /// Two failures: one first place of each kind, where a machine may also stand still, and every
    /// place from there until recovery
    #[arg(long)]
    pub second: bool,
    /// At most so many pairs of failures, over all cases and strategies
    #[arg(long, value_name = "N", default_value = "200000", requires = "second",
        value_parser = at_least_one)]
    pub pairs: NonZeroUsize,
    /// At most so many places of each case and strategy, spread evenly; default: all
    #[arg(long, value_name = "N", conflicts_with = "second", value_parser = at_least_one)]
    pub limit: Option<NonZeroUsize>,
    /// How many of the runs are also run from start to end, and must have the same verdict
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = parse_percent)]
    pub audit: u32,
    /// Runs at once; default: the number of cores
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<u16>,
    /// Folder for sweep.jsonl, sweep.csv, the heat map, and scenarios that show what is broken
    #[arg(long, value_name = "DIR", default_value = "aftermath-out")]
    pub out: PathBuf,
    /// Print every row of the table
    #[arg(long)]
    pub all: bool,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = help::SHRINK)]
pub struct ShrinkArgs {
    #[command(flatten)]
    pub run: OneRun,
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
    /// Files of records, as `run` and `campaign` write them, or parts of such files
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
    /// Of keys only this one, and what is in it: timing.interval, fault.0.at, faults
    #[arg(value_name = "KEY")]
    pub key: Option<String>,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = help::SCHEMA)]
pub struct SchemaArgs {}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    Strategies,
    Pipelines,
    Faults,
    Formulas,
    Quantities,
    PlantedBugs,
    Points,
    Keys,
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
