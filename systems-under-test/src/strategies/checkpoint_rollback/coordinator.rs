//! Runs the protocol of a region: triggers checkpoints, notices failures, restarts.

use super::{Message, Pointer, say};
use crate::context::Cx;
use crate::node::Node;
use crate::planted_bugs::Bug;
use crate::points::Point;
use crate::protocol::{
    Blob, Effects, Event, InstanceId, Link, NodeId, Positions, RestartFrom, SaveKey, Scope, Stored,
    Term, TimerId, decode,
};
use std::collections::{BTreeMap, BTreeSet};

/// The points that a coordinator reaches.
pub(super) const POINTS: &[Point] = &[
    Point::of_coordinators("checkpoint-triggered", "tasks are about to be told to cut"),
    Point::of_coordinators("checkpoint-complete", "all parts and the pointer are durable"),
    Point::of_coordinators("checkpoint-aborted", "a part was refused, and the checkpoint given up"),
    Point::of_coordinators("suspected", "a task is missed or has come back without memory"),
    Point::of_coordinators("restart", "all tasks are about to be told what to restore"),
    Point::of_coordinators("pair-complete", "a coordinator that came back runs its region again"),
];

/// Triggers the next checkpoint.
const TRIGGER: TimerId = TimerId(1);
/// Ends the wait for signs of life after the coordinator has come back.
const GATHERED: TimerId = TimerId(2);
/// Time-outs of the failure detector, one for each node.
const WATCH: u16 = 0x100;

/// Checkpoint numbers and terms grow over the incarnations of the coordinator, so that none is
/// used twice, whatever was lost with its memory.
const PER_INCARNATION: u32 = 1 << 16;

#[derive(Clone, PartialEq, Eq, Debug)]
enum Phase {
    Steady,
    /// Restarted: waiting until these have restored.
    Restarting(BTreeSet<NodeId>),
    /// Some instance has no living node.
    Stranded,
    /// Back without memory: listening who lives.
    Gathering,
}

/// The coordinator of one region.
#[derive(Clone)]
pub(super) struct Coordinator {
    phase: Phase,
    term: Term,
    /// Who runs what.
    deployment: BTreeMap<InstanceId, NodeId>,
    alive: BTreeSet<NodeId>,
    /// The newest incarnation of each host that has said hello.
    incarnations: BTreeMap<NodeId, u32>,
    /// The last complete checkpoint; 0: none.
    complete: u64,
    /// The newest that was triggered.
    triggered: u64,
    /// Whose parts of the newest are not durable yet; empty between checkpoints.
    missing: BTreeSet<InstanceId>,
    /// It has come back, and the region has not run under it yet.
    returned: bool,
}

impl Coordinator {
    pub(super) fn new(cx: &Cx) -> Coordinator {
        let region = cx.plan.region_of(cx.me).expect("a coordinator has a region");
        let first = |instance: &InstanceId| (*instance, cx.plan.instance(*instance).replicas[0]);
        Coordinator {
            phase: Phase::Steady,
            term: 1,
            deployment: region.instances.iter().map(first).collect(),
            alive: region.instances.iter().flat_map(|i| replicas(cx, *i)).collect(),
            incarnations: BTreeMap::new(),
            complete: 0,
            triggered: 0,
            missing: BTreeSet::new(),
            returned: false,
        }
    }

    /// The slot of the pointer in the shared store.
    fn slot(cx: &Cx) -> u32 {
        super::slot(cx.instance())
    }

    fn runs(&self, node: NodeId) -> bool {
        self.deployment.values().any(|runner| *runner == node)
    }
}

fn replicas(cx: &Cx, instance: InstanceId) -> Vec<NodeId> {
    cx.plan.instance(instance).replicas.clone()
}

