//! Schedules of faults for property tests: drawn as swarms draw them, and shrunk.

use super::deletion::Deletion;
use crate::config::{Case, FaultAt, FaultConfig, FaultPlace, RunConfig, SwarmConfig};
use crate::faults;
use crate::plan::{RunPlan, swarm};
use crate::seed::Seed;
use aftermath_systems::options::{OptionDoc, OptionKind};
use aftermath_systems::protocol::{MILLISECOND, Nanos};
use aftermath_systems::strategies::Registry;
use proptest::num::u64::BinarySearch;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use rand::Rng;
use std::collections::VecDeque;
use std::fmt;

/// Most faults of a schedule where the case has no swarm of its own.
const MOST: u32 = 4;

/// Schedules for a case: those that its swarm draws, or, where it has none, up to four faults of
/// every kind at any time of the stream, within what is promised. They shrink to fewer faults, of
/// default settings, that are short and early.
///
/// ```
/// use aftermath_harness::shrink::{judge, schedules};
/// use aftermath_harness::{Registry, formulas, scenario};
/// use aftermath_harness::record::RunId;
/// use aftermath_reports::record::Status;
/// use proptest::prelude::*;
///
/// let text = r#"
///     strategies = ["active-standby"]
///     pipeline = { name = "keyed-count", protect = ["count"] }
///     input = { rate_per_s = 1000, generated = { tuples = 100, keys = 5 } }
///     timing = { heartbeat = "5ms", redirect = "3ms", interval = "20ms" }
///     storage = { latency = "4ms" }
/// "#;
/// let registry = Registry::built_in();
/// let scenario =
///     scenario::parse(text, "mine.toml", ".".as_ref(), &registry, &formulas::names()).unwrap();
/// let case = &scenario.cases[0];
/// let config = ProptestConfig { cases: 8, failure_persistence: None, ..Default::default() };
/// proptest!(config, |(faults in schedules(case, &registry), seed in 0..100u64)| {
///     let mut case = case.clone();
///     case.config.faults = faults;
///     let id = RunId { seed, stratum: None };
///     let (record, _) = judge(&scenario, &case, id, &registry);
///     prop_assert_ne!(record.status, Status::Broken, "{:?}", record.reasons);
/// });
/// ```
pub fn schedules(case: &Case, registry: &Registry) -> Schedules {
    let config = &case.config;
    let whole = || SwarmConfig {
        kinds: faults::ALL.iter().map(|entry| entry.kind).collect(),
        most: MOST,
        from_ns: config.network.tick_ns,
        until_ns: config.input.length_ns(config.rate_per_s).max(config.network.tick_ns + 1),
        overlap: false,
        beyond_claims: false,
    };
    let swarm = config.swarm.clone().unwrap_or_else(whole);
    Schedules { config: config.clone(), swarm, registry: registry.clone() }
}

/// See [`schedules`].
#[derive(Clone)]
pub struct Schedules {
    config: RunConfig,
    swarm: SwarmConfig,
    registry: Registry,
}

impl fmt::Debug for Schedules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.swarm)
    }
}

impl Strategy for Schedules {
    type Tree = ScheduleTree;
    type Value = Vec<FaultConfig>;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let seed = Seed(runner.rng().next_u64());
        let plan = RunPlan::twin(&self.config, &self.registry, seed);
        let drawn = swarm::draw(&self.swarm, &plan, seed);
        Ok(ScheduleTree::new(drawn.faults, plan.tick_ns))
    }
}

/// A schedule that shrinks: first faults are left out, then each that stays becomes simpler.
#[derive(Clone, Debug)]
pub struct ScheduleTree {
    list: Deletion<FaultConfig>,
    /// What is left when no fault can be spared, and what is tried with it.
    simpler: Option<Simpler>,
    tick_ns: Nanos,
}

impl ScheduleTree {
    /// A schedule; nothing starts before the first tick.
    pub fn new(faults: Vec<FaultConfig>, tick_ns: Nanos) -> ScheduleTree {
        ScheduleTree { list: Deletion::new(faults, 0), simpler: None, tick_ns }
    }

    /// Goes on with the faults themselves.
    fn simplify_each(&mut self) -> bool {
        let simpler = Simpler::new(self.list.current(), self.tick_ns);
        self.simpler.insert(simpler).advance()
    }
}

impl ValueTree for ScheduleTree {
    type Value = Vec<FaultConfig>;

    fn current(&self) -> Vec<FaultConfig> {
        match &self.simpler {
            Some(simpler) => simpler.faults.clone(),
            None => self.list.current(),
        }
    }

    fn simplify(&mut self) -> bool {
        match &mut self.simpler {
            Some(simpler) => simpler.simplify(),
            None => self.list.simplify() || self.simplify_each(),
        }
    }

    fn complicate(&mut self) -> bool {
        match &mut self.simpler {
            Some(simpler) => simpler.complicate(),
            None => self.list.complicate() || self.simplify_each(),
        }
    }
}

/// One way in which a fault may become simpler.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// Without one of several machines.
    Spare(usize),
    /// A setting gets this value: its default, or certainty instead of chance.
    Setting(&'static OptionDoc, &'static str),
    /// One direction only; `true`: the other one.
    OneDirection(bool),
    /// It lasts less long.
    Shorter,
    /// It starts earlier, or at an earlier time of its point.
    Earlier,
}

