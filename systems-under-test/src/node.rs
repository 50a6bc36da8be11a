//! A node: one replica of one instance, as a pure state machine.

use crate::blocks::{Membership, Task};
use crate::context::Cx;
use crate::operator::Digest;
use crate::protocol::{ChannelId, Effects, Event, Item, Nanos, Stamp};

/// Clones a boxed node; implemented for every node that is `Clone`, so that a run can be forked.
pub trait ForkNode {
    /// A copy with the same state.
    fn fork(&self) -> Box<dyn Node>;
}

impl<T: Node + Clone + 'static> ForkNode for T {
    fn fork(&self) -> Box<dyn Node> {
        Box::new(self.clone())
    }
}

/// A sans-IO state machine.
pub trait Node: ForkNode {
    /// Handles one event; everything it wants done goes into `fx`.
    fn on(&mut self, cx: &Cx, event: Event, fx: &mut Effects);

    /// The membership and task of a replica that is built from these blocks. All methods below are
    /// answered from them, unless a node has something of its own to say.
    fn parts(&self) -> Option<(&Membership, &Task)> {
        None
    }

    /// Whether an item that arrives now may join the queue. A peek: nothing may change.
    ///
    /// Zombies are fenced here and not when the item is served: what has arrived before its sender
    /// was replaced is as good as ever, however long it queues.
    fn admits(&self, cx: &Cx, stamp: Stamp, channel: ChannelId) -> bool {
        self.parts().is_none_or(|(_, task)| task.ports.inbox.admits(cx, stamp, channel))
    }

    /// CPU time to charge before `item` is handled, ns. A peek: nothing may change.
    fn cost(&self, cx: &Cx, channel: ChannelId, item: &Item) -> Nanos {
        let primary = self.parts().filter(|(member, _)| member.leads().is_some());
        primary.map_or(0, |(_, task)| task.cost(cx, channel, item))
    }

    /// Whether this replica currently leads its instance.
    fn is_primary(&self) -> bool {
        self.parts().is_some_and(|(member, _)| member.leads().is_some())
    }

    /// The operator state, if this node runs an operator.
    fn digest(&self) -> Option<Digest> {
        self.parts().map(|(_, task)| task.digest())
    }

    /// Tuples held in logs and hold-backs, operator state not counted.
    fn retained(&self) -> u64 {
        self.parts().map_or(0, |(_, task)| task.ports.outbox.retained())
    }

    /// Whether nothing is under way that will still cause output without new input.
    fn settled(&self) -> bool {
        self.parts().is_none_or(|(member, _)| member.settled())
    }
}
