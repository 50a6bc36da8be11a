//! Names of things in a plan. All are small indexes into the plan's tables.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Virtual time in nanoseconds since the start of the run. Also used for spans of time.
pub type Nanos = u64;

/// Nanoseconds in one second.
pub const SECOND: Nanos = 1_000_000_000;
/// Nanoseconds in one millisecond.
pub const MILLISECOND: Nanos = 1_000_000;

/// Counts how often an instance's leadership changed hands; carried by every data frame, so that a
/// receiver can tell a deposed primary (a *zombie*) from the real one.
pub type Term = u32;

macro_rules! index {
    ($(#[$doc:meta])* $name:ident, $letter:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u16);

        impl $name {
            /// The position in the plan's table.
            pub fn index(self) -> usize {
                usize::from(self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($letter, "{}"), self.0)
            }
        }
    };
}

index!(
    /// A vertex of the dataflow: a source, an operator or a sink.
    OperatorId, "op"
);
index!(
    /// One parallel instance of an operator. Its replicas are nodes.
    InstanceId, "i"
);
index!(
    /// One process on one machine: (operator, instance, replica).
    NodeId, "n"
);
index!(
    /// A connection of the dataflow between two operators.
    EdgeId, "e"
);
index!(
    /// (edge, sender instance, receiver instance): what is FIFO and what is retained.
    ChannelId, "c"
);
index!(
    /// A path of instances from a source: tuples of one stream keep their source's order.
    StreamId, "s"
);
