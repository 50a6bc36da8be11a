//! The receiving side: fencing by term, deduplication by position, acknowledgements.

use crate::context::Cx;
use crate::plan::Dedup;
use crate::planted_bugs::Bug;
use crate::protocol::{
    Ask, ChannelId, EdgeId, Effects, InstanceId, Item, Link, NodeId, Positions, Request, Resend,
    Stamp, Term, TimerId,
};
use serde::{Deserialize, Serialize};

/// The first timer id of acknowledgement grids; one for each input edge.
const ACK_TIMERS: u16 = 0x8000;

/// The part of an inbox that belongs in a checkpoint: without it, a restored operator would take
/// inputs again that its state has already absorbed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct InboxState {
    /// Next wanted position of each input stream.
    pub wanted: Positions,
    /// Which input channels have ended.
    pub ended: Vec<ChannelId>,
}

#[derive(Clone)]
struct Upstream {
    channel: ChannelId,
    instance: InstanceId,
    /// The node that leads `instance`, as far as is known.
    primary: NodeId,
    term: Term,
    dedup: Dedup,
    /// What we asked to be sent again, while the answer has not come: until then whatever arrives
    /// was sent before the sender knew, and would make us skip what we asked for.
    rewinding: Option<Resend>,
    /// Up to where the answer to our last request reaches.
    owed: Positions,
    /// Our last request.
    ask: Ask,
    /// The last that was answered by whoever leads the sender now: what answers another was sent to
    /// our predecessor, or to us before we asked again, and would make us skip what lies between.
    answered: Ask,
}

/// The receiving side of all input channels of one node.
#[derive(Clone)]
pub struct Inbox {
    upstream: Vec<Upstream>,
    state: InboxState,
}

impl Inbox {
    /// The inbox of a node, as it is at the start of the run.
    pub fn new(cx: &Cx) -> Inbox {
        let upstream = |channel: &ChannelId| {
            let instance = cx.plan.channel(*channel).from;
            Upstream {
                channel: *channel,
                instance,
                primary: cx.plan.instance(instance).replicas[0],
                term: 1,
                dedup: cx.plan.contract(*channel).dedup,
                rewinding: None,
                owed: Positions::default(),
                ask: Ask::default(),
                answered: Ask::default(),
            }
        };
        let inputs = &cx.plan.instance(cx.instance()).inputs;
        Inbox { upstream: inputs.iter().map(upstream).collect(), state: InboxState::default() }
    }

    /// Whether an item that arrives now may join the queue: its sender leads, as far as we know,
    /// and it was not sent before what we have asked for, nor is it an old one that comes again. A
    /// peek: nothing changes.
    pub fn admits(&self, cx: &Cx, stamp: Stamp, channel: ChannelId) -> bool {
        let upstream = self.upstream.iter().find(|u| u.channel == channel);
        upstream.is_some_and(|u| {
            let answers = stamp.term > u.term || stamp.ask == u.answered;
            let leads = stamp.term >= u.term && (answers || cx.planted(Bug::OldStampTaken));
            (leads || cx.planted(Bug::NoFence)) && u.rewinding.is_none()
        })
    }

    /// Whether an item has been seen before. A peek: nothing changes.
    pub fn is_duplicate(&self, channel: ChannelId, item: &Item) -> bool {
        let Item::Tuple(tuple) = item else { return false };
        if tuple.is_end() {
            // A marker is not data: a second one says nothing new, whatever the contract.
            return self.state.ended.contains(&channel);
        }
        let upstream = self.upstream.iter().find(|u| u.channel == channel);
        upstream.is_some_and(|u| u.dedup != Dedup::Off)
            && self.state.wanted.covers(tuple.id.stream, tuple.id.position)
    }

    /// Notes that an item is being taken.
    pub fn take(&mut self, channel: ChannelId, item: &Item) {
        let Item::Tuple(tuple) = item else { return };
        self.state.wanted.advance(tuple.id.stream, tuple.id.position.next());
        if tuple.is_end() {
            self.state.ended.push(channel);
        }
    }

    /// Whether every input channel has ended.
    pub fn all_ended(&self) -> bool {
        self.state.ended.len() == self.upstream.len()
    }

    /// Next wanted position of each stream: everything before has been received.
    pub fn received(&self) -> &Positions {
        &self.state.wanted
    }

    /// As [`Inbox::received`], but without the end markers of channels that ended before others: a
    /// successor must be told again that they have ended, or it waits for them for ever.
    pub fn received_but_ends(&self, cx: &Cx) -> Positions {
        let mut received = self.state.wanted.clone();
        let early = if self.all_ended() { &[][..] } else { &self.state.ended };
        for stream in early.iter().flat_map(|channel| &cx.plan.channel(*channel).streams) {
            let mut bound = received.get(*stream);
            bound.sub = bound.sub.saturating_sub(1);
            received.set(*stream, bound);
        }
        received
    }

    /// The part that belongs in a checkpoint.
    pub fn state(&self) -> InboxState {
        self.state.clone()
    }

    /// Continues from a checkpoint.
    pub fn restore(&mut self, state: InboxState) {
        self.state = state;
    }

    /// Asks for a part of a channel's log, leading in term `mine`, and takes nothing from it until
    /// the answer comes.
    pub fn request(&mut self, cx: &Cx, mine: Term, channel: ChannelId, which: Resend) -> Request {
        let found = self.upstream.iter_mut().find(|u| u.channel == channel);
        let upstream = found.expect("requests are about channels of ours");
        let number = if upstream.ask.term == mine { upstream.ask.number + 1 } else { 1 };
        upstream.ask = Ask { term: mine, number };
        // Nothing is sent again, so nothing announces that.
        let waits = which != Resend::Nothing && !cx.planted(Bug::RewindUnmarked);
        upstream.rewinding = waits.then(|| which.clone());
        upstream.owed = Positions::default();
        Request { channel, which, ask: upstream.ask }
    }

