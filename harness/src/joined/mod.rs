//! Records of any number of files, put in order: those of a campaign as the campaign shows them,
//! whatever was split how, the others as they come. Of each run a few bytes are in memory.

mod kinds;
mod lines;

pub use kinds::{Group, Kind, SHOWN_MAX};

use crate::hash::TraceHash;
use crate::judgement::Judging;
use crate::manifest::{Manifest, Places, planned};
use aftermath_reports::load::{self, LoadError};
use aftermath_reports::record::{CaseResult, Record, WORLDS_DIFFER};
use aftermath_reports::summary::{Report, Summary};
use kinds::Groups;
use lines::{Line, Reader};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Which run a line is: its place among those of the campaigns, or, of one that is in none, a hash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Which(u64);

impl Which {
    const OUTSIDE: u64 = 1 << 63;

    fn outside(record: &Record) -> Which {
        let mut hash = TraceHash::default();
        identity(record).hash(&mut hash);
        Which(hash.finish() | Which::OUTSIDE)
    }

    fn is_outside(self) -> bool {
        self.0 >= Which::OUTSIDE
    }

    /// Runs outside campaigns come last, in the order in which they were read.
    fn order(self, line: Line) -> (bool, u64, Line) {
        let outside = self.is_outside();
        (outside, if outside { 0 } else { self.0 }, line)
    }
}

/// What makes two records ones of the same run.
fn identity(r: &Record) -> impl Hash + PartialEq {
    let names = (r.scenario.clone(), r.case.clone(), r.strategy.clone(), r.options.clone());
    (names, r.planted.clone(), r.seed, r.stratum)
}

/// Files of records, in order.
pub struct Joined {
    files: Vec<PathBuf>,
    campaigns: Vec<Manifest>,
    runs: Vec<(Which, Line)>,
    /// Judgements that came with files of no campaign.
    cases: Vec<CaseResult>,
}

/// What the records come to.
pub struct Told {
    /// What is shown.
    pub report: Report,
    /// Failing runs of campaigns by kind, in the order in which they come.
    pub failures: Vec<Group>,
    /// Runs in which two worlds differ: their number, and how the first is run again.
    pub differ: (u64, Option<String>),
}

impl Joined {
    /// Reads these files.
    ///
    /// # Errors
    /// A file that cannot be read, a line that is no record, two records of one run that differ, or
    /// campaigns of two scenarios of one name.
    pub fn read(paths: &[PathBuf]) -> Result<Joined, String> {
        let mut joined = Joined {
            files: paths.to_vec(),
            campaigns: Vec::new(),
            runs: Vec::new(),
            cases: Vec::new(),
        };
        let mut read = BTreeSet::new();
        for path in paths {
            if path.metadata().is_ok_and(|file| !file.is_file() && !file.is_dir()) {
                return Err(format!(
                    "{}: not a file that can be read twice; write what comes from there to one",
                    path.display()
                ));
            }
            let headless = !joined.heads(path).map_err(|error| error.to_string())?;
            let beside = path.with_file_name("cases.jsonl");
            if headless && beside.is_file() && read.insert(beside.canonicalize().ok()) {
                let cases = load::read_cases(&beside).map_err(|error| error.to_string())?;
                joined.cases.extend(cases);
            }
        }
        // Those of parts of a campaign are made again from its runs.
        let campaigns = &joined.campaigns;
        let planned = |case: &CaseResult| {
            campaigns.iter().flat_map(Manifest::cases).any(|(scenario, planned)| {
                (&scenario.name, &planned.name, &planned.strategy)
                    == (&case.scenario, &case.case, &case.strategy)
            })
        };
        let cases = std::mem::take(&mut joined.cases);
        joined.cases = cases.into_iter().filter(|case| !planned(case)).collect();
        let places = joined.places();
        for (number, path) in paths.iter().enumerate() {
            let runs = &mut joined.runs;
            let read = load::each_line(path, |offset, line| {
                if load::planned(line).is_none() {
                    let record = load::record(line)?;
                    let place = find(&places, &record).next().map(|(which, ..)| which);
                    let which = place.unwrap_or_else(|| Which::outside(&record));
                    runs.push((which, Line::new(number, offset)));
                }
                Ok(())
            });
            read.map_err(|error| error.to_string())?;
        }
        joined.once()?;
        joined.runs.sort_unstable_by_key(|(which, line)| which.order(*line));
        Ok(joined)
    }

