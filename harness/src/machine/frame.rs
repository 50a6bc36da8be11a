//! What travels between machines.

use aftermath_systems::protocol::{Bytes, ChannelId, Item, Link, Nanos, NodeId, Stamp};

/// Which handler caused an effect: (node, incarnation, number of the handler on that node).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct HandlerId {
    /// The node, by number.
    pub node: u16,
    /// Its incarnation.
    pub incarnation: u32,
    /// Counts the node's handlers over all incarnations, from 1.
    pub number: u64,
}

/// A frame as it is handed from one to the other, and moved as little as possible.
pub type BoxedFrame = Box<Frame>;

/// One message on the wire.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Sender.
    pub from: NodeId,
    /// Receiver.
    pub to: NodeId,
    /// When it left, ns.
    pub sent: Nanos,
    /// When it left for good, ns: it waited for the link before, or had to be sent again.
    pub left: Nanos,
    /// When it is due, ns: at least a tick after it left.
    pub due: Nanos,
    /// The sender's own count, over all its incarnations: orders what is due at one instant.
    pub count: u64,
    /// The sender's incarnation, and the frame's number within its session with the receiver.
    pub session: (u32, u64),
    /// The handler that sent it.
    pub cause: HandlerId,
    /// Instant of the latest activation or restart among the ancestors; 0 if there is none.
    pub lineage: Nanos,
    /// Whether it is a copy that the network has made.
    pub is_copy: bool,
    /// Content.
    pub body: Body,
}

impl Frame {
    /// Whether output may still follow from it: a run has not drained before all such frames have
    /// been handled. Heartbeats, acknowledgements and private talk are periodic and do not count;
    /// nor do copies, whose originals come first.
    pub fn is_significant(&self) -> bool {
        !self.is_copy && self.body.is_significant()
    }
}

/// The content of a frame.
#[derive(Clone, Debug)]
pub enum Body {
    /// An item of the dataflow.
    Data {
        /// Which channel.
        channel: ChannelId,
        /// By what authority it was sent.
        stamp: Stamp,
        /// The item.
        item: Item,
    },
    /// Talk that every strategy understands.
    Link(Link),
    /// Private talk.
    Message(Bytes),
    /// The sender's process has died, politely.
    ConnectionLost,
}

impl Body {
    /// Whether it carries tuples.
    pub fn is_data(&self) -> bool {
        matches!(self, Body::Data { .. })
    }

    /// Whether it is a sign of life.
    pub fn is_heartbeat(&self) -> bool {
        matches!(self, Body::Link(Link::Heartbeat { .. }))
    }

    fn is_significant(&self) -> bool {
        match self {
            Body::Data { .. } | Body::ConnectionLost => true,
            Body::Link(link) => {
                !matches!(link, Link::Heartbeat { .. } | Link::Ack { .. } | Link::Trim { .. })
            }
            Body::Message(_) => false,
        }
    }
}
