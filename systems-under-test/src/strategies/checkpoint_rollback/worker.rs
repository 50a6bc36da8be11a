//! A task of a region, or the spare of one.

use super::{Message, Part, say, slot};
use crate::blocks::{Alignment, Inbox, Step, Task};
use crate::context::Cx;
use crate::node::Node;
use crate::operator::Digest;
use crate::planted_bugs::Bug;
use crate::points::Point;
use crate::protocol::{
    Blob, ChannelId, Effects, Event, InstanceId, Item, Link, Nanos, NodeId, Positions, Resend,
    RestartFrom, SaveKey, Scope, Stamp, Stored, Term, decode,
};
use std::collections::{BTreeSet, VecDeque};

/// The points that a task reaches.
pub(super) const POINTS: &[Point] = &[
    Point::of_replicas("checkpoint-cut", "a task is about to save its part of a checkpoint"),
    Point::of_replicas("checkpoint-stored", "a task's part of a checkpoint is durable"),
    Point::of_replicas("restored", "a task has loaded its part and waits for the others"),
    Point::of_replicas("took-over", "all have restored: a task goes on in a new term"),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// Nothing to do until the coordinator says so.
    Spare,
    Running,
    /// Restored, and waiting until all have.
    Restored,
}

/// One replica.
#[derive(Clone)]
pub(super) struct Worker {
    task: Task,
    incremental: bool,
    coordinator: NodeId,
    role: Role,
    /// In which we run or have restored.
    term: Term,
    incarnation: u32,
    alignment: Alignment,
    /// The last checkpoint that was triggered here, or restored.
    newest: u64,
    /// A checkpoint that was triggered while we wait to go on: the coordinator counts on our part.
    triggered: Option<u64>,
    /// Inputs covered by each cut that is not complete yet.
    cuts: VecDeque<(u64, Positions)>,
    /// The last part was refused, and with it went what had changed before.
    whole_next: bool,
    /// What other tasks of the region sent before we were told to go on.
    early: Vec<(Term, ChannelId, Item)>,
    /// Neighbours outside the region of which we do not know, since the restart, who leads them.
    unknown: BTreeSet<InstanceId>,
    /// We have been told to go on, and wait for those.
    told: Option<(Term, Vec<(InstanceId, NodeId)>)>,
}

impl Worker {
    pub(super) fn new(cx: &Cx, incremental: bool) -> Worker {
        let region = cx.plan.region_of(cx.me).expect("a worker belongs to a region");
        Worker {
            task: Task::new(cx),
            incremental,
            coordinator: region.coordinator,
            role: Role::Spare,
            term: 1,
            incarnation: 1,
            alignment: Alignment::default(),
            newest: 0,
            triggered: None,
            cuts: VecDeque::new(),
            whole_next: false,
            early: Vec::new(),
            unknown: BTreeSet::new(),
            told: None,
        }
    }

    fn leads(&self) -> Option<Term> {
        (self.role == Role::Running).then_some(self.term)
    }
}

impl Node for Worker {
    fn on(&mut self, cx: &Cx, event: Event, fx: &mut Effects) {
        match event {
            Event::Started { incarnation, stored, from } => {
                self.start(cx, incarnation, &stored, from, fx);
            }
            Event::Data { term, channel, item, .. } => self.arrive(cx, term, channel, item, fx),
            Event::Timer(timer) => {
                if let Some(mine) = self.leads() {
                    self.task.on_timer(cx, mine, timer, fx, |_, _| {});
                }
            }
            Event::Saved(key) => self.stored(cx, key.number, fx),
            Event::SaveRefused(key) if cx.planted(Bug::RefusalIgnored) => {
                self.stored(cx, key.number, fx);
            }
            Event::SaveRefused(key) => {
                fx.mark("checkpoint-refused");
                self.whole_next = true;
                say(cx, self.coordinator, &Message::Refused { number: key.number }, fx);
            }
            Event::Link { from, link } => {
                self.task.ports.on_link(cx, self.leads(), from, &link, fx);
                self.learn(cx, &link, fx);
            }
            Event::Message { bytes, .. } => self.on_message(cx, decode(&bytes), fx),
            Event::Activated | Event::ConnectionLost(_) => {}
        }
    }

    fn admits(&self, cx: &Cx, stamp: Stamp, channel: ChannelId) -> bool {
        match self.role {
            Role::Running => self.task.ports.inbox.admits(cx, stamp, channel),
            // Neighbours outside are asked to send again; tasks of the region may have been told
            // to go on before us, and will not.
            Role::Restored => {
                cx.plan.is_internal(channel) || cx.planted(Bug::RestartWithoutParking)
            }
            Role::Spare => false,
        }
    }

