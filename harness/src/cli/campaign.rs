//! `aftermath campaign`.

use super::args::CampaignArgs;
use super::exit::Exit;
use super::failures::{self, Unwritten};
use super::interrupt;
use super::output::{Output, colour, complain, disagree, usage};
use super::progress::Progress;
use super::selection::{describe, known, load};
use crate::campaign::{Block, Disagreement, Finished, Numbers, numbers, run_units};
use crate::joined::{Joined, Told};
use crate::journal::{Journal, Shard, lock_of};
use crate::judgement::Expected;
use crate::manifest::Manifest;
use aftermath_reports::record::Status;
use aftermath_reports::words::plural;
use aftermath_reports::{table, write};
use aftermath_systems::strategies::Registry;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Most runs of one command: of each, a few bytes are in memory.
const RUNS_MAX: u64 = 50_000_000;

/// Runs what of a campaign is not yet done, and writes the report of what is.
pub fn campaign(args: &CampaignArgs, registry: &Registry) -> Exit {
    let scenarios = match load(&args.scenarios, registry) {
        Ok(scenarios) => scenarios,
        Err(message) => return usage(&message),
    };
    if let Err(message) = known(&args.selection.strategy, registry) {
        return usage(&message);
    }
    let campaign = args.selection.campaign(&scenarios);
    let runs = campaign.runs();
    if runs > RUNS_MAX {
        return usage(&format!(
            "error: {runs} runs, at most {RUNS_MAX} in one folder; take fewer seeds with --seeds\n"
        ));
    }
    if let Err(message) = campaign.check(registry) {
        return usage(&format!("error: {message}\n"));
    }
    let blocks = campaign.blocks();
    let shard = args.shard.unwrap_or(Shard::WHOLE);
    if !numbers(&blocks).any(|unit| shard.has(unit.unit)) {
        complain("nothing ran: no run is left by the seeds, strategies and shard asked for\n");
        return Exit::NothingRan;
    }
    // Before anything is seen of it.
    let stop = interrupt::listen();
    let manifest = Manifest::of(&blocks);
    let mut lock = match lock_of(&args.out, &manifest, shard) {
        Ok(lock) => lock,
        Err(message) => return usage(&format!("error: {message}\n")),
    };
    let Ok(_held) = lock.try_write() else {
        return usage(&format!(
            "error: another process is at work in {}; wait for it, or give another --out\n",
            args.out.display()
        ));
    };
    let journal = match Journal::open(&args.out, &manifest, shard) {
        Ok(journal) => journal,
        Err(message) => return usage(&format!("error: {message}\n")),
    };
    let mut output = Output::default();
    for scenario in &scenarios {
        output.print(&describe(scenario, &campaign));
    }
    let sitting = Sitting { args, blocks: &blocks, manifest: &manifest, shard, journal: &journal };
    let (ended, planned) = sitting.run(campaign.jobs, registry, stop, &mut output);
    if let Some(message) = journal.failure() {
        return usage(&format!("error: {message}\n"));
    }
    let (told, all_shrunk) = match sitting.report(registry, stop, &mut output) {
        Ok(told) => told,
        Err(exit) => return exit,
    };
    if let Some(rate) = ended.rate {
        output.print(&format!("{rate}\n"));
    }
    let done = told.report.runs;
    let complete = done >= planned;
    if complete && let Err(message) = journal.finish() {
        return usage(&format!("error: {message}\n"));
    }
    if let (count, Some(replay)) = &told.differ {
        let first = Disagreement { replay: replay.clone(), twin: false, told: String::new() };
        return disagree(&ended.differ.unwrap_or(first), *count);
    }
    if !complete {
        complain(&format!(
            "{}: {done} of {planned} runs are done and written to {}; the same command goes on\n",
            ended.why,
            args.out.display()
        ));
        if stop.load(Ordering::Relaxed) {
            return Exit::Interrupted;
        }
    } else if !all_shrunk {
        complain(&format!(
            "interrupted: all runs are done, and not all failures in {} are as small as they can \
             be; the same command goes on\n",
            args.out.join("failures").display()
        ));
        return Exit::Interrupted;
    }
    output.exit(verdict(&told))
}

/// Broken over inconclusive over held, of what was run.
fn verdict(told: &Told) -> Exit {
    let any = |status| told.report.cases.iter().any(|case| case.status == status);
    if told.report.runs == 0 {
        Exit::NothingRan
    } else if !told.failures.is_empty() || any(Status::Broken) {
        Exit::Broken
    } else if any(Status::Inconclusive) {
        Exit::Inconclusive
    } else {
        Exit::Held
    }
}

