//! The value of one setting from which on something is no longer as it was: a coarse grid first, so
//! that a curve that goes up and down is noticed, then halving around the first crossing. The seeds
//! are the same at each value.

use crate::campaign::{Campaign, Disagreement, KEPT_MAX};
use crate::config::{Quantity, Scenario, Worlds};
use crate::expect::{measure, recovered};
use crate::formulas;
use crate::judgement::Expected;
use crate::scenario::parameter::{Amount, Setting};
use crate::scenario::{self};
use aftermath_reports::record::{Record, Time};
use aftermath_reports::summary::Spread;
use aftermath_systems::options::{format_duration, parse_duration};
use aftermath_systems::strategies::Registry;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Halving ends after so many parts of the whole range, if its unit is finer.
const PARTS: u64 = 4096;

/// What is looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Until {
    /// A run that is not as its case expects.
    Broken,
    /// A run with a number above or below a limit.
    Beyond {
        /// The number.
        quantity: Quantity,
        /// Above the limit, or else below.
        above: bool,
        /// The limit, in the unit of records.
        limit: u64,
    },
}

impl Until {
    /// Reads `broken`, `lost`, or `recovery.r2 > 500ms`.
    ///
    /// # Errors
    /// What is none of these, with what could be written.
    pub fn parse(text: &str) -> Result<Until, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let wrong = || {
            let names: Vec<_> = Quantity::ALL.iter().map(|(name, _)| *name).collect();
            format!(
                "`{text}` cannot be looked for; write `broken`, or a quantity, or one with a limit \
                 (\"recovery.r2 > 500ms\"); the quantities are {}",
                names.join(", ")
            )
        };
        match words[..] {
            ["broken"] => Ok(Until::Broken),
            [name] => {
                let quantity = Quantity::named(name).ok_or_else(wrong)?;
                Ok(Until::Beyond { quantity, above: true, limit: 0 })
            }
            [name, sign @ (">" | "<"), limit] => {
                let quantity = Quantity::named(name).ok_or_else(wrong)?;
                let limit = match quantity.is_time() {
                    true => parse_duration(limit)?,
                    false => limit.parse().map_err(|_| wrong())?,
                };
                Ok(Until::Beyond { quantity, above: sign == ">", limit })
            }
            _ => Err(wrong()),
        }
    }

    /// The number that it is about.
    pub fn quantity(&self) -> Option<Quantity> {
        match self {
            Until::Broken => None,
            Until::Beyond { quantity, .. } => Some(*quantity),
        }
    }

    fn found(&self, expected: &Expected, record: &Record) -> bool {
        match self {
            Until::Broken => expected.fails(record),
            Until::Beyond { quantity, above: true, limit } => {
                at_least(*quantity, record).is_some_and(|value| value > *limit)
            }
            // What is only known to be longer is not known to be below anything.
            Until::Beyond { quantity, above: false, limit } => {
                measure(*quantity, record).is_some_and(|value| value < *limit)
            }
        }
    }
}

impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Until::Beyond { quantity, above, limit } = self else { return f.write_str("broken") };
        let sign = if *above { '>' } else { '<' };
        let limit = match quantity.is_time() {
            true => format_duration(*limit),
            false => limit.to_string(),
        };
        write!(f, "{} {sign} {limit}", quantity.name())
    }
}

/// A number of a run; a time that is only known to be longer counts as what it is known to exceed.
fn at_least(quantity: Quantity, record: &Record) -> Option<u64> {
    match recovered(quantity, record) {
        Some(Time::MoreThanNs(ns)) => Some(ns),
        _ => measure(quantity, record),
    }
}

/// What is searched.
pub struct Search<'a> {
    /// The scenario's file.
    pub path: &'a Path,
    /// The setting, as in a case's `set`.
    pub parameter: String,
    /// Its first value.
    pub from: Amount,
    /// Its last value, larger and of the same kind.
    pub to: Amount,
    /// How many parts the grid has.
    pub parts: u64,
    /// What is looked for.
    pub until: Until,
    /// Seeds, if not the scenario's own.
    pub seeds: Option<Range<u64>>,
    /// Only these strategies; all if empty.
    pub strategies: Vec<String>,
    /// Only this case.
    pub case: Option<String>,
    /// How many runs at once.
    pub jobs: usize,
    /// Where they are run, if not where the scenario says.
    pub worlds: Option<Worlds>,
}

