//! What a machine will do, in an order that does not depend on history.

use super::frame::Frame;
use super::storage::SaveFate;
use aftermath_systems::protocol::{
    Blob, Nanos, NodeId, Positions, RestartFrom, SaveKey, Scope, Stored, TimerId,
};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What comes first within one instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    /// Started or activated.
    Started,
    /// A service completes.
    ServiceDone,
    /// A frame arrives. Items and talk are one class, so that what one machine sent to another
    /// is handled in the order of sending, always.
    Frame,
    /// A save is durable.
    Saved,
    /// A timer is due.
    Timer,
    /// The harness looks.
    Sample,
    /// A fault strikes or heals.
    Fault,
}

/// The order of work: nothing in it depends on the order in which machines are run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Key {
    /// Logical instant, ns.
    pub time: Nanos,
    /// Within the instant.
    pub class: Class,
    /// Within the class: the sender, ...
    pub sender: NodeId,
    /// ... and its own count.
    pub count: u64,
}

/// One piece of work.
#[derive(Clone, Debug)]
pub enum Work {
    /// Load what storage holds and start the process.
    Boot,
    /// The process is loaded: start.
    Started(Stored, RestartFrom),
    /// The redirect is over.
    Activated,
    /// The service in progress completes.
    ServiceDone,
    /// A frame arrives.
    Frame(Frame),
    /// A message that has arrived before comes again.
    Again(Frame),
    /// The connection with a machine was reset.
    Severed {
        /// The machine at its other end.
        peer: NodeId,
    },
    /// A save completes, or is refused.
    Saved {
        /// Which.
        key: SaveKey,
        /// Content.
        blob: Blob,
        /// Where.
        scope: Scope,
        /// Input positions it makes durable.
        covers: Positions,
        /// What becomes of it.
        fate: SaveFate,
    },
    /// A timer, valid if its generation is still the current one.
    Timer(TimerId, u64),
    /// The next heartbeat, valid for this registration.
    Heartbeat(u64),
    /// The shared store answers a restart's question.
    Loaded(Stored, RestartFrom),
    /// Note the retained memory.
    Sample,
    /// The fault with this number strikes.
    Strike {
        /// Number in the schedule.
        fault: usize,
    },
    /// The fault with this number is over.
    Over {
        /// Number in the schedule.
        fault: usize,
    },
}

#[derive(Clone, Debug)]
struct Slot {
    incarnation: u32,
    work: Work,
}

/// A heap of small keys; the work itself waits in a slab and is moved twice only.
#[derive(Clone, Debug, Default)]
pub struct Agenda {
    heap: BinaryHeap<Reverse<(Key, u32)>>,
    slots: Vec<Option<Slot>>,
    free: Vec<u32>,
}

impl Agenda {
    /// Adds work. It counts for `incarnation` of the process only (0: for any).
    pub fn push(&mut self, key: Key, incarnation: u32, work: Work) {
        let slot = Some(Slot { incarnation, work });
        let index = match self.free.pop() {
            Some(index) => {
                self.slots[index as usize] = slot;
                index
            }
            None => {
                self.slots.push(slot);
                (self.slots.len() - 1) as u32
            }
        };
        self.heap.push(Reverse((key, index)));
    }

    /// When the next piece of work is due.
    pub fn next_due(&self) -> Option<Nanos> {
        self.heap.peek().map(|Reverse((key, _))| key.time)
    }

    /// Takes the next piece of work that is due at `until` or before.
    pub fn pop(&mut self, until: Nanos) -> Option<(Key, u32, Work)> {
        if self.next_due()? > until {
            return None;
        }
        let Reverse((key, index)) = self.heap.pop()?;
        let slot = self.slots[index as usize].take().expect("every key has its slot");
        self.free.push(index);
        Some((key, slot.incarnation, slot.work))
    }
}
