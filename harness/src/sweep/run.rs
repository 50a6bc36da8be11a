//! One thread's share of a sweep: every nth place of a case.

use super::failure::{Failure, KILLS, draw};
use super::fork::{Forked, Ground};
use super::pairs;
use super::verdict::Verdict;
use super::whole::Whole;
use std::sync::atomic::{AtomicBool, Ordering};

/// What was found at one place, or at a pair of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The place of the first failure, by its number.
    pub point: usize,
    /// The failures, one or two.
    pub failures: Vec<Failure>,
    /// What the judge says; `None`: the last failure never came.
    pub verdict: Option<Verdict>,
    /// Everything was healing when the place was reached, and so nothing struck there.
    pub late: bool,
    /// Whether the fork stopped where it had rejoined its twin.
    pub early: bool,
    /// Whether it was also run from start to end, and how that differs if it does.
    pub audit: Option<Option<String>>,
}

impl Found {
    fn late(point: usize, failures: Vec<Failure>) -> Found {
        Found { point, failures, verdict: None, late: true, early: false, audit: None }
    }
}

/// A share of the work.
pub struct Share<'a> {
    /// What is run where machines fail.
    pub whole: Whole<'a>,
    /// How many places in a million are also run from start to end.
    pub audit_millionths: u32,
    /// How many places at most.
    pub limit: Option<usize>,
    /// Which of how many shares.
    pub part: (usize, usize),
    /// Set when nothing more is to be begun.
    pub stop: &'a AtomicBool,
    /// Is set if something was not begun for that.
    pub interrupted: &'a AtomicBool,
    /// Called after each fork.
    pub done: &'a (dyn Fn() + Sync),
}

impl Share<'_> {
    /// Lets machines fail once.
    pub fn single(&self, ground: &mut Ground) -> Vec<Found> {
        let (part, parts) = self.part;
        let mut found = Vec::new();
        let mut trunk = ground.trunk();
        for number in ground.points.distinct(self.limit).into_iter().skip(part).step_by(parts) {
            if self.is_over() {
                break;
            }
            let point = ground.points.list[number];
            trunk.advance_to(&ground.plan, &point);
            if ground.trunk_is_twin() {
                trunk.strip();
            }
            for kind in 0..KILLS {
                let failure = Failure { address: point.address, kind };
                let mut fork = trunk.clone();
                if ground.arm(&mut fork.world, failure, false) {
                    let forked = ground.run(fork, 1);
                    found.push(self.found(ground, number, vec![failure], forked));
                } else {
                    found.push(Found::late(number, vec![failure]));
                }
                (self.done)();
            }
        }
        found
    }

    /// Lets machines fail twice, at most so many pairs, as many of each first failure.
    pub fn pairs(&self, ground: &mut Ground, most: usize) -> Vec<Found> {
        let (part, parts) = self.part;
        let firsts = pairs::firsts(ground);
        let all = firsts.len();
        let of_each = firsts
            .into_iter()
            .enumerate()
            .map(|(nth, (number, first))| (number, first, pairs::part(most, nth, all)));
        let mut found = Vec::new();
        for (number, first, most) in of_each.skip(part).step_by(parts).filter(|of| of.2 > 0) {
            let seconds = pairs::seconds(ground, number, first);
            let seconds = pairs::sample(self.whole.seed, first, seconds, most);
            let mut trunk = pairs::failing_trunk(ground, number, first);
            for (point, kind) in seconds {
                if self.is_over() {
                    return found;
                }
                let second = Failure { address: point.address, kind };
                trunk.advance_to(&ground.plan, &point);
                let mut fork = trunk.clone();
                let failures = vec![first, second];
                if ground.arm(&mut fork.world, second, false) {
                    let forked = ground.run(fork, 2);
                    found.push(self.found(ground, number, failures, forked));
                } else {
                    found.push(Found::late(number, failures));
                }
                (self.done)();
            }
        }
        found
    }

    /// Whether the next fork is not to be begun.
    fn is_over(&self) -> bool {
        let is_over = self.stop.load(Ordering::Relaxed);
        self.interrupted.fetch_or(is_over, Ordering::Relaxed);
        is_over
    }

    fn found(
        &self,
        ground: &mut Ground,
        point: usize,
        failures: Vec<Failure>,
        forked: Forked,
    ) -> Found {
        let audit = self.audit(ground, &failures, forked.verdict.as_ref());
        let Forked { verdict, early, .. } = forked;
        Found { point, failures, verdict, late: false, early, audit }
    }

    /// Runs some from start to end as well; which ones is drawn from the seed and the addresses.
    fn audit(
        &self,
        ground: &mut Ground,
        failures: &[Failure],
        forked: Option<&Verdict>,
    ) -> Option<Option<String>> {
        let forked = forked?;
        let drawn = draw(self.whole.seed, failures) % 1_000_000;
        if drawn >= u64::from(self.audit_millionths) {
            return None;
        }
        Some(forked.differs(&self.whole.run(&mut ground.twin, failures)))
    }
}
