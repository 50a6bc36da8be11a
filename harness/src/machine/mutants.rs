//! What a machine does when a rule is broken on purpose ([`Mutation`]).

use super::{Frame, Machine};
use crate::plan::Mutation;
use aftermath_systems::protocol::{Nanos, NodeId};

impl Machine {
    /// Works off what is due now and nothing that follows from it.
    pub(super) fn run_batch(&mut self, until: Nanos) {
        let batch: Vec<_> = std::iter::from_fn(|| self.agenda.pop(until)).collect();
        for (key, incarnation, work) in batch {
            self.take(key, incarnation, work);
        }
    }

    /// What orders a frame among those that are due at one instant.
    pub(super) fn order_of(&mut self, frame: &Frame) -> (NodeId, u64) {
        if self.plan.breaks(Mutation::ArrivalOrder) {
            self.count += 1;
            return (self.id, self.count);
        }
        (frame.from, frame.count)
    }
}
