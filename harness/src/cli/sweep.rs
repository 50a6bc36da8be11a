//! `aftermath sweep`.

use super::args::SweepArgs;
use super::exit::Exit;
use super::folder::Folder;
use super::interrupt;
use super::output::{Output, colour, complain, usage};
use super::progress;
use super::selection::{jobs, known, load};
use crate::config::{Case, Expect, FaultConfig, Scenario};
use crate::plan::{RunPlan, settled};
use crate::record::path_word;
use crate::scenario::{self, Heading, write_faults as faults};
use crate::seed::Seed;
use crate::sweep::{Found, Lengths, Sweep, Swept, cells, part, written};
use aftermath_reports::files::write_whole;
use aftermath_reports::sweep::{SweepCell, table};
use aftermath_reports::words::distinct;
use aftermath_reports::write::write_sweep;
use aftermath_systems::options::format_duration;
use aftermath_systems::strategies::Registry;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::Ordering;

/// Rows of the table, unless all are asked for.
const ROWS: usize = 20;
/// Runs that are shown when verdicts differ.
const SHOWN: usize = 5;

/// Everything that was swept so far.
#[derive(Default)]
struct Whole {
    cells: Vec<SweepCell>,
    runs: u64,
    /// Failures that never came.
    unreached: u64,
    /// Two verdicts on one run, told.
    disagreements: Vec<String>,
    /// It was stopped before all was tried.
    interrupted: bool,
}

/// Sweeps a scenario, prints the table and writes the files.
pub fn sweep(args: &SweepArgs, registry: &Registry) -> Exit {
    let scenarios = match load(std::slice::from_ref(&args.scenario), registry) {
        Ok(scenarios) => scenarios,
        Err(message) => return usage(&message),
    };
    let scenario = &scenarios[0];
    if let Err(message) = known(&args.strategy, registry) {
        return usage(&message);
    }
    let chosen = match chosen(scenario, args) {
        Ok(chosen) => chosen,
        Err(message) => return usage(&format!("error: {message}\n")),
    };
    if chosen.is_empty() {
        complain("nothing ran: no case of the scenario is left by what was asked for\n");
        return Exit::NothingRan;
    }
    let stop = interrupt::listen();
    let points = Folder::make(&args.out.join("points"));
    if let Err(message) = points.as_ref().and(Folder::make(&args.out).as_ref()) {
        return usage(message);
    }
    let mut output = Output::default();
    let mut whole = Whole::default();
    let bar = progress::count();
    let seed = args.seed.unwrap_or(scenario.seeds.start);
    for (nth, case) in chosen.iter().enumerate() {
        let sweep = Sweep {
            case,
            registry,
            seed,
            lengths: lengths(args, case, registry),
            audit_millionths: args.audit,
            limit: args.limit.map(NonZeroUsize::get),
            pairs: args.second.then(|| part(args.pairs.get(), nth, chosen.len())),
            jobs: jobs(args.jobs),
        };
        let swept = sweep.run(stop, &|| bar.inc(1));
        bar.suspend(|| output.print(&account(&sweep, &swept)));
        if let Err(message) = whole.add(args, scenario, &sweep, &swept) {
            return usage(&format!("error: {message}\n"));
        }
        whole.interrupted |= swept.interrupted;
        if stop.load(Ordering::Relaxed) {
            whole.interrupted |= nth + 1 < chosen.len();
            break;
        }
    }
    bar.finish_and_clear();
    // Wall time is for whoever waits; it is in no file.
    let per_s = bar.position() as f64 / bar.elapsed().as_secs_f64().max(1e-9);
    complain(&format!("{:.1} s, {per_s:.0} runs a second\n", bar.elapsed().as_secs_f64()));
    finish(args, scenario, &whole, &mut output)
}

