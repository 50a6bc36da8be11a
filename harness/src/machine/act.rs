//! What a machine wants of others: nothing between machines is faster than a tick, so worlds carry
//! these out between ticks.

use aftermath_systems::protocol::{Blob, Nanos, NodeId, SaveKey};

/// Something that concerns other machines; carried out by the world after the tick.
#[derive(Clone, Debug)]
pub enum Act {
    /// Frames of a dead machine die on the wire: those sent until `at`, due a tick later or more.
    CutWire {
        /// The dead machine.
        from: NodeId,
        /// When it died, ns.
        at: Nanos,
    },
    /// What a dead machine had not got onto the wire when it died dies with it.
    ForgetUnsent {
        /// The dead machine.
        from: NodeId,
        /// When it died, ns.
        at: Nanos,
    },
    /// A save to the shared store is durable since `at`.
    Store {
        /// Since when, ns.
        at: Nanos,
        /// Which.
        key: SaveKey,
        /// Content.
        blob: Blob,
        /// The fault that has lost it all the same, by its number in the schedule.
        lost_by: Option<usize>,
    },
    /// A restart asks the shared store.
    Read {
        /// Who asks.
        node: NodeId,
        /// In which incarnation.
        incarnation: u32,
        /// When, ns.
        at: Nanos,
        /// What for.
        slot: u32,
        /// Which version; the newest if `None`.
        number: Option<u64>,
        /// Handed to the next life.
        attempt: u32,
    },
    /// Versions of a slot of the shared store before `number` may go.
    Discard {
        /// The slot.
        slot: u32,
        /// The oldest version to keep.
        number: u64,
    },
    /// What a fault waits for has been reached.
    Reached {
        /// The fault's number in the schedule.
        fault: usize,
        /// By whom.
        node: NodeId,
        /// When, ns.
        at: Nanos,
        /// Whether it befalls that machine, and so has struck already.
        struck: bool,
    },
}
