//! Windows that a clock closes.

use super::keyed::{CountAndSum, Keyed};
use crate::operator::{Operator, OperatorClass, Outputs, Span, State, mix};
use crate::protocol::{Nanos, Payload, Positions, SemanticId, Tuple};

/// Counts and sums pairs per key in windows of processing time: a window opens with the first pair
/// that arrives while none is open, and closes a timeout later, input or not. It then answers with
/// (count, sum) of every key in the order of keys; so does the end of the stream.
///
/// The class is *arbitrary*: which pairs share a window depends on when they arrive. No pair counts
/// for longer than a timeout, and yet an output depends on everything since the start: when a
/// window opens depends on when the one before it closed, so a shift never passes while the stream
/// flows.
#[derive(Clone, Debug)]
pub struct TimeoutWindow {
    timeout: Nanos,
    /// When the open window closes.
    closes_at: Option<Nanos>,
    contents: Keyed<CountAndSum>,
}

impl TimeoutWindow {
    /// The semantic kind of a closed window of a key; its index is the instant at which the window
    /// opened divided by the timeout. Two windows open at least a timeout apart, so they differ;
    /// and unlike a count of windows, the index goes on after a restart that has forgotten all.
    pub const CLOSED_WINDOW: u16 = 1;

    /// Windows that stay open for this long.
    ///
    /// # Panics
    /// When the timeout is zero.
    pub fn new(timeout: Nanos) -> TimeoutWindow {
        assert!(timeout > 0, "a window has a length");
        TimeoutWindow { timeout, closes_at: None, contents: Keyed::default() }
    }

    fn close(&mut self, out: &mut Outputs) {
        let Some(closes_at) = self.closes_at.take() else { return };
        let index = (closes_at - self.timeout) / self.timeout;
        for (key, content) in self.contents.drain() {
            let semantic = SemanticId { kind: Self::CLOSED_WINDOW, key, index };
            out.emit(semantic, content.record());
        }
    }

    fn close_if_due(&mut self, now: Nanos, out: &mut Outputs) {
        if self.closes_at.is_some_and(|at| at <= now) {
            self.close(out);
        }
    }
}

impl Operator for TimeoutWindow {
    fn apply(&mut self, now: Nanos, input: &Tuple, out: &mut Outputs) {
        let Payload::Pair { key, value } = input.payload else { return };
        // An input may be handled at the very instant of the wake-up, or instead of one that was
        // lost with a process.
        self.close_if_due(now, out);
        self.closes_at.get_or_insert(now + self.timeout);
        self.contents.update(key, |old| CountAndSum::with(old, value));
    }

    fn wakes_at(&self) -> Option<Nanos> {
        self.closes_at
    }

    fn wake(&mut self, now: Nanos, out: &mut Outputs) {
        self.close_if_due(now, out);
    }

    fn end(&mut self, out: &mut Outputs) {
        self.close(out);
    }

    fn snapshot(&mut self) -> State {
        let entries = self.contents.len();
        State::encode(&(self.closes_at, self.contents.snapshot()), entries)
    }

    fn restore(&mut self, state: &State) {
        let contents;
        (self.closes_at, contents) = state.decode();
        self.contents.restore(contents);
    }

    fn delta(&mut self) -> State {
        let changes = self.contents.delta();
        State::encode(&(self.closes_at, &changes), changes.len())
    }

    fn apply_delta(&mut self, delta: &State) {
        let changes;
        (self.closes_at, changes) = delta.decode();
        self.contents.apply(changes);
    }

    fn needs(&self, _received: &Positions) -> Positions {
        // The first window decides when all others open.
        Positions::default()
    }

    fn span(&self) -> Span {
        Span::Unbounded
    }

    fn class(&self) -> OperatorClass {
        OperatorClass::Arbitrary
    }

    fn fans_out(&self) -> bool {
        true
    }

    fn digest(&self) -> u64 {
        mix(self.contents.digest(), self.closes_at.unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{emitted, pair};
    use super::*;
    use crate::protocol::Field;

    fn closed(index: u64, key: u32, count: i64, sum: i64) -> (SemanticId, Payload) {
        let fields = [Field::Integer(count), Field::Integer(sum)];
        (SemanticId { kind: 1, key, index }, Payload::Record(fields.into()))
    }

    #[test]
    fn a_window_opens_with_an_input_and_closes_by_the_clock() {
        let mut window = TimeoutWindow::new(10);
        let mut out = Outputs::default();
        assert_eq!(window.wakes_at(), None);
        window.apply(103, &pair(0, 0, 1, 5, 1), &mut out);
        window.apply(105, &pair(0, 1, 2, 2, 7), &mut out);
        window.apply(112, &pair(0, 2, 3, 5, 3), &mut out);
        assert_eq!(window.wakes_at(), Some(113), "a timeout after its first input");
        window.wake(112, &mut out);
        assert!(out.list.is_empty(), "a wake-up that is out of date changes nothing");
        window.wake(113, &mut out);
        assert_eq!(emitted(out), [closed(10, 2, 1, 7), closed(10, 5, 2, 4)]);
        assert_eq!(window.wakes_at(), None, "the next one is not open yet");
    }

    #[test]
    fn an_input_that_comes_before_the_wake_up_of_its_instant_belongs_to_the_next_window() {
        let mut window = TimeoutWindow::new(10);
        let mut out = Outputs::default();
        window.apply(0, &pair(0, 0, 0, 1, 1), &mut out);
        window.apply(10, &pair(0, 1, 10, 1, 2), &mut out);
        window.wake(10, &mut out);
        assert_eq!(window.wakes_at(), Some(20));
        window.end(&mut out);
        assert_eq!(emitted(out), [closed(0, 1, 1, 1), closed(1, 1, 1, 2)]);
    }
}
