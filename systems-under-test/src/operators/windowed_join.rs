//! Two streams joined by key and time.

use super::merge::{Loaded, Merge};
use super::queue::{Queue, Shift};
use crate::operator::{Operator, OperatorClass, Outputs, Span, State, mix};
use crate::protocol::{Nanos, Payload, Positions, SemanticId, StreamId, Tuple};

/// Takes the pairs of two streams in the order of (schedule, rank of the stream), and answers
/// each, scheduled at t, with one output for every earlier pair of the other stream that has the
/// same key and is scheduled in (t − window, t].
///
/// The class is *repeatable*: whether two pairs meet depends on these two alone, so an instance
/// that starts empty with the oldest inputs it needs only repeats meetings that have been.
#[derive(Clone, Debug)]
pub struct WindowedJoin {
    window: Nanos,
    merge: Merge,
    /// What was released and may still meet others, by rank. Inputs that are not pairs meet
    /// nobody, but stay as long: the last input of a stream tells how far the other one is.
    recent: [Queue<Tuple>; 2],
}

impl WindowedJoin {
    /// The semantic kind of a meeting; its key is that of both, and [`WindowedJoin::indexes`] reads
    /// the indexes of both from its index.
    pub const MEETING: u16 = 1;

    /// Joins what is less than this long apart.
    ///
    /// # Panics
    /// When the window is zero.
    pub fn new(window: Nanos) -> WindowedJoin {
        assert!(window > 0, "a window has a length");
        WindowedJoin { window, merge: Merge::default(), recent: Default::default() }
    }

    /// The index of the meeting of two inputs that have these indexes. The later one counts more,
    /// so that meetings of a key are put out in the order of their indexes.
    ///
    /// # Panics
    /// When one of them has more than 31 bits.
    pub fn index(left: u64, right: u64, left_is_later: bool) -> u64 {
        assert!(left.max(right) < 1 << 31, "streams of less than two thousand million inputs");
        let (later, earlier) = if left_is_later { (left, right) } else { (right, left) };
        later << 32 | earlier << 1 | u64::from(left_is_later)
    }

    /// The indexes of the inputs that met: left and right.
    pub fn indexes(index: u64) -> (u64, u64) {
        let (later, earlier) = (index >> 32, (index & u64::from(u32::MAX)) >> 1);
        if index & 1 == 1 { (later, earlier) } else { (earlier, later) }
    }

    fn release(&mut self, out: &mut Outputs) {
        while let Some((rank, input)) = self.merge.next() {
            for side in &mut self.recent {
                let left_behind =
                    |old: &Tuple| old.scheduled.saturating_add(self.window) <= input.scheduled;
                while side.front().is_some_and(left_behind) {
                    side.pop();
                }
            }
            let release = out.release(&input);
            for other in self.recent[1 - rank].iter() {
                let both = if rank == 0 { [&input, other] } else { [other, &input] };
                if let Some((semantic, payload)) = meeting(both) {
                    out.emit_for(release, semantic, payload);
                }
            }
            self.recent[rank].push(input);
        }
    }
}

/// What comes of a left and a right input; nothing if their keys differ.
fn meeting([left, right]: [&Tuple; 2]) -> Option<(SemanticId, Payload)> {
    let (Payload::Pair { key, value: a }, Payload::Pair { key: other, value: b }) =
        (&left.payload, &right.payload)
    else {
        return None;
    };
    if key != other {
        return None;
    }
    // Of two that are scheduled at the same instant the right one is later: it has the higher rank.
    let left_is_later = left.scheduled > right.scheduled;
    let index = WindowedJoin::index(left.semantic.index, right.semantic.index, left_is_later);
    let semantic = SemanticId { kind: WindowedJoin::MEETING, key: *key, index };
    Some((semantic, Payload::Pair { key: *key, value: a * 1_000 + b }))
}

impl Operator for WindowedJoin {
    /// # Panics
    /// When there are not two streams: with more, nothing would say which side each is on.
    fn connect(&mut self, streams: &[StreamId]) {
        assert_eq!(streams.len(), 2, "a join has two input streams: its inputs are not parallel");
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
        let [left, right] = &mut self.recent;
        let entries = left.len() + right.len() + self.merge.len();
        State::encode(&(left.snapshot(), right.snapshot(), self.merge.snapshot()), entries)
    }

    fn restore(&mut self, state: &State) {
        let (left, right, waiting): (Vec<Tuple>, Vec<Tuple>, Loaded) = state.decode();
        self.recent[0].restore(left);
        self.recent[1].restore(right);
        self.merge.restore(waiting);
    }

    fn delta(&mut self) -> State {
        let [left, right] = self.recent.each_mut().map(Queue::delta);
        let waiting = self.merge.delta();
        State::encode(&(&left, &right, &waiting), left.len() + right.len() + waiting.len())
    }

