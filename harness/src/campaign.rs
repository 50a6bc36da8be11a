//! Many runs: (case, seed) pairs on all cores. Runs are independent and single-threaded, so the
//! records do not depend on how many run at once; they come back in the order of the scenario.

use crate::agreement;
use crate::config::{Case, Scenario, Worlds};
use crate::judgement::{Expected, Judging};
use crate::plan::{RunPlan, strata};
use crate::record::{Context, RunId, mark_different, record};
use crate::seed::Seed;
use crate::threads::at_once;
use crate::world::HOSTS_MAX;
use aftermath_reports::record::{CaseResult, Record};
use aftermath_systems::strategies::Registry;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Most runs whose records may be kept in memory at once.
pub const KEPT_MAX: u64 = 5_000_000;

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

/// One case under one strategy, with all of its seeds.
pub struct Block<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Its case.
    pub case: &'a Case,
    /// The seeds.
    pub seeds: Range<u64>,
    /// The strata of each seed, if the case is stratified.
    pub strata: Option<u32>,
    /// Where it is run.
    pub worlds: Worlds,
}

impl Block<'_> {
    /// Number of runs.
    pub fn runs(&self) -> u64 {
        (self.seeds.end - self.seeds.start).saturating_mul(u64::from(self.strata.unwrap_or(1)))
    }
}

/// One unit of work: all runs that share a twin.
struct Unit<'a> {
    block: &'a Block<'a>,
    seed: u64,
}

/// What a unit gives.
pub type Finished = (Vec<Record>, Vec<Disagreement>);

impl Campaign<'_> {
    /// All cases under all strategies, in the order in which they are shown.
    pub fn blocks(&self) -> Vec<Block<'_>> {
        let mut blocks = Vec::new();
        for scenario in self.scenarios {
            let seeds = self.seeds.clone().unwrap_or_else(|| scenario.seeds.clone());
            let worlds = self.worlds.unwrap_or(scenario.worlds);
            let wanted = |case: &&Case| {
                let named = |name: &String| case.config.uses(name);
                self.strategies.is_empty() || self.strategies.iter().any(named)
            };
            blocks.extend(scenario.cases.iter().filter(wanted).map(|case| {
                let strata = strata(&case.config.faults);
                Block { scenario, case, seeds: seeds.clone(), strata, worlds }
            }));
        }
        blocks
    }

    /// How many runs it will be.
    pub fn runs(&self) -> u64 {
        self.blocks().iter().map(Block::runs).fold(0, u64::saturating_add)
    }

    /// Whether every world can run what is asked of it.
    ///
    /// # Errors
    /// The first case that is too large for turmoil.
    pub fn check(&self, registry: &Registry) -> Result<(), String> {
        let mut blocks = self.blocks();
        blocks.retain(|block| block.worlds != Worlds::Events && block.runs() > 0);
        let too_large = |block: &Block| too_large(block.case, registry);
        blocks.iter().find_map(too_large).map_or(Ok(()), Err)
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
        let blocks = self.blocks();
        let finished: Mutex<BTreeMap<u32, Finished>> = Mutex::new(BTreeMap::new());
        let all: Vec<u32> = (0..units(&blocks)).collect();
        let keep = |unit, _, of_unit: Finished| {
            of_unit.0.iter().for_each(done);
            finished.lock().expect("no run panicked").insert(unit, of_unit);
        };
        let stopped = || stop.load(Ordering::Relaxed);
        run_units(&blocks, &all, self.jobs, registry, &keep, &stopped);
        let mut outcome = Outcome::default();
        let mut finished = finished.into_inner().expect("no run panicked").into_iter().peekable();
        let mut first = 0;
        for block in &blocks {
            let end = first + seeds(block);
            let expected = Expected::of(block.case);
            let mut judging = Judging::default();
            while let Some((_, of_unit)) = finished.next_if(|(unit, _)| *unit < end) {
                of_unit.0.iter().for_each(|record| judging.add(&expected, record));
                outcome.records.extend(of_unit.0);
                outcome.disagreements.extend(of_unit.1);
            }
            // Of an interrupted campaign, a case that lacks runs has no judgement.
            if judging.runs() == block.runs() {
                let label = block.case.config.label();
                let names = [&*block.scenario.name, &block.case.name, &label];
                outcome.cases.push(judging.result(&expected, names));
            }
            first = end;
        }
        outcome
    }
}

/// How many units there are: seeds, of all blocks.
pub fn units(blocks: &[Block]) -> u32 {
    blocks.iter().map(seeds).fold(0, u32::saturating_add)
}

/// The units of a block.
fn seeds(block: &Block) -> u32 {
    u32::try_from(block.seeds.end - block.seeds.start).unwrap_or(u32::MAX)
}

/// The block of a unit, with its number, and its seed.
fn unit<'a>(blocks: &'a [Block<'a>], mut number: u32) -> Option<(usize, Unit<'a>)> {
    for (nth, block) in blocks.iter().enumerate() {
        if number < seeds(block) {
            return Some((nth, Unit { block, seed: block.seeds.start + u64::from(number) }));
        }
        number -= seeds(block);
    }
    None
}

/// A unit among all: its number, which of the block's seeds it is, and the numbers of its runs.
pub struct Numbers {
    /// Its number.
    pub unit: u32,
    /// Its seed, from the block's first.
    pub seed: u32,
    /// Its runs, in the order in which they are shown.
    pub runs: Range<u64>,
}

/// All units, in the order in which they are shown.
pub fn numbers(blocks: &[Block]) -> impl Iterator<Item = Numbers> {
    let (mut unit, mut run) = (0, 0);
    let each = blocks.iter().flat_map(|block| {
        let runs = u64::from(block.strata.unwrap_or(1));
        (0..seeds(block)).map(move |seed| (seed, runs))
    });
    each.map(move |(seed, runs)| {
        let numbers = Numbers { unit, seed, runs: run..run + runs };
        unit += 1;
        run += runs;
        numbers
    })
}

/// Runs these units, so many at once, in their order. `finished` is told of each, with the number
/// of its block, from any thread; no more are started once `stopped`, and what is under way is
/// finished.
pub fn run_units(
    blocks: &[Block],
    wanted: &[u32],
    jobs: usize,
    registry: &Registry,
    finished: &(dyn Fn(u32, usize, Finished) + Sync),
    stopped: &(dyn Fn() -> bool + Sync),
) {
    let next = AtomicUsize::new(0);
    at_once(jobs.min(wanted.len()), &|| {
        while !stopped()
            && let Some(number) = wanted.get(next.fetch_add(1, Ordering::Relaxed))
            && let Some((block, unit)) = unit(blocks, *number)
        {
            finished(*number, block, unit.run(registry));
        }
    });
}

impl Unit<'_> {
    fn run(&self, registry: &Registry) -> Finished {
        let &Block { scenario, case, strata, worlds, .. } = self.block;
        let config = &case.config;
        let seed = Seed(self.seed);
        let first = self.seed == self.block.seeds.start;
        let mut finished = Finished::default();
        let twin = Rc::new(RunPlan::twin(config, registry, seed));
        let (twin, mut twin_told) = agreement::run(worlds, &twin, false);
        let twin_differs = twin_told.is_some();
        for stratum in 0..strata.unwrap_or(1) {
            let plan = Rc::new(RunPlan::build(config, registry, seed, stratum));
            let (log, differs) = agreement::run(worlds, &plan, false);
            let id = RunId { seed: self.seed, stratum: strata.map(|_| stratum) };
            let context = Context { scenario, case, worlds };
            let mut record = record(&context, id, &log, &twin, first && stratum == 0);
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
