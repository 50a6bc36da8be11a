//! Trials: whether a configuration still shows the violation, asked of the scenario that would be
//! written, so that whatever is kept is valid and is what the file will say.

use super::Limits;
use crate::config::{Case, Expect, RunConfig, Scenario, Worlds};
use crate::formulas;
use crate::plan::RunPlan;
use crate::record::{Context, RunId, record};
use crate::run::{RunLog, run};
use crate::scenario::{self, Heading};
use crate::seed::Seed;
use crate::signature::Signature;
use aftermath_reports::record::Record;
use aftermath_systems::strategies::Registry;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// One run of a case and its twin in the event world, judged; and the run's log.
pub fn judge(scenario: &Scenario, case: &Case, id: RunId, registry: &Registry) -> (Record, RunLog) {
    let twin = run(&Rc::new(RunPlan::twin(&case.config, registry, Seed(id.seed))), false);
    judge_beside(scenario, case, id, registry, &twin)
}

fn judge_beside(
    scenario: &Scenario,
    case: &Case,
    id: RunId,
    registry: &Registry,
    twin: &RunLog,
) -> (Record, RunLog) {
    let stratum = id.stratum.unwrap_or(0);
    let plan = Rc::new(RunPlan::build(&case.config, registry, Seed(id.seed), stratum));
    let log = run(&plan, false);
    let context = Context { scenario, case, worlds: Worlds::Events };
    (record(&context, id, &log, twin, false), log)
}

/// The search for the smallest configuration.
pub struct Trials<'a> {
    limits: &'a Limits<'a>,
    registry: &'a Registry,
    /// Of every run.
    seed: u64,
    /// What is expected of every run.
    pub expect: Expect,
    /// What must be shown.
    wanted: Signature,
    used: Cell<u32>,
    /// Those that came to an end.
    finished: Cell<u32>,
    /// What was asked before, by the text of the scenario.
    known: RefCell<BTreeMap<String, bool>>,
    /// The smallest so far that shows it.
    best: RefCell<RunConfig>,
    /// The twin of the last run, by the text without faults.
    twin: RefCell<Option<(String, Rc<RunLog>)>>,
}

impl<'a> Trials<'a> {
    /// A search that begins with this.
    pub fn new(
        limits: &'a Limits<'a>,
        registry: &'a Registry,
        seed: u64,
        (expect, wanted): (Expect, Signature),
        config: RunConfig,
    ) -> Trials<'a> {
        Trials {
            limits,
            registry,
            seed,
            expect,
            wanted,
            used: Cell::new(0),
            finished: Cell::new(0),
            known: RefCell::default(),
            best: RefCell::new(config),
            twin: RefCell::default(),
        }
    }

    /// The same search for this violation.
    pub fn wanting(self, wanted: Signature) -> Trials<'a> {
        Trials { wanted, ..self }
    }

    /// The violation.
    pub fn wanted(&self) -> &Signature {
        &self.wanted
    }

    /// The smallest so far.
    pub fn best(&self) -> RunConfig {
        self.best.borrow().clone()
    }

    /// Runs so far.
    pub fn used(&self) -> u32 {
        self.used.get()
    }

    /// Whether one of them has panicked.
    pub fn has_panicked(&self) -> bool {
        self.finished.get() < self.used()
    }

    /// Whether nothing more is run.
    pub fn is_over(&self) -> bool {
        self.used() >= self.limits.budget || self.limits.stop.load(Ordering::Relaxed)
    }

    /// The scenario of a configuration.
    pub fn text(&self, about: &str, config: &RunConfig) -> String {
        let seeds = self.seed..self.seed.saturating_add(1);
        let directory = self.limits.directory();
        let heading = Heading { about, seeds, expect: &self.expect, directory };
        scenario::write(&heading, config, self.registry)
    }

    /// Reads what was written.
    ///
    /// # Errors
    /// What the reader says.
    pub fn read(&self, text: &str, path: &str) -> Result<Scenario, scenario::Diagnostics> {
        let directory = self.limits.directory();
        scenario::parse(text, path, directory, self.registry, &formulas::names())
    }

    /// Whether a configuration is valid and shows the violation; then it is the best.
    pub fn shows(&self, config: &RunConfig) -> bool {
        let text = self.text("", config);
        let known = self.known.borrow().get(&text).copied();
        let shows = match known {
            Some(shows) => shows,
            None if self.is_over() => return false,
            None => {
                let scenario = self.read(&text, "shrinking.toml").ok();
                let shows = scenario.is_some_and(|scenario| self.runs(&scenario));
                self.known.borrow_mut().insert(text, shows);
                shows
            }
        };
        if shows {
            self.best.replace(config.clone());
        }
        shows
    }

    /// Runs it.
    fn runs(&self, scenario: &Scenario) -> bool {
        let [case] = &scenario.cases[..] else { return false };
        self.used.set(self.used() + 1);
        (self.limits.progress)(self.used());
        let twin = self.twin_of(&case.config);
        let id = RunId { seed: self.seed, stratum: None };
        let (record, _) = judge_beside(scenario, case, id, self.registry, &twin);
        self.finished.set(self.finished.get() + 1);
        let found = Signature::of(&record);
        found.is_some_and(|found| self.wanted.is_shown_by(&found))
    }

    /// The twin of a configuration: most trials change faults only.
    fn twin_of(&self, config: &RunConfig) -> Rc<RunLog> {
        let text = self.text("", &RunConfig { faults: Vec::new(), ..config.clone() });
        let last = self.twin.borrow().clone();
        if let Some((_, twin)) = last.filter(|(of, _)| *of == text) {
            return twin;
        }
        let plan = Rc::new(RunPlan::twin(config, self.registry, Seed(self.seed)));
        let twin = Rc::new(run(&plan, false));
        self.twin.replace(Some((text, Rc::clone(&twin))));
        twin
    }
}
