//! `aftermath shrink`.

use super::args::ShrinkArgs;
use super::choose::choose;
use super::exit::Exit;
use super::folder::Folder;
use super::interrupt;
use super::output::{Output, complain, usage};
use super::progress;
use super::selection::load;
use crate::shrink::{Limits, Shrunk, Size, Unshrunk, shrink as search};
use aftermath_reports::files::write_whole;
use aftermath_reports::words::plural;
use aftermath_systems::options::format_duration;
use aftermath_systems::strategies::Registry;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Shrinks one run, and writes what is left of it.
pub fn shrink(args: &ShrinkArgs, registry: &Registry) -> Exit {
    let scenarios = match load(std::slice::from_ref(&args.run.scenario), registry) {
        Ok(scenarios) => scenarios,
        Err(message) => return usage(&message),
    };
    let scenario = &scenarios[0];
    let (case, id) = match choose(scenario, &args.run) {
        Ok(chosen) => chosen,
        Err(message) => return usage(&format!("error: {message}\n")),
    };
    let path = args.out.clone().unwrap_or_else(|| default_path(&args.run.scenario));
    // Before the work, not after.
    if path.is_dir() {
        return usage(&format!("error: {} is a directory, name a file\n", path.display()));
    }
    if path.canonicalize().is_ok_and(|out| args.run.scenario.canonicalize().is_ok_and(|s| s == out))
    {
        return usage(&format!(
            "error: {} is the scenario itself; give another --out\n",
            path.display()
        ));
    }
    let _folder = match Folder::of_file(&path) {
        Ok(folder) => folder,
        Err(message) => return usage(&message),
    };
    let stop = interrupt::listen();
    let bar = progress::bar_at_most(u64::from(args.budget));
    let moved = |runs: u32| bar.set_position(u64::from(runs));
    let limits = Limits { budget: args.budget, path: &path, stop, progress: &moved };
    let shrunk = search(scenario, case, id, &limits, registry);
    bar.finish_and_clear();
    let shrunk = match shrunk {
        Ok(shrunk) => shrunk,
        Err(error) => {
            complain(&format!("{error}\n"));
            return match error {
                Unshrunk::NotBroken(_) => Exit::Inconclusive,
                Unshrunk::Refused(_) => Exit::Usage,
                Unshrunk::Different(_) => Exit::Bug,
            };
        }
    };
    if let Err(error) = write_whole(&path, &shrunk.text) {
        return usage(&format!("error: cannot write {}: {error}\n", path.display()));
    }
    let mut output = Output::default();
    let interrupted = stop.load(Ordering::Relaxed) && !shrunk.is_done(args.budget);
    output.print(&summary(&shrunk, &path, interrupted));
    output.exit(if interrupted { Exit::Interrupted } else { Exit::Held })
}

/// The scenario's name, in the current folder.
fn default_path(scenario: &Path) -> PathBuf {
    let stem = scenario.file_stem().unwrap_or_default().to_string_lossy();
    PathBuf::from(format!("{stem}-shrunk.toml"))
}

/// What has become of the run.
fn summary(shrunk: &Shrunk, path: &Path, interrupted: bool) -> String {
    let Shrunk { before, after, .. } = shrunk;
    let count = |of: fn(&Size) -> u64| (of(before).to_string(), of(after).to_string());
    let keys = |size: &Size| size.keys.map_or("-".to_string(), |keys| keys.to_string());
    let rows = [
        ("faults", count(|size| size.faults)),
        ("tuples", count(|size| size.tuples)),
        ("keys", (keys(before), keys(after))),
        ("operators", count(|size| size.operators)),
        ("machines", count(|size| size.machines)),
        ("length", (format_duration(before.length_ns), format_duration(after.length_ns))),
    ];
    let mut text = format!("{}\n\n{:10} {:>16} {:>16}\n", shrunk.signature, "", "before", "after");
    for (name, (before, after)) in rows {
        let _ = writeln!(text, "{name:10} {before:>16} {after:>16}");
    }
    let end = match (shrunk.is_smallest, interrupted) {
        (true, _) => "nothing more can be left out",
        (false, true) => "interrupted, more may be left out",
        (false, false) => "more may be left out: give a larger --budget",
    };
    let runs = plural(u64::from(shrunk.evaluations), "run");
    let _ = writeln!(text, "\n{runs}; {end}");
    let _ = writeln!(text, "written: {}", path.display());
    let _ = writeln!(text, "{}", shrunk.record.replay);
    text
}
