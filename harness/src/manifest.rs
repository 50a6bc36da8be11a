//! What a campaign is made of, as it stands at the head of its records: which runs there are to be,
//! in which order they are shown, and what is expected of them.

use crate::campaign::Block;
use crate::judgement::Expected;
use aftermath_reports::record::Record;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything that determines the records of a campaign.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the program.
    pub program: String,
    /// The scenarios, in the order in which they were named.
    pub scenarios: Vec<PlannedScenario>,
}

/// A scenario of a campaign.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlannedScenario {
    /// Its name.
    pub name: String,
    /// Its file, as the user wrote it: it is in the lines that run something again.
    pub path: String,
    /// A hash of its text and of the rows that it reads.
    pub content: String,
    /// From the first seed up to but not including the last.
    pub seeds: (u64, u64),
    /// Where it is run.
    pub world: String,
    /// Its cases, one for each strategy.
    pub cases: Vec<PlannedCase>,
}

/// A case under one strategy.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlannedCase {
    /// Its name.
    pub name: String,
    /// The strategy, or mixture of strategies.
    pub strategy: String,
    /// The strata of each seed, if it is stratified.
    pub strata: Option<u32>,
    /// What is expected of all runs together.
    pub expected: Expected,
}

impl PlannedCase {
    /// Number of runs of each seed.
    fn runs_of_seed(&self) -> u64 {
        u64::from(self.strata.unwrap_or(1))
    }
}

impl Manifest {
    /// That of these cases.
    pub fn of(blocks: &[Block]) -> Manifest {
        let scenarios = blocks.chunk_by(|a, b| a.scenario.name == b.scenario.name).map(|blocks| {
            let Block { scenario, seeds, worlds, .. } = &blocks[0];
            let cases = blocks.iter().map(|block| PlannedCase {
                name: block.case.name.clone(),
                strategy: block.case.config.label(),
                strata: block.strata,
                expected: Expected::of(block.case),
            });
            PlannedScenario {
                name: scenario.name.clone(),
                path: scenario.path.clone(),
                content: scenario.content.clone(),
                seeds: (seeds.start, seeds.end),
                world: worlds.name().to_string(),
                cases: cases.collect(),
            }
        });
        let program = env!("CARGO_PKG_VERSION").to_string();
        Manifest { program, scenarios: scenarios.collect() }
    }

    /// All cases, in the order in which they are shown.
    pub fn cases(&self) -> impl Iterator<Item = (&PlannedScenario, &PlannedCase)> {
        self.scenarios.iter().flat_map(|scenario| scenario.cases.iter().map(move |c| (scenario, c)))
    }

    /// Number of runs.
    pub fn runs(&self) -> u64 {
        self.cases().map(|(scenario, case)| planned(scenario, case)).sum()
    }

    /// Whether there can be such a campaign: what is read from a file may be anything.
    ///
    /// # Errors
    /// Which seeds make no sense.
    pub fn check(&self) -> Result<(), String> {
        let mut runs = 0u64;
        for (PlannedScenario { name, seeds: (from, to), .. }, case) in self.cases() {
            let of_case = to.checked_sub(*from).and_then(|n| n.checked_mul(case.runs_of_seed()));
            let all = of_case.and_then(|of_case| runs.checked_add(of_case));
            let all = all.filter(|all| *all <= u64::from(u32::MAX));
            runs =
                all.ok_or_else(|| format!("seeds {from}..{to} of {name} cannot have been run"))?;
        }
        Ok(())
    }

    /// Why the runs of another one cannot be told together with those of this one, if they cannot:
    /// runs are told apart by the names of scenarios.
    pub fn conflict(&self, other: &Manifest) -> Option<String> {
        for (here, there) in self.scenarios.iter().flat_map(|here| {
            let same = other.scenarios.iter().filter(move |there| there.name == here.name);
            same.map(move |there| (here, there))
        }) {
            let name = &here.name;
            if self.program != other.program {
                return Some(format!(
                    "scenario {name} was run by aftermath {} here, and by {} in what was read \
                     before; make reports of each version",
                    other.program, self.program
                ));
            }
            if here.content != there.content {
                return Some(format!(
                    "scenario {name}, or what it reads, is another one here than in what was read \
                     before; make a report of each, or give one of them another `name`"
                ));
            }
        }
        None
    }

