//! `aftermath check`: runs held against a baseline. Silent if nothing has changed.

use super::args::CheckArgs;
use super::exit::Exit;
use super::folder::{Folder, folder_of};
use super::interrupt;
use super::output::{Output, complain, disagree, harmless, usage};
use super::progress;
use super::selection::{known, load};
use crate::baseline::{Baseline, Compared, Name, RUNS_MAX, Rows, compare, rows};
use crate::campaign::{Campaign, Outcome};
use crate::config::Scenario;
use crate::scenario::diagnostic::nearest;
use aftermath_reports::record::{CaseResult, Record, Status};
use aftermath_reports::summary::{BaselineCheck, Report};
use aftermath_reports::words::run_name;
use aftermath_reports::write::is_file_of_report;
use aftermath_reports::{files, write};
use aftermath_systems::strategies::Registry;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Runs scenarios and says what is another than in the baseline, or writes that.
pub fn check(args: &CheckArgs, registry: &Registry) -> Exit {
    let scenarios = match load(&args.scenarios, registry) {
        Ok(scenarios) => scenarios,
        Err(message) => return usage(&message),
    };
    if let Err(message) = known(&args.selection.strategy, registry) {
        return usage(&message);
    }
    let campaign = args.selection.campaign(&scenarios);
    // Before hours of work, not after.
    let mut baseline = match baseline(args, &scenarios) {
        Ok(baseline) => baseline,
        Err(message) => return usage(&harmless(&format!("error: {message}\n"))),
    };
    let runs = campaign.runs();
    if runs > RUNS_MAX as u64 {
        return usage(&format!(
            "error: {runs} runs, at most {RUNS_MAX} in a baseline; take fewer seeds with --seeds\n"
        ));
    }
    if let Err(message) = campaign.check(registry) {
        return usage(&format!("error: {message}\n"));
    }
    if runs == 0 {
        complain(
            "nothing ran: no case of the scenarios is left by the seeds and strategies asked for\n",
        );
        return Exit::NothingRan;
    }
    let stop = interrupt::listen();
    let written = followed(&args.baseline);
    let of_baseline = args.bless.then(|| Folder::of_file(&written)).transpose();
    let of_report = args.out.as_deref().map(Folder::of_report).transpose();
    if let Err(message) = of_baseline.as_ref().and(of_report.as_ref()) {
        return usage(message);
    }
    if args.out.as_deref().is_some_and(|out| is_of_report(out, &written)) {
        return usage(&format!(
            "error: {} is a file of the report in --out; give the baseline another name\n",
            args.baseline.display()
        ));
    }
    let bar = progress::bar(runs);
    let outcome = campaign.run_until(registry, &|_| bar.inc(1), stop);
    bar.finish_and_clear();
    if stop.load(Ordering::Relaxed) && (outcome.records.len() as u64) < runs {
        complain("interrupted: nothing was compared, and nothing is written\n");
        return Exit::Interrupted;
    }
    if let Some(first) = outcome.disagreements.first() {
        return disagree(first, outcome.disagreements.len() as u64);
    }
    let found = Found::of(&campaign, &outcome, &baseline, args.all);
    let mut output = Output::default();
    output.print(&harmless(&found.text()));
    let (now, fails) = (found.now, found.changed && !args.bless);
    let failed = fails || !found.wrong.is_empty();
    let told = BaselineCheck { wrong: found.wrong, changed: found.lines, fails };
    if let Err(message) = finish(args, &campaign, &outcome, &mut baseline, now, told) {
        return usage(&format!("error: {message}\n"));
    }
    if args.bless {
        output.print(&format!("baseline: {}\n", args.baseline.display()));
    }
    output.exit(if failed { Exit::Broken } else { Exit::Held })
}

/// Writes the report and the baseline, as far as they are wanted.
fn finish(
    args: &CheckArgs,
    campaign: &Campaign,
    outcome: &Outcome,
    baseline: &mut Baseline,
    now: Rows,
    told: BaselineCheck,
) -> Result<(), String> {
    if let Some(out) = &args.out {
        let records = &outcome.records;
        let lines = |file: &mut dyn Write| file.write_all(files::jsonl(records).as_bytes());
        let baseline = Some(told);
        let report = Report { baseline, ..Report::of(records, &outcome.cases) };
        write::write_report(out, &report, lines).map_err(|error| error.to_string())?;
    }
    if args.bless {
        // Another process may have written what it was asked for.
        if let Some(there) = Baseline::read(&args.baseline)? {
            *baseline = there;
        }
        // What was not asked for stays as it is.
        baseline.rows.retain(|name, _| !args.all && !asked(campaign, name));
        baseline.rows.extend(now);
        let shown = args.baseline.display();
        let written = baseline.write(&followed(&args.baseline));
        written.map_err(|error| format!("{shown} cannot be written: {error}"))?;
    }
    Ok(())
}

/// Where a link leads, or the path itself: a link stays one.
fn followed(path: &Path) -> PathBuf {
    let to = |to: PathBuf| path.parent().unwrap_or(Path::new("")).join(to);
    path.canonicalize().or_else(|_| path.read_link().map(to)).unwrap_or(path.to_path_buf())
}

/// Whether the baseline is a file that a report in this folder would replace.
fn is_of_report(out: &Path, written: &Path) -> bool {
    let name = written.file_name().and_then(|name| name.to_str());
    name.is_some_and(is_file_of_report)
        && matches!(
            (out.canonicalize(), folder_of(written).canonicalize()),
            (Ok(out), Ok(folder)) if out == folder
        )
}

