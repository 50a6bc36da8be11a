//! The protocol between a node and the world that runs it: identifiers, tuples, events, effects.

pub mod event;
pub mod ids;
pub mod tuple;

pub use event::{
    Blob, Cause, Effect, Effects, Event, Item, Link, Request, Resend, RestartFrom, SaveKey, Scope,
    Stored, Term, TimerId, decode,
};
pub use ids::{
    ChannelId, EdgeId, InstanceId, MILLISECOND, Nanos, NodeId, OperatorId, SECOND, StreamId,
};
pub use tuple::{DeliveryId, Field, Payload, Position, Positions, SemanticId, Symbol, Tuple};
