//! `aftermath run`.

use super::args::{Format, RunArgs, Selection};
use super::exit::Exit;
use super::interrupt;
use super::output::{Output, complain, usage};
use super::progress;
use crate::campaign::{Campaign, Disagreement, KEPT_MAX, Outcome};
use crate::config::{InputConfig, Scenario};
use crate::journal::is_of_campaign;
use crate::{formulas, scenario};
use aftermath_reports::files::jsonl;
use aftermath_reports::record::{CaseResult, Status};
use aftermath_reports::summary::Report;
use aftermath_reports::{table, write};
use aftermath_systems::options::format_duration;
use aftermath_systems::strategies::Registry;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Runs scenarios, prints the tables and writes the report.
pub fn run(args: &RunArgs, registry: &Registry) -> Exit {
    let scenarios = match load(&args.scenarios, registry) {
        Ok(scenarios) => scenarios,
        Err(message) => return usage(&message),
    };
    if let Err(message) = known(&args.selection.strategy, registry) {
        return usage(&message);
    }
    if let Err(message) = make_folder(&args.out) {
        return usage(&message);
    }
    let campaign = args.selection.campaign(&scenarios);
    let runs = campaign.runs();
    if runs > KEPT_MAX {
        return usage(&format!(
            "error: {runs} runs, at most {KEPT_MAX} at once; take fewer seeds with --seeds\n"
        ));
    }
    if let Err(message) = campaign.check(registry) {
        return usage(&format!("error: {message}\n"));
    }
    // Before anything is seen of it.
    let stop = interrupt::listen();
    let human = args.format == Format::Human;
    let mut output = Output::default();
    if human {
        for scenario in &scenarios {
            output.print(&describe(scenario, &campaign));
        }
    }
    let bar = progress::bar(campaign.runs());
    let outcome = campaign.run_until(registry, &|_| bar.inc(1), stop);
    bar.finish_and_clear();
    let missing = campaign.runs() - outcome.records.len() as u64;
    let interrupted = stop.load(Ordering::Relaxed) && missing > 0;
    if outcome.records.is_empty() {
        if interrupted {
            complain("interrupted before the first run was done; nothing is written\n");
            return Exit::Interrupted;
        }
        complain(
            "nothing ran: no case of the scenarios is left by the seeds and strategies asked for\n",
        );
        return Exit::NothingRan;
    }
    let report = Report::of(&outcome.records, &outcome.cases);
    match args.format {
        Format::Human => {
            output.print(&table::render(&report, colour()));
            if args.schedules {
                output.print(&format!("\n{}", table::schedules(&outcome.records)));
            }
        }
        Format::Json => output.print(&jsonl(&outcome.records)),
    }
    let lines = |file: &mut dyn Write| file.write_all(jsonl(&outcome.records).as_bytes());
    match write::write_report(&args.out, &report, lines) {
        Ok(written) if human => {
            output.print(&format!("\nreport: {}\n", written.report.display()));
        }
        Ok(_) => {}
        Err(error) => return usage(&format!("error: {error}\n")),
    }
    if let Some(first) = outcome.disagreements.first() {
        return disagree(first, outcome.disagreements.len() as u64);
    }
    if interrupted {
        let done = outcome.records.len();
        complain(&format!(
            "interrupted: {done} of {} runs are done and written to {}; cases that lack runs are \
             not judged as a whole\n",
            campaign.runs(),
            args.out.display()
        ));
        return Exit::Interrupted;
    }
    output.exit(verdict(&outcome))
}

/// Whether stdout is to be coloured: it is a terminal, and `NO_COLOR`, `CLICOLOR` and
/// `CLICOLOR_FORCE` agree.
pub fn colour() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}

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

/// Shows a run in which two worlds differ, and how many there are.
pub fn disagree(first: &Disagreement, count: u64) -> Exit {
    let Disagreement { replay, twin, told } = first;
    let which = if *twin { "the twin of one" } else { "one of them" };
    complain(&format!(
        "the two worlds differ in {count} runs, which is a bug of aftermath; {which}:\n\
         {replay}\n{told}"
    ));
    Exit::Bug
}

/// Broken over inconclusive over held. A run that is broken as its case expects is no surprise,
/// and still makes the exit code 1 unless the case says so.
fn verdict(outcome: &Outcome) -> Exit {
    let any = |status| outcome.cases.iter().any(|case: &CaseResult| case.status == status);
    if any(Status::Broken) {
        Exit::Broken
    } else if any(Status::Inconclusive) {
        Exit::Inconclusive
    } else {
        Exit::Held
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

/// Makes the folder of a report: before hours of work, not after.
pub fn make_folder(out: &Path) -> Result<(), String> {
    if is_of_campaign(out) {
        return Err(format!(
            "error: {} is the folder of a campaign, whose records this would replace; give another \
             --out\n",
            out.display()
        ));
    }
    std::fs::create_dir_all(out)
        .map_err(|error| format!("error: cannot write to {}: {error}\n", out.display()))
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
        "  {} at {}/s through `{}`, {} protected; seeds {}..{}, {} runs\n",
        tuples,
        config.rate_per_s,
        config.pipeline,
        config.protect.join(" and "),
        seeds.start,
        seeds.end,
        runs,
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