/// A case under a strategy.
pub type Name = (String, String);

/// What was seen at one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Seen {
    /// Runs.
    pub runs: u64,
    /// Runs in which what is looked for was found.
    pub found: u64,
    /// The number that it is about, over the runs that have it.
    pub number: Spread,
}

impl Seen {
    /// Whether it was found in at least one run.
    pub fn any(&self) -> bool {
        self.found > 0
    }
}

/// One case under one strategy, over all values that were tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Curve {
    /// The case and the strategy.
    pub name: Name,
    /// What was seen, by value in its unit.
    pub seen: BTreeMap<u64, Seen>,
    /// The two values next to each other at which it is first another than at the first value.
    pub border: Option<(u64, u64)>,
    /// How often it changes along the grid.
    pub crossings: usize,
}

/// What a search has found.
pub struct Found {
    /// The curves in the order of the scenario.
    pub curves: Vec<Curve>,
    /// It was stopped; values are missing, and borders may be wider than they could be.
    pub interrupted: bool,
    /// Runs in which two worlds differ.
    pub disagreements: Vec<Disagreement>,
}

impl Search<'_> {
    /// Searches, until it is done or told to stop.
    ///
    /// # Errors
    /// A scenario, parameter or value that is wrong.
    pub fn run(&self, registry: &Registry, stop: &AtomicBool) -> Result<Found, String> {
        let (mut curves, mut interrupted) = (Vec::<Curve>::new(), false);
        let mut disagreements = Vec::new();
        // Before hours of work, not after.
        for units in self.grid() {
            self.check(&self.scenario(units, None, registry)?, registry)?;
        }
        let mut at = |units, only| self.at(units, only, registry, stop, &mut disagreements);
        for units in self.grid() {
            let Some(all) = at(units, None)? else {
                interrupted = true;
                break;
            };
            for (name, seen) in all {
                let at = curves.iter().position(|curve| curve.name == name);
                let at = at.unwrap_or_else(|| {
                    let seen = BTreeMap::new();
                    curves.push(Curve { name, seen, border: None, crossings: 0 });
                    curves.len() - 1
                });
                curves[at].seen.insert(units, seen);
            }
        }
        for curve in &mut curves {
            let grid: Vec<(u64, bool)> = curve.seen.iter().map(|(at, s)| (*at, s.any())).collect();
            let mut crossed = grid.windows(2).filter(|pair| pair[0].1 != pair[1].1);
            let Some(&[(mut low, before), (mut high, _)]) = crossed.next() else { continue };
            curve.crossings = 1 + crossed.count();
            while !interrupted && let Some(middle) = self.between(low, high) {
                let Some(seen) = at(middle, Some(&curve.name))? else {
                    interrupted = true;
                    break;
                };
                let Some((_, seen)) = seen.into_iter().next() else { break };
                curve.seen.insert(middle, seen);
                if seen.any() == before {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            curve.border = Some((low, high));
        }
        Ok(Found { curves, interrupted, disagreements })
    }

    fn grain(&self) -> u64 {
        self.from.grain(self.to)
    }

    /// The values that are tried first: whole multiples of the grain, the ends among them.
    fn grid(&self) -> Vec<u64> {
        let (from, to, grain) = (self.from.units(), self.to.units(), self.grain());
        let steps = (to - from) / grain;
        let parts = self.parts.clamp(1, steps.max(1));
        let at = |nth: u64| {
            from + (u128::from(steps) * u128::from(nth) / u128::from(parts)) as u64 * grain
        };
        (0..=parts).map(at).collect()
    }

    /// The value in the middle, if the two are further apart than what is looked for.
    fn between(&self, low: u64, high: u64) -> Option<u64> {
        let grain = self.grain();
        let whole = (self.to.units() - self.from.units()) / PARTS;
        let middle = low + (high - low) / grain / 2 * grain;
        (high - low > whole.max(grain) && middle > low).then_some(middle)
    }

    /// What is seen at one value, of all or of one; nothing if it was told to stop before all runs
    /// were done.
    fn at(
        &self,
        units: u64,
        only: Option<&Name>,
        registry: &Registry,
        stop: &AtomicBool,
        disagreements: &mut Vec<Disagreement>,
    ) -> Result<Option<Vec<(Name, Seen)>>, String> {
        let scenario = self.scenario(units, only, registry)?;
        let campaign = self.campaign(&scenario);
        let outcome = campaign.run_until(registry, &|_| (), stop);
        disagreements.extend(outcome.disagreements);
        if stop.load(Ordering::Relaxed) && (outcome.records.len() as u64) < campaign.runs() {
            return Ok(None);
        }
        let mut list = Vec::new();
        for case in &scenario.cases {
            let (name, label) = (case.name.clone(), case.config.label());
            let expected = Expected::of(case);
            let mut seen = Seen::default();
            let own = |record: &&Record| record.case == name && record.strategy == label;
            for record in outcome.records.iter().filter(own) {
                seen.runs += 1;
                seen.found += u64::from(self.until.found(&expected, record));
                let number = self.until.quantity().and_then(|quantity| at_least(quantity, record));
                number.into_iter().for_each(|value| seen.number.add(value));
            }
            list.push(((name, label), seen));
        }
        Ok(Some(list))
    }

    fn campaign<'a>(&self, scenario: &'a Scenario) -> Campaign<'a> {
        Campaign {
            scenarios: std::slice::from_ref(scenario),
            seeds: self.seeds.clone(),
            strategies: Vec::new(),
            jobs: self.jobs,
            worlds: self.worlds,
        }
    }

    /// Whether it can be run.
    fn check(&self, scenario: &Scenario, registry: &Registry) -> Result<(), String> {
        let campaign = self.campaign(scenario);
        campaign.check(registry)?;
        let runs = campaign.runs();
        if runs > KEPT_MAX {
            return Err(format!(
                "{runs} runs at each value, at most {KEPT_MAX}; take fewer seeds with --seeds"
            ));
        }
        Ok(())
    }

    /// The scenario with the parameter at one value, and what is searched of its cases, or one.
    fn scenario(
        &self,
        units: u64,
        only: Option<&Name>,
        registry: &Registry,
    ) -> Result<Scenario, String> {
        let mut scenario = self.whole(units, registry)?;
        scenario.cases.retain(|case| {
            let label = case.config.label();
            let named = self.strategies.is_empty()
                || self.strategies.iter().any(|name| case.config.uses(name));
            let of_case = self.case.as_ref().is_none_or(|name| *name == case.name);
            let of_name =
                only.is_none_or(|(name, strategy)| *name == case.name && *strategy == label);
            named && of_case && of_name
        });
        Ok(scenario)
    }

    /// The scenario with the parameter at one value.
    fn whole(&self, units: u64, registry: &Registry) -> Result<Scenario, String> {
        let (path, case) = (self.parameter.clone(), self.case.clone());
        let setting = Setting { path, amount: self.from.with(units), case };
        let (path, names) = (self.path, formulas::names());
        scenario::load_with(path, registry, &names, Some(&setting)).map_err(|mistakes| {
            // What is wrong without it has nothing to do with it.
            if let Err(own) = scenario::load(path, registry, &names) {
                return own.to_string();
            }
            let paths = scenario::parameters(path, self.case.as_deref()).unwrap_or_default();
            format!(
                "`{}` cannot be {} here:\n{mistakes}\nin {} there are {}; so can be what has a \
                 default (`timing.redirect`): see scenarios/README.md",
                self.parameter,
                setting.amount,
                path.display(),
                paths.join(", ")
            )
        })
    }
}
