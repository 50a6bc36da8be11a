//! When the phases of recovery are over, run by run: what medians are taken of.

use crate::record::{Recovery, Time};

/// The phases in their order: machine is down, detect, redirect, restore, replay, catch up.
pub(crate) const PHASES: usize = 6;
/// The phase that ends with R2.
pub(crate) const REPLAY: usize = 4;
/// The phase that ends with R3.
pub(crate) const CATCH_UP: usize = 5;

/// The ends of the phases of many recoveries.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Phases {
    /// Of each phase: when it was over, ns from the fault, in each run with a measured R2.
    pub(crate) ends: [Vec<u64>; PHASES],
    /// Of these runs: those that had not caught up when they ended.
    pub(crate) late: usize,
    /// All recoveries, with and without an R2.
    pub(crate) recoveries: usize,
}

impl Phases {
    /// Takes in the recovery of one run.
    pub(crate) fn add(&mut self, r: &Recovery) {
        self.recoveries += 1;
        if r.r2.ns().is_some() {
            self.late += usize::from(r.r3.ns().is_none());
            for (ends, at) in self.ends.iter_mut().zip(instants(r)) {
                ends.push(at);
            }
        }
    }

    /// Runs with a measured R2.
    pub(crate) fn back(&self) -> usize {
        self.ends[0].len()
    }
}

/// When each phase of one run was over, ns from the fault.
fn instants(r: &Recovery) -> [u64; PHASES] {
    let mut at = 0;
    let phases = [r.down, r.detect, r.redirect, r.restore, r.replay, r.catch_up];
    let mut ends = phases.map(|time| {
        at += time.ns().unwrap_or(0);
        at
    });
    // Should a phase be unknown, replaying gets its time, and the sum is right all the same.
    if let Time::Ns(r2) = r.r2 {
        ends[REPLAY] = r2;
        ends[CATCH_UP] = r2 + r.catch_up.ns().unwrap_or(0);
    }
    // What had not caught up when the run ended has taken that long at least.
    if let Time::MoreThanNs(bound) = r.r3 {
        ends[CATCH_UP] = ends[CATCH_UP].max(bound);
    }
    ends
}
