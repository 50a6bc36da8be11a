//! The storage device of one machine: a FIFO queue with latency and bandwidth.

use crate::transfer::transfer;
use aftermath_systems::protocol::{Blob, Nanos, SaveKey, Stored};
use std::collections::BTreeMap;

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
}

impl Device {
    /// Queues a save of `bytes` and returns when it completes, ns.
    pub fn save(&mut self, now: Nanos, bytes: u64, latency_ns: Nanos, per_s: u64) -> Nanos {
        self.free_at = self.free_at.max(now) + transfer(bytes, per_s);
        self.last_done = self.last_done.max(self.free_at + latency_ns);
        self.last_done
    }

    /// When the last transfer ends, ns.
    pub fn free_at(&self) -> Nanos {
        self.free_at
    }

    /// A save has reached the machine's own disk.
    pub fn store(&mut self, key: SaveKey, blob: Blob) {
        self.disk.insert(key.slot, (key, blob));
    }

    /// What the disk holds.
    pub fn stored(&self) -> Stored {
        Stored(self.disk.values().cloned().collect())
    }

    /// Whether a save is still under way.
    pub fn is_writing(&self, now: Nanos) -> bool {
        self.last_done > now
    }

    /// The process died: queued saves are gone.
    pub fn abort(&mut self, now: Nanos) {
        self.free_at = now;
        self.last_done = now;
    }

    /// The machine is gone, and its disk with it.
    pub fn wipe(&mut self) {
        self.disk.clear();
    }
}

/// Total modelled size, bytes.
pub fn stored_bytes(stored: &Stored) -> u64 {
    stored.0.iter().map(|(_, blob)| blob.restored_bytes).sum()
}
