//! A failure at every protocol point: between any two effects of any handler of every machine that
//! may fail, a process crash and the loss of the machine, each in a run of its own. Or two
//! failures: one at each kind of places, where the machine may also stand still, and then one at
//! every place from there until the run has rejoined the one without failures.
//!
//! A run without failures, the trunk, goes from tick to tick. Before each tick in which places are
//! reached it is forked, once for each of them and each kind of failure; the fork fails there, and
//! is run until it has rejoined the run without faults, or to its end. Each is judged as any run.
//! Some are also run from the start to the end, and both verdicts must be the same.

mod cells;
mod failure;
mod fork;
mod pairs;
mod points;
mod rejoin;
mod run;
mod twin;
mod verdict;
mod whole;

pub use aftermath_reports::sweep::Seen;
pub use cells::{Gathered, cells};
pub use failure::{Failure, KILLS, KINDS, Lengths, written};
pub use fork::{Forked, Ground};
pub use pairs::part;
pub use points::{Address, Kind, Point, Points, Role, points, victims};
pub use run::Found;
pub use verdict::Verdict;
pub use whole::Whole;

use crate::config::Case;
use crate::threads::at_once;
use aftermath_systems::strategies::Registry;
use run::Share;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What is swept: a case under one strategy.
pub struct Sweep<'a> {
    /// The case.
    pub case: &'a Case,
    /// Strategies by name.
    pub registry: &'a Registry,
    /// The seed.
    pub seed: u64,
    /// How long machines fail.
    pub lengths: Lengths,
    /// How many forks in a million are also run from start to end.
    pub audit_millionths: u32,
    /// Places to take at most, spread evenly; all if not set.
    pub limit: Option<usize>,
    /// Pairs of failures instead of single ones: about so many, as many of each first failure.
    pub pairs: Option<usize>,
    /// How many forks at once.
    pub jobs: usize,
}

/// What came of it.
#[derive(Debug)]
pub struct Swept {
    /// All places and their kinds.
    pub points: Points,
    /// How many of them are the same as the one before.
    pub merged: usize,
    /// What was found, in the order of places.
    pub found: Vec<Found>,
    /// It was stopped before all was tried.
    pub interrupted: bool,
}

impl Sweep<'_> {
    /// Runs it. Begins nothing any more once `stop` is set; `done` is called after each fork, from
    /// any thread. As far as it gets, what is found depends on neither.
    pub fn run(&self, stop: &AtomicBool, done: &(dyn Fn() + Sync)) -> Swept {
        let shares: Mutex<Vec<(usize, Points, Vec<Found>)>> = Mutex::new(Vec::new());
        let jobs = self.jobs.max(1);
        let next = AtomicUsize::new(0);
        let interrupted = AtomicBool::new(false);
        at_once(jobs, &|| {
            loop {
                let part = next.fetch_add(1, Ordering::Relaxed);
                if part >= jobs {
                    return;
                }
                let of_part = self.share((part, jobs), (stop, &interrupted), done);
                shares.lock().expect("no fork panicked").push(of_part);
            }
        });
        let mut shares = shares.into_inner().expect("no fork panicked");
        shares.sort_by_key(|(part, ..)| *part);
        let mut points = Points::default();
        let mut found = Vec::new();
        for (_, all, of_part) in shares {
            points = all;
            found.extend(of_part);
        }
        // Stable: what belongs to one first failure was found by one share, in order.
        found.sort_by_key(|found: &Found| (found.point, found.failures[0].kind));
        let merged = points.list.iter().filter(|point| point.same_as_before).count();
        Swept { points, merged, found, interrupted: interrupted.into_inner() }
    }

    fn share(
        &self,
        part: (usize, usize),
        (stop, interrupted): (&AtomicBool, &AtomicBool),
        done: &(dyn Fn() + Sync),
    ) -> (usize, Points, Vec<Found>) {
        let config = &self.case.config;
        let mut ground = Ground::new(config, self.registry, self.seed, self.lengths);
        let share = Share {
            whole: Whole {
                config,
                registry: self.registry,
                seed: self.seed,
                lengths: self.lengths,
            },
            audit_millionths: self.audit_millionths,
            limit: self.limit,
            part,
            stop,
            interrupted,
            done,
        };
        let found = match self.pairs {
            None => share.single(&mut ground),
            Some(most) => share.pairs(&mut ground, most),
        };
        (part.0, ground.points, found)
    }
}
