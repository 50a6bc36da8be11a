//! What worlds and the end of a run ask of a machine.

use super::{HANDLERS_PER_INSTANT_MAX, Machine, Phase, Work};
use aftermath_systems::operator::Digest;
use aftermath_systems::plan::OperatorRole;
use aftermath_systems::protocol::Nanos;
use std::hash::Hasher;

impl Machine {
    /// Whether this replica leads its instance (or is just taking over).
    pub fn is_primary(&self) -> bool {
        self.phase != Phase::Down && self.node.as_ref().is_some_and(|node| node.is_primary())
    }

    /// Whether the streams are being redirected to it.
    pub fn is_activating(&self) -> bool {
        self.phase == Phase::Activating
    }

    /// Whether the process is dead.
    pub fn is_down(&self) -> bool {
        self.phase == Phase::Down
    }

    /// Whether no output can follow from what has arrived here.
    pub fn settled(&self) -> bool {
        self.phase == Phase::Up
            && self.paused.is_empty()
            && self.lane.is_idle()
            && self.node.as_ref().is_some_and(|node| node.settled())
    }

    /// Whether it lives, nothing ails it and it is not being repaired.
    pub fn is_steady(&self) -> bool {
        let is_source = matches!(self.plan.systems.operator_of(self.id).role, OperatorRole::Source);
        self.phase == Phase::Up
            && self.paused.is_empty()
            && self.slow.is_empty()
            && self.ailing.is_empty()
            && self.node.as_ref().is_some_and(|node| is_source || node.settled())
    }

    /// Frames from which output may still follow: how many it has sent, and how many that were
    /// sent to it are over, handled or lost. Counted at both ends, so that it does not matter
    /// where a world keeps what is under way.
    pub fn significant(&self) -> (u64, u64) {
        (self.significant_sent, self.significant_over)
    }

    /// The incarnation of its process: one more whenever a process here has ended.
    pub fn incarnation(&self) -> u32 {
        self.incarnation
    }

    /// Whether it serves, transmits, saves or loads.
    pub fn is_busy(&self, now: Nanos) -> bool {
        let changes = matches!(self.phase, Phase::Loading | Phase::Activating);
        changes || !self.lane.is_idle() || self.waiting(now) > 0
    }

    /// Whether the source at this node has emitted everything.
    pub fn source_done(&self) -> bool {
        self.node.as_ref().is_some_and(|node| node.settled())
    }

    /// Whether the node handles event after event without time passing.
    pub fn livelocked(&self) -> bool {
        self.handlers_now > HANDLERS_PER_INSTANT_MAX
    }

    /// Tuples held in logs, hold-backs and parked queues.
    pub fn retained(&self) -> u64 {
        let parked = self.parked.iter().filter(|(_, _, work)| match work {
            Work::Frame(frame) => frame.body.is_data(),
            _ => false,
        });
        self.node.as_ref().map_or(0, |node| node.retained()) + parked.count() as u64
    }

    /// How long a frame or a save would wait for its link or device, the longest of them, ns.
    pub fn waiting(&self, now: Nanos) -> Nanos {
        let links = self.sessions.iter().map(|(_, session)| session.free_at);
        let free_at = links.max().unwrap_or(0).max(self.device.free_at());
        free_at.saturating_sub(now)
    }

    /// Operator state, if the process runs an operator.
    pub fn digest(&self) -> Option<Digest> {
        self.node.as_ref().and_then(|node| node.digest())
    }

    /// The running hash over all events and effects.
    pub fn hash(&self) -> u64 {
        self.hash.finish()
    }

    /// Number of events handled.
    pub fn handlers(&self) -> u64 {
        self.handlers
    }
}