    fn cost(&self, cx: &Cx, channel: ChannelId, item: &Item) -> Nanos {
        if self.role == Role::Running { self.task.cost(cx, channel, item) } else { 0 }
    }

    fn is_primary(&self) -> bool {
        self.role == Role::Running
    }

    fn digest(&self) -> Option<Digest> {
        Some(self.task.digest())
    }

    fn retained(&self) -> u64 {
        self.task.ports.outbox.retained() + self.alignment.held() + self.early.len() as u64
    }

    fn settled(&self) -> bool {
        // What is held back will still be put out.
        self.role != Role::Restored && self.alignment.held() == 0 && self.early.is_empty()
    }
}

impl Worker {
    /// Neighbours outside the region; of those inside, the coordinator says who runs them.
    fn outside(cx: &Cx) -> Vec<InstanceId> {
        let mine = cx.instance();
        let region = cx.plan.instance(mine).region;
        let mut neighbours = cx.plan.neighbours(mine);
        neighbours.retain(|instance| cx.plan.instance(*instance).region != region);
        neighbours
    }

    fn start(
        &mut self,
        cx: &Cx,
        incarnation: u32,
        stored: &Stored,
        from: RestartFrom,
        fx: &mut Effects,
    ) {
        self.incarnation = incarnation;
        fx.heartbeats(vec![self.coordinator], self.term);
        match from {
            _ if incarnation == 1 => {
                if cx.plan.node(cx.me).replica == 0 {
                    self.role = Role::Running;
                    self.task.ports.inbox.start_acks(cx, fx);
                }
            }
            RestartFrom::Shared { number, attempt, .. } => {
                self.term = attempt;
                self.newest = number.unwrap_or(0);
                self.alignment = Alignment::after(self.newest);
                if let Some((_, blob)) = stored.newest(slot(cx.instance())) {
                    let part: Part = decode(&blob.bytes);
                    self.task.operator.restore(&part.state);
                    self.task.ports.inbox.restore(part.inbox);
                    self.task.ports.outbox.adopt_log(part.log);
                }
                self.role = Role::Restored;
                fx.mark("restored");
                say(cx, self.coordinator, &Message::Restored { term: self.term }, fx);
                // The restart has made us forget who leads our neighbours; they may have changed.
                let (instance, outside) = (cx.instance(), Self::outside(cx));
                for replica in outside.iter().flat_map(|n| &cx.plan.instance(*n).replicas) {
                    fx.link(*replica, Link::Hello { instance, incarnation });
                }
                self.unknown = outside.into_iter().collect();
            }
            RestartFrom::Local | RestartFrom::Nothing => {
                let instance = cx.instance();
                fx.link(self.coordinator, Link::Hello { instance, incarnation });
            }
        }
    }

    fn on_message(&mut self, cx: &Cx, message: Message, fx: &mut Effects) {
        match message {
            // What was said in another term, or before, has come again.
            Message::Trigger { term, number } if term == self.term && number > self.newest => {
                self.newest = number;
                match self.role {
                    Role::Running => self.trigger(cx, number, fx),
                    Role::Restored | Role::Spare => self.triggered = Some(number),
                }
            }
            Message::Complete { number } => self.complete(cx, number, fx),
            Message::Restart { term, number } if self.obeys(cx, term) => {
                let slot = slot(cx.instance());
                let number = Some(number);
                fx.restart(RestartFrom::Shared { slot, number, attempt: term });
            }
            Message::Retire { term } if self.obeys(cx, term) => fx.restart(RestartFrom::Nothing),
            Message::Go { term, deployment }
                if (self.role, self.term) == (Role::Restored, term) =>
            {
                self.told = Some((term, deployment));
                self.go(cx, fx);
            }
            Message::Registered { incarnation } if incarnation == self.incarnation => {
                fx.mark("pair-complete");
            }
            _ => {}
        }
    }

    /// Whether a command of this term is new.
    fn obeys(&self, cx: &Cx, term: Term) -> bool {
        term > self.term || cx.planted(Bug::OldCommandObeyed)
    }

    /// A neighbour says who leads it: we know when it has answered our hello. Whoever has taken
    /// over meanwhile is told hello, too.
    fn learn(&mut self, cx: &Cx, link: &Link, fx: &mut Effects) {
        match link {
            Link::Welcome { instance, answers, .. } if *answers == self.incarnation => {
                self.unknown.remove(instance);
                self.go(cx, fx);
            }
            Link::Takeover { instance, node, .. } if self.unknown.contains(instance) => {
                let (instance, incarnation) = (cx.instance(), self.incarnation);
                fx.link(*node, Link::Hello { instance, incarnation });
            }
            _ => {}
        }
    }

