//! **Upstream backup**.
//!
//! Source: Hwang et al., ICDE 2005; acknowledgement machinery as in Borealis.
//!
//! Idea: the operators upstream keep what they sent, for as long as an output that depends on it
//! may still be asked for. When an operator dies, its spare starts empty and has everything
//! sent again. An input may be forgotten once every output that it can still influence has been
//! acknowledged by the consumer (the *level-1* condition), so each output remembers the oldest
//! input that outputs after it need.
//!
//! Claims: exactly once with deduplication at the receivers. Without, repeating duplicates for
//! repeatable operators, convergent ones for windows (the first windows after the restart are
//! partial). For running aggregates: with `retention = "honest"` the log is never trimmed, so
//! recovery is exact and memory grows without bound; with `"bounded"` it is trimmed all the
//! same, and after a failure values are wrong for ever, and windows of what was forgotten never
//! come.
//!
//! Costs: one acknowledgement and one trim per M and hop, the retained log, and a recovery time
//! that grows with the span of the operator.
//!
//! Cannot survive: a failure of a neighbour within the repair time (its log is being rebuilt too),
//! or of the spare before the returner stands by.

use super::{Demand, Entry, Strategy};
use crate::blocks::{Change, Membership, Task};
use crate::claim::{Answer, Claim, Delivery, Downstream, Situation, Value};
use crate::context::Cx;
use crate::node::Node;
use crate::operator::{OperatorClass, Span};
use crate::options::{OptionDoc, OptionKind};
use crate::plan::{Dedup, Feed, Plan};
use crate::planted_bugs::Bug;
use crate::points::PAIR_COMPLETE;
use crate::protocol::{
    ChannelId, DeliveryId, Effects, Event, Item, Link, NodeId, Positions, Resend, Term, TimerId,
};
use std::collections::VecDeque;

/// The strategy's line in the list.
pub const ENTRY: Entry = Entry {
    name: "upstream-backup",
    summary: "upstream keeps what it sent; a spare starts empty and has it all sent again",
    options: &[OptionDoc {
        name: "retention",
        kind: OptionKind::Choice(&["honest", "bounded"]),
        default: "honest",
        doc: "keep all inputs that outputs depend on, or pretend that operators without a bounded span need only the newest",
    }],
    points: &[Membership::POINTS, PAIR_COMPLETE],
    build: |options| Box::new(UpstreamBackup { honest: options.choice("retention") == "honest" }),
};

#[derive(Clone, Copy)]
struct UpstreamBackup {
    honest: bool,
}

impl Strategy for UpstreamBackup {
    fn input_demand(&self) -> Demand {
        Demand { feed: Feed::Primary, retain: true, ack: true, ack_phase: None }
    }

    fn output_demand(&self) -> Demand {
        Demand { feed: Feed::Primary, retain: true, ack: true, ack_phase: None }
    }

    fn node(&self, plan: &Plan, me: NodeId) -> Box<dyn Node> {
        let cx = Cx { now: 0, me, plan };
        Box::new(Replica {
            member: Membership::new(&cx),
            task: Task::new(&cx),
            strategy: *self,
            level_one: LevelOne::default(),
            sent: Vec::new(),
        })
    }

    fn spares_min(&self) -> u16 {
        1
    }

    fn log_survives(&self) -> bool {
        false
    }

    fn claim(&self, situation: &Situation) -> Answer {
        if situation.under_repair.own_pair || !situation.spare_left {
            return Answer::NotCovered("there was no spare");
        }
        if situation.under_repair.upstream || situation.under_repair.downstream {
            return Answer::NotCovered("a neighbour was rebuilding its log");
        }
        if situation.class == OperatorClass::Arbitrary {
            return Answer::NotCovered("an arbitrary operator may re-compute differently");
        }
        let unbounded = situation.span == Span::Unbounded;
        if unbounded && situation.under_repair.upstream_forgot {
            return Answer::NotCovered("the neighbour upstream had lost the beginning of its log");
        }
        let forgets = unbounded && !self.honest;
        let (delivery, value) = match situation.dedup {
            Dedup::Receiver | Dedup::Handshake => (Delivery::NONE, Value::Same),
            // Started empty, a window is partial until its span has passed.
            Dedup::Off if situation.class == OperatorClass::ConvergentCapable => {
                (Delivery::DUPLICATES, Value::Converges.max(situation.downstream.value()))
            }
            Dedup::Off => (Delivery::DUPLICATES, situation.downstream.value()),
        };
        let spoilt = delivery.duplicates && situation.downstream != Downstream::Stateless;
        Answer::Claim(Claim {
            // What it should have put out from inputs that are forgotten may never come.
            delivery: Delivery { gap: forgets, ..delivery },
            value: if forgets { Value::Any } else { value },
            state_same: !forgets && !spoilt,
            memory_bounded: !unbounded || !self.honest,
            settles: true,
        })
    }
}

/// Which inputs may be forgotten when which outputs are acknowledged: for each output, in the
/// order of emission, the oldest inputs that outputs after it still need.
#[derive(Clone, Default)]
struct LevelOne {
    entries: VecDeque<Outcome>,
    /// Number of the first of them, so that channels can point at entries that move.
    first: u64,
    /// For each output channel the outputs not acknowledged yet: id and number of the entry.
    outstanding: Vec<(ChannelId, VecDeque<(DeliveryId, u64)>)>,
}

