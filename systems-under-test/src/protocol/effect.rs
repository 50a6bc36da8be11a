//! What a node wants done, and why bytes cross the network.

use super::bytes::Bytes;
use super::event::{Blob, Item, RestartFrom, SaveKey, Scope, TimerId};
use super::ids::{ChannelId, Nanos, NodeId, Term};
use super::link::{Link, Stamp};
use super::tuple::{Positions, Tuple};
use serde::{Deserialize, Serialize};

/// Why bytes went over the network; overhead is reported by these.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Cause {
    /// The dataflow itself: first transmission of a tuple.
    Tuple,
    /// A further copy for a replica.
    Copy,
    /// A retained tuple sent again.
    Resend,
    /// Operator state for a standby or a store.
    State,
    /// Output log shipped to a standby.
    Log,
    /// Level-0 acknowledgements and confirmations.
    Ack,
    /// Queue trimming.
    Trim,
    /// Barriers and end markers.
    Marker,
    /// Signs of life.
    Heartbeat,
    /// Take-over, hello, welcome and closed connections.
    Control,
}

impl Cause {
    /// All causes, in the order in which reports list them.
    pub const ALL: [Cause; 10] = [
        Cause::Tuple,
        Cause::Copy,
        Cause::Resend,
        Cause::State,
        Cause::Log,
        Cause::Ack,
        Cause::Trim,
        Cause::Marker,
        Cause::Heartbeat,
        Cause::Control,
    ];

    /// The name used in records.
    pub fn name(self) -> &'static str {
        match self {
            Cause::Tuple => "tuple",
            Cause::Copy => "copy",
            Cause::Resend => "resend",
            Cause::State => "state",
            Cause::Log => "log",
            Cause::Ack => "ack",
            Cause::Trim => "trim",
            Cause::Marker => "marker",
            Cause::Heartbeat => "heartbeat",
            Cause::Control => "control",
        }
    }
}

/// What a node wants done. Executed in order, at the instant of the handler.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Effect {
    /// Send an item down a channel to one node.
    Emit {
        /// Receiver.
        to: NodeId,
        /// Channel.
        channel: ChannelId,
        /// By what authority.
        stamp: Stamp,
        /// What is sent.
        item: Item,
        /// First transmission, copy or resend.
        cause: Cause,
    },
    /// Say something to a neighbour or replica.
    Link {
        /// Receiver.
        to: NodeId,
        /// What.
        link: Link,
    },
    /// Say something private.
    Send {
        /// Receiver.
        to: NodeId,
        /// Encoded message.
        bytes: Bytes,
        /// Modelled size by cause, bytes.
        modelled_bytes: Vec<(Cause, u64)>,
    },
    /// Write to storage; [`Event::Saved`](super::Event::Saved) follows, or
    /// [`Event::SaveRefused`](super::Event::SaveRefused).
    Save {
        /// Name and version.
        key: SaveKey,
        /// Content.
        blob: Blob,
        /// Which store.
        scope: Scope,
        /// The input positions that this save makes durable, for the judge.
        covers: Positions,
    },
    /// Be called at `at` (at once, if that is past).
    Timer {
        /// Which timer; replaces the same one.
        id: TimerId,
        /// When.
        at: Nanos,
    },
    /// Hand a tuple to the outside world: only sinks do.
    Deliver(Tuple),
    /// A named protocol point has been reached.
    Mark(&'static str),
    /// The data lane stalls for this long before the next service.
    Busy(Nanos),
    /// Redirect the streams to me; memory is kept, and
    /// [`Event::Activated`](super::Event::Activated) follows.
    Activate,
    /// Forget everything and start again from a store; [`Event::Started`](super::Event::Started)
    /// follows.
    Restart(RestartFrom),
    /// Versions of this slot of the shared store before `number` will not be read any more.
    Discard {
        /// The slot.
        slot: u32,
        /// The oldest version to keep.
        number: u64,
    },
    /// From now on send heartbeats of this term to these nodes (none: stop). The world sends them
    /// on the node's heartbeat grid for as long as the process lives, during loading too.
    Heartbeats {
        /// Who listens.
        to: Vec<NodeId>,
        /// The term they carry.
        term: Term,
    },
}

/// The list of effects of one handler, filled by the node.
#[derive(Default, Debug)]
pub struct Effects {
    /// In the order of execution.
    pub list: Vec<Effect>,
}

impl Effects {
    /// Send `item` down `channel`.
    pub fn emit(&mut self, to: NodeId, channel: ChannelId, stamp: Stamp, item: Item, cause: Cause) {
        self.list.push(Effect::Emit { to, channel, stamp, item, cause });
    }

    /// Say `link` to `to`.
    pub fn link(&mut self, to: NodeId, link: Link) {
        self.list.push(Effect::Link { to, link });
    }

    /// Send a private message to a replica; `modelled_bytes` is what it costs on the wire in the
    /// modelled system, by cause.
    pub fn send<M: Serialize>(
        &mut self,
        to: NodeId,
        message: &M,
        modelled_bytes: Vec<(Cause, u64)>,
    ) {
        self.list.push(Effect::Send { to, bytes: Bytes::encode(message), modelled_bytes });
    }

    /// Write `blob`; `covers` are the input positions it makes durable.
    pub fn save(&mut self, key: SaveKey, blob: Blob, scope: Scope, covers: Positions) {
        self.list.push(Effect::Save { key, blob, scope, covers });
    }

    /// Be called at `at`.
    pub fn timer(&mut self, id: TimerId, at: Nanos) {
        self.list.push(Effect::Timer { id, at });
    }

    /// Hand `tuple` to the outside world.
    pub fn deliver(&mut self, tuple: Tuple) {
        self.list.push(Effect::Deliver(tuple));
    }

    /// Name the protocol point reached here.
    pub fn mark(&mut self, name: &'static str) {
        self.list.push(Effect::Mark(name));
    }

    /// Stall the data lane for `duration_ns`.
    pub fn busy(&mut self, duration_ns: Nanos) {
        self.list.push(Effect::Busy(duration_ns));
    }

    /// Ask to become active.
    pub fn activate(&mut self) {
        self.list.push(Effect::Activate);
    }

    /// Ask to be restarted.
    pub fn restart(&mut self, from: RestartFrom) {
        self.list.push(Effect::Restart(from));
    }

    /// Versions of `slot` in the shared store before `number` may go.
    pub fn discard(&mut self, slot: u32, number: u64) {
        self.list.push(Effect::Discard { slot, number });
    }

    /// Register heartbeats.
    pub fn heartbeats(&mut self, to: Vec<NodeId>, term: Term) {
        self.list.push(Effect::Heartbeats { to, term });
    }
}
