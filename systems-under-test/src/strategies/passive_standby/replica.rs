//! One replica of a passive standby: as primary it cuts checkpoints, as standby it keeps them.

use super::{PassiveStandby, StoreAt};
use crate::blocks::{Change, Inbox, InboxState, Membership, Task};
use crate::context::Cx;
use crate::node::Node;
use crate::operator::State;
use crate::planted_bugs::Bug;
use crate::protocol::{
    Blob, Cause, ChannelId, Effects, Event, NodeId, Positions, Resend, SaveKey, Scope, Term,
    TimerId, Tuple, decode,
};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

const CHECKPOINT: TimerId = TimerId(1);

/// At most so many checkpoints are under way: where storing or sending one takes longer than the
/// interval, the next contains more instead of waiting in a queue that grows.
const UNDER_WAY_MAX: usize = 8;

/// What the replicas say to each other.
#[derive(Serialize, Deserialize)]
enum Message {
    Checkpoint(Checkpoint),
    Confirm {
        term: Term,
        number: u64,
    },
    /// From the standby: this one was refused, and those sent since have nothing to build on.
    Refused {
        term: Term,
        number: u64,
    },
}

#[derive(Clone, Serialize, Deserialize)]
struct Checkpoint {
    term: Term,
    number: u64,
    /// The whole state, or what changed since the checkpoint before.
    full: bool,
    state: State,
    inbox: InboxState,
    log: Vec<(ChannelId, Tuple)>,
}

/// One replica.
#[derive(Clone)]
pub(super) struct Replica {
    member: Membership,
    task: Task,
    strategy: PassiveStandby,

    // As primary.
    standby: Option<NodeId>,
    /// The standby is back and has not confirmed a full checkpoint yet.
    pairing: bool,
    full_next: bool,
    number: u64,
    /// Cut, and being stored here before they may be sent.
    unsent: VecDeque<Checkpoint>,
    /// Sent, with the input positions they cover.
    unconfirmed: VecDeque<(u64, Positions)>,

    // As standby.
    /// Whether deltas have something to be applied to.
    has_base: bool,
    /// Term and number of the last one that came: what is not newer has come again.
    newest: (Term, u64),
    /// Received, and being stored here before they count.
    unsaved: VecDeque<Checkpoint>,
    shipped_log: Vec<(ChannelId, Tuple)>,
}

impl Replica {
    pub(super) fn new(cx: &Cx, strategy: PassiveStandby) -> Replica {
        Replica {
            member: Membership::new(cx),
            task: Task::new(cx),
            strategy,
            standby: cx.peers().next(),
            pairing: false,
            full_next: false,
            number: 0,
            unsent: VecDeque::new(),
            unconfirmed: VecDeque::new(),
            has_base: true,
            newest: (0, 0),
            unsaved: VecDeque::new(),
            shipped_log: Vec::new(),
        }
    }
}

impl Node for Replica {
    fn on(&mut self, cx: &Cx, event: Event, fx: &mut Effects) {
        match self.member.on(cx, &event, fx) {
            Change::Leads => {
                self.task.ports.inbox.start_acks(cx, fx);
                self.arm_checkpoint(cx, fx);
            }
            Change::TookOver(term) => self.take_over(cx, term, fx),
            Change::Joined(standby) => {
                self.standby = Some(standby);
                self.pairing = true;
                // Nobody will confirm what its predecessor was sent.
                self.unsent.clear();
                self.unconfirmed.clear();
                self.full_next = !cx.planted(Bug::NoStateCopy);
            }
            Change::Follows(_) => {
                self.has_base = cx.planted(Bug::NoStateCopy);
                self.unsaved.clear();
            }
            Change::None => {}
        }
        let leads = self.member.leads();
        match event {
            // What comes before it has been answered belongs to its former life.
            Event::Started { incarnation, .. } if incarnation > 1 => {
                self.has_base = cx.planted(Bug::NoStateCopy);
            }
            Event::Data { channel, item, .. } => {
                if let Some(mine) = leads {
                    self.task.take(cx, mine, (channel, &item), fx, |_, _| {});
                }
            }
            Event::Timer(CHECKPOINT) => self.cut(cx, fx),
            Event::Timer(timer) => {
                if let Some(mine) = leads {
                    self.task.on_timer(cx, mine, timer, fx, |_, _| {});
                }
            }
            Event::Saved(key) => self.saved(cx, key.number, fx),
            Event::SaveRefused(key) if cx.planted(Bug::RefusalIgnored) => {
                self.saved(cx, key.number, fx);
            }
            Event::SaveRefused(key) => self.refused(cx, key.number, fx),
            Event::Message { from, bytes } => match decode(&bytes) {
                Message::Checkpoint(checkpoint) => self.received(cx, from, checkpoint, fx),
                Message::Confirm { term, number } if leads == Some(term) => {
                    self.confirmed(cx, number, fx);
                }
                Message::Refused { term, number } if leads == Some(term) => {
                    self.unconfirmed.retain(|(sent, _)| *sent < number);
                    self.full_next = true;
                }
                Message::Confirm { .. } | Message::Refused { .. } => {}
            },
            Event::Link { from, link } => self.task.ports.on_link(cx, leads, from, &link, fx),
            _ => {}
        }
    }

