//! How ids and tuples look in a trace: a run has thousands of them, so they are short.

use super::{Ask, DeliveryId, Position, SemanticId, Stamp, Tuple};
use std::fmt::{Debug, Formatter, Result};

/// `sequence`, or `sequence.sub`.
impl Debug for Position {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Position { sequence, sub: 0 } => write!(f, "{sequence}"),
            Position { sequence, sub } => write!(f, "{sequence}.{sub}"),
        }
    }
}

/// `stream@position`.
impl Debug for DeliveryId {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{:?}@{:?}", self.stream, self.position)
    }
}

/// `kind/key/index`.
impl Debug for SemanticId {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}/{}/{}", self.kind, self.key, self.index)
    }
}

/// `term.number`.
impl Debug for Ask {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}.{}", self.term, self.number)
    }
}

/// The term, and the request that was answered last.
impl Debug for Stamp {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "(term {}", self.term)?;
        if self.ask != Ask::default() {
            write!(f, ", answers {:?}", self.ask)?;
        }
        f.write_str(")")
    }
}

/// Its ids, the instant for which its input was scheduled, and its content.
impl Debug for Tuple {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Tuple { id, semantic, scheduled, payload } = self;
        write!(f, "{id:?} means {semantic:?} of {scheduled} ns: {payload:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{MILLISECOND, Payload, StreamId};

    #[test]
    fn a_tuple_is_short_and_whole() {
        let tuple = Tuple {
            id: DeliveryId { stream: StreamId(1), position: Position { sequence: 7, sub: 2 } },
            semantic: SemanticId { kind: 0, key: 4, index: 9 },
            scheduled: 12 * MILLISECOND,
            payload: Payload::Pair { key: 4, value: -3 },
        };
        let shown = format!("{tuple:?}");
        assert_eq!(shown, "s1@7.2 means 0/4/9 of 12000000 ns: Pair { key: 4, value: -3 }");
        let first = Stamp { term: 1, ask: Ask::default() };
        let answer = Stamp { term: 2, ask: Ask { term: 2, number: 1 } };
        assert_eq!(format!("{first:?} {answer:?}"), "(term 1) (term 2, answers 2.1)");
    }
}
