//! What is under way between hosts. A datagram carries the number of a parcel, which waits here.

use crate::machine::Frame;
use aftermath_systems::protocol::NodeId;
use std::collections::BTreeMap;

/// A number on a datagram.
pub type Handle = [u8; 8];

/// Parcels under way, and the count of all frames.
pub struct Wire {
    /// Frames of one sender's tick, by receiver, while they are being put together.
    open: Vec<Vec<Frame>>,
    parcels: BTreeMap<u64, Vec<Frame>>,
    next: u64,
    arrived: u64,
}

impl Wire {
    /// An empty one between so many hosts.
    pub fn new(hosts: usize) -> Wire {
        let open = (0..hosts).map(|_| Vec::new()).collect();
        Wire { open, parcels: BTreeMap::new(), next: 0, arrived: 0 }
    }

    /// Packs what one host sends in one tick: one parcel for each receiver, frames in their order.
    pub fn pack(&mut self, outbox: &mut Vec<Frame>) -> Vec<(NodeId, Handle)> {
        for frame in outbox.drain(..) {
            self.open[frame.to.index()].push(frame);
        }
        let mut packed = Vec::new();
        for (to, open) in self.open.iter_mut().enumerate().filter(|(_, open)| !open.is_empty()) {
            self.parcels.insert(self.next, std::mem::take(open));
            packed.push((NodeId(to as u16), self.next.to_le_bytes()));
            self.next += 1;
        }
        packed
    }

    /// Takes the parcel with this number.
    ///
    /// # Panics
    /// When it has been taken before.
    pub fn take(&mut self, handle: Handle) -> Vec<Frame> {
        let parcel = self.parcels.remove(&u64::from_le_bytes(handle));
        let parcel = parcel.expect("turmoil delivers a datagram once");
        self.arrived += parcel.len() as u64;
        parcel
    }

    /// Whether every frame that was sent has arrived or is under way.
    ///
    /// # Panics
    /// When one is missing.
    pub fn check(&self, sent: u64) {
        let under_way: usize = self.parcels.values().map(Vec::len).sum();
        assert_eq!(sent, self.arrived + under_way as u64, "sent = arrived + under way");
    }
}
