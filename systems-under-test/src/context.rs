//! What a node sees while it handles an event.

use crate::plan::Plan;
use crate::planted_bugs::Bug;
use crate::protocol::{InstanceId, Nanos, NodeId};

/// What a node may know of the world while it handles an event: the instant, itself and the plan.
/// There is no clock, no randomness and no other way out than
/// [`Effects`](crate::protocol::Effects).
pub struct Cx<'a> {
    /// The virtual instant of the event.
    pub now: Nanos,
    /// The node that handles it.
    pub me: NodeId,
    /// The topology and all settings; the same for every node and constant during a run.
    pub plan: &'a Plan,
}

impl Cx<'_> {
    /// The instance this node is a replica of.
    pub fn instance(&self) -> InstanceId {
        self.plan.node(self.me).instance
    }

    /// The other replicas of the same instance.
    pub fn peers(&self) -> impl Iterator<Item = NodeId> + '_ {
        let me = self.me;
        self.plan.instance(self.instance()).replicas.iter().copied().filter(move |n| *n != me)
    }

    /// Whether the run plants this bug. Honest code asks at each bug's seam and nowhere else.
    pub fn planted(&self, bug: Bug) -> bool {
        self.plan.bug == Some(bug)
    }

    /// The next instant after now on the grid `phase + k * period`.
    pub fn next_on_grid(&self, period: Nanos, phase: Nanos) -> Nanos {
        next_on_grid(self.now, period, phase)
    }
}

/// The first instant after `now` on the grid `phase + k * period`.
pub fn next_on_grid(now: Nanos, period: Nanos, phase: Nanos) -> Nanos {
    if now < phase { phase } else { phase + ((now - phase) / period + 1) * period }
}