    /// Takes in the heads of a file; whether there was one.
    fn heads(&mut self, path: &Path) -> Result<bool, LoadError> {
        let mut found = false;
        load::each_line(path, |_, line| {
            if let Some(planned) = load::planned(line) {
                let manifest = serde_json::from_str::<Manifest>(planned);
                let wrong = |what| format!("not the head of a campaign: {what}");
                let manifest = manifest.map_err(|e| wrong(e.to_string()))?;
                manifest.check().map_err(wrong)?;
                let others = self.campaigns.iter();
                if let Some(conflict) = others.filter_map(|other| other.conflict(&manifest)).next()
                {
                    return Err(conflict);
                }
                found = true;
                if !self.campaigns.contains(&manifest) {
                    self.campaigns.push(manifest);
                }
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// The places of each campaign's runs, after those of the campaigns before.
    fn places(&self) -> Vec<(u64, Places)> {
        let mut first = 0;
        let places = self.campaigns.iter().map(|manifest| {
            let places = (first, Places::of(manifest));
            first += manifest.runs();
            places
        });
        places.collect()
    }

    /// Keeps each run once.
    fn once(&mut self) -> Result<(), String> {
        self.runs.sort_unstable();
        let mut kept: Vec<(Which, Line)> = Vec::with_capacity(self.runs.len());
        let mut reader = Reader::new(&self.files);
        for (which, line) in std::mem::take(&mut self.runs) {
            if let Some(last) = kept.last_mut().filter(|(last, _)| *last == which) {
                let (first, second) = (reader.record(last.1)?, reader.record(line)?);
                let same = identity(&first) == identity(&second);
                if bare(&first) == bare(&second) {
                    // The first run of a campaign has a series; it may be in the middle of
                    // another.
                    if first.series.is_none() && second.series.is_some() {
                        *last = (which, line);
                    }
                    continue;
                }
                // Outside campaigns two runs may have one hash; a place in one is of one run.
                if same || !which.is_outside() {
                    return Err(format!(
                        "{} and {} have the same run with different results, which must not be: \
                         another version of aftermath or another scenario of that name, or a bug \
                         of aftermath\n{}",
                        reader.place(last.1),
                        reader.place(line),
                        first.replay
                    ));
                }
            }
            kept.push((which, line));
        }
        self.runs = kept;
        Ok(())
    }

    /// Number of runs.
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Takes all runs in, one after another.
    ///
    /// # Errors
    /// A file that cannot be read any more.
    pub fn tell(&self) -> Result<Told, String> {
        let places = self.places();
        let cases: Vec<Vec<_>> = self.campaigns.iter().map(|m| m.cases().collect()).collect();
        let mut judgings: Vec<Vec<Judging>> =
            cases.iter().map(|cases| vec![Judging::default(); cases.len()]).collect();
        let mut summary = Summary::default();
        let mut groups = Groups::default();
        let mut differ = (0, None);
        let mut reader = Reader::new(&self.files);
        for (_, line) in &self.runs {
            let record = reader.record(*line)?;
            summary.add(&record);
            if record.reasons.iter().any(|reason| reason == WORLDS_DIFFER) {
                differ.0 += 1;
                differ.1.get_or_insert_with(|| record.replay.clone());
            }
            let mut fails = false;
            for (_, campaign, case) in find(&places, &record) {
                let expected = &cases[campaign][case].1.expected;
                judgings[campaign][case].add(expected, &record);
                fails |= expected.fails(&record);
            }
            if fails {
                groups.add(record);
            }
        }
        let (mut results, mut missing) = (Vec::new(), 0);
        for (cases, judgings) in cases.iter().zip(&judgings) {
            for ((scenario, case), judging) in cases.iter().zip(judgings) {
                let planned = planned(scenario, case);
                missing += planned - judging.runs();
                // A case that lacks runs has no judgement.
                if judging.runs() == planned {
                    let names = [&*scenario.name, &case.name, &case.strategy];
                    results.push(judging.result(&case.expected, names));
                }
            }
        }
        results.extend(self.cases.iter().cloned());
        let planned = (missing > 0).then_some(self.runs.len() as u64 + missing);
        Ok(Told { report: summary.finish(results, planned), failures: groups.list, differ })
    }

    /// Writes the records in order, after the heads of the campaigns.
    ///
    /// # Errors
    /// When they cannot be read or written.
    pub fn write(&self, file: &mut dyn Write) -> io::Result<()> {
        for manifest in &self.campaigns {
            writeln!(file, "{}", head(manifest))?;
        }
        let mut reader = Reader::new(&self.files);
        for (_, line) in &self.runs {
            writeln!(file, "{}", reader.line(*line)?.trim())?;
        }
        Ok(())
    }
}

/// The line at the head of a campaign's records.
pub fn head(manifest: &Manifest) -> String {
    load::head(&serde_json::to_string(manifest).expect("a manifest has only string keys"))
}

/// The places of a run in each campaign that it is one of: which, campaign, case.
fn find<'a>(
    places: &'a [(u64, Places)],
    record: &'a Record,
) -> impl Iterator<Item = (Which, usize, usize)> + 'a {
    places.iter().enumerate().filter_map(|(campaign, (first, places))| {
        let (number, case) = places.find(record)?;
        Some((Which(first + number), campaign, case))
    })
}

/// What two records of the same run have in common: how the scenario was named, and whether it was
/// the first of its campaign, may differ.
fn bare(record: &Record) -> Record {
    Record { replay: String::new(), series: None, ..record.clone() }
}