    fn parts(&self) -> Option<(&Membership, &Task)> {
        Some((&self.member, &self.task))
    }

    fn retained(&self) -> u64 {
        let shipped = if self.is_primary() { 0 } else { self.shipped_log.len() as u64 };
        self.task.ports.outbox.retained() + shipped
    }
}

/// The primary's part.
impl Replica {
    fn arm_checkpoint(&self, cx: &Cx, fx: &mut Effects) {
        let phase = cx.plan.instance(cx.instance()).checkpoint_phase;
        fx.timer(CHECKPOINT, cx.next_on_grid(cx.plan.settings.interval, phase));
    }

    /// Cuts a checkpoint, and sends it unless it must be stored here first.
    fn cut(&mut self, cx: &Cx, fx: &mut Effects) {
        let Some(term) = self.member.leads() else { return };
        self.arm_checkpoint(cx, fx);
        let under_way = self.unsent.len() + self.unconfirmed.len();
        if self.standby.is_none() || under_way >= UNDER_WAY_MAX {
            return;
        }
        self.number += 1;
        let full = std::mem::take(&mut self.full_next);
        let operator = &mut self.task.operator;
        let state = if full { operator.snapshot() } else { operator.delta() };
        let ports = &self.task.ports;
        let log = if self.strategy.ship_output_log { ports.outbox.log() } else { Vec::new() };
        let inbox = ports.inbox.state();
        fx.mark("checkpoint-cut");
        if cx.planted(Bug::TrimBeforeConfirmed) {
            ports.inbox.trim(cx, None, &inbox.wanted, fx);
        }
        let checkpoint = Checkpoint { term, number: self.number, full, state, inbox, log };
        match self.strategy.store_at {
            StoreAt::Primary => {
                save(cx, &checkpoint, fx);
                self.unsent.push_back(checkpoint);
            }
            StoreAt::Secondary => self.send(cx, checkpoint, fx),
        }
    }

    fn send(&mut self, cx: &Cx, checkpoint: Checkpoint, fx: &mut Effects) {
        let Some(standby) = self.standby else { return };
        self.unconfirmed.push_back((checkpoint.number, checkpoint.inbox.wanted.clone()));
        let bytes = modelled_bytes(cx, &checkpoint);
        fx.send(standby, &Message::Checkpoint(checkpoint), bytes);
    }

    /// The standby holds checkpoint `number`: upstream may forget what it covers.
    fn confirmed(&mut self, cx: &Cx, number: u64, fx: &mut Effects) {
        let mut covered = None;
        while self.unconfirmed.front().is_some_and(|(oldest, _)| *oldest <= number) {
            covered = self.unconfirmed.pop_front().map(|(_, positions)| positions);
        }
        let Some(positions) = covered else { return };
        fx.mark("checkpoint-confirmed");
        if std::mem::take(&mut self.pairing) {
            fx.mark("pair-complete");
        }
        if !cx.planted(Bug::TrimBeforeConfirmed) {
            self.task.ports.inbox.trim(cx, None, &positions, fx);
        }
    }
}

/// The standby's part.
impl Replica {
    fn received(&mut self, cx: &Cx, from: NodeId, checkpoint: Checkpoint, fx: &mut Effects) {
        let follows = self.member.leads().is_none() && from == self.member.primary();
        let id = (checkpoint.term, checkpoint.number);
        let is_old = id <= self.newest && !cx.planted(Bug::OldCheckpointApplied);
        if !follows || is_old || !(self.has_base || checkpoint.full) {
            return;
        }
        self.newest = id;
        self.has_base = true;
        match self.strategy.store_at {
            StoreAt::Primary => self.apply(cx, checkpoint, fx),
            StoreAt::Secondary => {
                save(cx, &checkpoint, fx);
                self.unsaved.push_back(checkpoint);
            }
        }
    }

