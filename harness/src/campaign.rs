//! Many runs: (case, seed) pairs on all cores. Runs are independent and single-threaded, so the
//! records do not depend on how many run at once; they come back in the order of the scenario.

use crate::agreement;
use crate::config::{Case, Scenario, Worlds};
use crate::expect;
use crate::plan::{RunPlan, strata};
use crate::record::{Context, RunId, mark_different, record};
use crate::seed::Seed;
use crate::world::HOSTS_MAX;
use aftermath_reports::record::{CaseResult, Record, Status};
use aftermath_reports::words;
use aftermath_systems::strategies::Registry;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What to run.
pub struct Campaign<'a> {
    /// The scenarios.
    pub scenarios: &'a [Scenario],
    /// Seeds, if not the scenarios' own.
    pub seeds: Option<Range<u64>>,
    /// Only these strategies; all if empty.
    pub strategies: Vec<String>,
    /// How many runs at once.
    pub jobs: usize,
    /// Where they are run, if not where the scenarios say.
    pub worlds: Option<Worlds>,
}

/// What came of it.
#[derive(Default)]
pub struct Outcome {
    /// One record a run.
    pub records: Vec<Record>,
    /// One result a case and strategy.
    pub cases: Vec<CaseResult>,
    /// Runs in which two worlds differ, with how: bugs of aftermath. Their records are broken.
    pub disagreements: Vec<Disagreement>,
}

/// A run, or a twin, in which two worlds differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disagreement {
    /// How to see it again.
    pub replay: String,
    /// Whether it is the twin of that run.
    pub twin: bool,
    /// What differs, for people.
    pub told: String,
}

/// One unit of work: all runs that share a twin.
struct Unit<'a> {
    scenario: &'a Scenario,
    case: &'a Case,
    seed: u64,
    first: bool,
    worlds: Worlds,
}

/// What a unit gives.
type Finished = (Vec<Record>, Vec<Disagreement>);

impl Campaign<'_> {
    fn units(&self) -> Vec<Unit<'_>> {
        let mut units = Vec::new();
        for scenario in self.scenarios {
            let seeds = self.seeds.clone().unwrap_or_else(|| scenario.seeds.clone());
            let worlds = self.worlds.unwrap_or(scenario.worlds);
            for case in self.cases(scenario) {
                let first = seeds.start;
                let unit = |seed| Unit { scenario, case, seed, first: seed == first, worlds };
                units.extend(seeds.clone().map(unit));
            }
        }
        units
    }

    fn cases<'a>(&'a self, scenario: &'a Scenario) -> impl Iterator<Item = &'a Case> {
        let wanted = |case: &&Case| {
            self.strategies.is_empty() || self.strategies.iter().any(|name| case.config.uses(name))
        };
        scenario.cases.iter().filter(wanted)
    }

    /// How many runs it will be.
    pub fn runs(&self) -> u64 {
        let of = |scenario: &Scenario| {
            let seeds = self.seeds.as_ref().unwrap_or(&scenario.seeds);
            let strata = self.cases(scenario).map(|case| strata(&case.config.faults).unwrap_or(1));
            strata.map(u64::from).sum::<u64>().saturating_mul(seeds.end - seeds.start)
        };
        self.scenarios.iter().map(of).fold(0, u64::saturating_add)
    }

    /// Whether every world can run what is asked of it.
    ///
    /// # Errors
    /// The first case that is too large for turmoil.
    pub fn check(&self, registry: &Registry) -> Result<(), String> {
        let mut units = self.units();
        units.retain(|unit| unit.first && unit.worlds != Worlds::Events);
        let too_large = |unit: &Unit| too_large(unit.case, registry);
        units.iter().find_map(too_large).map_or(Ok(()), Err)
    }

    /// Runs everything. `done` is called after each run, from any thread.
    pub fn run(&self, registry: &Registry, done: &(dyn Fn(&Record) + Sync)) -> Outcome {
        self.run_until(registry, done, &AtomicBool::new(false))
    }

    /// The same, but starts nothing any more once `stop` is set. What is under way is finished.
    pub fn run_until(
        &self,
        registry: &Registry,
        done: &(dyn Fn(&Record) + Sync),
        stop: &AtomicBool,
    ) -> Outcome {
        let units = self.units();
        let next = AtomicUsize::new(0);
        let finished: Mutex<BTreeMap<usize, Finished>> = Mutex::new(BTreeMap::new());
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.clamp(1, units.len().max(1)) {
                scope.spawn(|| {
                    while let Some((index, unit)) = {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let stopped = stop.load(Ordering::Relaxed);
                        units.get(index).filter(|_| !stopped).map(|unit| (index, unit))
                    } {
                        let of_unit = unit.run(registry);
                        of_unit.0.iter().for_each(done);
                        finished.lock().expect("no run panicked").insert(index, of_unit);
                    }
                });
            }
        });
        let records = finished.into_inner().expect("no run panicked");
        let (records, disagreements): (Vec<_>, Vec<_>) = records.into_values().unzip();
        let records: Vec<Record> = records.into_iter().flatten().collect();
        let whole = records.len() as u64 == self.runs();
        let cases = self.case_results(&records, whole);
        Outcome { records, cases, disagreements: disagreements.into_iter().flatten().collect() }
    }

    /// The judgements of cases. Of an interrupted campaign, a case that lacks runs has none.
    fn case_results(&self, records: &[Record], whole: bool) -> Vec<CaseResult> {
        let mut results = Vec::new();
        for scenario in self.scenarios {
            let seeds = self.seeds.clone().unwrap_or_else(|| scenario.seeds.clone());
            for case in self.cases(scenario) {
                let strata = strata(&case.config.faults).unwrap_or(1);
                let of_case: Vec<_> = records
                    .iter()
                    .filter(|record| {
                        record.scenario == scenario.name
                            && record.case == case.name
                            && record.strategy == case.config.label()
                    })
                    .collect();
                let runs = (seeds.end - seeds.start) * u64::from(strata);
                if whole || of_case.len() as u64 == runs {
                    results.push(case_result(scenario, case, &of_case));
                }
            }
        }
        results
    }
}