    fn arrive(&mut self, cx: &Cx, term: Term, channel: ChannelId, item: Item, fx: &mut Effects) {
        match self.role {
            Role::Restored if !cx.planted(Bug::RestartWithoutParking) => {
                self.early.push((term, channel, item));
            }
            Role::Running | Role::Restored => self.take(cx, term, channel, &item, fx),
            Role::Spare => {}
        }
    }

    fn take(&mut self, cx: &Cx, term: Term, channel: ChannelId, item: &Item, fx: &mut Effects) {
        if term < self.term && cx.plan.is_internal(channel) {
            return;
        }
        if let Item::Barrier(number) = item {
            for (channel, item) in self.alignment.supersede(*number) {
                self.take(cx, self.term, channel, &item, fx);
            }
        }
        match self.alignment.step(cx, channel, item) {
            Step::Wait => {}
            Step::Take => {
                self.task.take(cx, self.term, (channel, item), fx, |_, _| {});
            }
            Step::Cut(number) => {
                self.cut(cx, number, fx);
                for (channel, item) in self.alignment.release() {
                    self.take(cx, self.term, channel, &item, fx);
                }
            }
        }
    }

    /// Cuts at once, unless inputs from within the region bring barriers. Those from outside are
    /// rewound to wherever we cut, so nothing has to come on them.
    fn trigger(&mut self, cx: &Cx, number: u64, fx: &mut Effects) {
        let inputs = &cx.plan.instance(cx.instance()).inputs;
        if !inputs.iter().any(|channel| cx.plan.is_internal(*channel)) {
            self.cut(cx, number, fx);
        }
    }

    fn cut(&mut self, cx: &Cx, number: u64, fx: &mut Effects) {
        let whole = std::mem::take(&mut self.whole_next) || !self.incremental;
        // Before the snapshot, which is a cut as well.
        let changed = (!whole).then(|| self.task.operator.delta().entries);
        let state = self.task.operator.snapshot();
        let ports = &self.task.ports;
        let (inbox, log) = (ports.inbox.state(), ports.outbox.log());
        let tuple_bytes = |(channel, _): &(ChannelId, crate::protocol::Tuple)| {
            cx.plan.edge(cx.plan.channel(*channel).edge).tuple_bytes
        };
        let log_bytes: u64 = log.iter().map(tuple_bytes).sum();
        let entry_bytes = cx.plan.settings.entry_bytes;
        let restored_bytes = state.entries * entry_bytes + log_bytes;
        let written = changed.unwrap_or(state.entries);
        let wanted = inbox.wanted.clone();
        let blob = Blob {
            modelled_bytes: written * entry_bytes + log_bytes,
            restored_bytes,
            ..Blob::encode(&Part { state, inbox, log })
        };
        fx.mark("checkpoint-cut");
        let key = SaveKey { slot: slot(cx.instance()), number };
        fx.save(key, blob, Scope::Shared, wanted.clone());
        ports.outbox.emit_barrier(cx, self.term, number, fx);
        if cx.planted(Bug::TrimBeforeComplete) {
            ports.inbox.trim(cx, None, &wanted, fx);
        }
        self.cuts.push_back((number, wanted));
    }

    fn stored(&self, cx: &Cx, number: u64, fx: &mut Effects) {
        fx.mark("checkpoint-stored");
        say(cx, self.coordinator, &Message::Stored { number }, fx);
    }

    /// Upstream may forget what a complete checkpoint covers.
    fn complete(&mut self, cx: &Cx, number: u64, fx: &mut Effects) {
        while self.cuts.front().is_some_and(|(oldest, _)| *oldest <= number) {
            let (cut, covers) = self.cuts.pop_front().expect("there is a front");
            if cut == number && !cx.planted(Bug::TrimBeforeComplete) {
                self.task.ports.inbox.trim(cx, None, &covers, fx);
            }
        }
        fx.discard(slot(cx.instance()), number);
    }

    /// All have restored: from now on data flow again, once we know where to and where from.
    fn go(&mut self, cx: &Cx, fx: &mut Effects) {
        if !self.unknown.is_empty() {
            return;
        }
        let Some((term, runs)) = self.told.take() else { return };
        self.role = Role::Running;
        self.term = term;
        fx.heartbeats(vec![self.coordinator], term);
        fx.mark("took-over");
        let ports = &mut self.task.ports;
        for (instance, node) in &runs {
            ports.inbox.repoint(*instance, *node, term);
            ports.outbox.repoint(*instance, *node, term);
        }
        let from =
            |inbox: &Inbox, channel| Resend::From(inbox.on_channel(cx, channel, inbox.received()));
        self.task.take_over_from(cx, term, &Self::outside(cx), from, fx);
        for (sent_in, channel, item) in std::mem::take(&mut self.early) {
            self.take(cx, sent_in, channel, &item, fx);
        }
        if let Some(number) = self.triggered.take() {
            self.trigger(cx, number, fx);
        }
    }
}