    /// The answer to a request has come: what follows is what we asked for. Returns whether it
    /// answers another request than our last: whoever leads the sender now has heard of an old one,
    /// and must be asked again, or it would send what we do not take.
    pub fn rewound(
        &mut self,
        cx: &Cx,
        from: NodeId,
        (channel, ask): (ChannelId, Ask),
        until: &Positions,
    ) -> bool {
        let found = self.upstream.iter_mut().find(|u| u.channel == channel);
        let Some(upstream) = found.filter(|u| u.primary == from) else { return false };
        if upstream.ask != ask {
            return upstream.rewinding.is_none();
        }
        // It has come before, or whoever leads the sender since has heard of our old request.
        if upstream.rewinding.is_none() && !cx.planted(Bug::RewindUnmarked) {
            return upstream.answered != ask;
        }
        upstream.rewinding = None;
        upstream.answered = ask;
        upstream.owed = until.clone();
        false
    }

    /// The channels from `instance`, with what we asked of each and have not got: the whole of it,
    /// or the rest of what was announced, if the sender died before it had sent it all.
    pub fn from(&self, cx: &Cx, instance: InstanceId) -> Vec<(ChannelId, Option<Resend>)> {
        let from = self.upstream.iter().filter(|u| u.instance == instance);
        let open = |u: &Upstream| {
            let owed = cx
                .plan
                .channel(u.channel)
                .streams
                .iter()
                .any(|stream| self.state.wanted.get(*stream) < u.owed.get(*stream));
            let rest = || Resend::From(self.on_channel(cx, u.channel, &self.state.wanted));
            u.rewinding.clone().or_else(|| owed.then(rest))
        };
        from.map(|u| (u.channel, open(u))).collect()
    }

    /// A neighbour's leadership changed.
    pub fn repoint(&mut self, instance: InstanceId, primary: NodeId, term: Term) {
        for upstream in &mut self.upstream {
            if upstream.instance == instance && term >= upstream.term {
                if term > upstream.term {
                    // It has not answered anything yet.
                    upstream.answered = Ask::default();
                }
                upstream.primary = primary;
                upstream.term = term;
            }
        }
    }

    /// What is known of an upstream neighbour: its term and primary.
    pub fn known(&self, instance: InstanceId) -> Option<(Term, NodeId)> {
        self.upstream.iter().find(|u| u.instance == instance).map(|u| (u.term, u.primary))
    }

    /// Input channels with the node that leads their sender.
    pub fn channels(&self) -> impl Iterator<Item = (ChannelId, NodeId)> + '_ {
        self.upstream.iter().map(|u| (u.channel, u.primary))
    }

    /// Sets the acknowledgement timers of all input edges whose contract asks for them.
    pub fn start_acks(&self, cx: &Cx, fx: &mut Effects) {
        for edge in &cx.plan.operator_of(cx.me).inputs {
            arm_ack(cx, *edge, fx);
        }
    }

    /// If `timer` is an acknowledgement timer of ours: sets it again, sends level-0
    /// acknowledgements for its edge, and returns the edge.
    pub fn on_ack_timer(&self, cx: &Cx, timer: TimerId, fx: &mut Effects) -> Option<EdgeId> {
        let edge = EdgeId(timer.0.checked_sub(ACK_TIMERS)?);
        arm_ack(cx, edge, fx);
        if cx.planted(Bug::TrimWithoutAck) {
            return Some(edge);
        }
        for upstream in self.of_edge(cx, edge) {
            let received = self.on_channel(cx, upstream.channel, &self.state.wanted);
            fx.link(upstream.primary, Link::Ack { channel: upstream.channel, received });
        }
        Some(edge)
    }

    /// Tells the senders of all retained input channels (of one edge only, if given) what they
    /// may forget.
    pub fn trim(&self, cx: &Cx, edge: Option<EdgeId>, safe: &Positions, fx: &mut Effects) {
        if cx.planted(Bug::NeverTrims) {
            return;
        }
        for upstream in &self.upstream {
            let of = cx.plan.channel(upstream.channel).edge;
            if edge.is_some_and(|edge| edge != of) || !cx.plan.edge(of).contract.retain {
                continue;
            }
            let safe = self.on_channel(cx, upstream.channel, safe);
            fx.link(upstream.primary, Link::Trim { channel: upstream.channel, safe });
        }
    }

    /// The positions of the streams of one channel only.
    pub fn on_channel(&self, cx: &Cx, channel: ChannelId, positions: &Positions) -> Positions {
        let streams = &cx.plan.channel(channel).streams;
        positions.only(|stream| streams.contains(&stream))
    }

    fn of_edge<'a>(&'a self, cx: &'a Cx, edge: EdgeId) -> impl Iterator<Item = &'a Upstream> {
        self.upstream.iter().filter(move |u| cx.plan.channel(u.channel).edge == edge)
    }
}

fn arm_ack(cx: &Cx, edge: EdgeId, fx: &mut Effects) {
    let contract = &cx.plan.edge(edge).contract;
    if let Some(every) = contract.ack_every {
        let at = cx.next_on_grid(every, contract.ack_phase);
        fx.timer(TimerId(ACK_TIMERS + edge.0), at);
    }
}