/// The cases that are to be swept.
fn chosen<'a>(scenario: &'a Scenario, args: &SweepArgs) -> Result<Vec<&'a Case>, String> {
    let mut cases: Vec<&Case> = scenario.cases.iter().collect();
    if let Some(name) = &args.case {
        cases.retain(|case| case.name == *name);
        if cases.is_empty() {
            let names = distinct(scenario.cases.iter().map(|case| case.name.clone()));
            let (path, names) = (&scenario.path, names.join(", "));
            return Err(format!("{path} has no case `{name}`; there are: {names}"));
        }
    }
    let wanted = |case: &&Case| {
        args.strategy.is_empty() || args.strategy.iter().any(|name| case.config.uses(name))
    };
    cases.retain(wanted);
    let longest = args.for_ns.max(args.first_for_ns).unwrap_or(0);
    if let Some(case) = cases.iter().find(|case| longest > case.config.longest_ns()) {
        return Err(format!(
            "case `{}` can be run for at most {}, so no machine can fail for {}; shorten --for",
            case.name,
            format_duration(case.config.longest_ns()),
            format_duration(longest)
        ));
    }
    match cases.iter().find(|case| case.config.swarm.is_some()) {
        Some(case) => Err(format!(
            "the faults of case `{}` are drawn by a swarm; write them down as [[fault]] first, \
             see `run --schedules`",
            case.name
        )),
        None => Ok(cases),
    }
}

/// How long machines fail; unless somebody says so, until a spare has taken over.
fn lengths(args: &SweepArgs, case: &Case, registry: &Registry) -> Lengths {
    let plan = RunPlan::twin(&case.config, registry, Seed(0));
    let settings = &plan.systems.settings;
    let usual = || settings.suspect_after() + 2 * settings.redirect;
    let last_ns = args.for_ns.unwrap_or_else(usual);
    Lengths { first_ns: args.first_for_ns.unwrap_or(last_ns), last_ns }
}

/// What was swept, in numbers.
fn account(sweep: &Sweep, swept: &Swept) -> String {
    let points = swept.points.list.len();
    let runs = swept.found.len();
    let share =
        |count: usize| format!("{count} ({:.1} %)", 100.0 * count as f64 / runs.max(1) as f64);
    let count = |what: &dyn Fn(&Found) -> bool| swept.found.iter().filter(|f| what(f)).count();
    let early = count(&|found| found.early);
    let audited = count(&|found| found.audit.is_some());
    let differ = count(&|found| matches!(found.audit, Some(Some(_))));
    let covered = count(&|found| found.verdict.as_ref().is_some_and(|verdict| verdict.covered));
    let never = count(&|found| found.verdict.is_none() && !found.late);
    let late = count(&|found| found.late);
    let Lengths { first_ns, last_ns } = sweep.lengths;
    let (what, away) = match sweep.pairs {
        Some(_) if first_ns != last_ns => {
            let (first, last) = (format_duration(first_ns), format_duration(last_ns));
            ("pairs of failures", format!("{first} and then {last}"))
        }
        Some(_) => ("pairs of failures", format_duration(last_ns)),
        None => ("runs", format_duration(last_ns)),
    };
    let mut text = format!(
        "{}, case {}, seed {}: {points} protocol points of {} kinds, {} of them the same as the \
         one before\n  {runs} {what}, machines away for {away}; ended early {}, audited {}, \
         disagreements {differ}, covered by a claim {}\n",
        sweep.case.config.label(),
        sweep.case.name,
        sweep.seed,
        swept.points.kinds.len(),
        swept.merged,
        share(early),
        share(audited),
        share(covered),
    );
    if late > 0 {
        text += &format!("  {late} of them too late: everything was over, and nothing strikes\n");
    }
    if never > 0 {
        text += &format!("  {never} failures never came: what they waited for was not reached\n");
    }
    text
}

