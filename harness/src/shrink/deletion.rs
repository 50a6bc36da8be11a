//! Lists shrink by deletion: of large pieces first, then of smaller ones, then of single elements,
//! and again from the beginning until nothing can be spared (Zeller and Hildebrandt, "Simplifying
//! and isolating failure-inducing input", TSE 2002, without the complements).

use proptest::strategy::ValueTree;
use std::fmt::Debug;

/// A list of which pieces are left out.
#[derive(Clone, Debug)]
pub struct Deletion<T> {
    kept: Vec<T>,
    /// Fewest elements.
    least: usize,
    /// Length of the pieces that are tried.
    piece: usize,
    /// Where the next one begins.
    next: usize,
    /// What is left out on trial, and where it was.
    trial: Option<(usize, Vec<T>)>,
    /// Whether something could be spared since the largest pieces were tried.
    shorter: bool,
}

impl<T> Deletion<T> {
    /// A list that keeps `least` elements at least.
    pub fn new(list: Vec<T>, least: usize) -> Deletion<T> {
        let piece = list.len().max(1);
        Deletion { kept: list, least, piece, next: 0, trial: None, shorter: false }
    }

    /// Leaves out the next piece, if one is left to try.
    fn advance(&mut self) -> bool {
        loop {
            let end = (self.next + self.piece).min(self.kept.len());
            if self.next < end && self.kept.len() - (end - self.next) >= self.least {
                self.trial = Some((self.next, self.kept.drain(self.next..end).collect()));
                return true;
            }
            if self.next < end {
                self.next = end;
            } else if self.piece > 1 {
                (self.piece, self.next) = (self.piece.div_ceil(2), 0);
            } else if self.shorter {
                self.piece = self.kept.len().max(1);
                (self.next, self.shorter) = (0, false);
            } else {
                return false;
            }
        }
    }
}

impl<T: Clone + Debug> ValueTree for Deletion<T> {
    type Value = Vec<T>;

    fn current(&self) -> Vec<T> {
        self.kept.clone()
    }

    fn simplify(&mut self) -> bool {
        self.shorter |= self.trial.take().is_some();
        self.advance()
    }

    fn complicate(&mut self) -> bool {
        let Some((at, piece)) = self.trial.take() else { return false };
        self.next = at + piece.len();
        self.kept.splice(at..at, piece);
        self.advance()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shrink::runner;
    use proptest::test_runner::{TestCaseError, TestError};
    use std::cell::Cell;

    /// What is left of a list that must keep these, and after how many trials.
    fn shrunk(length: u32, needed: &[u32], least: usize) -> (Vec<u32>, u32) {
        let trials = Cell::new(0);
        let test = |list: Vec<u32>| {
            trials.set(trials.get() + 1);
            match needed.iter().all(|wanted| list.contains(wanted)) {
                true => Err(TestCaseError::fail("all there")),
                false => Ok(()),
            }
        };
        match runner().run_one(Deletion::new((0..length).collect(), least), test) {
            Err(TestError::Fail(_, left)) => (left, trials.get()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_needed_stays_and_everything_else_goes() {
        let (left, trials) = shrunk(200, &[17, 141], 0);
        assert_eq!(left, [17, 141]);
        assert!(trials <= 60, "{trials} trials");
        assert_eq!(shrunk(1, &[0], 0).0, [0]);
        assert_eq!(shrunk(7, &[], 0).0, [0; 0]);
        assert_eq!(shrunk(7, &[], 1).0.len(), 1);
        assert_eq!(shrunk(5, &[0, 1, 2, 3, 4], 0).0, [0, 1, 2, 3, 4]);
    }
}
