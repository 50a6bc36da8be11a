//! What is under way between hosts. A datagram carries the number of a parcel, which waits here.

use crate::machine::BoxedFrame;
use aftermath_systems::protocol::NodeId;

/// A number on a datagram.
pub type Handle = [u8; 8];

/// Parcels under way, and the count of all frames.
pub struct Wire {
    /// Frames of one sender's tick, by receiver, while they are being put together.
    open: Vec<Vec<BoxedFrame>>,
    /// By number. Empty ones are kept: their memory is used again.
    parcels: Vec<Vec<BoxedFrame>>,
    /// Numbers of the empty ones.
    free: Vec<usize>,
    arrived: u64,
}

impl Wire {
    /// An empty one between so many hosts.
    pub fn new(hosts: usize) -> Wire {
        let open = (0..hosts).map(|_| Vec::new()).collect();
        Wire { open, parcels: Vec::new(), free: Vec::new(), arrived: 0 }
    }

    /// Packs what one host sends in one tick: one parcel for each receiver, frames in their order.
    pub fn pack(&mut self, outbox: &mut Vec<BoxedFrame>) -> Vec<(NodeId, Handle)> {
        for frame in outbox.drain(..) {
            self.open[frame.to.index()].push(frame);
        }
        let mut packed = Vec::new();
        for (to, open) in self.open.iter_mut().enumerate().filter(|(_, open)| !open.is_empty()) {
            let number = self.free.pop().unwrap_or_else(|| {
                self.parcels.push(Vec::new());
                self.parcels.len() - 1
            });
            std::mem::swap(&mut self.parcels[number], open);
            packed.push((NodeId(to as u16), (number as u64).to_le_bytes()));
        }
        packed
    }

    /// Takes the frames of the parcel with this number, for `to`.
    ///
    /// # Panics
    /// When the parcel has been taken before.
    pub fn unpack(&mut self, handle: Handle, to: NodeId, mut take: impl FnMut(BoxedFrame)) {
        let number = u64::from_le_bytes(handle) as usize;
        let parcel = &mut self.parcels[number];
        let for_to = parcel.first().is_some_and(|frame| frame.to == to);
        assert!(for_to, "turmoil delivers a datagram once, and to its receiver");
        self.arrived += parcel.len() as u64;
        parcel.drain(..).for_each(&mut take);
        self.free.push(number);
    }

    /// Whether every frame that was sent has arrived or is under way.
    ///
    /// # Panics
    /// When one is missing.
    pub fn check(&self, sent: u64) {
        let under_way: usize = self.parcels.iter().map(Vec::len).sum();
        assert_eq!(sent, self.arrived + under_way as u64, "sent = arrived + under way");
    }
}
