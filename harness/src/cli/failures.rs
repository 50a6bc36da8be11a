//! Failing runs of a campaign: told on the terminal by kind, and the first of each kind run again
//! with their traces, in files of their own; of the first kinds the first run also as the smallest
//! scenario that is broken alike.

use super::replay::account;
use crate::agreement;
use crate::campaign::Block;
use crate::joined::{Group, Kind, SHOWN_MAX};
use crate::plan::RunPlan;
use crate::record::{RunId, line_about};
use crate::seed::Seed;
use crate::shrink::{Limits, shrink};
use crate::trace;
use aftermath_reports::files::{torn_of, write_whole};
use aftermath_reports::record::Record;
use aftermath_reports::words::plural;
use aftermath_systems::strategies::Registry;
use std::fs;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Kinds of failures that are shrunk: after so many it is time to mend something.
const SHRUNK_MAX: usize = 5;

/// The kinds of failures with their counts, and for each how its first run is seen again, and what
/// is left of it or how it is made smaller.
pub fn told(groups: &[Group], smaller: &Smaller) -> String {
    if groups.is_empty() {
        return String::new();
    }
    let runs = plural(groups.iter().map(|group| group.count).sum(), "failing run");
    let mut text = format!("{runs}, {}\n", plural(groups.len() as u64, "signature"));
    for (group, smaller) in groups.iter().zip(&smaller.told) {
        let Kind { scenario, case, strategy, .. } = &group.kind;
        let respects = group.kind.respects();
        text += &format!("  {} x {scenario}: {case} / {strategy}: {respects}\n", group.count);
        if let Some(first) = group.shown.first() {
            text += &format!("    replay: {}\n    {smaller}\n", first.replay);
        }
    }
    text
}

/// What is left of the first failures when they are shrunk.
pub struct Smaller {
    /// What came of each, by kind.
    told: Vec<String>,
    /// Whether Ctrl-C came before all was tried.
    pub interrupted: bool,
}

/// Writes `failures/1.txt` and so on: of each kind the first runs, run again with their traces. For
/// the first run of each kind, while there are few, a file `.toml` of the same number is what is
/// left of it when it is shrunk. What came of that, or else the command that does it, is returned,
/// by kind. What an earlier sitting wrote there goes.
///
/// # Errors
/// A file that cannot be written, or a run that is another one this time: a bug of aftermath.
pub fn write(
    dir: &Path,
    groups: &[Group],
    blocks: &[Block],
    registry: &Registry,
    limits: (u32, &AtomicBool),
) -> Result<Smaller, Unwritten> {
    let folder = dir.join("failures");
    let failed =
        |e: io::Error| Unwritten::Disk(format!("cannot write to {}: {e}", folder.display()));
    remove_numbered(&folder).map_err(failed)?;
    let mut number = 0;
    let mut smaller = Smaller { told: Vec::new(), interrupted: false };
    for group in groups {
        for (nth, record) in group.shown.iter().enumerate() {
            fs::create_dir_all(&folder).map_err(failed)?;
            let block = block_of(record, blocks)?;
            let text = text(group, nth, record, block, registry)?;
            number += 1;
            write_whole(&folder.join(format!("{number}.txt")), &text).map_err(failed)?;
            if nth > 0 {
                continue;
            }
            let few = smaller.told.len() < SHRUNK_MAX && limits.0 > 0;
            let stopped = limits.1.load(Ordering::Relaxed);
            smaller.interrupted |= few && stopped;
            smaller.told.push(if few && !stopped {
                let path = folder.join(format!("{number}.toml"));
                let (told, is_tried) =
                    shrunk(&path, record, block, registry, limits).map_err(failed)?;
                smaller.interrupted |= !is_tried;
                told
            } else {
                let id = RunId { seed: record.seed, stratum: record.stratum };
                format!("shrink: {}", line_about("shrink", (block.scenario, block.case), id))
            });
        }
    }
    Ok(smaller)
}

/// Writes the smallest scenario that is broken like a run; what came of it, for people, and whether
/// everything was tried that the budget allows.
fn shrunk(
    path: &Path,
    record: &Record,
    block: &Block,
    registry: &Registry,
    (budget, stop): (u32, &AtomicBool),
) -> io::Result<(String, bool)> {
    let id = RunId { seed: record.seed, stratum: record.stratum };
    let limits = Limits { budget, path, stop, progress: &|_| () };
    match shrink(block.scenario, block.case, id, &limits, registry) {
        Ok(shrunk) => {
            write_whole(path, &shrunk.text)?;
            let told = format!(
                "smallest: {}: {}, {}",
                path.display(),
                plural(shrunk.after.faults, "fault"),
                plural(shrunk.after.tuples, "tuple")
            );
            Ok((told, shrunk.is_done(budget)))
        }
        Err(error) => Ok((format!("smallest: none: {error}"), true)),
    }
}