/// Faults that become simpler one after the other.
#[derive(Clone, Debug)]
struct Simpler {
    faults: Vec<FaultConfig>,
    left: VecDeque<(usize, Way)>,
    /// What is on trial: the fault, as it last failed, and the search if it is about a number.
    trial: Option<(usize, FaultConfig, Option<Search>)>,
    tick_ns: Nanos,
}

/// A number that is searched, in these units.
#[derive(Clone, Debug)]
struct Search {
    way: Way,
    unit: u64,
    numbers: BinarySearch,
}

impl Simpler {
    fn new(faults: Vec<FaultConfig>, tick_ns: Nanos) -> Simpler {
        let mut left = VecDeque::new();
        for (index, fault) in faults.iter().enumerate() {
            let machines = fault.place.targets().len();
            let several = if machines > 1 { machines } else { 0 };
            let ways = (0..several).rev().map(Way::Spare);
            let settings = faults::of(fault.kind).options.iter();
            let ways = ways.chain(settings.map(|doc| match doc.kind {
                OptionKind::Percent => Way::Setting(doc, "100%"),
                _ => Way::Setting(doc, doc.default),
            }));
            let ways = ways.chain([Way::OneDirection(false), Way::OneDirection(true)]);
            let ways = ways.chain([Way::Shorter, Way::Earlier]);
            left.extend(ways.map(|way| (index, way)));
        }
        Simpler { faults, left, trial: None, tick_ns }
    }

    /// Puts the next way on trial, if there is one.
    fn advance(&mut self) -> bool {
        while let Some((index, way)) = self.left.pop_front() {
            let before = self.faults[index].clone();
            let mut search = search(&before, way);
            let found = match &mut search {
                Some(search) => search.numbers.simplify(),
                None => true,
            };
            if !found {
                continue;
            }
            let number = search.as_ref().map(|search| search.numbers.current() * search.unit);
            let Some(simpler) = simpler(&before, way, number, self.tick_ns) else { continue };
            if simpler != before {
                self.faults[index] = simpler;
                self.trial = Some((index, before, search));
                return true;
            }
        }
        false
    }

    /// The number that is searched has moved.
    fn moved(&mut self, index: usize, failed: FaultConfig, search: Search) -> bool {
        let number = Some(search.numbers.current() * search.unit);
        if let Some(fault) = simpler(&failed, search.way, number, self.tick_ns) {
            self.faults[index] = fault;
        }
        self.trial = Some((index, failed, Some(search)));
        true
    }

    fn simplify(&mut self) -> bool {
        if let Some((index, _, Some(mut search))) = self.trial.take()
            && search.numbers.simplify()
        {
            return self.moved(index, self.faults[index].clone(), search);
        }
        self.advance()
    }

    fn complicate(&mut self) -> bool {
        let Some((index, failed, search)) = self.trial.take() else { return false };
        if let Some(mut search) = search
            && search.numbers.complicate()
        {
            return self.moved(index, failed, search);
        }
        self.faults[index] = failed;
        self.advance()
    }
}

/// A search for a smaller number, if the way is about one: times in milliseconds, so that people
/// can read what is found.
fn search(fault: &FaultConfig, way: Way) -> Option<Search> {
    let (unit, number) = match (way, &fault.at) {
        // A millisecond is short enough.
        (Way::Shorter, _) => match fault.for_ns? / MILLISECOND {
            0 | 1 => return None,
            number => (MILLISECOND, number),
        },
        (Way::Earlier, FaultAt::Instant(ns)) => (MILLISECOND, ns / MILLISECOND),
        (Way::Earlier, FaultAt::Point { nth, .. }) => (1, *nth),
        _ => return None,
    };
    Some(Search { way, unit, numbers: BinarySearch::new(number) })
}

/// The fault made simpler in one way; none if it is not possible.
fn simpler(
    fault: &FaultConfig,
    way: Way,
    number: Option<u64>,
    tick_ns: Nanos,
) -> Option<FaultConfig> {
    let mut fault = fault.clone();
    match (way, number) {
        (Way::Spare(machine), _) => {
            let FaultPlace::Nodes(targets) = &mut fault.place else { return None };
            (machine < targets.len()).then(|| targets.remove(machine))?;
            if let [only] = &targets[..] {
                fault.place = FaultPlace::Node(only.clone());
            }
        }
        (Way::Setting(doc, value), _) => {
            fault.options = fault.options.with(doc, value);
            let by_chance = (faults::of(fault.kind).effect)(&fault.options).is_of_chance();
            fault.draws = fault.draws.filter(|_| by_chance);
        }
        (Way::OneDirection(back), _) => match &mut fault.place {
            FaultPlace::Link { from, to, both: both @ true } => {
                *both = false;
                if back {
                    std::mem::swap(from, to);
                }
            }
            _ => return None,
        },
        (Way::Shorter, number) => fault.for_ns = Some(number?.max(MILLISECOND)),
        (Way::Earlier, number) => match &mut fault.at {
            FaultAt::Instant(at) => *at = number?.max(tick_ns),
            FaultAt::Point { nth, .. } => *nth = number?.max(1),
            _ => return None,
        },
    }
    Some(fault)
}
