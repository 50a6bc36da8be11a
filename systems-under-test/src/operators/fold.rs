//! One number made of everything so far and its order.

use crate::operator::mix;
use crate::protocol::{Payload, SemanticId, Tuple};

/// A prime below which the number stays.
const PRIME: i64 = (1 << 31) - 1;
/// What the number is multiplied by with each step.
const FACTOR: i64 = 65_537;

/// Folds pairs of several streams into a number. Two neighbours of different streams that change
/// places change the number, provided that their values are less than 65,537 apart; and it stays
/// another one whatever follows, because a step of a residue by a prime can be undone.
#[derive(Clone, Debug, Default)]
pub(super) struct Fold {
    number: i64,
    /// Since the last cut.
    changed: bool,
}

impl Fold {
    /// What a union answers to an input of the stream with this rank: that input's own identity
    /// and key, and the number so far. `None` for anything but a pair.
    pub(super) fn answer(&mut self, rank: usize, input: &Tuple) -> Option<(SemanticId, Payload)> {
        let Payload::Pair { key, value } = input.payload else { return None };
        let kind = 1 + rank as u16;
        // The branches of a diamond may bring equal values: that of which stream counts as well.
        for step in [i64::from(kind), value.rem_euclid(PRIME)] {
            self.number = (self.number * FACTOR + step) % PRIME;
        }
        self.changed = true;
        let semantic = SemanticId { kind, key: 0, index: input.semantic.index };
        Some((semantic, Payload::Pair { key, value: self.number }))
    }

    /// Equal for equal numbers.
    pub(super) fn digest(&self) -> u64 {
        mix(u64::MAX, self.number as u64)
    }

    /// The number; later changes are relative to this cut.
    pub(super) fn snapshot(&mut self) -> i64 {
        self.changed = false;
        self.number
    }

    /// Starts again from a snapshot.
    pub(super) fn restore(&mut self, number: i64) {
        *self = Fold { number, changed: false };
    }

    /// The number if it changed since the last cut, which is here now.
    pub(super) fn delta(&mut self) -> Option<i64> {
        std::mem::take(&mut self.changed).then_some(self.number)
    }

    /// Follows one delta; the cut moves along.
    pub(super) fn apply(&mut self, delta: Option<i64>) {
        self.number = delta.unwrap_or(self.number);
    }
}
