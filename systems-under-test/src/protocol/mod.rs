//! The protocol between a node and the world that runs it: identifiers, tuples, events, effects.

pub mod bytes;
pub mod effect;
pub mod event;
pub mod ids;
pub mod link;
mod shown;
pub mod tuple;

pub use bytes::{Bytes, decode};
pub use effect::{Cause, Effect, Effects};
pub use event::{Blob, Event, Item, RestartFrom, SaveKey, Scope, Stored, TimerId};
pub use ids::{
    ChannelId, EdgeId, InstanceId, MILLISECOND, Nanos, NodeId, OperatorId, SECOND, StreamId, Term,
};
pub use link::{Ask, Link, Request, Resend, Stamp};
pub use tuple::{DeliveryId, Field, Payload, Position, Positions, SemanticId, Symbol, Tuple};