/// The case of which it is a run.
fn block_of<'a, 'b>(record: &Record, blocks: &'a [Block<'b>]) -> Result<&'a Block<'b>, Unwritten> {
    let mine = |block: &&Block| {
        block.scenario.name == record.scenario
            && block.case.name == record.case
            && block.case.config.label() == record.strategy
    };
    let found = blocks.iter().find(mine);
    found.ok_or_else(|| Unwritten::Bug(format!("no case for {}", record.replay)))
}

/// Why failures were not written.
pub enum Unwritten {
    /// The disk.
    Disk(String),
    /// The run is another one this time.
    Bug(String),
}

fn text(
    group: &Group,
    nth: usize,
    record: &Record,
    block: &Block,
    registry: &Registry,
) -> Result<String, Unwritten> {
    let (seed, stratum) = (Seed(record.seed), record.stratum.unwrap_or(0));
    let plan = Rc::new(RunPlan::build(&block.case.config, registry, seed, stratum));
    let (log, _) = agreement::run(block.worlds, &plan, true);
    if format!("{:016x}", log.hash) != record.trace_hash {
        let replay = &record.replay;
        return Err(Unwritten::Bug(format!("the same seed ran differently:\n{replay}")));
    }
    Ok(format!(
        "{}\n{} of {} of its kind ({}); at most {SHOWN_MAX} are told\n\n{}\n{}",
        record.replay,
        nth + 1,
        group.count,
        group.kind.respects(),
        account(record, &log),
        trace::render(&log, &trace::WHOLE)
    ))
}

/// Removes `1.txt`, `1.toml` and so on, also those that are not whole.
fn remove_numbered(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(e),
    };
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let numbered = torn_of(name).unwrap_or(name).split_once('.');
        let ours = numbered.filter(|(_, ending)| ["txt", "toml"].contains(ending));
        if ours.is_some_and(|(number, _)| number.parse::<u32>().is_ok()) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::Campaign;
    use crate::{formulas, scenario};

    const LOSES: &str = r#"
        strategies = ["amnesia"]
        expect = { lost = 0 }
        pipeline = { name = "keyed-count", protect = ["count"] }
        input = { rate_per_s = 1000, generated = { tuples = 100, keys = 5 } }
        timing = { heartbeat = "5ms", redirect = "3ms", interval = "20ms" }
        fault = [{ machine-loss = { node = "count" }, at = "40ms" }]
    "#;

    #[test]
    fn failures_that_ctrl_c_left_as_they_were_are_known() {
        let dir = std::env::temp_dir().join(format!("aftermath-{}-failures", std::process::id()));
        let registry = Registry::built_in();
        let (here, names) = (Path::new("."), formulas::names());
        let scenarios =
            [scenario::parse(LOSES, "loses.toml", here, &registry, &names).expect("it is valid")];
        let (seeds, strategies, worlds) = (None, Vec::new(), None);
        let campaign = Campaign { scenarios: &scenarios, seeds, strategies, jobs: 1, worlds };
        let records = campaign.run(&registry, &|_| ()).records;
        let kind = Kind::of(&records[0]);
        let groups = [Group { kind, count: 1, shown: records }];
        let blocks = campaign.blocks();
        let written = |budget, stop| {
            let limits = (budget, &AtomicBool::new(stop));
            let Ok(smallest) = write(&dir, &groups, &blocks, &registry, limits) else {
                panic!("they cannot be written");
            };
            let there = |name: &str| dir.join("failures").join(name).is_file();
            assert!(there("1.txt"));
            (smallest.interrupted, there("1.toml"))
        };
        assert_eq!(written(200, false), (false, true));
        let torn = dir.join("failures/.2.txt.4711.tmp");
        fs::write(&torn, "half").expect("it can be written");
        assert_eq!(written(200, true), (true, false));
        assert!(!torn.exists());
        assert_eq!(written(1, false), (false, true), "the budget is no interruption");
        assert_eq!(written(0, true), (false, false));
        fs::remove_dir_all(dir).expect("it is ours");
    }
}
