//! Inputs and outputs of unit tests.

use crate::nexmark::Event;
use crate::operator::Outputs;
use crate::protocol::{DeliveryId, Nanos, Payload, Position, SemanticId, StreamId, Tuple};

/// A pair as a source emits it.
pub(super) fn pair(stream: u16, sequence: u64, scheduled: Nanos, key: u32, value: i64) -> Tuple {
    Tuple {
        id: DeliveryId { stream: StreamId(stream), position: Position::of(sequence) },
        semantic: SemanticId { kind: 0, key: 0, index: sequence },
        scheduled,
        payload: Payload::Pair { key, value },
    }
}

/// What was emitted, for the judge.
pub(super) fn emitted(out: Outputs) -> Vec<(SemanticId, Payload)> {
    out.list.into_iter().map(|output| (output.semantic, output.payload)).collect()
}

/// An event of the auction site.
pub(super) fn event(stream: u16, sequence: u64, scheduled: Nanos, event: Event) -> Tuple {
    Tuple { payload: event.payload(), ..pair(stream, sequence, scheduled, 0, 0) }
}
