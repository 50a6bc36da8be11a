//! The records that flow: a small fixed header and a payload.

use super::ids::{Nanos, StreamId};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Place of a tuple in its stream: the sequence number of the source tuple that caused it, and a
/// sub-index for operators that emit several outputs for one input.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct Position {
    /// Sequence number at the source, from 0.
    pub sequence: u64,
    /// Which of the outputs of that source tuple, packed 16 bits for each fanning-out operator.
    pub sub: u64,
}

impl Position {
    /// Before everything.
    pub const START: Position = Position { sequence: 0, sub: 0 };

    /// The first output of source tuple `sequence`.
    pub fn of(sequence: u64) -> Self {
        Position { sequence, sub: 0 }
    }

    /// The smallest position after this one: the exclusive bound "everything up to here".
    pub fn next(self) -> Self {
        Position { sequence: self.sequence, sub: self.sub + 1 }
    }
}

/// A position for each of several streams, each an **exclusive** bound: "everything before".
/// A stream that is not listed is at [`Position::START`].
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Positions(Vec<(StreamId, Position)>);

impl Positions {
    /// The bound of one stream.
    pub fn get(&self, stream: StreamId) -> Position {
        // One or two streams are the rule, so a scan beats a search.
        self.0.iter().find(|(s, _)| *s == stream).map_or(Position::START, |(_, p)| *p)
    }

    /// Sets the bound of one stream.
    pub fn set(&mut self, stream: StreamId, position: Position) {
        match self.0.iter_mut().find(|(s, _)| *s == stream) {
            Some((_, p)) => *p = position,
            None => {
                self.0.push((stream, position));
                self.0.sort_unstable_by_key(|(s, _)| *s);
            }
        }
    }

    /// Moves the bound of one stream forward; never back.
    pub fn advance(&mut self, stream: StreamId, position: Position) {
        if position > self.get(stream) {
            self.set(stream, position);
        }
    }

    /// Whether `position` of `stream` lies before the bound.
    pub fn covers(&self, stream: StreamId, position: Position) -> bool {
        position < self.get(stream)
    }

    /// Whether every bound of `other` is at or before ours.
    pub fn includes(&self, other: &Positions) -> bool {
        other.iter().all(|(stream, position)| position <= self.get(stream))
    }

    /// The streams and bounds, in the order of streams.
    pub fn iter(&self) -> impl Iterator<Item = (StreamId, Position)> + '_ {
        self.0.iter().copied()
    }

    /// Only the streams that `keep` accepts.
    pub fn only(&self, keep: impl Fn(StreamId) -> bool) -> Positions {
        Positions(self.0.iter().copied().filter(|(s, _)| keep(*s)).collect())
    }

    /// Whether no stream is listed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(StreamId, Position)> for Positions {
    fn from_iter<I: IntoIterator<Item = (StreamId, Position)>>(items: I) -> Self {
        let mut positions = Positions::default();
        for (stream, position) in items {
            positions.set(stream, position);
        }
        positions
    }
}

/// What receivers deduplicate and acknowledge by: kept down the chain, so that a restarted
/// operator gives a re-computed output the id of the first one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct DeliveryId {
    /// The path from the source.
    pub stream: StreamId,
    /// The place within that path.
    pub position: Position,
}

/// What the judge compares by: given by the operator, independent of how the output was reached
/// ("origin DTW, week 3"), because after a gap a window may close on another trigger.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct SemanticId {
    /// Which of the operator's kinds of output; the pipeline names them.
    pub kind: u16,
    /// The key the output belongs to.
    pub key: u32,
    /// Which output of that kind and key.
    pub index: u64,
}

/// Interned text: an index into the workload's table of symbols.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Symbol(pub u32);

/// One column of a shared record. Integers and symbols only: no float is ever compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Field {
    /// A whole number.
    Integer(i64),
    /// A fixed-point number: `units` × 10^−`decimals`.
    Fixed {
        /// The number in its smallest unit.
        units: i64,
        /// How many decimals that unit has.
        decimals: u8,
    },
    /// Interned text.
    Text(Symbol),
}

/// What a tuple carries: cloned, never copied deeply.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Payload {
    /// A key and a number, for generated workloads and running aggregates.
    Pair {
        /// The grouping key.
        key: u32,
        /// The number.
        value: i64,
    },
    /// A row of a recorded stream or an aggregate of several numbers.
    Record(Rc<[Field]>),
    /// End of the stream: travels, is retained and replayed like a tuple, but is not data.
    End,
}

impl Payload {
    /// The grouping key of a pair, or the symbol or integer in `column` of a record.
    /// The end marker has none; it goes to every instance.
    pub fn key(&self, column: usize) -> Option<u32> {
        match self {
            Payload::Pair { key, .. } => Some(*key),
            Payload::Record(fields) => match fields.get(column)? {
                Field::Integer(number) => Some(*number as u32),
                Field::Fixed { units, .. } => Some(*units as u32),
                Field::Text(symbol) => Some(symbol.0),
            },
            Payload::End => None,
        }
    }
}

/// One tuple. Its size is pinned by a test: it is moved for every hop of every run.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Tuple {
    /// For deduplication and acknowledgements.
    pub id: DeliveryId,
    /// For the judge.
    pub semantic: SemanticId,
    /// When the source was scheduled to emit the latest input that contributes; lag is measured
    /// from here, not from when a queue let it go.
    pub scheduled: Nanos,
    /// The content.
    pub payload: Payload,
}

impl Tuple {
    /// Whether this is the end marker of its stream.
    pub fn is_end(&self) -> bool {
        matches!(self.payload, Payload::End)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tuple_is_at_most_seventy_two_bytes() {
        assert_eq!(std::mem::size_of::<Tuple>(), 72);
    }

    #[test]
    fn positions_are_exclusive_bounds_and_unknown_streams_are_at_the_start() {
        let mut positions = Positions::default();
        assert!(!positions.covers(StreamId(3), Position::START));
        positions.advance(StreamId(3), Position::of(7).next());
        assert!(positions.covers(StreamId(3), Position::of(7)));
        assert!(!positions.covers(StreamId(3), Position { sequence: 7, sub: 1 }));
        positions.advance(StreamId(3), Position::of(2));
        assert_eq!(positions.get(StreamId(3)), Position { sequence: 7, sub: 1 });
    }
}
