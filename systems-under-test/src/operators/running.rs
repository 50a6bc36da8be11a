//! A running aggregate per key, since the start of the stream.

use super::keyed::Keyed;
use crate::operator::{Operator, OperatorClass, Outputs, Span, State};
use crate::protocol::{Nanos, Payload, Positions, Tuple};

/// What is aggregated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunningKind {
    /// How many pairs the key has had.
    Count,
    /// The sum of their numbers.
    Sum,
}

/// Answers each pair with its key's aggregate, this pair included.
#[derive(Clone, Debug)]
pub struct Running {
    kind: RunningKind,
    aggregates: Keyed<i64>,
}

impl Running {
    /// Empty.
    pub fn new(kind: RunningKind) -> Running {
        Running { kind, aggregates: Keyed::default() }
    }
}

impl Operator for Running {
    fn apply(&mut self, _now: Nanos, input: &Tuple, out: &mut Outputs) {
        let Payload::Pair { key, value } = input.payload else { return };
        let step = match self.kind {
            RunningKind::Count => 1,
            RunningKind::Sum => value,
        };
        let value = self.aggregates.update(key, |old| old.unwrap_or(0) + step);
        out.emit(input.semantic, Payload::Pair { key, value });
    }

    fn snapshot(&mut self) -> State {
        let entries = self.aggregates.len();
        State::encode(self.aggregates.snapshot(), entries)
    }

    fn restore(&mut self, state: &State) {
        self.aggregates.restore(state.decode());
    }

    fn delta(&mut self) -> State {
        let changes = self.aggregates.delta();
        State::encode(&changes, changes.len())
    }

    fn apply_delta(&mut self, delta: &State) {
        self.aggregates.apply(delta.decode());
    }

    fn needs(&self, _received: &Positions) -> Positions {
        // A count started anywhere else never catches up: everything from the start on.
        Positions::default()
    }

    fn span(&self) -> Span {
        Span::Unbounded
    }

    fn class(&self) -> OperatorClass {
        OperatorClass::Deterministic
    }

    fn digest(&self) -> u64 {
        self.aggregates.digest()
    }
}
