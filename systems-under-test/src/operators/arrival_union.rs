//! Streams merged as they come.

use super::fold::Fold;
use crate::operator::{Operator, OperatorClass, Outputs, Span, State};
use crate::protocol::{Nanos, Positions, StreamId, Tuple};

/// Answers each pair of its input streams, in the order of arrival, with the pair's key and a
/// number that folds in everything that has passed and the order in which it did.
///
/// The class is *arbitrary*: a second run in which one stream was a little slower goes on with
/// other numbers for ever.
#[derive(Clone, Debug, Default)]
pub struct ArrivalUnion {
    /// By rank.
    streams: Vec<StreamId>,
    fold: Fold,
}

impl ArrivalUnion {
    /// The semantic kind of an answer to the stream with rank 0; it has the index of the input.
    /// An answer to the stream with rank r has this kind plus r.
    pub const FIRST_STREAM: u16 = 1;
}

impl Operator for ArrivalUnion {
    fn connect(&mut self, streams: &[StreamId]) {
        self.streams = streams.to_vec();
    }

    fn apply(&mut self, _now: Nanos, input: &Tuple, out: &mut Outputs) {
        let rank = self.streams.iter().position(|stream| *stream == input.id.stream);
        let rank = rank.expect("inputs come on connected streams");
        if let Some((semantic, payload)) = self.fold.answer(rank, input) {
            out.emit(semantic, payload);
        }
    }

    fn snapshot(&mut self) -> State {
        State::encode(&self.fold.snapshot(), 1)
    }

    fn restore(&mut self, state: &State) {
        self.fold.restore(state.decode());
    }

    fn delta(&mut self) -> State {
        let delta = self.fold.delta();
        State::encode(&delta, usize::from(delta.is_some()))
    }

    fn apply_delta(&mut self, delta: &State) {
        self.fold.apply(delta.decode());
    }

    fn needs(&self, _received: &Positions) -> Positions {
        // The fold goes back to the first inputs.
        Positions::default()
    }

    fn span(&self) -> Span {
        Span::Unbounded
    }

    fn class(&self) -> OperatorClass {
        OperatorClass::Arbitrary
    }

    fn digest(&self) -> u64 {
        self.fold.digest()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{emitted, pair};
    use super::*;
    use crate::protocol::{Payload, SemanticId};

    fn numbers(inputs: &[Tuple]) -> Vec<(SemanticId, Payload)> {
        let mut union = ArrivalUnion::default();
        union.connect(&[StreamId(3), StreamId(7)]);
        let mut out = Outputs::default();
        for input in inputs {
            union.apply(0, input, &mut out);
        }
        emitted(out)
    }

    #[test]
    fn a_pair_that_changes_places_changes_everything_after_it() {
        let (left, right) = (pair(3, 0, 5, 2, 10), pair(7, 0, 5, 2, 10));
        let rest = [pair(3, 1, 6, 1, 30), pair(7, 1, 6, 1, 30)];
        let forth = numbers(&[&[left.clone(), right.clone()][..], &rest].concat());
        let back = numbers(&[&[right, left][..], &rest].concat());
        let identity = |kind, index| SemanticId { kind, key: 0, index };
        let ids: Vec<_> = forth.iter().map(|(semantic, _)| *semantic).collect();
        assert_eq!(ids, [identity(1, 0), identity(2, 0), identity(1, 1), identity(2, 1)]);
        assert_eq!(forth[0].1, Payload::Pair { key: 2, value: 65_537 + 10 });
        for index in 1..4 {
            assert_ne!(forth[index].1, back[index].1, "output {index}");
        }
    }
}
