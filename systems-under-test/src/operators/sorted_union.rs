//! Streams merged in the order of their schedules.

use super::fold::Fold;
use super::merge::{Loaded, Merge};
use crate::operator::{Operator, OperatorClass, Outputs, Span, State, mix};
use crate::protocol::{Nanos, Positions, StreamId, Tuple};

/// Answers each pair of its input streams as [`ArrivalUnion`](super::ArrivalUnion) does, but in
/// the order of (schedule, rank of the stream): the SUnion of Borealis, which serialises the
/// inputs so that replicas agree. An input waits until every other stream that has not ended
/// shows a later one; its answer has the delivery id of the input, not of the one that set it
/// free.
///
/// The class is *deterministic* and no stronger, because its number goes back to the start.
#[derive(Clone, Debug, Default)]
pub struct SortedUnion {
    merge: Merge,
    fold: Fold,
}

impl SortedUnion {
    /// The semantic kind of an answer to the stream with rank 0; it has the index of the input.
    /// An answer to the stream with rank r has this kind plus r.
    pub const FIRST_STREAM: u16 = 1;

    fn release(&mut self, out: &mut Outputs) {
        while let Some((rank, input)) = self.merge.next() {
            let release = out.release(&input);
            if let Some((semantic, payload)) = self.fold.answer(rank, &input) {
                out.emit_for(release, semantic, payload);
            }
        }
    }
}

impl Operator for SortedUnion {
    fn connect(&mut self, streams: &[StreamId]) {
        self.merge.connect(streams);
    }

    fn apply(&mut self, _now: Nanos, input: &Tuple, out: &mut Outputs) {
        self.merge.push(input);
        self.release(out);
    }

    fn streams_ended(&mut self, _now: Nanos, ended: &[StreamId], out: &mut Outputs) {
        self.merge.end(ended);
        self.release(out);
    }

    fn end(&mut self, out: &mut Outputs) {
        self.merge.end_all();
        self.release(out);
    }

    fn snapshot(&mut self) -> State {
        let entries = self.merge.len() + 1;
        State::encode(&(self.fold.snapshot(), self.merge.snapshot()), entries)
    }

    fn restore(&mut self, state: &State) {
        let (number, waiting): (i64, Loaded) = state.decode();
        self.fold.restore(number);
        self.merge.restore(waiting);
    }

    fn delta(&mut self) -> State {
        let (number, shifts) = (self.fold.delta(), self.merge.delta());
        State::encode(&(number, &shifts), usize::from(number.is_some()) + shifts.len())
    }

    fn apply_delta(&mut self, delta: &State) {
        let (number, shifts) = delta.decode();
        self.fold.apply(number);
        self.merge.apply(shifts);
    }

    fn needs(&self, _received: &Positions) -> Positions {
        // The fold goes back to the first inputs.
        Positions::default()
    }

    fn span(&self) -> Span {
        Span::Unbounded
    }

    fn class(&self) -> OperatorClass {
        OperatorClass::Deterministic
    }

    fn digest(&self) -> u64 {
        mix(self.fold.digest(), self.merge.digest())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::pair;
    use super::*;
    use crate::protocol::{Position, SemanticId};

    /// (kind, index) and origin (stream, sequence, schedule) of an output.
    type Released = ((u16, u64), (u16, u64, Nanos));

    fn released(out: Outputs) -> Vec<Released> {
        let describe = |output: crate::operator::Output| {
            let SemanticId { kind, index, .. } = output.semantic;
            let origin = output.origin.expect("a sorted union answers for the input");
            let (id, scheduled) = (origin.id, origin.scheduled);
            assert_eq!(id.position, Position::of(id.position.sequence));
            ((kind, index), (id.stream.0, id.position.sequence, scheduled))
        };
        out.list.into_iter().map(describe).collect()
    }

    #[test]
    fn an_input_waits_for_a_later_one_of_every_other_stream_that_has_not_ended() {
        let mut union = SortedUnion::default();
        union.connect(&[StreamId(3), StreamId(7)]);
        let mut put_out = |input: Tuple| {
            let mut out = Outputs::default();
            union.apply(0, &input, &mut out);
            released(out)
        };
        assert_eq!(put_out(pair(7, 0, 10, 1, 1)), []);
        assert_eq!(put_out(pair(7, 1, 20, 1, 2)), []);
        // At the same instant the lower rank goes first.
        assert_eq!(put_out(pair(3, 0, 10, 1, 3)), [((1, 0), (3, 0, 10))]);
        let set_free = [((2, 0), (7, 0, 10)), ((1, 1), (3, 1, 15))];
        assert_eq!(put_out(pair(3, 1, 15, 1, 4)), set_free);
        assert_eq!(put_out(pair(3, 2, 21, 1, 5)), [((2, 1), (7, 1, 20))]);
        assert_eq!(put_out(pair(3, 3, 30, 1, 6)), []);

        let mut out = Outputs::default();
        union.streams_ended(0, &[StreamId(7)], &mut out);
        assert_eq!(released(out), [((1, 2), (3, 2, 21)), ((1, 3), (3, 3, 30))]);
        let mut out = Outputs::default();
        union.apply(0, &pair(3, 4, 40, 1, 7), &mut out);
        assert_eq!(released(out), [((1, 4), (3, 4, 40))]);
    }

    #[test]
    fn the_end_sets_everything_free_in_order() {
        let mut union = SortedUnion::default();
        union.connect(&[StreamId(0), StreamId(1), StreamId(2)]);
        let mut out = Outputs::default();
        for input in [pair(2, 0, 5, 1, 1), pair(1, 0, 7, 1, 1), pair(2, 1, 6, 1, 1)] {
            union.apply(0, &input, &mut out);
        }
        assert!(out.list.is_empty(), "stream 0 has shown nothing");
        union.end(&mut out);
        let order = [((3, 0), (2, 0, 5)), ((3, 1), (2, 1, 6)), ((2, 0), (1, 0, 7))];
        assert_eq!(released(out), order);
    }
}