impl Node for Coordinator {
    fn on(&mut self, cx: &Cx, event: Event, fx: &mut Effects) {
        match event {
            Event::Started { incarnation, stored, from } => {
                self.start(cx, incarnation, &stored, from, fx);
            }
            Event::Timer(TRIGGER) => self.trigger(cx, fx),
            Event::Timer(GATHERED) => self.restart(cx, fx),
            Event::Timer(TimerId(id)) => self.suspect(cx, NodeId(id - WATCH), fx),
            Event::ConnectionLost(node) => self.suspect(cx, node, fx),
            Event::Link { from, link: Link::Heartbeat { .. } } => self.heard(cx, from, fx),
            Event::Link { from, link: Link::Hello { incarnation, .. } } => {
                let newest = self.incarnations.entry(from).or_default();
                if incarnation <= *newest {
                    // It has said so before.
                    return;
                }
                *newest = incarnation;
                self.alive.insert(from);
                watch(cx, from, fx);
                // Before any command: who obeys that is another incarnation.
                say(cx, from, &Message::Registered { incarnation }, fx);
                match self.phase {
                    Phase::Stranded => self.restart(cx, fx),
                    // It is back and has lost what it ran.
                    Phase::Steady | Phase::Restarting(_) if self.runs(from) => self.failed(cx, fx),
                    _ => {}
                }
            }
            Event::Message { from, bytes } => match decode(&bytes) {
                Message::Stored { number } => self.stored(cx, from, number, fx),
                Message::Refused { number } => self.refused(from, number, fx),
                Message::Restored { term } => self.restored(cx, from, term, fx),
                _ => {}
            },
            Event::Saved(key) => self.completed(cx, key.number, fx),
            Event::SaveRefused(key) if cx.planted(Bug::RefusalIgnored) => {
                self.completed(cx, key.number, fx);
            }
            // Without its pointer it is not complete; who comes back finds the one before.
            Event::SaveRefused(_) => fx.mark("checkpoint-aborted"),
            _ => {}
        }
    }

    fn is_primary(&self) -> bool {
        true
    }

    fn settled(&self) -> bool {
        self.phase == Phase::Steady
    }
}

/// Checkpoints.
impl Coordinator {
    fn arm_trigger(cx: &Cx, fx: &mut Effects) {
        let phase = cx.plan.instance(cx.instance()).checkpoint_phase;
        fx.timer(TRIGGER, cx.next_on_grid(cx.plan.settings.interval, phase));
    }

    /// Triggers a checkpoint, unless the one before is still under way.
    fn trigger(&mut self, cx: &Cx, fx: &mut Effects) {
        Self::arm_trigger(cx, fx);
        if self.phase != Phase::Steady || !self.missing.is_empty() {
            return;
        }
        self.triggered += 1;
        self.missing = self.deployment.keys().copied().collect();
        fx.mark("checkpoint-triggered");
        for (instance, node) in &self.deployment {
            let mut inputs = cx.plan.instance(*instance).inputs.iter();
            if inputs.any(|channel| !cx.plan.is_internal(*channel)) {
                let (term, number) = (self.term, self.triggered);
                say(cx, *node, &Message::Trigger { term, number }, fx);
            }
        }
    }

    /// One part is durable; when all are, so must be the pointer.
    fn stored(&mut self, cx: &Cx, from: NodeId, number: u64, fx: &mut Effects) {
        if number != self.triggered || !self.runs(from) {
            return;
        }
        let last = self.missing.remove(&cx.plan.node(from).instance) && self.missing.is_empty();
        if last {
            let deployment = self.deployment.iter().map(|(i, n)| (*i, *n)).collect();
            let blob = Blob::encode(&Pointer { complete: number, deployment });
            let key = SaveKey { slot: Self::slot(cx), number };
            fx.save(key, blob, Scope::Shared, Positions::default());
        }
    }

    /// One part will never be durable: nobody waits for the others.
    fn refused(&mut self, from: NodeId, number: u64, fx: &mut Effects) {
        if number == self.triggered && self.runs(from) && !self.missing.is_empty() {
            self.missing.clear();
            fx.mark("checkpoint-aborted");
        }
    }

    fn completed(&mut self, cx: &Cx, number: u64, fx: &mut Effects) {
        self.complete = number;
        fx.mark("checkpoint-complete");
        fx.discard(Self::slot(cx), number);
        for node in self.deployment.values() {
            say(cx, *node, &Message::Complete { number }, fx);
        }
    }
}

