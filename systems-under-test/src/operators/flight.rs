//! A row of the recorded flights, as the operators read it.

use crate::protocol::{Field, Payload, Symbol};

/// The columns that are computed with.
pub(super) struct Flight {
    /// Departure, minutes since 1970-01-01T00:00.
    pub(super) minute: i64,
    /// Airport of departure.
    pub(super) origin: Symbol,
    /// Miles.
    pub(super) distance: i64,
    /// Minutes; negative when early.
    pub(super) delay: i64,
}

impl Flight {
    /// Reads time, origin, destination, distance, delay; `None` for anything else.
    pub(super) fn read(payload: &Payload) -> Option<Flight> {
        let Payload::Record(fields) = payload else { return None };
        match fields[..] {
            [
                Field::Integer(minute),
                Field::Text(origin),
                Field::Text(_),
                Field::Integer(distance),
                Field::Integer(delay),
            ] => Some(Flight { minute, origin, distance, delay }),
            _ => None,
        }
    }
}