#[derive(Clone)]
struct Outcome {
    needs: Positions,
    /// How many channels have not acknowledged.
    unacknowledged: u32,
}

impl LevelOne {
    /// Notes the outputs of one input and what is needed after it.
    fn emitted(&mut self, sent: &[(ChannelId, DeliveryId)], needs: Positions) {
        let number = self.first + self.entries.len() as u64;
        for (channel, id) in sent {
            let at = self.outstanding.iter().position(|(c, _)| c == channel).unwrap_or_else(|| {
                self.outstanding.push((*channel, VecDeque::new()));
                self.outstanding.len() - 1
            });
            self.outstanding[at].1.push_back((*id, number));
        }
        self.entries.push_back(Outcome { needs, unacknowledged: sent.len() as u32 });
    }

    /// The consumer on `channel` has got everything before `received`: returns what may be
    /// forgotten upstream, if that changed.
    fn acknowledged(&mut self, channel: ChannelId, received: &Positions) -> Option<Positions> {
        let (_, outstanding) = self.outstanding.iter_mut().find(|(c, _)| *c == channel)?;
        while let Some((id, number)) = outstanding.front() {
            if !received.covers(id.stream, id.position) {
                break;
            }
            self.entries[(number - self.first) as usize].unacknowledged -= 1;
            outstanding.pop_front();
        }
        let mut needs = None;
        while self.entries.front().is_some_and(|entry| entry.unacknowledged == 0) {
            needs = self.entries.pop_front().map(|entry| entry.needs);
            self.first += 1;
        }
        needs
    }
}

/// One replica.
#[derive(Clone)]
struct Replica {
    member: Membership,
    task: Task,
    strategy: UpstreamBackup,
    level_one: LevelOne,
    /// What the input in hand has put out: empty between inputs, and kept for its memory.
    sent: Vec<(ChannelId, DeliveryId)>,
}

impl Node for Replica {
    fn on(&mut self, cx: &Cx, event: Event, fx: &mut Effects) {
        match self.member.on(cx, &event, fx) {
            Change::Leads => self.task.ports.inbox.start_acks(cx, fx),
            Change::TookOver(term) => self.task.take_over(cx, term, |_, _| Resend::All, fx),
            // A spare needs no state: the log upstream is the state.
            Change::Joined(_) => fx.mark("pair-complete"),
            Change::Follows(_) | Change::None => {}
        }
        let leads = self.member.leads();
        match event {
            Event::Data { channel, item, .. } => {
                if let Some(mine) = leads {
                    self.take(cx, mine, (channel, &item), fx);
                }
            }
            Event::Timer(timer) => {
                if let Some(mine) = leads {
                    self.on_timer(cx, mine, timer, fx);
                }
            }
            Event::Link { from, link } => {
                self.task.ports.on_link(cx, leads, from, &link, fx);
                if let Link::Ack { channel, received } = &link
                    && let Some(needs) = self.level_one.acknowledged(*channel, received)
                {
                    self.task.ports.inbox.trim(cx, None, &needs, fx);
                }
            }
            _ => {}
        }
    }

    fn parts(&self) -> Option<(&Membership, &Task)> {
        Some((&self.member, &self.task))
    }
}

impl Replica {
    fn take(&mut self, cx: &Cx, mine: Term, what: (ChannelId, &Item), fx: &mut Effects) {
        let sent = &mut self.sent;
        if self.task.take(cx, mine, what, fx, |channel, id| sent.push((channel, id))) {
            self.emitted(cx, fx);
        }
    }

    fn on_timer(&mut self, cx: &Cx, mine: Term, timer: TimerId, fx: &mut Effects) {
        let sent = &mut self.sent;
        let note = |channel, id| sent.push((channel, id));
        let edge = self.task.on_timer(cx, mine, timer, fx, note);
        self.emitted(cx, fx);
        // A filter may have nothing outstanding for long: then nothing holds inputs back.
        if edge.is_some() && self.level_one.entries.is_empty() {
            self.task.ports.inbox.trim(cx, edge, &self.needs(cx), fx);
        }
    }

    /// Notes the outputs of the input, or of the timer, in hand.
    fn emitted(&mut self, cx: &Cx, fx: &mut Effects) {
        if cx.planted(Bug::TrimOnReceipt) {
            self.task.ports.inbox.trim(cx, None, &self.needs(cx), fx);
        } else if !self.sent.is_empty() {
            let needs = self.needs(cx);
            self.level_one.emitted(&self.sent, needs);
        }
        self.sent.clear();
    }

    /// The oldest inputs that outputs still to come depend on.
    fn needs(&self, cx: &Cx) -> Positions {
        let received = self.task.ports.inbox.received_but_ends(cx);
        let span = self.task.operator.span();
        let forgets = (span == Span::Unbounded && !self.strategy.honest)
            || cx.planted(Bug::TrimOnReceipt)
            || (cx.planted(Bug::NeedsNewestOnly) && matches!(span, Span::Bounded(_)));
        if forgets { received } else { self.task.operator.needs(&received) }
    }
}
