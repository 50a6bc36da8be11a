//! The sending side: routes, the output log, trimming and sending again.

use crate::context::Cx;
use crate::operator::mix;
use crate::plan::{Dedup, Feed, Partitioning};
use crate::planted_bugs::Bug;
use crate::protocol::{
    Ask, Cause, ChannelId, Effects, InstanceId, Item, NodeId, Positions, Request, Resend, Stamp,
    Term, Tuple,
};
use std::collections::VecDeque;

#[derive(Clone)]
struct Downstream {
    channel: ChannelId,
    instance: InstanceId,
    /// The node that leads `instance`, as far as is known.
    primary: NodeId,
    term: Term,
    feed: Feed,
    retain: bool,
    /// What was sent and not yet trimmed, in the order of sending.
    log: VecDeque<Tuple>,
    /// Where what will be sent begins, if all replicas are fed: others are never told.
    next: Positions,
    handshake: Handshake,
    /// The last request that we have heard of.
    heard: Ask,
    /// The last that we have answered.
    answered: Ask,
}

/// Where duplicates are avoided by asking first.
#[derive(Clone)]
enum Handshake {
    /// Nothing is to be asked.
    None,
    /// Asked what is wanted; what is not in the log waits here.
    Asked(VecDeque<Tuple>),
    /// What lies before these positions is not sent.
    Known(Positions),
}

#[derive(Clone)]
struct OutEdge {
    partitioning: Partitioning,
    /// Indexes into `downstream`, in the order of the receiving instances.
    channels: Vec<usize>,
}

/// The sending side of all output channels of one node.
#[derive(Clone)]
pub struct Outbox {
    downstream: Vec<Downstream>,
    edges: Vec<OutEdge>,
    /// Outputs are kept and not sent: a second primary that nobody listens to.
    pub muted: bool,
}

impl Outbox {
    /// The outbox of a node, as it is at the start of the run.
    pub fn new(cx: &Cx) -> Outbox {
        let mut outbox = Outbox { downstream: Vec::new(), edges: Vec::new(), muted: false };
        let channels = &cx.plan.instance(cx.instance()).outputs;
        for edge in &cx.plan.operator_of(cx.me).outputs {
            let mut indexes = Vec::new();
            for channel in channels.iter().filter(|c| cx.plan.channel(**c).edge == *edge) {
                let instance = cx.plan.channel(*channel).to;
                let contract = cx.plan.contract(*channel);
                indexes.push(outbox.downstream.len());
                outbox.downstream.push(Downstream {
                    channel: *channel,
                    instance,
                    primary: cx.plan.instance(instance).replicas[0],
                    term: 1,
                    feed: contract.feed,
                    retain: contract.retain,
                    log: VecDeque::new(),
                    next: Positions::default(),
                    handshake: Handshake::None,
                    heard: Ask::default(),
                    answered: Ask::default(),
                });
            }
            let partitioning = cx.plan.edge(*edge).partitioning;
            outbox.edges.push(OutEdge { partitioning, channels: indexes });
        }
        outbox
    }

    /// Sends a tuple down every output edge and keeps it where the contract says so.
    /// Calls `sent` with each channel that it went down.
    pub fn emit(
        &mut self,
        cx: &Cx,
        term: Term,
        tuple: &Tuple,
        fx: &mut Effects,
        mut sent: impl FnMut(ChannelId),
    ) {
        for edge in 0..self.edges.len() {
            let count = self.edges[edge].channels.len();
            // An end marker has no key and goes everywhere; so does everything on the one channel
            // of a forward edge and on all channels of a broadcast.
            let key = match self.edges[edge].partitioning {
                Partitioning::Keyed { column } => tuple.payload.key(column),
                Partitioning::Forward | Partitioning::Broadcast => None,
            };
            let chosen = key.map_or(0..count, |key| {
                let chosen = partition(key, count);
                chosen..chosen + 1
            });
            for index in chosen {
                let index = self.edges[edge].channels[index];
                let downstream = &mut self.downstream[index];
                sent(downstream.channel);
                if downstream.feed == Feed::AllReplicas {
                    downstream.next.advance(tuple.id.stream, tuple.id.position.next());
                }
                if downstream.retain {
                    downstream.log.push_back(tuple.clone());
                }
                if self.muted {
                    continue;
                }
                if downstream.may_send(tuple) {
                    downstream.send(cx, term, tuple, Cause::Tuple, fx);
                } else if downstream.is_known(tuple) {
                    downstream.send_to_others(cx, term, tuple, fx);
                }
            }
        }
    }

