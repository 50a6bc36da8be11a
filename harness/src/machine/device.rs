//! The storage device of one machine: a FIFO queue with latency and bandwidth, and the machine's
//! own disk.

use crate::transfer::transfer;
use aftermath_systems::protocol::{Blob, Nanos, Positions, SaveKey, Scope, Stored};
use std::collections::BTreeMap;

/// One save.
#[derive(Clone, Debug)]
pub struct Save {
    /// Which.
    pub key: SaveKey,
    /// Content.
    pub blob: Blob,
    /// Where.
    pub scope: Scope,
    /// Input positions it makes durable.
    pub covers: Positions,
}

/// A save that is under way.
#[derive(Clone, Debug)]
pub struct Saving {
    /// What is saved.
    pub save: Save,
    /// What becomes of it.
    pub fate: SaveFate,
}

/// What becomes of a save: known when it is asked for, shown when the device is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SaveFate {
    /// It is durable.
    Kept,
    /// This fault (its number in the schedule) makes it fail.
    Refused(usize),
    /// It is reported durable, and this fault has lost it.
    Lost(usize),
}

/// Device and local disk.
#[derive(Clone, Debug, Default)]
pub struct Device {
    /// When the last transfer ends.
    free_at: Nanos,
    /// When the last save completes: none overtakes another, so one that is durable implies all
    /// earlier ones.
    last_done: Nanos,
    /// Newest durable version of each slot on the machine's own disk.
    disk: BTreeMap<u32, (SaveKey, Blob)>,
    /// Slots of the disk whose newest version is not there, with the fault that lost it.
    missing: BTreeMap<u32, usize>,
    /// Slots of the disk that are being written, with when that is done.
    writing: Vec<(Nanos, u32)>,
}

impl Device {
    /// Queues a save of `bytes` and returns when it completes, ns.
    pub fn save(&mut self, now: Nanos, bytes: u64, latency_ns: Nanos, per_s: u64) -> Nanos {
        self.free_at = self.free_at.max(now) + transfer(bytes, per_s);
        self.last_done = self.last_done.max(self.free_at.saturating_add(latency_ns));
        self.last_done
    }

    /// When the last transfer ends, ns.
    pub fn free_at(&self) -> Nanos {
        self.free_at
    }

    /// When the last save completes, ns.
    pub fn last_done(&self) -> Nanos {
        self.last_done
    }

    /// A save to the machine's own disk is under way, until `done`.
    pub fn writes(&mut self, now: Nanos, done: Nanos, slot: u32) {
        self.writing.retain(|(done, _)| *done > now);
        self.writing.push((done, slot));
    }

    /// A save has reached the machine's own disk.
    pub fn store(&mut self, key: SaveKey, blob: Blob) {
        self.missing.remove(&key.slot);
        self.disk.insert(key.slot, (key, blob));
    }

    /// A save to the machine's own disk was reported durable, and `fault` has lost it.
    pub fn lose(&mut self, slot: u32, fault: usize) {
        self.missing.insert(slot, fault);
    }

    /// The process dies: what saves under way were to overwrite is destroyed by `fault`. Returns
    /// how many versions that were.
    pub fn tear(&mut self, now: Nanos, fault: usize) -> u64 {
        let mut torn = 0;
        for (_, slot) in self.writing.iter().filter(|(done, _)| *done > now) {
            if self.disk.remove(slot).is_some() {
                self.missing.insert(*slot, fault);
                torn += 1;
            }
        }
        torn
    }

    /// What the disk holds.
    pub fn stored(&self) -> Stored {
        Stored(self.disk.values().cloned().collect())
    }

    /// The faults for which a slot does not hold what had been reported durable.
    pub fn missing(&self) -> impl Iterator<Item = usize> + '_ {
        self.missing.values().copied()
    }

    /// Whether a save is still under way.
    pub fn is_writing(&self, now: Nanos) -> bool {
        self.last_done > now
    }

    /// The process died: queued saves are gone.
    pub fn abort(&mut self, now: Nanos) {
        self.free_at = now;
        self.last_done = now;
        self.writing.clear();
    }

    /// The machine is gone, and its disk with it.
    pub fn wipe(&mut self) {
        self.disk.clear();
        self.missing.clear();
    }
}

/// Total modelled size, bytes.
pub fn stored_bytes(stored: &Stored) -> u64 {
    stored.0.iter().map(|(_, blob)| blob.restored_bytes).sum()
}
