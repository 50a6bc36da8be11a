//! The one vocabulary between operators, whatever their strategies.

use super::ids::{ChannelId, InstanceId, NodeId, Term};
use super::tuple::Positions;

/// What operators say to their neighbours and replicas say to each other, whatever the strategy.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Link {
    /// "I live and lead in this term"; from a primary to its standby.
    Heartbeat {
        /// The sender's term.
        term: Term,
    },
    /// Level-0 acknowledgement: everything before `received` has arrived at the receiver.
    Ack {
        /// The channel that is acknowledged.
        channel: ChannelId,
        /// Exclusive bounds.
        received: Positions,
    },
    /// Queue trimming: everything before `safe` will never be asked for again.
    Trim {
        /// The channel whose log may shrink.
        channel: ChannelId,
        /// Exclusive bounds.
        safe: Positions,
    },
    /// "From now on I am the primary of `instance`", to every replica of every neighbour.
    Takeover {
        /// Whose leadership changed.
        instance: InstanceId,
        /// The new primary.
        node: NodeId,
        /// Its term, larger than all before.
        term: Term,
        /// To an upstream neighbour: what to send again.
        resend: Option<Request>,
    },
    /// Answer to a [`Request`]: what follows on this channel is what was asked for. Anything
    /// before it was on its way already and is out of order for the asker.
    Rewound {
        /// The channel.
        channel: ChannelId,
        /// Which request is answered.
        ask: Ask,
        /// Up to where what was asked for comes again: the sender may die before it has all been
        /// sent, and its successor does not know what is missing.
        until: Positions,
    },
    /// Answer to a take-over upstream where duplicates are avoided by handshake: send what comes
    /// from these positions on, and nothing before.
    Wanted {
        /// The channel.
        channel: ChannelId,
        /// The term of the take-over that is answered.
        term: Term,
        /// Next wanted position of each stream.
        from: Positions,
    },
    /// "I am back without memory. Who leads?", to own replicas and all neighbours.
    Hello {
        /// The instance the sender belongs to.
        instance: InstanceId,
        /// The sender's incarnation, larger than all before.
        incarnation: u32,
    },
    /// Answer to [`Link::Hello`] from a primary.
    Welcome {
        /// The instance that the answering primary leads.
        instance: InstanceId,
        /// The answering primary's term.
        term: Term,
        /// The incarnation of the process whose hello is answered.
        answers: u32,
        /// To its own replicas: the incarnation of the process that answers; to others 0.
        incarnation: u32,
        /// What it knows of the asker's own instance: term and primary.
        yours: (Term, NodeId),
        /// To a downstream replica that is fed like all: what it will be sent from now on begins at
        /// these positions.
        next: Positions,
    },
}

/// A new primary's wish to be sent a channel's retained log again.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Request {
    /// Which channel.
    pub channel: ChannelId,
    /// Which part of its log.
    pub which: Resend,
    /// Which request it is, so that its answer can be told from that of an earlier one.
    pub ask: Ask,
}

/// Names a request among all that the leaders of one instance make.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Ask {
    /// The term of the leader that asks.
    pub term: Term,
    /// Counts its requests on one channel, from 1.
    pub number: u32,
}

/// By what authority an item is sent: what its receiver tells the talk of a zombie, and what was
/// sent before a rewind, from what it must take.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// The sender's term.
    pub term: Term,
    /// The last request on this channel that the sender has answered; the default before any.
    pub ask: Ask,
}

/// Which part of a retained log a new primary wants again.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Resend {
    /// Nothing: continue with what comes next.
    Nothing,
    /// Everything that is still retained.
    All,
    /// Everything from these positions on.
    From(Positions),
}