impl Unit<'_> {
    fn run(&self, registry: &Registry) -> Finished {
        let config = &self.case.config;
        let seed = Seed(self.seed);
        let strata = strata(&config.faults);
        let mut finished = Finished::default();
        let twin = Rc::new(RunPlan::twin(config, registry, seed));
        let (twin, mut twin_told) = agreement::run(self.worlds, &twin, false);
        let twin_differs = twin_told.is_some();
        for stratum in 0..strata.unwrap_or(1) {
            let plan = Rc::new(RunPlan::build(config, registry, seed, stratum));
            let (log, differs) = agreement::run(self.worlds, &plan, false);
            let id = RunId { seed: self.seed, stratum: strata.map(|_| stratum) };
            let context = Context { scenario: self.scenario, case: self.case, worlds: self.worlds };
            let mut record = record(&context, id, &log, &twin, self.first && stratum == 0);
            if differs.is_some() || twin_differs {
                mark_different(&mut record);
            }
            let both = [(differs, false), (twin_told.take(), true)];
            for (told, twin) in both.into_iter().filter_map(|(told, twin)| Some((told?, twin))) {
                let replay = record.replay.clone();
                finished.1.push(Disagreement { replay, twin, told });
            }
            finished.0.push(record);
        }
        finished
    }
}

/// Why turmoil cannot run a case, if it cannot.
pub fn too_large(case: &Case, registry: &Registry) -> Option<String> {
    let machines = RunPlan::twin(&case.config, registry, Seed(0)).systems.nodes.len();
    let name = &case.name;
    (machines > HOSTS_MAX).then(|| {
        format!(
            "case `{name}` under {} has {machines} machines, and turmoil carries {HOSTS_MAX}: the \
             time of a tick grows with their cube; give `--world events`",
            case.config.label()
        )
    })
}

/// The judgement of a case: broken if a run is not as expected or a check over all runs fails;
/// inconclusive only if no run was conclusive.
fn case_result(scenario: &Scenario, case: &Case, records: &[&Record]) -> CaseResult {
    let mut runs: BTreeMap<String, u64> = BTreeMap::new();
    for record in records {
        *runs.entry(words::status(record.status).to_string()).or_default() += 1;
    }
    let checks = expect::check_case(case, records);
    let failed = checks.iter().any(|check| !check.held);
    let surprising = |record: &&&Record| !expect::status_as_expected(case, record);
    let conclusive: Vec<_> =
        records.iter().filter(|record| record.status != Status::Inconclusive).collect();
    let expects_inconclusive = case.expect.status == Some(Status::Inconclusive);
    let status = if failed || conclusive.iter().any(surprising) {
        Status::Broken
    } else if conclusive.is_empty() && !expects_inconclusive {
        Status::Inconclusive
    } else if conclusive.iter().any(|record| record.status == Status::NotCovered) {
        Status::NotCovered
    } else {
        Status::Held
    };
    CaseResult {
        scenario: scenario.name.clone(),
        case: case.name.clone(),
        strategy: case.config.label(),
        status,
        runs,
        checks,
    }
}