impl Whole {
    /// Adds what was found, and writes a scenario for the first run of each cell that breaks its
    /// claim.
    fn add(
        &mut self,
        args: &SweepArgs,
        scenario: &Scenario,
        sweep: &Sweep,
        swept: &Swept,
    ) -> Result<(), String> {
        self.runs += swept.found.len() as u64;
        self.unreached +=
            swept.found.iter().filter(|f| f.verdict.is_none() && !f.late).count() as u64;
        let label = sweep.case.config.label();
        let written_of = |found: &Found| -> Vec<FaultConfig> {
            let plan = RunPlan::twin(&sweep.case.config, sweep.registry, Seed(sweep.seed));
            written(&plan.systems, &found.failures, sweep.lengths)
        };
        for found in &swept.found {
            if let Some(Some(how)) = &found.audit {
                self.disagreements.push(format!("{label}:\n{}{how}\n", faults(&written_of(found))));
            }
        }
        let names = (scenario.name.as_str(), sweep.case.name.as_str(), label.as_str());
        for gathered in cells(swept, names) {
            let mut cell = gathered.cell;
            if let Some(found) = gathered.broken.map(|nth| &swept.found[nth]) {
                let number = self.cells.len() + 1;
                let path = args.out.join("points").join(format!("{label}-{number}.toml"));
                write_replay(sweep, written_of(found), &path)?;
                let path = path_word(&path.to_string_lossy());
                cell.replay = Some(format!("{} run {path}", scenario.program));
            }
            self.cells.push(cell);
        }
        Ok(())
    }
}

/// Writes a scenario that shows one run of a sweep alone.
fn write_replay(sweep: &Sweep, failures: Vec<FaultConfig>, path: &Path) -> Result<(), String> {
    let mut config = sweep.case.config.clone();
    // Of a stratified case the first stratum is swept.
    config.faults = settled(&config.faults, &config, (Seed(sweep.seed), 0));
    config.faults.extend(failures);
    let heading = Heading {
        about: "",
        seeds: sweep.seed..sweep.seed.saturating_add(1),
        expect: &Expect::default(),
        directory: path.parent().unwrap_or(Path::new("")),
    };
    write_whole(path, &scenario::write(&heading, &config, sweep.registry))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Prints the table, writes the files and says how the program ends.
fn finish(args: &SweepArgs, scenario: &Scenario, whole: &Whole, output: &mut Output) -> Exit {
    let rows = if args.all { usize::MAX } else { ROWS };
    let cases = distinct(whole.cells.iter().map(|cell| cell.case.clone()));
    for case in &cases {
        let mut cells = whole.cells.clone();
        cells.retain(|cell| cell.case == *case);
        output.print(&format!("\n{}, case {case}\n", scenario.name));
        output.print(&table(&cells, rows, colour()));
    }
    for cell in whole.cells.iter().filter(|cell| cell.replay.is_some()) {
        let replay = cell.replay.as_deref().unwrap_or_default();
        output.print(&format!(
            "broken: {}, {}: {}\n  {replay}\n",
            cell.strategy,
            cell.fault,
            cell.row()
        ));
    }
    if let Err(error) = write_sweep(&args.out, &scenario.name, &whole.cells) {
        return usage(&format!("error: {error}\n"));
    }
    output.print(&format!("\nheat map: {}\n", args.out.join("sweep.svg").display()));
    if whole.unreached > 0 || !whole.disagreements.is_empty() {
        complain(&format!(
            "{} of the audited runs have another verdict from start to end, and {} failures never \
             came, which is a bug of aftermath\n{}",
            whole.disagreements.len(),
            whole.unreached,
            whole.disagreements.iter().take(SHOWN).cloned().collect::<String>()
        ));
        return Exit::Bug;
    }
    if whole.interrupted {
        complain(&format!(
            "interrupted: {} runs are done and written to {}\n",
            whole.runs,
            args.out.display()
        ));
        return Exit::Interrupted;
    }
    let broken = whole.cells.iter().any(|cell| cell.tally.broken > 0);
    output.exit(if broken { Exit::Broken } else { Exit::Held })
}
