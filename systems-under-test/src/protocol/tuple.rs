//! The records that flow: a small fixed header and a payload.

use super::ids::{Nanos, StreamId};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Place of a tuple in its stream: the sequence number of the source tuple that caused it, and a
/// sub-index for operators that emit several outputs for one input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
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
#[derive(Clone, Default, Deserialize)]
#[serde(from = "Vec<(StreamId, Position)>")]
pub struct Positions(Bounds);

/// Bounds in the order of streams. One stream is the rule, and needs no memory of its own: bounds
/// are cloned for every acknowledgement, and under some strategies for every tuple.
#[derive(Clone, Default)]
enum Bounds {
    #[default]
    None,
    One((StreamId, Position)),
    Several(Vec<(StreamId, Position)>),
}

impl Positions {
    fn bounds(&self) -> &[(StreamId, Position)] {
        match &self.0 {
            Bounds::None => &[],
            Bounds::One(bound) => std::slice::from_ref(bound),
            Bounds::Several(bounds) => bounds,
        }
    }

    /// The bound of one stream.
    pub fn get(&self, stream: StreamId) -> Position {
        // One or two streams are the rule, so a scan beats a search.
        let found = self.bounds().iter().find(|(s, _)| *s == stream);
        found.map_or(Position::START, |(_, position)| *position)
    }

    /// Sets the bound of one stream.
    pub fn set(&mut self, stream: StreamId, position: Position) {
        match self.bound_mut(stream) {
            Some(bound) => *bound = position,
            None => self.list(stream, position),
        }
    }

    /// Moves the bound of one stream forward; never back.
    pub fn advance(&mut self, stream: StreamId, position: Position) {
        match self.bound_mut(stream) {
            Some(bound) => *bound = position.max(*bound),
            None if position > Position::START => self.list(stream, position),
            None => {}
        }
    }

    /// The bound of a stream that is listed.
    fn bound_mut(&mut self, stream: StreamId) -> Option<&mut Position> {
        let bounds = match &mut self.0 {
            Bounds::None => &mut [],
            Bounds::One(bound) => std::slice::from_mut(bound),
            Bounds::Several(bounds) => &mut bounds[..],
        };
        bounds.iter_mut().find(|(s, _)| *s == stream).map(|(_, bound)| bound)
    }

    /// Lists one more stream.
    fn list(&mut self, stream: StreamId, position: Position) {
        let mut bounds = match std::mem::take(&mut self.0) {
            Bounds::None => Vec::new(),
            Bounds::One(bound) => vec![bound],
            Bounds::Several(bounds) => bounds,
        };
        bounds.push((stream, position));
        bounds.sort_unstable_by_key(|(s, _)| *s);
        *self = bounds.into();
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
        self.bounds().iter().copied()
    }

    /// Only the streams that `keep` accepts.
    pub fn only(&self, keep: impl Fn(StreamId) -> bool) -> Positions {
        if self.iter().all(|(stream, _)| keep(stream)) {
            return self.clone();
        }
        self.iter().filter(|(stream, _)| keep(*stream)).collect::<Vec<_>>().into()
    }

    /// Whether no stream is listed.
    pub fn is_empty(&self) -> bool {
        self.bounds().is_empty()
    }
}

impl From<Vec<(StreamId, Position)>> for Positions {
    fn from(bounds: Vec<(StreamId, Position)>) -> Self {
        Positions(match bounds[..] {
            [] => Bounds::None,
            [bound] => Bounds::One(bound),
            _ => Bounds::Several(bounds),
        })
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

// By hand, over the bounds: how they are kept shows nowhere.
impl PartialEq for Positions {
    fn eq(&self, other: &Self) -> bool {
        self.bounds() == other.bounds()
    }
}

impl Eq for Positions {}

impl Hash for Positions {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bounds().hash(state);
    }
}

impl fmt::Debug for Positions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Positions").field(&self.bounds()).finish()
    }
}

impl Serialize for Positions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.bounds().serialize(serializer)
    }
}

/// What receivers deduplicate and acknowledge by: kept down the chain, so that a restarted
/// operator gives a re-computed output the id of the first one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DeliveryId {
    /// The path from the source.
    pub stream: StreamId,
    /// The place within that path.
    pub position: Position,
}

/// What the judge compares by: given by the operator, independent of how the output was reached
/// ("origin DTW, week 3"), because after a gap a window may close on another trigger.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
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
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
