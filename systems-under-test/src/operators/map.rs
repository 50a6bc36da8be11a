//! A stateless function of each tuple.

use crate::operator::{Operator, OperatorClass, Outputs, Span, State};
use crate::protocol::{Nanos, Payload, Positions, Tuple};

/// Doubles the number of a pair and adds one; records pass through unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Map;

impl Operator for Map {
    fn apply(&mut self, _now: Nanos, input: &Tuple, out: &mut Outputs) {
        let payload = match &input.payload {
            // Neither the identity nor its own inverse: applied twice by mistake, it shows.
            Payload::Pair { key, value } => Payload::Pair { key: *key, value: value * 2 + 1 },
            other => other.clone(),
        };
        out.emit(input.semantic, payload);
    }

    fn snapshot(&mut self) -> State {
        State::default()
    }

    fn restore(&mut self, _state: &State) {}

    fn delta(&mut self) -> State {
        State::default()
    }

    fn apply_delta(&mut self, _delta: &State) {}

    fn needs(&self, received: &Positions) -> Positions {
        received.clone()
    }

    fn span(&self) -> Span {
        Span::Stateless
    }

    fn class(&self) -> OperatorClass {
        OperatorClass::Repeatable
    }

    fn digest(&self) -> u64 {
        0
    }
}
