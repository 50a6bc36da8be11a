//! Windows side by side, aligned to time and not to where the stream happened to be entered.

use super::keyed::CountAndSum;
use super::open_window::OpenWindow;
use crate::operator::{Operator, OperatorClass, Outputs, Span, State};
use crate::protocol::{Nanos, Payload, Positions, SemanticId, Tuple};

/// Counts and sums pairs per key and window. The first input of a later window closes the open
/// one, which then answers with (count, sum) of every key in the order of keys; so does the end
/// of the stream.
///
/// The class is *repeatable*: an instance that starts empty with the first input of a window,
/// which is what `needs` asks for, only repeats whole windows. In the midst of a window it is
/// wrong once, about that window.
#[derive(Clone, Debug)]
pub struct TumblingWindow {
    span: Nanos,
    /// Numbered by its start divided by the span.
    window: OpenWindow<CountAndSum>,
}

impl TumblingWindow {
    /// The semantic kind of a closed window of a key; its index is the window's.
    pub const CLOSED_WINDOW: u16 = 1;

    /// Windows of this length; window i begins at i spans.
    ///
    /// # Panics
    /// When the span is zero.
    pub fn new(span: Nanos) -> TumblingWindow {
        assert!(span > 0, "a window has a length");
        TumblingWindow { span, window: OpenWindow::default() }
    }

    fn close(&mut self, out: &mut Outputs) {
        let Some((index, contents)) = self.window.close() else { return };
        for (key, content) in contents {
            let semantic = SemanticId { kind: Self::CLOSED_WINDOW, key, index };
            out.emit(semantic, content.record());
        }
    }
}

impl Operator for TumblingWindow {
    fn apply(&mut self, _now: Nanos, input: &Tuple, out: &mut Outputs) {
        let Payload::Pair { key, value } = input.payload else { return };
        let index = input.scheduled / self.span;
        if self.window.index().is_some_and(|open| index > open) {
            self.close(out);
        }
        // A late input of a second stream counts in the window that is open: nothing is dropped.
        self.window.add(index, key, input, |old| CountAndSum::with(old, value));
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

    fn span(&self) -> Span {
        Span::Bounded(self.span)
    }

    fn class(&self) -> OperatorClass {
        OperatorClass::Repeatable
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
    use super::super::testing::{emitted, pair};
    use super::*;
    use crate::protocol::{Field, Position, StreamId};

    #[test]
    fn an_input_of_a_later_window_closes_the_open_one_and_opens_its_own() {
        let mut window = TumblingWindow::new(10);
        let mut put_out = |sequence, scheduled, key, value| {
            let input = pair(0, sequence, scheduled, key, value);
            let mut out = Outputs::default();
            window.apply(scheduled, &input, &mut out);
            (emitted(out), window.needs(&Positions::default()).get(StreamId(0)))
        };
        let closed = |index, key, count, sum| {
            let fields = [Field::Integer(count), Field::Integer(sum)];
            (SemanticId { kind: 1, key, index }, Payload::Record(fields.into()))
        };
        assert_eq!(put_out(0, 12, 5, 1), (vec![], Position::of(0)));
        assert_eq!(put_out(1, 15, 2, 7), (vec![], Position::of(0)));
        assert_eq!(put_out(2, 19, 5, 3), (vec![], Position::of(0)));
        let first = vec![closed(1, 2, 1, 7), closed(1, 5, 2, 4)];
        assert_eq!(put_out(3, 40, 2, 9), (first, Position::of(3)));
        let mut out = Outputs::default();
        window.end(&mut out);
        assert_eq!(emitted(out), [closed(4, 2, 1, 9)]);
    }
}
