//! What a node can be told and what it can ask for. Nothing else crosses its border.

use super::ids::{ChannelId, InstanceId, Nanos, NodeId};
use super::tuple::{Positions, Tuple};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::rc::Rc;

/// Counts how often an instance's leadership changed hands; carried by every data frame, so that a
/// receiver can tell a deposed primary (a *zombie*) from the real one.
pub type Term = u32;

/// Everything that must stay in order with the data of a channel.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Item {
    /// A tuple, or the end marker of a stream.
    Tuple(Tuple),
    /// A checkpoint barrier of the given number.
    Barrier(u64),
}

/// What operators say to their neighbours and replicas say to each other, whatever the strategy.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Link {
    /// "I live and lead in this term"; from a primary to its standby.
    Heartbeat {
        /// The sender's term.
        term: Term,
    },
    /// Level-0 acknowledgement: everything before `received` has arrived at the receiver.
    Ack {
        /// The channel that is acknowledged.
        channel: ChannelId,
        /// Exclusive bounds.
        received: Positions,
    },
    /// Queue trimming: everything before `safe` will never be asked for again.
    Trim {
        /// The channel whose log may shrink.
        channel: ChannelId,
        /// Exclusive bounds.
        safe: Positions,
    },
    /// "From now on I am the primary of `instance`", to every replica of every neighbour.
    Takeover {
        /// Whose leadership changed.
        instance: InstanceId,
        /// The new primary.
        node: NodeId,
        /// Its term, larger than all before.
        term: Term,
        /// To an upstream neighbour: what to send again.
        resend: Option<Request>,
    },
    /// Answer to a [`Request`]: what follows on this channel is what was asked for. Anything
    /// before it was on its way already and is out of order for the asker.
    Rewound {
        /// The channel.
        channel: ChannelId,
        /// The number of the request.
        ask: u32,
    },
    /// Answer to a take-over upstream where duplicates are avoided by handshake: send what comes
    /// from these positions on, and nothing before.
    Wanted {
        /// The channel.
        channel: ChannelId,
        /// Next wanted position of each stream.
        from: Positions,
    },
    /// "I am back without memory. Who leads?", to own replicas and all neighbours.
    Hello {
        /// The instance the sender belongs to.
        instance: InstanceId,
        /// The sender's incarnation, larger than all before.
        incarnation: u32,
    },
    /// Answer to [`Link::Hello`] from a primary.
    Welcome {
        /// The instance that the answering primary leads.
        instance: InstanceId,
        /// The answering primary's term.
        term: Term,
        /// What it knows of the asker's own instance: term and primary.
        yours: (Term, NodeId),
        /// To a downstream replica that is fed like all: what it will be sent from now on begins at
        /// these positions.
        next: Positions,
    },
}

/// A new primary's wish to be sent a channel's retained log again.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Request {
    /// Which channel.
    pub channel: ChannelId,
    /// Which part of its log.
    pub which: Resend,
    /// Number of the request, so that its answer can be told from that of an earlier one.
    pub ask: u32,
}

/// Which part of a retained log a new primary wants again.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Resend {
    /// Nothing: continue with what comes next.
    Nothing,
    /// Everything that is still retained.
    All,
    /// Everything from these positions on.
    From(Positions),
}

/// Names a timer of one node; setting it again replaces it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TimerId(pub u16);

/// Names one save: `number` grows, and the newest of one `slot` is what a restart finds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct SaveKey {
    /// Which of the node's (local) or of everybody's (shared) saved things.
    pub slot: u32,
    /// Its version.
    pub number: u64,
}

/// Bytes with a declared modelled size, which is what devices and links charge for.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Blob {
    /// Our own encoding.
    pub bytes: Rc<[u8]>,
    /// What writing it costs in the modelled system, bytes.
    pub modelled_bytes: u64,
    /// What reading it back costs, bytes: more than writing where only changes are written.
    pub restored_bytes: u64,
}

impl Blob {
    /// Encodes a value; decode with [`decode`]. Its modelled sizes are 0 until they are set.
    pub fn encode<T: Serialize>(value: &T) -> Blob {
        let bytes = postcard::to_allocvec(value).expect("plain data always encodes").into();
        Blob { bytes, modelled_bytes: 0, restored_bytes: 0 }
    }
}

/// Where a save goes and what its survival means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// The machine's own disk: survives a process crash, dies with the machine.
    Local,
    /// A remote store: survives both; read by anyone, a tick or more after asking.
    Shared,
}

/// What a restart finds: the newest durable version of each slot.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Stored(pub Vec<(SaveKey, Blob)>);

impl Stored {
    /// The newest version in `slot`.
    pub fn newest(&self, slot: u32) -> Option<&(SaveKey, Blob)> {
        self.0.iter().filter(|(key, _)| key.slot == slot).max_by_key(|(key, _)| key.number)
    }
}

/// What happens to a node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Event {
    /// The process runs. Incarnation 1 is the boot at time 0; later ones have lost all memory and
    /// find `stored`.
    Started {
        /// How many lives this node has had, this one included.
        incarnation: u32,
        /// What its storage still holds.
        stored: Stored,
        /// Where that was found: nowhere at the boot, the own disk after a crash, or where a node
        /// that restarted itself wanted to look.
        from: RestartFrom,
    },
    /// The activation asked for with [`Effects::activate`] is over: streams are redirected.
    Activated,
    /// An item has been served.
    Data {
        /// The sending node.
        from: NodeId,
        /// The sender's term.
        term: Term,
        /// The channel it came by.
        channel: ChannelId,
        /// The item.
        item: Item,
    },
    /// A neighbour or replica says something every strategy understands.
    Link {
        /// The sending node.
        from: NodeId,
        /// What it says.
        link: Link,
    },
    /// A replica of the same operator says something only this strategy understands.
    Message {
        /// The sending node.
        from: NodeId,
        /// Encoded by [`Effects::send`]; decode with [`decode`].
        bytes: Rc<[u8]>,
    },
    /// A timer is due.
    Timer(TimerId),
    /// This save and all earlier ones of the node are durable.
    Saved(SaveKey),
    /// The connection to a node whose process died has closed.
    ConnectionLost(NodeId),
}

/// Where a node that restarts itself finds its state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RestartFrom {
    /// Nowhere: it starts empty.
    Nothing,
    /// Its own disk.
    Local,
    /// A durable version of this slot of the shared store.
    Shared {
        /// The slot to read.
        slot: u32,
        /// Which version; the newest if `None`.
        number: Option<u64>,
    },
}

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

/// Decodes a private message.
///
/// # Panics
/// When the bytes are of another type: a message between two strategies is our own bug.
pub fn decode<M: DeserializeOwned>(bytes: &[u8]) -> M {
    postcard::from_bytes(bytes).expect("replicas of one operator speak one language")
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
        /// The sender's term.
        term: Term,
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
        bytes: Rc<[u8]>,
        /// Modelled size by cause, bytes.
        modelled_bytes: Vec<(Cause, u64)>,
    },
    /// Write to storage; [`Event::Saved`] follows.
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
    /// Redirect the streams to me; memory is kept, [`Event::Activated`] follows.
    Activate,
    /// Forget everything and start again from a store; [`Event::Started`] follows.
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
    pub fn emit(&mut self, to: NodeId, channel: ChannelId, term: Term, item: Item, cause: Cause) {
        self.list.push(Effect::Emit { to, channel, term, item, cause });
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
        let bytes: Rc<[u8]> =
            postcard::to_allocvec(message).expect("plain data always encodes").into();
        self.list.push(Effect::Send { to, bytes, modelled_bytes });
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
