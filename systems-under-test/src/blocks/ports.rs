//! Both sides of a node and what it does with links from neighbours, whoever it is: source,
//! sink, or an operator under any strategy.

use super::{Inbox, Outbox};
use crate::context::Cx;
use crate::plan::Dedup;
use crate::planted_bugs::Bug;
use crate::protocol::{ChannelId, Effects, InstanceId, Link, NodeId, Request, Resend, Term};

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
                let Some((known, _)) = self.known(*instance) else { return };
                if *term < known {
                    // It stood still when it should have led, or its word comes again, and it has
                    // been replaced: what it asks for would go to its successor.
                    return;
                }
                let is_new = known < *term;
                self.inbox.repoint(*instance, *node, *term);
                self.outbox.repoint(*instance, *node, *term);
                let asked = resend.as_ref().filter(|request| self.outbox.is_news(request));
                let Some(mine) = leads else { return };
                if let Some(request) = asked {
                    self.answer(cx, mine, *node, request, fx);
                }
                self.greet(cx, mine, (*instance, *term), *node, fx);
                // Its predecessor died with our question.
                if is_new && self.outbox.is_asking(*instance) {
                    let (instance, node) = (cx.instance(), cx.me);
                    let mine = Link::Takeover { instance, node, term: mine, resend: None };
                    fx.link(from, mine);
                }
            }
            Link::Rewound { channel, ask, until } => {
                let again = self.inbox.rewound(cx, from, (*channel, *ask), until);
                if let (true, Some(mine)) = (again, leads) {
                    let received = self.inbox.received();
                    let which = Resend::From(self.inbox.on_channel(cx, *channel, received));
                    self.ask(cx, mine, from, (*channel, which), fx);
                }
            }
            Link::Wanted { channel, term, from: wanted } => {
                if leads == Some(*term) {
                    self.outbox.wanted(cx, *term, from, (*channel, wanted), fx);
                }
            }
            Link::Hello { instance, incarnation: answers } => {
                if let (Some(term), Some(yours)) = (leads, self.known(*instance)) {
                    let next = self.outbox.next(*instance);
                    let (instance, answers) = (cx.instance(), *answers);
                    let incarnation = 0;
                    fx.link(
                        from,
                        Link::Welcome { instance, term, answers, incarnation, yours, next },
                    );
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

    /// Sends again what a new primary downstream asks for.
    fn answer(&mut self, cx: &Cx, mine: Term, to: NodeId, request: &Request, fx: &mut Effects) {
        let Request { channel, which, ask } = request;
        if *which != Resend::Nothing {
            let until = self.outbox.log_until(*channel);
            fx.link(to, Link::Rewound { channel: *channel, ask: *ask, until });
        }
        self.outbox.resend(cx, mine, request, fx);
    }

    /// Asks who leads upstream for a part of a channel's log.
    fn ask(
        &mut self,
        cx: &Cx,
        mine: Term,
        to: NodeId,
        (channel, which): (ChannelId, Resend),
        fx: &mut Effects,
    ) {
        let resend = Some(self.inbox.request(cx, mine, channel, which));
        let (instance, node) = (cx.instance(), cx.me);
        fx.link(to, Link::Takeover { instance, node, term: mine, resend });
    }

    /// Greets a new primary upstream: says again what we asked its predecessor for and did not
    /// get, and, where duplicates are avoided by handshake, what we want.
    fn greet(
        &mut self,
        cx: &Cx,
        mine: Term,
        (theirs, term): (InstanceId, Term),
        to: NodeId,
        fx: &mut Effects,
    ) {
        for (channel, rewinding) in self.inbox.from(cx, theirs) {
            if let Some(which) = rewinding {
                self.ask(cx, mine, to, (channel, which), fx);
            } else if cx.plan.contract(channel).dedup == Dedup::Handshake {
                let from = self.inbox.on_channel(cx, channel, self.inbox.received());
                fx.link(to, Link::Wanted { channel, term, from });
            }
        }
    }

    /// Announces that we lead now: to every replica of every neighbour, sleeping ones too, and to
    /// our own replicas. `resend` says what each input channel should send again.
    pub fn announce(
        &mut self,
        cx: &Cx,
        term: Term,
        resend: impl Fn(&Inbox, ChannelId) -> Resend,
        fx: &mut Effects,
    ) {
        let instance = cx.instance();
        for peer in cx.peers() {
            fx.link(peer, Link::Takeover { instance, node: cx.me, term, resend: None });
        }
        self.announce_to(cx, term, &cx.plan.neighbours(instance), resend, fx);
    }

    /// As [`Ports::announce`], to these neighbours only.
    pub fn announce_to(
        &mut self,
        cx: &Cx,
        term: Term,
        neighbours: &[InstanceId],
        resend: impl Fn(&Inbox, ChannelId) -> Resend,
        fx: &mut Effects,
    ) {
        let instance = cx.instance();
        let takeover = |resend| Link::Takeover { instance, node: cx.me, term, resend };
        for neighbour in neighbours.iter().copied() {
            self.outbox.ask_first(cx, neighbour);
            let known = self.known(neighbour).map(|(_, primary)| primary);
            let mut requests = Vec::new();
            for (channel, _) in self.inbox.from(cx, neighbour) {
                let which = resend(&self.inbox, channel);
                requests.push(Some(self.inbox.request(cx, term, channel, which)));
            }
            if requests.is_empty() {
                requests.push(None);
            }
            for replica in &cx.plan.instance(neighbour).replicas {
                if cx.planted(Bug::AnnounceToKnownOnly) && known != Some(*replica) {
                    continue;
                }
                for request in &requests {
                    fx.link(*replica, takeover(request.clone()));
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
