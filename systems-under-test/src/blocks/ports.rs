//! Both sides of a node and what it does with links from neighbours, whoever it is: source,
//! sink, or an operator under any strategy.

use super::{Inbox, Outbox};
use crate::node::Cx;
use crate::planted_bugs::Bug;
use crate::protocol::{ChannelId, Effects, InstanceId, Link, NodeId, Resend, Term};

/// Inbox and outbox of one node.
#[derive(Clone)]
pub struct Ports {
    /// Receiving side.
    pub inbox: Inbox,
    /// Sending side.
    pub outbox: Outbox,
}

impl Ports {
    /// The ports of a node, as they are at the start of the run.
    pub fn new(cx: &Cx) -> Ports {
        Ports { inbox: Inbox::new(cx), outbox: Outbox::new(cx) }
    }

    /// Handles what a neighbour says. `leads` is our term if we lead our instance: only a primary
    /// answers and sends again, but sleeping replicas listen, or they would know nobody when
    /// their turn comes.
    pub fn on_link(
        &mut self,
        cx: &Cx,
        leads: Option<Term>,
        from: NodeId,
        link: &Link,
        fx: &mut Effects,
    ) {
        match link {
            Link::Trim { channel, safe } => self.outbox.trim(*channel, safe),
            Link::Takeover { instance, node, term, resend } => {
                self.inbox.repoint(*instance, *node, *term);
                self.outbox.repoint(*instance, *node, *term);
                if let (Some(mine), Some((channel, which))) = (leads, resend) {
                    self.outbox.resend(cx, mine, *channel, which, fx);
                }
            }
            Link::Hello { instance, .. } => {
                if let (Some(term), Some(yours)) = (leads, self.known(*instance)) {
                    fx.link(from, Link::Welcome { instance: cx.instance(), term, yours });
                }
            }
            Link::Welcome { instance, term, .. } => {
                self.inbox.repoint(*instance, from, *term);
                self.outbox.repoint(*instance, from, *term);
            }
            // Acknowledgements are for strategies, heartbeats for detectors.
            Link::Ack { .. } | Link::Heartbeat { .. } => {}
        }
    }

    /// Announces that we lead now: to every replica of every neighbour, sleeping ones too, and to
    /// our own replicas. `resend` says what each input channel should send again.
    pub fn announce(
        &self,
        cx: &Cx,
        term: Term,
        resend: impl Fn(ChannelId) -> Resend,
        fx: &mut Effects,
    ) {
        let instance = cx.instance();
        let takeover = |resend| Link::Takeover { instance, node: cx.me, term, resend };
        for peer in cx.peers() {
            fx.link(peer, takeover(None));
        }
        for neighbour in cx.plan.neighbours(instance) {
            let known = self.known(neighbour).map(|(_, primary)| primary);
            let inputs = cx.plan.instance(instance).inputs.iter();
            let theirs = inputs.filter(|c| cx.plan.channel(**c).from == neighbour);
            let mut wishes: Vec<_> = theirs.map(|c| Some((*c, resend(*c)))).collect();
            if wishes.is_empty() {
                wishes.push(None);
            }
            for replica in &cx.plan.instance(neighbour).replicas {
                if cx.planted(Bug::AnnounceToKnownOnly) && known != Some(*replica) {
                    continue;
                }
                for wish in &wishes {
                    fx.link(*replica, takeover(wish.clone()));
                }
            }
        }
    }

    /// Says hello to every replica of every neighbour and to our own replicas.
    pub fn hello(cx: &Cx, incarnation: u32, fx: &mut Effects) {
        let instance = cx.instance();
        let neighbours = cx.plan.neighbours(instance);
        let theirs = neighbours.iter().flat_map(|n| cx.plan.instance(*n).replicas.iter().copied());
        for node in cx.peers().chain(theirs) {
            fx.link(node, Link::Hello { instance, incarnation });
        }
    }

    fn known(&self, instance: InstanceId) -> Option<(Term, NodeId)> {
        self.inbox.known(instance).or_else(|| self.outbox.known(instance))
    }
}
