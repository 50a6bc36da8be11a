//! Several streams put into one order that does not depend on which of them was faster.

use super::queue::{Item, Queue, Shift};
use crate::operator::mix;
use crate::protocol::{Field, Payload, Position, Positions, StreamId, Tuple};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

impl Item for Tuple {
    fn hash(&self) -> u64 {
        let semantic = self.semantic;
        let hash = mix(mix(u64::MAX, u64::from(semantic.kind)), u64::from(semantic.key));
        let hash = mix(mix(hash, semantic.index), self.scheduled);
        match &self.payload {
            Payload::Pair { key, value } => mix(mix(hash, u64::from(*key)), *value as u64),
            Payload::Record(fields) => fields.iter().fold(hash, |hash, field| match field {
                Field::Integer(number) => mix(hash, *number as u64),
                Field::Fixed { units, decimals } => {
                    mix(mix(hash, *units as u64), (*decimals).into())
                }
                Field::Text(symbol) => mix(hash, symbol.0.into()),
            }),
            Payload::End => hash,
        }
    }
}

/// One of the streams.
#[derive(Clone, Debug)]
struct Side {
    stream: StreamId,
    /// What has arrived and waits for the other streams.
    waiting: Queue<Tuple>,
    ended: bool,
}

/// What has to be saved of each side, in the order of ranks.
pub(super) type Saved<'a> = Vec<(&'a VecDeque<Tuple>, bool)>;
/// A [`Saved`] that was read back.
pub(super) type Loaded = Vec<(Vec<Tuple>, bool)>;

/// What happened to all sides since the last cut.
#[derive(Serialize, Deserialize)]
pub(super) struct Shifts(Vec<(Shift<Tuple>, bool)>);

impl Shifts {
    /// How many entries have to be shipped.
    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|(shift, _)| shift.len()).sum()
    }
}

/// Releases inputs in the order of (schedule, rank of the stream). Each stream comes in the order
/// of schedule, so the smallest of the first waiting inputs is next as soon as every stream that
/// has not ended shows one: a stream that shows none has only released smaller ones, and its next
/// input may be smaller than all others.
#[derive(Clone, Debug, Default)]
pub(super) struct Merge {
    /// By rank.
    sides: Vec<Side>,
}

impl Merge {
    /// The streams to merge; a stream's rank is its place among them.
    pub(super) fn connect(&mut self, streams: &[StreamId]) {
        let side = |stream| Side { stream, waiting: Queue::default(), ended: false };
        self.sides = streams.iter().copied().map(side).collect();
    }

    /// Takes an input; what it releases is asked for with [`Merge::next`].
    pub(super) fn push(&mut self, input: &Tuple) {
        let side = self.sides.iter_mut().find(|side| side.stream == input.id.stream);
        side.expect("inputs come on connected streams").waiting.push(input.clone());
    }

    /// Nobody waits for these streams any longer.
    pub(super) fn end(&mut self, streams: &[StreamId]) {
        for side in self.sides.iter_mut().filter(|side| streams.contains(&side.stream)) {
            side.ended = true;
        }
    }

    /// Nobody waits for anything any longer.
    pub(super) fn end_all(&mut self) {
        self.sides.iter_mut().for_each(|side| side.ended = true);
    }

    /// The next input that can be released, and the rank of its stream.
    pub(super) fn next(&mut self) -> Option<(usize, Tuple)> {
        let mut next: Option<(u64, usize)> = None;
        for (rank, side) in self.sides.iter().enumerate() {
            match side.waiting.front() {
                Some(first) if next.is_none_or(|least| (first.scheduled, rank) < least) => {
                    next = Some((first.scheduled, rank));
                }
                None if !side.ended => return None,
                _ => {}
            }
        }
        let (_, rank) = next?;
        Some((rank, self.sides[rank].waiting.pop()?))
    }

    /// What is needed of each stream, given what was `received`: everything from the oldest input
    /// on that `kept` tells of a rank or that waits; and the end of a stream, if it has come. A
    /// successor has to be told that again, though it was the last thing received: the other
    /// streams would wait for ever.
    pub(super) fn needs(
        &self,
        received: &Positions,
        kept: impl Fn(usize, StreamId) -> Option<Position>,
    ) -> Positions {
        let mut needs = received.clone();
        for (rank, side) in self.sides.iter().enumerate() {
            let waiting = side.waiting.front().map(|input| input.id.position);
            if let Some(oldest) = kept(rank, side.stream).or(waiting) {
                needs.set(side.stream, oldest);
            } else if side.ended {
                let Position { sequence, sub } = received.get(side.stream);
                needs.set(side.stream, Position { sequence, sub: sub.saturating_sub(1) });
            }
        }
        needs
    }

    /// How many inputs wait.
    pub(super) fn len(&self) -> usize {
        self.sides.iter().map(|side| side.waiting.len()).sum()
    }

    /// Equal for equal states.
    pub(super) fn digest(&self) -> u64 {
        let side = |hash, side: &Side| mix(mix(hash, side.waiting.digest()), side.ended.into());
        self.sides.iter().fold(0, side)
    }

    /// Everything; later changes are relative to this cut.
    pub(super) fn snapshot(&mut self) -> Saved<'_> {
        self.sides.iter_mut().map(|side| (side.waiting.snapshot(), side.ended)).collect()
    }

    /// Starts again from a snapshot of the same streams.
    pub(super) fn restore(&mut self, loaded: Loaded) {
        for (side, (waiting, ended)) in self.sides.iter_mut().zip(loaded) {
            side.waiting.restore(waiting);
            side.ended = ended;
        }
    }

    /// What changed since the last cut, which is here now.
    pub(super) fn delta(&mut self) -> Shifts {
        let sides = self.sides.iter_mut();
        Shifts(sides.map(|side| (side.waiting.delta(), side.ended)).collect())
    }

    /// Follows one delta; the cut moves along.
    pub(super) fn apply(&mut self, shifts: Shifts) {
        for (side, (shift, ended)) in self.sides.iter_mut().zip(shifts.0) {
            side.waiting.apply(shift);
            side.ended = ended;
        }
    }
}
