//! A broken run becomes the smallest scenario that still shows the same violation, with its story.
//!
//! Whatever is proposed is written as a scenario, read again and run with the same seed; what shows
//! the same [`Signature`] is kept. Numbers shrink by proptest's own binary search, lists by
//! deletion, and schedules by both: [`schedules`] offers them to property tests.

mod deletion;
mod schedule;
mod steps;
mod story;
mod trial;

pub use schedule::{ScheduleTree, Schedules, schedules};
pub use trial::judge;

use crate::config::{Case, Expect, InputConfig, RunConfig, Scenario};
use crate::plan::{RunPlan, settled};
use crate::record::RunId;
use crate::scenario::Diagnostics;
use crate::seed::Seed;
use crate::signature::Signature;
use aftermath_reports::record::Record;
use aftermath_systems::strategies::Registry;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::fmt;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use trial::Trials;

/// How much is tried, and for which file.
pub struct Limits<'a> {
    /// Most runs.
    pub budget: u32,
    /// The file that is meant to be written: recorded streams are named from its folder, which must
    /// be there if there is one.
    pub path: &'a Path,
    /// Once it is set, nothing more is tried.
    pub stop: &'a AtomicBool,
    /// Called after each run with their number.
    pub progress: &'a dyn Fn(u32),
}

impl Limits<'_> {
    /// The folder of the file.
    fn directory(&self) -> &Path {
        let parent = self.path.parent().filter(|parent| !parent.as_os_str().is_empty());
        parent.unwrap_or(Path::new("."))
    }
}

/// How large a run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// Faults of the schedule.
    pub faults: u64,
    /// Tuples that the source emits.
    pub tuples: u64,
    /// Different keys that they may have; none if the stream is recorded.
    pub keys: Option<u64>,
    /// Operators of the pipeline.
    pub operators: u64,
    /// Machines, those of sources, sinks and coordinators included.
    pub machines: u64,
    /// Length of the run, ns.
    pub length_ns: u64,
}

/// A scenario that shows a violation, and little else.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The file: the story as a comment, and the scenario.
    pub text: String,
    /// In which respects it is broken.
    pub signature: Signature,
    /// The run it was found by.
    pub before: Size,
    /// The run of the file.
    pub after: Size,
    /// Runs that were tried.
    pub evaluations: u32,
    /// Whether nothing more could be left out; else the budget was used up, or it was stopped.
    pub is_smallest: bool,
    /// The record of the file's run.
    pub record: Record,
}

impl Shrunk {
    /// Whether everything was tried that the budget allows.
    pub fn is_done(&self, budget: u32) -> bool {
        self.is_smallest || self.evaluations >= budget
    }
}

/// Why there is no smaller scenario.
#[derive(Debug)]
pub enum Unshrunk {
    /// The run is not broken.
    NotBroken(Box<Record>),
    /// What is drawn cannot be written out: the reader refuses it.
    Refused(Diagnostics),
    /// Written out, it does not show what it showed, which is a bug of aftermath.
    Different(String),
}

impl fmt::Display for Unshrunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unshrunk::NotBroken(record) => {
                let status = aftermath_reports::words::status(record.status);
                write!(f, "the run is {status}, so there is nothing to shrink")
            }
            Unshrunk::Refused(mistakes) => {
                write!(f, "what the seed drew cannot be written as a scenario:\n{mistakes}")
            }
            Unshrunk::Different(text) => write!(
                f,
                "the run was broken, and the scenario written from it is not broken in the same \
                 way, which is a bug of aftermath:\n{text}"
            ),
        }
    }
}