    /// What another one has that this one has not, for people.
    pub fn differences(&self, other: &Manifest) -> Vec<String> {
        let mut list = Vec::new();
        let mut differ = |what: String, here: &dyn ToString, there: &dyn ToString| {
            let (here, there) = (here.to_string(), there.to_string());
            if here != there {
                list.push(format!("{what}: {here} there, {there} now"));
            }
        };
        differ("version of aftermath".into(), &self.program, &other.program);
        let names = |manifest: &Manifest| {
            let names: Vec<_> = manifest.scenarios.iter().map(|s| s.name.clone()).collect();
            names.join(", ")
        };
        differ("scenarios".into(), &names(self), &names(other));
        for (here, there) in self.scenarios.iter().zip(&other.scenarios) {
            if here.name != there.name {
                continue;
            }
            let name = &here.name;
            differ(format!("path of {name}"), &here.path, &there.path);
            let content = format!("content of {name} and of what it reads, as a hash");
            differ(content, &here.content, &there.content);
            let seeds = |(from, to): (u64, u64)| format!("{from}..{to}");
            differ(format!("seeds of {name}"), &seeds(here.seeds), &seeds(there.seeds));
            differ(format!("world of {name}"), &here.world, &there.world);
            let cases = |scenario: &PlannedScenario| {
                let named = scenario.cases.iter().map(|c| format!("{} / {}", c.name, c.strategy));
                named.collect::<Vec<_>>()
            };
            let (ours, theirs) = (cases(here), cases(there));
            if ours != theirs {
                let counts = (ours.len(), theirs.len());
                let only = |a: &[String], b: &[String]| {
                    a.iter().find(|name| !b.contains(name)).map_or("".into(), |n| format!(" ({n})"))
                };
                let here = format!("{}{}", counts.0, only(&ours, &theirs));
                let there = format!("{}{}", counts.1, only(&theirs, &ours));
                differ(format!("cases of {name} under strategies"), &here, &there);
            }
        }
        if list.is_empty() && self != other {
            list.push("what is expected of the runs".to_string());
        }
        list
    }
}

/// Number of runs of a case.
pub fn planned(scenario: &PlannedScenario, case: &PlannedCase) -> u64 {
    (scenario.seeds.1 - scenario.seeds.0) * case.runs_of_seed()
}

/// The places of runs in the order in which a campaign shows them.
pub struct Places {
    of: BTreeMap<(String, String, String), Place>,
}

/// The place of a case.
#[derive(Clone, Copy)]
struct Place {
    /// Its number among the cases.
    case: usize,
    /// The number of its first run.
    first: u64,
    seeds: (u64, u64),
    runs_of_seed: u64,
}

impl Places {
    /// Those of a campaign.
    pub fn of(manifest: &Manifest) -> Places {
        let mut of = BTreeMap::new();
        let mut first = 0;
        for (number, (scenario, case)) in manifest.cases().enumerate() {
            let name = (scenario.name.clone(), case.name.clone(), case.strategy.clone());
            let (seeds, runs_of_seed) = (scenario.seeds, case.runs_of_seed());
            of.insert(name, Place { case: number, first, seeds, runs_of_seed });
            first += planned(scenario, case);
        }
        Places { of }
    }

    /// The number of a run and that of its case, if it is one of the campaign's.
    pub fn find(&self, record: &Record) -> Option<(u64, usize)> {
        let key = (record.scenario.clone(), record.case.clone(), record.strategy.clone());
        let place = self.of.get(&key)?;
        let stratum = u64::from(record.stratum.unwrap_or(0));
        let inside = (place.seeds.0..place.seeds.1).contains(&record.seed);
        let number =
            inside.then(|| (record.seed - place.seeds.0) * place.runs_of_seed + stratum)?;
        (stratum < place.runs_of_seed).then_some((place.first + number, place.case))
    }
}