    fn apply(&mut self, cx: &Cx, checkpoint: Checkpoint, fx: &mut Effects) {
        let skipped = cx.planted(Bug::DeltaSkipped) && checkpoint.number.is_multiple_of(3);
        if checkpoint.full {
            self.task.operator.restore(&checkpoint.state);
        } else if !skipped {
            self.task.operator.apply_delta(&checkpoint.state);
        }
        if !cx.planted(Bug::DedupNotInCheckpoint) {
            self.task.ports.inbox.restore(checkpoint.inbox);
        }
        self.shipped_log = checkpoint.log;
        let confirm = Message::Confirm { term: checkpoint.term, number: checkpoint.number };
        let bytes = vec![(Cause::Ack, cx.plan.settings.ack_bytes)];
        fx.send(self.member.primary(), &confirm, bytes);
        fx.mark("checkpoint-applied");
    }

    fn saved(&mut self, cx: &Cx, number: u64, fx: &mut Effects) {
        while self.unsent.front().is_some_and(|checkpoint| checkpoint.number <= number) {
            let checkpoint = self.unsent.pop_front().expect("there is a front");
            self.send(cx, checkpoint, fx);
        }
        while self.unsaved.front().is_some_and(|checkpoint| checkpoint.number <= number) {
            let checkpoint = self.unsaved.pop_front().expect("there is a front");
            self.apply(cx, checkpoint, fx);
        }
    }

    /// A save was refused. What was cut after it are changes since a checkpoint that nobody has, so
    /// they go with it, and the next one is full.
    fn refused(&mut self, cx: &Cx, number: u64, fx: &mut Effects) {
        let is = |checkpoint: &&Checkpoint| checkpoint.number == number;
        if self.unsent.iter().any(|checkpoint| is(&checkpoint)) {
            fx.mark("checkpoint-refused");
            self.unsent.retain(|checkpoint| checkpoint.number < number);
            self.full_next = true;
        }
        if let Some(term) = self.unsaved.iter().find(is).map(|checkpoint| checkpoint.term) {
            fx.mark("checkpoint-refused");
            self.unsaved.retain(|checkpoint| checkpoint.number < number);
            self.has_base = false;
            let bytes = vec![(Cause::Ack, cx.plan.settings.ack_bytes)];
            fx.send(self.member.primary(), &Message::Refused { term, number }, bytes);
        }
    }

    /// Continues from the last checkpoint that counts.
    fn take_over(&mut self, cx: &Cx, term: Term, fx: &mut Effects) {
        self.standby = None;
        self.unsaved.clear();
        self.unsent.clear();
        self.unconfirmed.clear();
        // Whatever is tracked as changed is relative to the predecessor's cuts.
        self.full_next = true;
        self.task.ports.outbox.adopt_log(std::mem::take(&mut self.shipped_log));
        let from =
            |inbox: &Inbox, channel| Resend::From(inbox.on_channel(cx, channel, inbox.received()));
        self.task.take_over(cx, term, from, fx);
        self.task.ports.outbox.resend_all(cx, term, fx);
        self.arm_checkpoint(cx, fx);
    }
}

fn save(cx: &Cx, checkpoint: &Checkpoint, fx: &mut Effects) {
    let modelled_bytes = modelled_bytes(cx, checkpoint).iter().map(|(_, bytes)| bytes).sum();
    let key = SaveKey { slot: 0, number: checkpoint.number };
    let bytes = checkpoint.state.bytes.clone();
    let blob = Blob { bytes, modelled_bytes, restored_bytes: modelled_bytes };
    fx.save(key, blob, Scope::Local, checkpoint.inbox.wanted.clone());
}

fn modelled_bytes(cx: &Cx, checkpoint: &Checkpoint) -> Vec<(Cause, u64)> {
    let tuple_bytes = |(channel, _): &(ChannelId, Tuple)| {
        cx.plan.edge(cx.plan.channel(*channel).edge).tuple_bytes
    };
    vec![
        (Cause::State, checkpoint.state.entries * cx.plan.settings.entry_bytes),
        (Cause::Log, checkpoint.log.iter().map(tuple_bytes).sum()),
    ]
}
