//! **Active standby** (process pairs that both compute).
//!
//! Source: Hwang et al., "High-Availability Algorithms for Distributed Stream Processing",
//! ICDE 2005.
//!
//! Idea: upstream feeds both replicas, both compute, only the primary sends. The standby keeps its
//! outputs; what downstream trims, the primary has trimmed at the standby too. When the primary
//! dies, the standby sends everything it has kept and goes on.
//!
//! Claims: exactly once with deduplication at the receivers, repeating duplicates without, for
//! every deterministic operator; nothing for arbitrary ones: the replicas see their inputs in
//! different orders and drift apart.
//!
//! Costs: every input sent and computed twice; one trim forwarded for each that arrives. The next
//! operator must take what the standby has kept in one burst.
//!
//! Cannot survive: a second failure of the pair before a returning standby has been given a state
//! that joins the inputs that it is fed.

use super::{Demand, Entry, Strategy};
use crate::blocks::{Change, InboxState, Membership, Task};
use crate::claim::{Answer, Claim, Situation};
use crate::context::Cx;
use crate::node::Node;
use crate::operator::{OperatorClass, State};
use crate::plan::{Feed, Plan};
use crate::planted_bugs::Bug;
use crate::points::PAIR_COMPLETE;
use crate::protocol::{
    Cause, ChannelId, Effects, Event, Item, Link, Nanos, NodeId, Positions, Resend, Term, TimerId,
    Tuple, decode,
};
use serde::{Deserialize, Serialize};

/// The strategy's line in the list.
pub const ENTRY: Entry = Entry {
    name: "active-standby",
    summary: "two replicas are fed and compute, one sends; the other takes over with what it kept",
    options: &[],
    points: &[Membership::POINTS, PAIR_COMPLETE],
    build: |_| Box::new(ActiveStandby),
};

struct ActiveStandby;

impl Strategy for ActiveStandby {
    fn input_demand(&self) -> Demand {
        Demand { feed: Feed::AllReplicas, ..Demand::NONE }
    }

    fn output_demand(&self) -> Demand {
        Demand { retain: true, ack: true, ..Demand::NONE }
    }

    fn node(&self, plan: &Plan, me: NodeId) -> Box<dyn Node> {
        let cx = Cx { now: 0, me, plan };
        let mut task = Task::new(&cx);
        task.ports.outbox.muted = true;
        Box::new(Replica {
            member: Membership::new(&cx),
            task,
            standby: cx.peers().next(),
            joining: None,
            copied: Positions::default(),
        })
    }

    fn log_survives(&self) -> bool {
        true
    }

    fn spares_min(&self) -> u16 {
        1
    }

    fn claim(&self, situation: &Situation) -> Answer {
        if situation.under_repair.own_pair || !situation.spare_left {
            return Answer::NotCovered("the pair was not complete");
        }
        if situation.class == OperatorClass::Arbitrary {
            return Answer::NotCovered("the replicas of an arbitrary operator drift apart");
        }
        Answer::Claim(Claim::repeating(situation))
    }
}

/// Asks the primary for its state again.
const ASK: TimerId = TimerId(1);

/// What the replicas say to each other.
#[derive(Serialize, Deserialize)]
enum Message {
    /// "The state you sent does not reach back to what I am fed; send a later one."
    Again,
    Copy(Box<Copy>),
    /// "I compute along", in this incarnation.
    Joined(u32),
}

/// What a standby that is back needs.
#[derive(Serialize, Deserialize)]
struct Copy {
    /// For which incarnation of it.
    incarnation: u32,
    state: State,
    inbox: InboxState,
    log: Vec<(ChannelId, Tuple)>,
}

/// A standby that is back, collecting what it is fed until it has a state to apply it to.
#[derive(Clone, Default)]
struct Joining {
    held: Vec<(ChannelId, Item)>,
    /// Where what each upstream instance feeds us begins, as far as it has said.
    fed_from: Vec<(NodeId, Positions)>,
}

/// One replica.
#[derive(Clone)]
struct Replica {
    member: Membership,
    task: Task,
    standby: Option<NodeId>,
    joining: Option<Joining>,
    /// What the state contains that we were given. What we are fed of it comes later if the state
    /// has overtaken it, and must not count again, whether duplicates are looked for or not.
    copied: Positions,
}

impl Node for Replica {
    fn on(&mut self, cx: &Cx, event: Event, fx: &mut Effects) {
        match self.member.on(cx, &event, fx) {
            Change::Leads => {
                self.task.ports.outbox.muted = false;
                self.task.ports.inbox.start_acks(cx, fx);
            }
            Change::TookOver(term) => {
                self.standby = None;
                self.joining = None;
                self.task.ports.outbox.muted = false;
                self.task.take_over(cx, term, |_, _| Resend::Nothing, fx);
                if !cx.planted(Bug::KeptLogUnsent) {
                    self.task.ports.outbox.resend_all(cx, term, fx);
                }
            }
            Change::Joined(standby) => {
                self.standby = Some(standby);
                self.send_copy(cx, standby, fx);
            }
            Change::Follows(_) | Change::None => {}
        }
        let leads = self.member.leads();
        match event {
            Event::Started { incarnation, .. } if incarnation > 1 && leads.is_none() => {
                self.joining = Some(Joining::default());
            }
            Event::Data { channel, item, .. } => self.take(cx, channel, item, fx),
            Event::Timer(ASK) if self.joining.is_some() => {
                fx.send(self.member.primary(), &Message::Again, control(cx));
            }
            Event::Timer(ASK) => {}
            Event::Timer(timer) => {
                let term = leads.unwrap_or_default();
                if let Some(edge) = self.task.on_timer(cx, term, timer, fx, |_, _| {}) {
                    let inbox = &self.task.ports.inbox;
                    inbox.trim(cx, Some(edge), inbox.received(), fx);
                }
            }
            Event::Link { from, link } => self.on_link(cx, leads, from, link, fx),
            Event::Message { from, bytes } => match decode(&bytes) {
                Message::Again if leads.is_some() => self.send_copy(cx, from, fx),
                Message::Copy(copy) if from == self.member.primary() => {
                    self.receive_copy(cx, *copy, fx);
                }
                Message::Joined(incarnation)
                    if leads.is_some() && incarnation == self.member.heard(from) =>
                {
                    fx.mark("pair-complete");
                }
                Message::Again | Message::Copy(_) | Message::Joined(_) => {}
            },
            _ => {}
        }
    }