    /// The receiver of `channel` will never ask for anything before `safe` again.
    pub fn trim(&mut self, channel: ChannelId, safe: &Positions) {
        let Some(downstream) = self.downstream.iter_mut().find(|d| d.channel == channel) else {
            return;
        };
        while let Some(oldest) = downstream.log.front() {
            if !safe.covers(oldest.id.stream, oldest.id.position) {
                break;
            }
            downstream.log.pop_front();
        }
    }

    /// Sends a barrier down every channel that stays within the region.
    pub fn emit_barrier(&self, cx: &Cx, term: Term, number: u64, fx: &mut Effects) {
        for downstream in self.downstream.iter().filter(|d| cx.plan.is_internal(d.channel)) {
            let item = Item::Barrier(number);
            let stamp = Stamp { term, ask: downstream.answered };
            fx.emit(downstream.primary, downstream.channel, stamp, item, Cause::Marker);
        }
    }

    /// We have taken over and tell `instance`: where duplicates are avoided by handshake, nothing
    /// is sent to it before it has said what it wants.
    pub fn ask_first(&mut self, cx: &Cx, instance: InstanceId) {
        for downstream in self.downstream.iter_mut().filter(|d| d.instance == instance) {
            if cx.plan.contract(downstream.channel).dedup == Dedup::Handshake {
                downstream.handshake = Handshake::Asked(VecDeque::new());
            }
        }
    }

    /// Whether we have asked `instance` what it wants, and it has not said.
    pub fn is_asking(&self, instance: InstanceId) -> bool {
        let asked = |d: &Downstream| matches!(d.handshake, Handshake::Asked(_));
        self.downstream.iter().any(|d| d.instance == instance && asked(d))
    }

    /// `who` says what the receiver of `channel` wants; only whoever leads it can.
    pub fn wanted(
        &mut self,
        cx: &Cx,
        term: Term,
        who: NodeId,
        (channel, from): (ChannelId, &Positions),
        fx: &mut Effects,
    ) {
        let found = self.downstream.iter_mut().find(|d| d.channel == channel);
        let Some(downstream) = found.filter(|d| d.primary == who) else { return };
        // What was not asked, or has been answered, has come again.
        let Handshake::Asked(held) = &mut downstream.handshake else { return };
        let held = std::mem::take(held);
        downstream.handshake = Handshake::Known(from.clone());
        let kept = if downstream.retain { downstream.log.clone() } else { held };
        for tuple in &kept {
            if downstream.is_known(tuple) {
                downstream.send_to_others(cx, term, tuple, fx);
            } else {
                downstream.send(cx, term, tuple, Cause::Resend, fx);
            }
        }
    }

    /// Where what will be sent to `instance` begins, if all its replicas are fed.
    pub fn next(&self, instance: InstanceId) -> Positions {
        let to = self.downstream.iter().filter(|d| d.instance == instance);
        to.filter(|d| d.feed == Feed::AllReplicas).flat_map(|d| d.next.iter()).collect()
    }

    /// Hears of a request; returns whether it is newer than all before. An old one comes again if
    /// something between us delivers it twice.
    pub fn is_news(&mut self, request: &Request) -> bool {
        let found = self.downstream.iter_mut().find(|d| d.channel == request.channel);
        found.is_some_and(|downstream| {
            let news = request.ask > downstream.heard;
            downstream.heard = downstream.heard.max(request.ask);
            news
        })
    }

    /// Up to where the retained log of a channel reaches.
    pub fn log_until(&self, channel: ChannelId) -> Positions {
        let mut until = Positions::default();
        let found = self.downstream.iter().find(|d| d.channel == channel);
        for tuple in found.iter().flat_map(|downstream| &downstream.log) {
            until.advance(tuple.id.stream, tuple.id.position.next());
        }
        until
    }

    /// Sends a part of the retained log of a channel again.
    pub fn resend(&mut self, cx: &Cx, term: Term, request: &Request, fx: &mut Effects) {
        let Request { channel, which, ask } = request;
        let found = self.downstream.iter_mut().find(|d| d.channel == *channel);
        let Some(downstream) = found else { return };
        downstream.answered = if *which == Resend::Nothing { Ask::default() } else { *ask };
        // Whoever asks for the log has said what it wants.
        let wants = match which {
            Resend::Nothing => None,
            Resend::All => Some(Positions::default()),
            Resend::From(from) => Some(from.clone()),
        };
        if let (Handshake::Asked(_) | Handshake::Known(_), Some(from)) =
            (&downstream.handshake, wants)
        {
            downstream.handshake = Handshake::Known(from);
        }
        let wanted = |tuple: &&Tuple| match which {
            Resend::Nothing => false,
            Resend::All => true,
            Resend::From(from) => !from.covers(tuple.id.stream, tuple.id.position),
        };
        let late = usize::from(cx.planted(Bug::ResendOneTooLate));
        for tuple in downstream.log.iter().filter(wanted).skip(late) {
            downstream.send(cx, term, tuple, Cause::Resend, fx);
        }
    }