/// The baseline to compare with; an empty one if it is to be written for the first time.
fn baseline(args: &CheckArgs, scenarios: &[Scenario]) -> Result<Baseline, String> {
    let path = &args.baseline;
    let baseline = Baseline::read(path)?;
    let missing = baseline.is_none();
    let baseline = baseline.unwrap_or_default();
    let known: BTreeSet<&str> = baseline.rows.keys().map(|name| &*name.scenario).collect();
    if !args.bless && !scenarios.iter().any(|scenario| known.contains(&*scenario.name)) {
        let what = match () {
            () if missing => "there is no such file".to_string(),
            () if known.is_empty() => "nothing has been measured yet".to_string(),
            () => {
                let known: Vec<&str> = known.into_iter().collect();
                format!("it is of other scenarios: {}", known.join(", "))
            }
        };
        return Err(format!(
            "{}: {what}; the same command with --bless writes what is measured now",
            path.display()
        ));
    }
    budgets(path, &baseline, scenarios)?;
    Ok(baseline)
}

/// Whether every budget is about something that there is, or was when the baseline was written.
fn budgets(path: &Path, baseline: &Baseline, scenarios: &[Scenario]) -> Result<(), String> {
    let mut names: Vec<Name> = baseline.rows.keys().cloned().collect();
    for scenario in scenarios {
        names.extend(scenario.cases.iter().map(|case| Name {
            scenario: scenario.name.clone(),
            case: case.name.clone(),
            strategy: case.config.label(),
        }));
    }
    let unknown = |budget: &&crate::baseline::Budget| !names.iter().any(|n| budget.is_about(n));
    let Some(budget) = baseline.budgets.iter().find(unknown) else { return Ok(()) };
    let texts: Vec<String> = names.iter().map(Name::to_string).collect();
    let near = nearest(&budget.pattern, texts.iter().map(String::as_str));
    let help = near.or(texts.first().map(String::as_str)).unwrap_or("*");
    Err(format!(
        "{}: the budget \"{}\" is of \"{}\", and there is no such case; write \"SCENARIO / CASE / \
         STRATEGY\", such as \"{help}\", in which `*` stands for anything",
        path.display(),
        budget.text,
        budget.pattern
    ))
}

/// Whether a case of a baseline is among what is to be run, or would be if it were still there:
/// its scenario is, and no choice of strategies leaves it out.
fn asked(campaign: &Campaign, name: &Name) -> bool {
    let Some(scenario) = campaign.scenarios.iter().find(|s| s.name == name.scenario) else {
        return false;
    };
    let same = |case: &&crate::config::Case| {
        case.name == name.case && case.config.label() == name.strategy
    };
    let wanted = &campaign.strategies;
    wanted.is_empty()
        || match scenario.cases.iter().find(same) {
            Some(case) => wanted.iter().any(|strategy| case.config.uses(strategy)),
            None => name.strategy.split(" + ").any(|part| wanted.iter().any(|w| w == part)),
        }
}

/// What is to be told.
struct Found {
    /// What was measured.
    now: Rows,
    /// Cases that are broken and budgets that were not kept, whatever the baseline says.
    wrong: Vec<String>,
    /// What is another than in the baseline.
    lines: Vec<String>,
    /// Whether that is more than a trace.
    changed: bool,
}

impl Found {
    fn of(campaign: &Campaign, outcome: &Outcome, baseline: &Baseline, all: bool) -> Found {
        let now = rows(&campaign.blocks(), &outcome.records);
        let asked = |name: &Name| all || asked(campaign, name);
        let compared = Compared { before: &baseline.rows, now: &now, asked: &asked };
        let changes = compare(&compared);
        let changed = changes.iter().any(|change| !change.only_trace);
        let lines = changes.into_iter().map(|change| change.text).collect();
        let broken = outcome.cases.iter().filter(|case| case.status == Status::Broken);
        let mut wrong: Vec<String> =
            broken.map(|case| self::broken(case, &outcome.records)).collect();
        for (name, row) in &now {
            let about = baseline.budgets.iter().filter(|budget| budget.is_about(name));
            wrong.extend(about.filter_map(|budget| Some(budget.judge(name, row).err()?.0)));
        }
        Found { now, wrong, lines, changed }
    }

    fn text(&self) -> String {
        self.wrong.iter().chain(&self.lines).map(|line| format!("{line}\n")).collect()
    }
}

/// A broken case, with its first broken run.
fn broken(case: &CaseResult, records: &[Record]) -> String {
    let name = format!("{} / {} / {}", case.scenario, case.case, case.strategy);
    if let Some(check) = case.checks.iter().find(|check| !check.held) {
        let (what, expected) = (&check.what, &check.expected);
        return format!("{name}: broken: {what} is {}, expected {expected}", check.measured);
    }
    let own = |record: &&Record| {
        (&record.scenario, &record.case, &record.strategy)
            == (&case.scenario, &case.case, &case.strategy)
            && !record.reasons.is_empty()
    };
    // Where a broken run is expected, one that is not is what breaks the case.
    let runs = || records.iter().filter(own);
    let run = runs().find(|record| record.status == Status::Broken).or(runs().next());
    let run = run.map_or("not as the case expects".to_string(), |record| {
        let reason = record.reasons.first().map_or("", |reason| reason);
        format!("{reason} ({})\n  replay: {}", run_name(record), record.replay)
    });
    format!("{name}: broken: {run}")
}
