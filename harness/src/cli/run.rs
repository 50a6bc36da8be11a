//! `aftermath run`.

use super::args::{Format, RunArgs};
use super::exit::Exit;
use super::folder::Folder;
use super::interrupt;
use super::output::{Output, colour, complain, disagree, usage};
use super::progress;
use super::selection::{describe, known, load};
use crate::campaign::{KEPT_MAX, Outcome};
use aftermath_reports::files::jsonl;
use aftermath_reports::record::{CaseResult, Status};
use aftermath_reports::summary::Report;
use aftermath_reports::{table, write};
use aftermath_systems::strategies::Registry;
use std::io::Write;
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
    let _folder = match Folder::of_report(&args.out) {
        Ok(folder) => folder,
        Err(message) => return usage(&message),
    };
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
    let mut report = Report::of(&outcome.records, &outcome.cases);
    report.planned = Some(campaign.runs());
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