/// Failures.
impl Coordinator {
    fn start(
        &mut self,
        cx: &Cx,
        incarnation: u32,
        stored: &Stored,
        from: RestartFrom,
        fx: &mut Effects,
    ) {
        match from {
            _ if incarnation == 1 => {
                let first = cx.now + cx.plan.settings.first_suspect_after();
                for node in &self.alive {
                    fx.timer(TimerId(WATCH + node.0), first);
                }
                Self::arm_trigger(cx, fx);
            }
            RestartFrom::Shared { .. } => {
                if let Some((_, blob)) = stored.newest(Self::slot(cx))
                    && !cx.planted(Bug::PointerForgotten)
                {
                    let pointer: Pointer = decode(&blob.bytes);
                    self.complete = pointer.complete;
                    self.deployment = pointer.deployment.into_iter().collect();
                }
                self.term = incarnation * PER_INCARNATION;
                self.triggered = u64::from(incarnation * PER_INCARNATION);
                self.alive.clear();
                self.phase = Phase::Gathering;
                self.returned = true;
                fx.timer(GATHERED, cx.now + cx.plan.settings.first_suspect_after());
                Self::arm_trigger(cx, fx);
            }
            RestartFrom::Local | RestartFrom::Nothing => {
                let slot = Self::slot(cx);
                fx.restart(RestartFrom::Shared { slot, number: None, attempt: incarnation });
            }
        }
    }

    fn heard(&mut self, cx: &Cx, node: NodeId, fx: &mut Effects) {
        self.alive.insert(node);
        watch(cx, node, fx);
        if self.phase == Phase::Stranded {
            self.restart(cx, fx);
        }
    }

    fn suspect(&mut self, cx: &Cx, node: NodeId, fx: &mut Effects) {
        self.alive.remove(&node);
        if self.runs(node) && self.phase != Phase::Gathering && self.phase != Phase::Stranded {
            self.failed(cx, fx);
        }
    }

    fn failed(&mut self, cx: &Cx, fx: &mut Effects) {
        fx.mark("suspected");
        self.restart(cx, fx);
    }

    /// Sets the whole region back to the last complete checkpoint.
    fn restart(&mut self, cx: &Cx, fx: &mut Effects) {
        self.missing.clear();
        // Nobody is replaced unless everybody can be: else who was replaced would not be told.
        let mut next = self.deployment.clone();
        for (instance, node) in &mut next {
            if self.alive.contains(node) {
                continue;
            }
            let lives = |spare: &NodeId| {
                self.alive.contains(spare)
                    || (spare != node && cx.planted(Bug::RestartOntoDeadSpare))
            };
            match replicas(cx, *instance).into_iter().find(lives) {
                Some(spare) => *node = spare,
                None => {
                    self.phase = Phase::Stranded;
                    return;
                }
            }
        }
        // Who comes back does not know whom its predecessor has set to work since the pointer was
        // written.
        let before: Vec<NodeId> = match self.returned {
            true => next.keys().flat_map(|instance| replicas(cx, *instance)).collect(),
            false => self.deployment.values().copied().collect(),
        };
        self.deployment = next;
        self.term += 1;
        fx.mark("restart");
        for node in before.into_iter().filter(|node| !self.runs(*node)) {
            say(cx, node, &Message::Retire { term: self.term }, fx);
        }
        let number = match cx.planted(Bug::IncompleteCheckpoint) {
            true => self.triggered,
            false => self.complete,
        };
        for node in self.deployment.values() {
            say(cx, *node, &Message::Restart { term: self.term, number }, fx);
        }
        self.phase = Phase::Restarting(self.deployment.values().copied().collect());
    }

    /// One task has restored; when all have, data may flow.
    fn restored(&mut self, cx: &Cx, node: NodeId, term: Term, fx: &mut Effects) {
        if term < self.term {
            // Who has obeyed an old command, and has no part in this term, must not wait for ever.
            if !self.runs(node) && self.phase != Phase::Gathering {
                say(cx, node, &Message::Retire { term: self.term }, fx);
            }
            return;
        }
        let Phase::Restarting(waiting) = &mut self.phase else { return };
        waiting.remove(&node);
        if !waiting.is_empty() {
            return;
        }
        self.phase = Phase::Steady;
        if std::mem::take(&mut self.returned) {
            fx.mark("pair-complete");
        }
        let deployment: Vec<_> = self.deployment.iter().map(|(i, n)| (*i, *n)).collect();
        for node in self.deployment.values() {
            let deployment = deployment.clone();
            say(cx, *node, &Message::Go { term: self.term, deployment }, fx);
        }
    }
}

fn watch(cx: &Cx, node: NodeId, fx: &mut Effects) {
    fx.timer(TimerId(WATCH + node.0), cx.now + cx.plan.settings.suspect_after());
}