    /// Sends everything again that is retained, to every receiver: after a take-over with a log
    /// that was shipped by the predecessor.
    pub fn resend_all(&self, cx: &Cx, term: Term, fx: &mut Effects) {
        let asked = |d: &&Downstream| matches!(d.handshake, Handshake::Asked(_));
        for downstream in self.downstream.iter().filter(|d| !asked(d)) {
            for tuple in &downstream.log {
                downstream.send(cx, term, tuple, Cause::Resend, fx);
            }
        }
    }

    /// Everything that is retained: what the receivers may still ask for. What they have merely
    /// acknowledged belongs to it, for a receiver that is set back asks for it again.
    pub fn log(&self) -> Vec<(ChannelId, Tuple)> {
        let of = |d: &'_ Downstream| -> Vec<_> {
            d.log.iter().map(|tuple| (d.channel, tuple.clone())).collect()
        };
        self.downstream.iter().flat_map(of).collect()
    }

    /// Replaces the retained logs by one that a predecessor shipped.
    pub fn adopt_log(&mut self, log: Vec<(ChannelId, Tuple)>) {
        for downstream in &mut self.downstream {
            downstream.log.clear();
        }
        for (channel, tuple) in log {
            if let Some(downstream) = self.downstream.iter_mut().find(|d| d.channel == channel) {
                downstream.log.push_back(tuple);
            }
        }
    }

    /// A neighbour's leadership changed.
    pub fn repoint(&mut self, instance: InstanceId, primary: NodeId, term: Term) {
        for downstream in &mut self.downstream {
            if downstream.instance == instance && term >= downstream.term {
                downstream.primary = primary;
                downstream.term = term;
            }
        }
    }

    /// What is known of a downstream neighbour: its term and primary.
    pub fn known(&self, instance: InstanceId) -> Option<(Term, NodeId)> {
        self.downstream.iter().find(|d| d.instance == instance).map(|d| (d.term, d.primary))
    }

    /// Number of retained tuples.
    pub fn retained(&self) -> u64 {
        let held = |d: &Downstream| match &d.handshake {
            Handshake::Asked(held) => held.len() as u64,
            Handshake::None | Handshake::Known(_) => 0,
        };
        self.downstream.iter().map(|d| d.log.len() as u64 + held(d)).sum()
    }
}

impl Downstream {
    /// Whether a new output may be sent now; if the receiver has not said yet, it is held.
    fn may_send(&mut self, tuple: &Tuple) -> bool {
        match &mut self.handshake {
            Handshake::None => true,
            Handshake::Known(from) => !from.covers(tuple.id.stream, tuple.id.position),
            Handshake::Asked(held) => {
                if !self.retain {
                    held.push_back(tuple.clone());
                }
                false
            }
        }
    }

    /// Whether whoever leads the receiver has said that it has this.
    fn is_known(&self, tuple: &Tuple) -> bool {
        let covers = |from: &Positions| from.covers(tuple.id.stream, tuple.id.position);
        matches!(&self.handshake, Handshake::Known(from) if covers(from))
    }

    /// Sends what the leading replica has to the others that are fed: what was on its way to them
    /// may have died with our predecessor, and they drop what they have.
    fn send_to_others(&self, cx: &Cx, term: Term, tuple: &Tuple, fx: &mut Effects) {
        if self.feed == Feed::Primary {
            return;
        }
        let stamp = Stamp { term, ask: self.answered };
        for replica in &cx.plan.instance(self.instance).replicas {
            if *replica != self.primary {
                let item = Item::Tuple(tuple.clone());
                fx.emit(*replica, self.channel, stamp, item, Cause::Copy);
            }
        }
    }

    fn send(&self, cx: &Cx, term: Term, tuple: &Tuple, cause: Cause, fx: &mut Effects) {
        let mark = |cause| if tuple.is_end() { Cause::Marker } else { cause };
        let item = Item::Tuple(tuple.clone());
        let stamp = Stamp { term, ask: self.answered };
        match self.feed {
            Feed::Primary => fx.emit(self.primary, self.channel, stamp, item, mark(cause)),
            Feed::AllReplicas => {
                for replica in &cx.plan.instance(self.instance).replicas {
                    let cause = if *replica == self.primary { cause } else { Cause::Copy };
                    fx.emit(*replica, self.channel, stamp, item.clone(), mark(cause));
                }
            }
        }
    }
}

/// Which of `instances` a key belongs to.
pub fn partition(key: u32, instances: usize) -> usize {
    (mix(0, u64::from(key)) >> 32) as usize % instances
}
