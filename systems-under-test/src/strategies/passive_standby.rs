//! **Passive standby** (process pairs with checkpoints).
//!
//! Source: Hwang et al., ICDE 2005.
//!
//! Idea: every M the primary sends its standby what changed in the operator's state, together
//! with the input positions that the state has absorbed. Only when the standby has confirmed a
//! checkpoint may upstream forget the inputs it covers. When the primary dies, the standby
//! continues from the last checkpoint and asks upstream to send again from there.
//!
//! Claims: exactly once with deduplication at the receivers, repeating duplicates without, for
//! every deterministic operator; nothing for arbitrary ones, whose re-computation may differ.
//!
//! Costs: state bytes per M (every entry that changed), one confirmation, acknowledgement and trim
//! per M and hop; the shipped output log, if any.
//!
//! Cannot survive: a second failure of the pair before a returning standby has been sent a full
//! checkpoint; failures of two neighbouring operators within one repair time, unless the output
//! log is shipped (`ship_output_log = "resend"`): a checkpoint alone forgets outputs that the
//! neighbour, set back too, will ask for, and outputs that are still in the queue of a link when
//! the standby takes over.

use super::{Demand, Entry, Strategy};
use crate::blocks::{Change, Inbox, InboxState, Membership, Task};
use crate::claim::{Answer, Claim, Situation};
use crate::node::{Cx, Node};
use crate::operator::{OperatorClass, State};
use crate::options::{OptionDoc, OptionKind, Options};
use crate::plan::{Feed, Plan};
use crate::planted_bugs::Bug;
use crate::points::{CHECKPOINTS, PAIR_COMPLETE};
use crate::protocol::{
    Blob, Cause, ChannelId, Effects, Event, Nanos, NodeId, Positions, Resend, SaveKey, Scope, Term,
    TimerId, Tuple, decode,
};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The strategy's line in the list.
pub const ENTRY: Entry = Entry {
    name: "passive-standby",
    summary: "a primary sends checkpoints to a standby, which continues from the last one",
    options: &[
        OptionDoc {
            name: "store_at",
            kind: OptionKind::Choice(&["secondary", "primary"]),
            default: "secondary",
            doc: "which machine's storage a checkpoint must reach: the primary's before it is sent, or the standby's after it arrived",
        },
        OptionDoc {
            name: "ship_output_log",
            kind: OptionKind::Choice(&["no", "resend"]),
            default: "no",
            doc: "whether checkpoints carry the outputs that downstream may still ask for, to be sent again after a take-over",
        },
        OptionDoc {
            name: "ack_phase",
            kind: OptionKind::Duration,
            default: "",
            doc: "how much later than checkpoints the acknowledgements on this operator's edges come; drawn if not set",
        },
    ],
    points: &[Membership::POINTS, PAIR_COMPLETE, CHECKPOINTS],
    build: |options| Box::new(PassiveStandby::new(options)),
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum StoreAt {
    Primary,
    Secondary,
}

#[derive(Clone, Copy)]
struct PassiveStandby {
    store_at: StoreAt,
    ship_output_log: bool,
    ack_phase: Option<Nanos>,
}

impl PassiveStandby {
    fn new(options: &Options) -> PassiveStandby {
        let primary = options.choice("store_at") == "primary";
        PassiveStandby {
            store_at: if primary { StoreAt::Primary } else { StoreAt::Secondary },
            ship_output_log: options.choice("ship_output_log") == "resend",
            ack_phase: options.duration("ack_phase"),
        }
    }
}

impl Strategy for PassiveStandby {
    fn input_demand(&self) -> Demand {
        Demand { feed: Feed::Primary, retain: true, ack: true, ack_phase: self.ack_phase }
    }

    fn output_demand(&self) -> Demand {
        let ship = self.ship_output_log;
        Demand { feed: Feed::Primary, retain: ship, ack: ship, ack_phase: self.ack_phase }
    }

    fn node(&self, plan: &Plan, me: NodeId) -> Box<dyn Node> {
        let cx = Cx { now: 0, me, plan };
        Box::new(Replica {
            member: Membership::new(&cx),
            task: Task::new(&cx),
            strategy: *self,
            standby: cx.peers().next(),
            pairing: false,
            full_next: false,
            number: 0,
            unsent: VecDeque::new(),
            unconfirmed: VecDeque::new(),
            has_base: true,
            unsaved: VecDeque::new(),
            shipped_log: Vec::new(),
        })
    }

    fn spares_min(&self) -> u16 {
        1
    }

    fn trims_follow_saves(&self) -> bool {
        true
    }

    fn log_survives(&self) -> bool {
        self.ship_output_log
    }

    fn claim(&self, situation: &Situation) -> Answer {
        let repair = situation.under_repair;
        if repair.own_pair || !situation.spare_left {
            return Answer::NotCovered("the pair was not complete");
        }
        let promised = situation.planted == Some(Bug::UnshippedLogPromised);
        if repair.upstream && !promised {
            return Answer::NotCovered("the neighbour upstream had lost what it had sent");
        }
        if repair.downstream && !self.ship_output_log && !promised {
            return Answer::NotCovered("a neighbour was under repair and no output log is shipped");
        }
        if situation.overtaken && !self.ship_output_log {
            return Answer::NotCovered("outputs on their way were overtaken by the successor");
        }
        if situation.class == OperatorClass::Arbitrary {
            return Answer::NotCovered("an arbitrary operator may re-compute differently");
        }
        Answer::Claim(Claim::repeating(situation))
    }
}

const CHECKPOINT: TimerId = TimerId(1);

/// At most so many checkpoints are under way: where storing or sending one takes longer than the
/// interval, the next contains more instead of waiting in a queue that grows.
const UNDER_WAY_MAX: usize = 8;

/// What the replicas say to each other.
#[derive(Serialize, Deserialize)]
enum Message {
    Checkpoint(Checkpoint),
    Confirm { term: Term, number: u64 },
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
struct Replica {
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
    /// Received, and being stored here before they count.
    unsaved: VecDeque<Checkpoint>,
    shipped_log: Vec<(ChannelId, Tuple)>,
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
            Event::Message { from, bytes } => match decode(&bytes) {
                Message::Checkpoint(checkpoint) => self.received(cx, from, checkpoint, fx),
                Message::Confirm { term, number } if leads == Some(term) => {
                    self.confirmed(cx, number, fx);
                }
                Message::Confirm { .. } => {}
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
        if !follows || !(self.has_base || checkpoint.full) {
            return;
        }
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
