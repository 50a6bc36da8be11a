//! What a node can be told. Nothing else crosses its border inward.

use super::bytes::Bytes;
use super::ids::{ChannelId, NodeId, Term};
use super::link::Link;
use super::tuple::Tuple;
use serde::{Deserialize, Serialize};

/// Everything that must stay in order with the data of a channel.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Item {
    /// A tuple, or the end marker of a stream.
    Tuple(Tuple),
    /// A checkpoint barrier of the given number.
    Barrier(u64),
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
    pub bytes: Bytes,
    /// What writing it costs in the modelled system, bytes.
    pub modelled_bytes: u64,
    /// What reading it back costs, bytes: more than writing where only changes are written.
    pub restored_bytes: u64,
}

impl Blob {
    /// Encodes a value; decode with [`decode`](super::decode). Its modelled sizes are 0 until they
    /// are set.
    pub fn encode<T: Serialize>(value: &T) -> Blob {
        Blob { bytes: Bytes::encode(value), modelled_bytes: 0, restored_bytes: 0 }
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
    /// The activation asked for with [`Effects::activate`](super::Effects::activate) is over:
    /// streams are redirected.
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
        /// Encoded by [`Effects::send`](super::Effects::send); decode with
        /// [`decode`](super::decode).
        bytes: Bytes,
    },
    /// A timer is due.
    Timer(TimerId),
    /// This save and all earlier ones of the node that were not refused are durable.
    Saved(SaveKey),
    /// The connection to a node whose process died has closed.
    ConnectionLost(NodeId),
    /// This save has failed: it is not durable and never will be. What was saved before is still
    /// there. It comes in the order of [`Event::Saved`].
    SaveRefused(SaveKey),
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
        /// Something that the next life must know of why it was started: it is handed over.
        attempt: u32,
    },
}
