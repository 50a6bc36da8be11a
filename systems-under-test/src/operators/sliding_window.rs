//! A window that ends at each input.

use super::queue::{Item, Queue};
use crate::operator::{Operator, OperatorClass, Outputs, Span, State, mix};
use crate::protocol::{Nanos, Payload, Position, Positions, StreamId, Tuple};
use serde::{Deserialize, Serialize};

/// One input that is still in the window.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Entry {
    stream: StreamId,
    position: Position,
    scheduled: Nanos,
    value: i64,
}

impl Item for Entry {
    /// Content only: where an input stands in its stream changes no output.
    fn hash(&self) -> u64 {
        mix(mix(u64::MAX, self.scheduled), self.value as u64)
    }
}

/// Answers each pair, scheduled at t, with its key and the sum over the pairs of all keys that are
/// scheduled in (t − span, t]; a pair always counts itself.
///
/// The class is *convergent-capable*: an instance that starts empty with the oldest input it needs
/// is right about everything to come, but what it repeats on the way lacks what came before.
#[derive(Clone, Debug)]
pub struct SlidingWindow {
    span: Nanos,
    /// In the order of arrival, which is the order of time as long as there is one stream.
    window: Queue<Entry>,
    sum: i64,
}

impl SlidingWindow {
    /// Windows of this length.
    pub fn new(span: Nanos) -> SlidingWindow {
        SlidingWindow { span, window: Queue::default(), sum: 0 }
    }

    fn evict_before(&mut self, now: Nanos) {
        while self.window.front().is_some_and(|entry| entry.scheduled + self.span <= now) {
            self.sum -= self.window.pop().map_or(0, |entry| entry.value);
        }
    }

    fn add_up(&mut self) {
        self.sum = self.window.iter().map(|entry| entry.value).sum();
    }
}

impl Operator for SlidingWindow {
    fn apply(&mut self, _now: Nanos, input: &Tuple, out: &mut Outputs) {
        let Payload::Pair { key, value } = input.payload else { return };
        self.evict_before(input.scheduled);
        self.sum += value;
        self.window.push(Entry {
            stream: input.id.stream,
            position: input.id.position,
            scheduled: input.scheduled,
            value,
        });
        out.emit(input.semantic, Payload::Pair { key, value: self.sum });
    }

    fn snapshot(&mut self) -> State {
        let entries = self.window.len();
        State::encode(self.window.snapshot(), entries)
    }

    fn restore(&mut self, state: &State) {
        self.window.restore(state.decode());
        self.add_up();
    }

    fn delta(&mut self) -> State {
        let shift = self.window.delta();
        State::encode(&shift, shift.len())
    }

    fn apply_delta(&mut self, delta: &State) {
        self.window.apply(delta.decode());
        self.add_up();
    }

    fn needs(&self, received: &Positions) -> Positions {
        let mut needs = received.clone();
        let mut missing: Vec<StreamId> = received.iter().map(|(stream, _)| stream).collect();
        for entry in self.window.iter() {
            // The oldest of each stream; with one stream that is the first look.
            if missing.is_empty() {
                break;
            }
            if let Some(index) = missing.iter().position(|stream| *stream == entry.stream) {
                missing.swap_remove(index);
                needs.set(entry.stream, entry.position);
            }
        }
        needs
    }

    fn span(&self) -> Span {
        Span::Bounded(self.span)
    }

    fn class(&self) -> OperatorClass {
        OperatorClass::ConvergentCapable
    }

    fn digest(&self) -> u64 {
        self.window.digest()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{emitted, pair};
    use super::*;

    #[test]
    fn the_window_is_open_at_its_old_end_and_holds_all_keys() {
        let mut window = SlidingWindow::new(10);
        let mut out = Outputs::default();
        for input in [pair(0, 0, 0, 1, 1), pair(0, 1, 9, 2, 2), pair(0, 2, 10, 1, 4)] {
            window.apply(input.scheduled, &input, &mut out);
        }
        let payloads: Vec<_> = emitted(out).into_iter().map(|(_, payload)| payload).collect();
        let sums = [(1, 1), (2, 3), (1, 6)];
        assert_eq!(payloads, sums.map(|(key, value)| Payload::Pair { key, value }));
    }

    #[test]
    fn each_stream_is_needed_from_its_oldest_entry() {
        let mut window = SlidingWindow::new(10);
        let inputs = [(0, 0, 0), (1, 0, 3), (1, 1, 7), (0, 1, 12), (0, 2, 12)];
        for (stream, sequence, scheduled) in inputs {
            let input = pair(stream, sequence, scheduled, 0, 1);
            window.apply(scheduled, &input, &mut Outputs::default());
        }
        let of = |all: [(u16, Position); 3]| -> Positions {
            all.into_iter().map(|(stream, position)| (StreamId(stream), position)).collect()
        };
        let received = [(0, Position::of(3)), (1, Position::of(2)), (2, Position::of(9))];
        // Stream 2 has nothing in the window: nothing of what it sent is needed.
        let needs = of([(0, Position::of(1)), (1, Position::of(0)), (2, Position::of(9))]);
        assert_eq!(window.needs(&of(received)), needs);
    }
}