/// Shrinks a run, in the event world.
///
/// # Errors
/// When it is not broken, or cannot be written out.
pub fn shrink(
    scenario: &Scenario,
    case: &Case,
    id: RunId,
    limits: &Limits,
    registry: &Registry,
) -> Result<Shrunk, Unshrunk> {
    let (found, log) = judge(scenario, case, id, registry);
    let Some(signature) = Signature::of(&found) else {
        return Err(Unshrunk::NotBroken(Box::new(found)));
    };
    let before = size(&case.config, &log.plan, found.length_ns);
    let config = written_out(&case.config, &log.plan, id);
    let expect = expect(&case.expect, &signature);
    let trials = Trials::new(limits, registry, id.seed, (expect, signature.clone()), config);
    // A first look: what is beyond the claims of a swarm may be a violation where it is written.
    let text = trials.text("", &trials.best());
    let path = limits.path.display().to_string();
    let file_id = RunId { seed: id.seed, stratum: None };
    let first = trials.read(&text, &path).map_err(Unshrunk::Refused)?;
    let (first, _) = judge(&first, &first.cases[0], file_id, registry);
    let wanted = Signature::of(&first).filter(|shown| shown.includes(&signature));
    let Some(wanted) = wanted else { return Err(Unshrunk::Different(text)) };
    let trials = trials.wanting(wanted);
    let is_smallest = steps::shrink(&trials);

    let read = trials.read(&trials.text("", &trials.best()), &path).map_err(Unshrunk::Refused)?;
    let (record, log) = judge(&read, &read.cases[0], file_id, registry);
    let about = story::headline(&record);
    let after = size(&read.cases[0].config, &log.plan, record.length_ns);
    let evaluations = trials.used();
    let found = story::Found {
        expect: &trials.expect,
        by: &found,
        before,
        after,
        evaluations,
        is_smallest,
    };
    let story = story::story(&found, &read.cases[0], &record, &log);
    let text = format!("{story}\n{}", trials.text(&about, &trials.best()));
    // What is handed out is what will be read: it is read and run once more.
    let read = trials.read(&text, &path).map_err(Unshrunk::Refused)?;
    let (record, _) = judge(&read, &read.cases[0], file_id, registry);
    let shown = Signature::of(&record).filter(|shown| trials.wanted().is_shown_by(shown));
    let Some(signature) = shown else { return Err(Unshrunk::Different(text)) };
    Ok(Shrunk { text, signature, before, after, evaluations, is_smallest, record })
}

/// With everything written that was drawn.
fn written_out(config: &RunConfig, plan: &RunPlan, id: RunId) -> RunConfig {
    let written = plan.drawn.as_ref().map_or(&config.faults, |drawn| &drawn.faults);
    let faults = settled(written, config, (Seed(id.seed), id.stratum.unwrap_or(0)));
    RunConfig { faults, swarm: None, ..config.clone() }
}

/// What is expected of a run, as far as the violation is about it.
fn expect(expect: &Expect, signature: &Signature) -> Expect {
    let run = expect.run.iter().filter(|(quantity, _)| signature.expects(quantity.name()));
    Expect {
        run: run.cloned().collect(),
        observed: expect.observed.filter(|_| signature.expects("observed")),
        ..Expect::default()
    }
}

fn size(config: &RunConfig, plan: &RunPlan, length_ns: u64) -> Size {
    let written = plan.drawn.as_ref().map_or(&config.faults, |drawn| &drawn.faults);
    let tasks = plan.systems.operators.iter().filter(|operator| operator.operator().is_some());
    Size {
        faults: written.len() as u64,
        tuples: plan.systems.workload.inputs.len() as u64,
        keys: match config.input {
            InputConfig::Generated { keys, .. } => Some(u64::from(keys)),
            InputConfig::Recorded(_) | InputConfig::Nexmark { .. } => None,
        },
        operators: tasks.count() as u64,
        machines: plan.systems.nodes.len() as u64,
        length_ns,
    }
}

/// More steps than any search takes: the budget ends it.
const ITERATIONS_MAX: u32 = 1_000_000;

/// Who drives proptest's trees. Nothing is drawn or kept in files, whatever the environment says.
fn runner() -> TestRunner {
    let config = Config {
        failure_persistence: None,
        max_shrink_iters: ITERATIONS_MAX,
        max_shrink_time: 0,
        verbose: 0,
        ..Config::default()
    };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}