/// One process at work on a campaign.
struct Sitting<'a> {
    args: &'a CampaignArgs,
    blocks: &'a [Block<'a>],
    manifest: &'a Manifest,
    shard: Shard,
    journal: &'a Journal,
}

/// How the runs came to an end.
struct Ended {
    /// Why, if not all are done.
    why: &'static str,
    /// Runs and runs a second, if there were any.
    rate: Option<String>,
    /// The first run in which two worlds differ, with how.
    differ: Option<Disagreement>,
}

impl Sitting<'_> {
    /// Runs what is missing; how it ended, and the number of runs that there are to be.
    fn run(
        &self,
        jobs: usize,
        registry: &Registry,
        stop: &AtomicBool,
        output: &mut Output,
    ) -> (Ended, u64) {
        let (mut planned, mut missing) = (0, 0);
        let mut wanted: Vec<(u32, u32)> = Vec::new();
        let own = |unit: &Numbers| self.shard.has(unit.unit);
        for unit in numbers(self.blocks).filter(own) {
            let runs = unit.runs.end - unit.runs.start;
            planned += runs;
            if !self.journal.has(unit.runs) {
                missing += runs;
                wanted.push((unit.seed, unit.unit));
            }
        }
        // Seed by seed: what is done in half the time says something about every case.
        wanted.sort_unstable();
        let wanted: Vec<u32> = wanted.into_iter().map(|(_, unit)| unit).collect();
        let part = if self.shard == Shard::WHOLE {
            String::new()
        } else {
            format!(" in shard {}", self.shard)
        };
        let done = planned - missing;
        output.print(&format!("  {planned} runs{part}, {done} of them done before\n"));
        let expected: Vec<&Expected> = self.manifest.cases().map(|(_, c)| &c.expected).collect();
        let progress = Progress::new(missing);
        let differ: Mutex<Option<Disagreement>> = Mutex::new(None);
        let (broken, lost) = (AtomicBool::new(false), AtomicBool::new(false));
        let late = || self.args.time_limit.is_some_and(|limit| progress.elapsed() >= limit);
        let finished = |_: u32, block: usize, of_unit: Finished| {
            let failing = of_unit.0.iter().filter(|record| expected[block].fails(record)).count();
            if !self.journal.append(&of_unit) {
                lost.store(true, Ordering::Relaxed);
            }
            if failing > 0 && self.args.fail_fast {
                broken.store(true, Ordering::Relaxed);
            }
            progress.add(of_unit.0.len() as u64, failing as u64);
            if let Some(first) = of_unit.1.into_iter().next() {
                differ.lock().expect("no run panicked").get_or_insert(first);
            }
        };
        let set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        let stopped = || set(stop) || set(&broken) || set(&lost) || late();
        run_units(self.blocks, &wanted, jobs, registry, &finished, &stopped);
        progress.clear();
        let why = match () {
            () if set(stop) => "interrupted",
            () if set(&broken) => "stopped at a broken run",
            () => "the time is up",
        };
        let runs = plural(progress.done(), "run");
        let rate = format!("{runs} in this sitting, {:.0} a second", progress.rate());
        let rate = (progress.done() > 0).then_some(rate);
        (Ended { why, rate, differ: differ.into_inner().expect("no run panicked") }, planned)
    }

    /// Prints and writes the report of all that is done; whether Ctrl-C left time to shrink the
    /// failures.
    fn report(
        &self,
        registry: &Registry,
        stop: &AtomicBool,
        output: &mut Output,
    ) -> Result<(Told, bool), Exit> {
        let failed = |message: String| usage(&format!("error: {message}\n"));
        let joined = Joined::read(&[self.journal.path().to_path_buf()]).map_err(failed)?;
        let told = joined.tell().map_err(failed)?;
        let out = &self.args.out;
        // What can fail or take its time comes after the report.
        let written = write::write_report(out, &told.report, |file| joined.write(file));
        let written = written.map_err(|error| failed(error.to_string()))?;
        output.print(&table::render(&told.report, colour()));
        let limits = (self.args.shrink, stop);
        let smaller = failures::write(out, &told.failures, self.blocks, registry, limits);
        let smaller = smaller.map_err(|e| match e {
            Unwritten::Disk(message) => failed(message),
            Unwritten::Bug(message) => {
                complain(&format!("a bug of aftermath: {message}\n"));
                Exit::Bug
            }
        })?;
        output.print(&failures::told(&told.failures, &smaller));
        output.print(&format!("\nreport: {}\n", written.report.display()));
        Ok((told, !smaller.interrupted))
    }
}
