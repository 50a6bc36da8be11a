//! Windows side by side that the clock opens and closes.

use super::open_window::OpenWindow;
use crate::nexmark::Event;
use crate::operator::{Operator, OperatorClass, Outputs, Span, State};
use crate::protocol::{Field, Nanos, Payload, Positions, SemanticId, Tuple};

/// NEXMark's q12: counts bids per bidder in windows of processing time. A bid counts in the window
/// in which it is handled; when that is over, input or not, the window answers with (bidder, count)
/// of everybody who has bid, in the order of bidders; so does the end of the stream. Unlike those
/// of [`TimeoutWindow`](super::TimeoutWindow) these windows are aligned to the clock, so a delay
/// moves bids from one window to the next and does not shift the windows after it.
///
/// The class is *arbitrary*: in which window a bid counts depends on when it is handled. So exactly
/// once means nothing for single answers: whoever computes again counts the same bids in later
/// windows. What could be asked for is that each bid counts in one window, so that the counts of a
/// bidder add up to their bids. An instance that starts empty with the first bid of the window that
/// was open, which is what `needs` asks for, keeps this sum. One that goes back further does not:
/// if a window has ended since, its bids have been told, and those that come again count once more.
#[derive(Clone, Debug)]
pub struct ClockWindow {
    length: Nanos,
    /// Numbered by its start divided by the length; the bids of each bidder.
    window: OpenWindow<i64>,
}

impl ClockWindow {
    /// The semantic kind of the count of a bidder; its index is the window.
    pub const CLOSED_WINDOW: u16 = 1;

    /// Windows of this length; window i begins at i lengths.
    ///
    /// # Panics
    /// When the length is zero.
    pub fn new(length: Nanos) -> ClockWindow {
        assert!(length > 0, "a window has a length");
        ClockWindow { length, window: OpenWindow::default() }
    }

    fn close(&mut self, out: &mut Outputs) {
        let Some((index, counts)) = self.window.close() else { return };
        for (key, count) in counts {
            let semantic = SemanticId { kind: Self::CLOSED_WINDOW, key, index };
            let fields = [Field::Integer(key.into()), Field::Integer(count)];
            out.emit(semantic, Payload::Record(fields.into()));
        }
    }

    fn close_if_over(&mut self, now: Nanos, out: &mut Outputs) {
        if self.window.index().is_some_and(|open| open < now / self.length) {
            self.close(out);
        }
    }
}

impl Operator for ClockWindow {
    fn apply(&mut self, now: Nanos, input: &Tuple, out: &mut Outputs) {
        let Some(Event::Bid { bidder, .. }) = Event::read(&input.payload) else { return };
        // A bid may be handled at the very instant of the wake-up, or instead of one that was lost
        // with a process.
        self.close_if_over(now, out);
        let index = now / self.length;
        self.window.add(index, bidder, input, |old| old.unwrap_or(0) + 1);
    }

    fn wakes_at(&self) -> Option<Nanos> {
        Some((self.window.index()? + 1) * self.length)
    }

    fn wake(&mut self, now: Nanos, out: &mut Outputs) {
        self.close_if_over(now, out);
    }

    fn end(&mut self, out: &mut Outputs) {
        self.close(out);
    }

    fn snapshot(&mut self) -> State {
        self.window.snapshot()
    }

    fn restore(&mut self, state: &State) {
        self.window.restore(state);
    }

    fn delta(&mut self) -> State {
        self.window.delta()
    }

    fn apply_delta(&mut self, delta: &State) {
        self.window.apply_delta(delta);
    }

    fn needs(&self, received: &Positions) -> Positions {
        self.window.needs(received)
    }

    /// Of bids that come on time.
    fn span(&self) -> Span {
        Span::Bounded(self.length)
    }

    fn class(&self) -> OperatorClass {
        OperatorClass::Arbitrary
    }

    fn fans_out(&self) -> bool {
        true
    }

    fn digest(&self) -> u64 {
        self.window.digest()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{emitted, event};
    use super::*;
    use crate::nexmark::Price;
    use crate::protocol::{Position, StreamId};

    fn bid(number: u64, bidder: u32) -> Tuple {
        let price = Price { units: 100, decimals: 2 };
        event(0, number, number, Event::Bid { auction: 1, bidder, price })
    }

    fn count(index: u64, key: u32, count: i64) -> (SemanticId, Payload) {
        let fields = [Field::Integer(key.into()), Field::Integer(count)];
        (SemanticId { kind: 1, key, index }, Payload::Record(fields.into()))
    }

    #[test]
    fn a_bid_counts_when_it_is_handled_and_the_clock_closes_its_window() {
        let mut window = ClockWindow::new(10);
        let mut out = Outputs::default();
        assert_eq!(window.wakes_at(), None);
        window.apply(103, &bid(4, 5), &mut out);
        window.apply(104, &bid(5, 2), &mut out);
        window.apply(109, &bid(6, 5), &mut out);
        assert_eq!(window.needs(&Positions::default()).get(StreamId(0)), Position::of(4));
        assert_eq!(window.wakes_at(), Some(110), "aligned to the clock, not to its first bid");
        window.wake(109, &mut out);
        assert!(out.list.is_empty(), "a wake-up that is out of date changes nothing");
        window.wake(110, &mut out);
        assert_eq!(emitted(std::mem::take(&mut out)), [count(10, 2, 1), count(10, 5, 2)]);
        // Two windows without a bid are not spoken of.
        window.apply(139, &bid(7, 5), &mut out);
        window.apply(140, &bid(8, 5), &mut out);
        window.end(&mut out);
        assert_eq!(emitted(out), [count(13, 5, 1), count(14, 5, 1)]);
    }
}
