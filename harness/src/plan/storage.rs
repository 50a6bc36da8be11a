//! What faults of storage devices mean for a run as a whole: draws, and how long saves may take.

use super::RunPlan;
use super::weather::uniform;
use crate::faults::{Effect, Malfunction};
use aftermath_systems::operator::mix;
use aftermath_systems::protocol::{Nanos, NodeId};

impl RunPlan {
    /// Whether a fault hits a save, which is named by its node and its number there, counted over
    /// all incarnations: a draw with this probability, a function of nothing else but the seed.
    pub fn draws_save(&self, (node, number): (NodeId, u64), fault: usize, millionths: u32) -> bool {
        let word = mix(mix(self.storage_seed, u64::from(node.0)), number);
        uniform(mix(word, self.draws_of(fault)), 999_999) < u64::from(millionths)
    }

    /// The latency of a save while every fault that slows storage lasts, ns.
    pub fn longest_save_ns(&self) -> Nanos {
        let by = self.faults.iter().map(|fault| match fault.effect {
            Effect::Storage(Malfunction::Slow { by_ns }) => by_ns,
            _ => 0,
        });
        by.fold(self.storage.latency_ns, Nanos::saturating_add)
    }
}
