//! Failing runs of a campaign: told on the terminal by kind, and the first of each kind run again
//! with their traces, in files of their own.

use super::replay::account;
use crate::agreement;
use crate::campaign::Block;
use crate::joined::{Group, Kind, SHOWN_MAX};
use crate::plan::RunPlan;
use crate::seed::Seed;
use crate::trace;
use aftermath_reports::record::Record;
use aftermath_reports::words::plural;
use aftermath_systems::strategies::Registry;
use std::fs;
use std::io;
use std::path::Path;
use std::rc::Rc;

/// The kinds of failures with their counts, and for each how its first run is seen again and made
/// smaller.
pub fn told(groups: &[Group]) -> String {
    if groups.is_empty() {
        return String::new();
    }
    let runs = plural(groups.iter().map(|group| group.count).sum(), "failing run");
    let mut text = format!("{runs}, {}\n", plural(groups.len() as u64, "signature"));
    for group in groups {
        let Kind { scenario, case, strategy, .. } = &group.kind;
        let respects = group.kind.respects();
        text += &format!("  {} x {scenario}: {case} / {strategy}: {respects}\n", group.count);
        if let Some(first) = group.shown.first() {
            text += &format!("    replay: {}\n", first.replay);
            let smaller = first.replay.replacen("aftermath replay ", "aftermath shrink ", 1);
            text += &format!("    shrink: {smaller}\n");
        }
    }
    text
}

/// Writes `failures/1.txt` and so on: of each kind the first runs, run again with their traces.
/// What an earlier sitting wrote there goes.
///
/// # Errors
/// A file that cannot be written, or a run that is another one this time: a bug of aftermath.
pub fn write(
    dir: &Path,
    groups: &[Group],
    blocks: &[Block],
    registry: &Registry,
) -> Result<(), Unwritten> {
    let folder = dir.join("failures");
    let failed =
        |e: io::Error| Unwritten::Disk(format!("cannot write to {}: {e}", folder.display()));
    remove_numbered(&folder).map_err(failed)?;
    let mut number = 0;
    for group in groups {
        for (nth, record) in group.shown.iter().enumerate() {
            fs::create_dir_all(&folder).map_err(failed)?;
            let text = text(group, nth, record, blocks, registry)?;
            number += 1;
            fs::write(folder.join(format!("{number}.txt")), text).map_err(failed)?;
        }
    }
    Ok(())
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
    blocks: &[Block],
    registry: &Registry,
) -> Result<String, Unwritten> {
    let mine = |block: &&Block| {
        block.scenario.name == record.scenario
            && block.case.name == record.case
            && block.case.config.label() == record.strategy
    };
    let Some(block) = blocks.iter().find(mine) else {
        return Err(Unwritten::Bug(format!("no case for {}", record.replay)));
    };
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
        trace::render(&log)
    ))
}

/// Removes `1.txt` and so on.
fn remove_numbered(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(e),
    };
    for entry in entries {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let numbered = stem.is_some_and(|stem| stem.parse::<u32>().is_ok());
        if numbered && path.extension().is_some_and(|ending| ending == "txt") {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