    fn parts(&self) -> Option<(&Membership, &Task)> {
        Some((&self.member, &self.task))
    }

    /// Both replicas compute.
    fn cost(&self, cx: &Cx, channel: ChannelId, item: &Item) -> Nanos {
        if self.joining.is_some() { 0 } else { self.task.cost(cx, channel, item) }
    }

    fn retained(&self) -> u64 {
        let held = self.joining.as_ref().map_or(0, |joining| joining.held.len() as u64);
        self.task.ports.outbox.retained() + held
    }
}

impl Replica {
    fn take(&mut self, cx: &Cx, channel: ChannelId, item: Item, fx: &mut Effects) {
        if let Some(joining) = &mut self.joining {
            joining.held.push((channel, item));
            return;
        }
        if let Item::Tuple(tuple) = &item
            && self.copied.covers(tuple.id.stream, tuple.id.position)
        {
            return;
        }
        let mine = self.member.leads().unwrap_or_default();
        self.task.take(cx, mine, (channel, &item), fx, |_, _| {});
    }

    fn on_link(
        &mut self,
        cx: &Cx,
        leads: Option<Term>,
        from: NodeId,
        link: Link,
        fx: &mut Effects,
    ) {
        self.task.ports.on_link(cx, leads, from, &link, fx);
        match (&link, &mut self.joining) {
            // What downstream will not ask for again the standby need not keep either.
            (Link::Trim { .. }, _) if leads.is_some() => {
                if let Some(standby) = self.standby
                    && !cx.planted(Bug::StandbyNeverTrimmed)
                {
                    fx.link(standby, link);
                }
            }
            (Link::Welcome { instance, answers, next, .. }, Some(joining))
                if *instance != cx.instance() && *answers == self.member.incarnation() =>
            {
                joining.fed_from.retain(|(node, _)| *node != from);
                joining.fed_from.push((from, next.clone()));
            }
            // A new primary upstream may begin elsewhere: ask it.
            (Link::Takeover { instance, node, .. }, Some(_)) if *instance != cx.instance() => {
                let (instance, incarnation) = (cx.instance(), self.member.incarnation());
                fx.link(*node, Link::Hello { instance, incarnation });
            }
            _ => {}
        }
    }

    fn send_copy(&mut self, cx: &Cx, standby: NodeId, fx: &mut Effects) {
        let state = self.task.operator.snapshot();
        let ports = &self.task.ports;
        let (inbox, log) = (ports.inbox.state(), ports.outbox.log());
        let tuple_bytes = |(channel, _): &(ChannelId, Tuple)| {
            cx.plan.edge(cx.plan.channel(*channel).edge).tuple_bytes
        };
        let modelled_bytes = vec![
            (Cause::State, state.entries * cx.plan.settings.entry_bytes),
            (Cause::Log, log.iter().map(tuple_bytes).sum()),
        ];
        let incarnation = self.member.heard(standby);
        let copy = Box::new(Copy { incarnation, state, inbox, log });
        fx.send(standby, &Message::Copy(copy), modelled_bytes);
    }

    /// Takes the copy if what we were fed since we are back joins it; else asks for a later one:
    /// inputs that were sent before we were back are in the primary's queue, or in nobody's.
    fn receive_copy(&mut self, cx: &Cx, copy: Copy, fx: &mut Effects) {
        let Copy { incarnation, state, inbox, log } = copy;
        let Some(joining) =
            self.joining.as_ref().filter(|_| incarnation == self.member.incarnation())
        else {
            return;
        };
        let said = |node: NodeId| joining.fed_from.iter().find(|(from, _)| *from == node);
        let joins = self.task.ports.inbox.channels().all(|(_, primary)| {
            said(primary).is_some_and(|(_, begins)| inbox.wanted.includes(begins))
        });
        if !joins {
            fx.timer(ASK, cx.now + cx.plan.settings.heartbeat_every);
            return;
        }
        let Joining { held, .. } = self.joining.take().expect("checked above");
        self.copied = inbox.wanted.clone();
        self.task.operator.restore(&state);
        self.task.ports.inbox.restore(inbox);
        self.task.ports.outbox.adopt_log(log);
        self.task.arm(fx);
        for (channel, item) in held {
            self.take(cx, channel, item, fx);
        }
        fx.send(self.member.primary(), &Message::Joined(incarnation), control(cx));
    }
}

fn control(cx: &Cx) -> Vec<(Cause, u64)> {
    vec![(Cause::Control, cx.plan.settings.control_bytes)]
}
