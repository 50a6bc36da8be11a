//! One run and its twin, judged: the record.

use crate::config::{Case, Scenario, Worlds};
use crate::expect;
use crate::ledger::Ledger;
use crate::machine::Strike;
use crate::met;
use crate::metrics::overhead::overhead;
use crate::metrics::recovery::recoveries;
use crate::metrics::series::series;
use crate::oracle::{self, Standard};
use crate::plan::{PlannedFault, PlannedPlace};
use crate::run::RunLog;
use crate::scenario::{setting, write_faults};
use aftermath_reports::record::{
    FORMAT_VERSION, Fault, Record, Status, Unreached, WORLDS_DIFFER, Witness,
};
use aftermath_reports::words;
use aftermath_systems::planted_bugs;
use aftermath_systems::protocol::NodeId;

/// Which run of a case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RunId {
    /// The seed.
    pub seed: u64,
    /// The stratum, in a stratified case.
    pub stratum: Option<u32>,
}

/// What a run was a run of.
pub struct Context<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Its case.
    pub case: &'a Case,
    /// Where it was run.
    pub worlds: Worlds,
}

/// Marks the record of a run that differs, or whose twin does: whatever was judged means nothing.
pub fn mark_different(record: &mut Record) {
    record.status = Status::Broken;
    record.reasons.push(WORLDS_DIFFER.to_string());
}

/// Judges a run and writes its record. `with_series`: for the first run of a case.
pub fn record(
    context: &Context,
    id: RunId,
    run: &RunLog,
    twin: &RunLog,
    with_series: bool,
) -> Record {
    let (scenario, case) = (context.scenario, context.case);
    let ledger = Ledger::new(run, twin);
    let standard = Standard::of(twin);
    let recoveries = recoveries(run, standard.lag_normal_ns, &ledger);
    let judged =
        oracle::Case { run, twin, standard: &standard, ledger: &ledger, recoveries: &recoveries };
    let judgement = oracle::judge(&judged);
    let config = &case.config;
    let planted = planted_bugs::ALL.iter().find(|entry| Some(entry.bug) == config.plant);
    let mut record = Record {
        format_version: FORMAT_VERSION,
        scenario: scenario.name.clone(),
        case: case.name.clone(),
        strategy: config.label(),
        options: config.all_given(),
        planted: planted.map(|entry| entry.name.to_string()),
        setting: setting(config, scenario.folder()),
        seed: id.seed,
        stratum: id.stratum,
        world: context.worlds.name().to_string(),
        status: judgement.status,
        reasons: judgement.reasons,
        claimed: judgement.claimed,
        observed: judgement.observed,
        counts: judgement.counts,
        faults: run
            .strikes()
            .iter()
            .map(|(node, strike)| {
                let from = recoveries.list.iter().find(|from| from.fault == strike.fault);
                fault(run, *node, strike, from.map(|from| from.recovery))
            })
            .collect(),
        unreached: unreached(run),
        overhead: overhead(twin),
        checks: Vec::new(),
        witnesses: judgement.witnesses,
        series: None,
        retained_unpaired: judgement.retained_unpaired,
        handlers: run.handlers(),
        length_ns: run.length_ns,
        trace_hash: format!("{:016x}", run.hash),
        twin_hash: format!("{:016x}", twin.hash),
        replay: replay_line(context, id),
        schedule: run.plan.drawn.as_ref().map(|drawn| write_faults(&drawn.faults)),
    };
    if record.status == Status::Inconclusive {
        record.reasons.extend(record.unreached.iter().map(words::unreached));
    }
    record.checks = expect::check_run(case, &record);
    for check in record.checks.iter().filter(|check| !check.held) {
        record.status = Status::Broken;
        let reason = format!("{} is {}, expected {}", check.what, check.measured, check.expected);
        record.reasons.push(reason);
        record.witnesses.push(Witness {
            checker: "expectation".into(),
            subject: check.what.clone(),
            expected: check.expected.clone(),
            observed: check.measured.clone(),
            at_ns: None,
        });
    }
    if with_series || record.status == Status::Broken {
        record.series = Some(series(run, twin));
    }
    record
}

fn fault(
    run: &RunLog,
    node: NodeId,
    strike: &Strike,
    recovery: Option<aftermath_reports::record::Recovery>,
) -> Fault {
    let met = met::told(run, strike);
    let entry = crate::faults::of(run.kind(strike.fault));
    Fault {
        kind: entry.name.into(),
        node: run.place(node, strike).to_string(),
        at_ns: strike.at,
        healed_ns: strike.healed.unwrap_or(run.length_ns),
        recovery: recovery.filter(|_| !met.is_empty()),
        rate: met::rate(run, strike),
        met,
        colour: entry.colour.into(),
        point: run.plan.faults[strike.fault].trigger.as_ref().map(|trigger| trigger.text.clone()),
    }
}

/// The faults that waited for what never came.
fn unreached(run: &RunLog) -> Vec<Unreached> {
    let systems = &run.plan.systems;
    let place = |place: &PlannedPlace| match place {
        PlannedPlace::Links { name, .. } => name.clone(),
        PlannedPlace::Node { instance, replica } => {
            let instance = systems.instance(*instance);
            match replica {
                Some(replica) => {
                    systems.node(instance.replicas[usize::from(*replica)]).name.clone()
                }
                None => systems.operator(instance.operator).name.clone(),
            }
        }
    };
    let one = |fault: &PlannedFault| {
        Some(Unreached {
            kind: crate::faults::of(fault.kind).name.into(),
            node: place(&fault.place),
            point: fault.trigger.as_ref()?.text.clone(),
        })
    };
    run.unreached().into_iter().filter_map(|number| one(&run.plan.faults[number])).collect()
}

/// The command that runs this alone.
fn replay_line(context: &Context, id: RunId) -> String {
    let mut line = line_about("replay", (context.scenario, context.case), id);
    let scenario = context.scenario;
    if context.worlds != scenario.worlds || context.worlds != Worlds::default() {
        line += &format!(" --world {}", context.worlds.name());
    }
    line
}

/// A command about one run.
pub fn line_about(command: &str, (scenario, case): (&Scenario, &Case), id: RunId) -> String {
    let mut line = format!("{} {command} {}", scenario.program, path_word(&scenario.path));
    line += &format!("{}{}", option("case", &case.name), option("strategy", &case.config.label()));
    line += &format!(" --seed {}", id.seed);
    if let Some(stratum) = id.stratum {
        line += &format!(" --stratum {stratum}");
    }
    line
}

/// An option with its value; one that begins with a dash must not look like an option itself.
fn option(name: &str, value: &str) -> String {
    let between = if value.starts_with('-') { '=' } else { ' ' };
    format!(" --{name}{between}{}", quote(value))
}

/// A path for a shell; one that begins with a dash must not look like an option.
pub(crate) fn path_word(path: &str) -> String {
    let here = if path.starts_with('-') { "./" } else { "" };
    quote(&format!("{here}{path}"))
}

/// Quotes a word for a shell where it must be.
pub(crate) fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