    fn apply_delta(&mut self, delta: &State) {
        let (left, right, waiting): (Shift<Tuple>, Shift<Tuple>, _) = delta.decode();
        self.recent[0].apply(left);
        self.recent[1].apply(right);
        self.merge.apply(waiting);
    }

    fn needs(&self, received: &Positions) -> Positions {
        let oldest = |rank: usize, _| self.recent[rank].front().map(|input| input.id.position);
        self.merge.needs(received, oldest)
    }

    fn span(&self) -> Span {
        Span::Bounded(self.window)
    }

    fn class(&self) -> OperatorClass {
        OperatorClass::Repeatable
    }

    fn fans_out(&self) -> bool {
        true
    }

    fn digest(&self) -> u64 {
        let [left, right] = &self.recent;
        mix(mix(left.digest(), right.digest()), self.merge.digest())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{emitted, pair};
    use super::*;
    use crate::protocol::Position;

    const LEFT: u16 = 3;
    const RIGHT: u16 = 7;

    fn join() -> WindowedJoin {
        let mut join = WindowedJoin::new(10);
        join.connect(&[StreamId(LEFT), StreamId(RIGHT)]);
        join
    }

    #[test]
    fn pairs_meet_that_share_a_key_and_are_less_than_a_window_apart() {
        let mut join = join();
        let mut out = Outputs::default();
        let left = [pair(LEFT, 0, 0, 1, 5), pair(LEFT, 1, 9, 1, 6), pair(LEFT, 2, 19, 1, 7)];
        let right = [pair(RIGHT, 0, 9, 1, 2), pair(RIGHT, 1, 10, 1, 3), pair(RIGHT, 2, 10, 2, 4)];
        for input in left.iter().chain(&right) {
            join.apply(0, input, &mut out);
        }
        join.end(&mut out);
        let origin =
            |output: &crate::operator::Output| output.origin.map(|it| (it.id, it.scheduled));
        let origins: Vec<_> = out.list.iter().map(origin).collect();
        let of = |input: &Tuple| Some((input.id, input.scheduled));
        // The one that comes later in the order of time has called them forth.
        assert_eq!(origins, [of(&right[0]), of(&right[0]), of(&right[1]), of(&left[2])]);
        let meeting = |left, right, left_is_later, value| {
            let index = WindowedJoin::index(left, right, left_is_later);
            (SemanticId { kind: 1, key: 1, index }, Payload::Pair { key: 1, value })
        };
        let meetings = [
            meeting(0, 0, false, 5_002),
            meeting(1, 0, false, 6_002),
            // Left 0 is ten before right 1: the window is open at its old end.
            meeting(1, 1, false, 6_003),
            meeting(2, 1, true, 7_003),
        ];
        assert_eq!(emitted(out), meetings);
    }

    #[test]
    fn the_index_of_a_meeting_tells_who_met_and_grows_with_the_later_one() {
        let largest = (1 << 31) - 1;
        for (left, right) in [(5, largest), (largest, 5), (5, 5)] {
            for left_is_later in [false, true] {
                let index = WindowedJoin::index(left, right, left_is_later);
                assert_eq!(WindowedJoin::indexes(index), (left, right));
            }
        }
        assert!(WindowedJoin::index(7, 900, false) < WindowedJoin::index(901, 3, true));
    }

    #[test]
    fn what_may_still_meet_and_the_end_of_a_stream_are_needed() {
        let mut join = join();
        let mut out = Outputs::default();
        let mut received = Positions::default();
        let mut take = |join: &mut WindowedJoin, input: Tuple| {
            received.advance(input.id.stream, input.id.position.next());
            join.apply(0, &input, &mut out);
            let needs = join.needs(&received);
            (needs.get(StreamId(LEFT)), needs.get(StreamId(RIGHT)))
        };
        assert_eq!(take(&mut join, pair(LEFT, 0, 0, 1, 5)), (Position::of(0), Position::START));
        assert_eq!(take(&mut join, pair(LEFT, 1, 5, 1, 5)), (Position::of(0), Position::START));
        assert_eq!(take(&mut join, pair(RIGHT, 0, 4, 1, 5)), (Position::of(0), Position::of(0)));
        // Right 1 is at 30 and waits; left 1 was released, and at 5 it is still recent.
        assert_eq!(take(&mut join, pair(RIGHT, 1, 30, 1, 5)), (Position::of(0), Position::of(0)));
        assert_eq!(take(&mut join, pair(LEFT, 2, 29, 1, 5)), (Position::of(2), Position::of(1)));

        // The end of the left stream is its input number 3.
        received.advance(StreamId(LEFT), Position::of(3).next());
        join.streams_ended(0, &[StreamId(LEFT)], &mut out);
        join.apply(0, &pair(RIGHT, 2, 90, 1, 5), &mut out);
        assert_eq!(join.needs(&received).get(StreamId(LEFT)), Position::of(3));
    }
}
