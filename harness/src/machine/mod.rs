//! A machine: everything inside one node, as one pure struct.
//!
//! Agenda, data lane, storage device, timers, parking, incarnation, heartbeats. A world only
//! carries frames between machines ([`Machine::deliver`], [`Machine::outbox`]) and carries out
//! what crosses them ([`Machine::acts`]). Nothing here knows which world that is, and nothing
//! between machines is faster than a tick.

mod act;
mod agenda;
mod device;
mod dispatch;
mod effects;
mod faults;
mod frame;
mod lane;
mod log;
mod mutants;
mod points;
mod questions;
mod session;
mod steps;
mod storage;
mod timers;

pub use act::Act;
pub use agenda::{Class, Found, Work};
pub use frame::{Body, BoxedFrame, Frame, HandlerId};
pub use log::{
    Counters, Delivery, MachineLog, Mark, Misread, SavesHit, Strike, Stripped, Touched, TraceEvent,
};
pub use steps::{EffectKind, EventKind, Step};

use crate::hash::TraceHash;
use crate::narrator::tell;
use crate::plan::{Mutation, RunPlan, Spell};
use aftermath_systems::context::Cx;
use aftermath_systems::node::Node;
use aftermath_systems::plan::OperatorRole;
use aftermath_systems::protocol::{Effects, Event, Nanos, NodeId, RestartFrom, Stored, Term};
use agenda::{Agenda, Key};
use device::Device;
use lane::Lane;
use points::Watch;
use session::Sessions;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use timers::Timers;

/// More handlers than this at one instant are a livelock.
const HANDLERS_PER_INSTANT_MAX: u32 = 10_000;

/// What the process is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Everything is handled as it comes.
    Up,
    /// Streams are being redirected to it: memory is kept, what arrives is parked.
    Activating,
    /// State is being loaded: there is no memory yet, what arrives is parked.
    Loading,
    /// Dead.
    Down,
}

/// Frames that never arrive.
#[derive(Clone, Copy, Debug)]
struct Cut {
    from: NodeId,
    sent_until: Nanos,
    due_from: Nanos,
    /// Only those that left after this instant.
    left_after: Option<Nanos>,
}

impl Cut {
    fn hits(&self, frame: &Frame) -> bool {
        frame.from == self.from
            && frame.sent <= self.sent_until
            && frame.due >= self.due_from
            && self.left_after.is_none_or(|after| frame.left > after)
    }
}

/// Registered heartbeats.
#[derive(Clone, Debug)]
struct Heartbeats {
    to: Vec<NodeId>,
    term: Term,
    /// Tells entries of an earlier registration apart.
    registration: u64,
}

/// Everything inside one node.
pub struct Machine {
    /// Which node this is.
    pub id: NodeId,
    plan: Rc<RunPlan>,
    node: Option<Box<dyn Node>>,
    phase: Phase,
    /// While down: until when; `None`: until everything heals.
    down_until: Option<Nanos>,
    incarnation: u32,
    agenda: Agenda,
    lane: Lane,
    device: Device,
    timers: Timers,
    timers_set: u64,
    heartbeats: Heartbeats,
    parked: Vec<(Key, u32, Work)>,
    /// Frames of dead machines that never arrive.
    cuts: Vec<Cut>,
    /// The faults for which it stands still.
    paused: Vec<usize>,
    /// Faults that make services take longer, with so many times as long.
    slow: Vec<(usize, u64)>,
    /// Faults of its storage device.
    ailing: Vec<usize>,
    /// Faults that wait for what happens here.
    watches: Vec<Watch>,
    /// Faults on links that had waited and hold now.
    spells: Vec<Spell>,
    /// The sessions with other machines.
    sessions: Sessions,
    /// Own count of everything that needs an order; runs on over incarnations.
    count: u64,
    handlers: u64,
    /// Instant of the last handled work.
    clock: Nanos,
    handlers_now: u32,
    /// Instant of the latest activation or restart here.
    lineage: Nanos,
    /// Frames from which output may still follow: how many it has sent, ...
    significant_sent: u64,
    /// ... and how many that were sent to it are over.
    significant_over: u64,
    hash: TraceHash,
    effects: Effects,
    /// Boxes of frames that are over, for those to come.
    spare: Vec<BoxedFrame>,
    /// Frames to send; the world takes them.
    pub outbox: Vec<BoxedFrame>,
    /// What concerns other machines; the world takes them.
    pub acts: Vec<Act>,
    /// What the judge will see.
    pub log: MachineLog,
}

impl Clone for Machine {
    fn clone(&self) -> Self {
        Machine {
            id: self.id,
            plan: Rc::clone(&self.plan),
            node: self.node.as_ref().map(|node| node.fork()),
            phase: self.phase,
            down_until: self.down_until,
            incarnation: self.incarnation,
            agenda: self.agenda.clone(),
            lane: self.lane.clone(),
            device: self.device.clone(),
            timers: self.timers.clone(),
            timers_set: self.timers_set,
            heartbeats: self.heartbeats.clone(),
            parked: self.parked.clone(),
            cuts: self.cuts.clone(),
            paused: self.paused.clone(),
            slow: self.slow.clone(),
            ailing: self.ailing.clone(),
            watches: self.watches.clone(),
            spells: self.spells.clone(),
            sessions: self.sessions.clone(),
            count: self.count,
            handlers: self.handlers,
            clock: self.clock,
            handlers_now: self.handlers_now,
            lineage: self.lineage,
            significant_sent: self.significant_sent,
            significant_over: self.significant_over,
            hash: self.hash,
            effects: Effects::default(),
            spare: Vec::new(),
            outbox: self.outbox.clone(),
            acts: self.acts.clone(),
            log: self.log.clone(),
        }
    }
}

impl Machine {
    /// A machine whose process starts at time 0.
    pub fn new(plan: &Rc<RunPlan>, id: NodeId, traced: bool) -> Machine {
        let is_sink = matches!(plan.systems.operator_of(id).role, OperatorRole::Sink);
        // As many as there are inputs, where each gives one.
        let outputs = if is_sink { plan.systems.workload.inputs.len() } else { 0 };
        let mut machine = Machine {
            id,
            plan: Rc::clone(plan),
            node: None,
            phase: Phase::Loading,
            down_until: None,
            incarnation: 1,
            agenda: Agenda::default(),
            lane: Lane::default(),
            device: Device::default(),
            timers: Timers::default(),
            timers_set: 0,
            heartbeats: Heartbeats { to: Vec::new(), term: 0, registration: 0 },
            parked: Vec::new(),
            cuts: Vec::new(),
            paused: Vec::new(),
            slow: Vec::new(),
            ailing: Vec::new(),
            watches: Vec::new(),
            spells: Vec::new(),
            sessions: Sessions::default(),
            count: 0,
            handlers: 0,
            clock: 0,
            handlers_now: 0,
            lineage: 0,
            significant_sent: 0,
            significant_over: 0,
            hash: TraceHash::default(),
            effects: Effects::default(),
            spare: Vec::new(),
            outbox: Vec::new(),
            acts: Vec::new(),
            log: MachineLog::new(outputs, traced),
        };
        let found = Found { stored: Stored::default(), from: RestartFrom::Nothing };
        machine.schedule(0, Class::Started, Work::Started(Box::new(found)));
        machine.push(plan.sample_every_ns, Class::Sample, 0, Work::Sample);
        for (at, peer) in plan.resets(id) {
            machine.push(at, Class::Fault, 0, Work::Severed { peer });
        }
        machine
    }

    /// Takes a frame from the wire; it waits in the agenda until it is due.
    ///
    /// # Panics
    /// When it is late: a world that carries frames too slowly is our own bug.
    pub fn deliver(&mut self, frame: BoxedFrame) {
        assert!(frame.due >= self.clock, "a frame due at {} arrived at {}", frame.due, self.clock);
        let (sender, count) = self.order_of(&frame);
        let key = Key::new(frame.due, Class::Frame, sender, count);
        self.agenda.push(key, 0, Work::Frame(frame));
    }

    /// When there is something to do next, ns.
    pub fn next_due(&self) -> Option<Nanos> {
        self.agenda.next_due()
    }

    /// Does everything that is due at `until` or before, in order.
    pub fn run_until(&mut self, until: Nanos) {
        if self.plan.breaks(Mutation::SortedBatch) {
            return self.run_batch(until);
        }
        while !self.livelocked()
            && let Some((key, incarnation, work)) = self.agenda.pop(until)
        {
            self.take(key, incarnation, work);
        }
    }

    /// Lets the node handle one event, and does what it wants done.
    fn handle(&mut self, now: Nanos, event: Event, lineage: Nanos, cause: HandlerId) {
        if self.node.is_some() {
            tell!(TRACE, now, "{}: {event:?}", self.name());
        }
        let Some(node) = &mut self.node else { return };
        self.handlers += 1;
        (now, &event).hash(&mut self.hash);
        let kind = self.log.steps.is_some().then(|| EventKind::of(&event));
        let described = self.log.trace.is_some().then(|| format!("{event:?}"));
        let cx = Cx { now, me: self.id, plan: &self.plan.systems };
        let mut effects = std::mem::take(&mut self.effects);
        node.on(&cx, event, &mut effects);
        effects.list.hash(&mut self.hash);
        let handler =
            HandlerId { node: self.id.0, incarnation: self.incarnation, number: self.handlers };
        if let (Some(trace), Some(event)) = (&mut self.log.trace, described) {
            let effects = effects.list.iter().map(|effect| format!("{effect:?}")).collect();
            let hash = self.hash.finish();
            trace.push(TraceEvent { at: now, handler, cause, event, effects, hash, done: 0 });
        }
        if let (Some(steps), Some(event)) = (&mut self.log.steps, kind) {
            let effects = effects.list.iter().map(EffectKind::of).collect();
            let led = node.is_primary();
            steps.push(Step { at: now, handler, led, event, effects, done: 0 });
        }
        let lineage = lineage.max(self.lineage);
        let spots = self.spots_in(handler);
        let wanted = effects.list.len();
        let mut done = 0;
        for effect in effects.list.drain(..) {
            // Whoever dies or restarts itself has no further wishes.
            let lives = |machine: &Machine| machine.incarnation == handler.incarnation;
            if !spots.is_empty() && lives(self) {
                self.reach_spot(now, &spots, done);
            }
            if !lives(self) {
                break;
            }
            self.execute(now, effect, lineage, handler);
            done += 1;
        }
        if done == wanted && !spots.is_empty() && self.phase != Phase::Down {
            self.reach_spot(now, &spots, wanted);
        }
        // What stood in for it holds nothing, so nothing is to be dropped.
        debug_assert_eq!(self.effects.list.capacity(), 0, "an event within an event");
        std::mem::forget(std::mem::replace(&mut self.effects, effects));
        if let Some(event) = self.log.trace.as_mut().and_then(|trace| trace.last_mut()) {
            event.done = done;
        }
        if let Some(step) = self.log.steps.as_mut().and_then(|steps| steps.last_mut()) {
            step.done = done;
        }
    }

    /// The name of this node, for people.
    fn name(&self) -> &str {
        &self.plan.systems.node(self.id).name
    }

    /// Schedules work of the current incarnation.
    fn schedule(&mut self, at: Nanos, class: Class, work: Work) {
        self.push(at, class, self.incarnation, work);
    }

    fn push(&mut self, at: Nanos, class: Class, incarnation: u32, work: Work) {
        self.count += 1;
        let key = Key::new(at, class, self.id, self.count);
        self.agenda.push(key, incarnation, work);
    }

    /// Schedules a fault on this machine.
    pub fn strike(&mut self, at: Nanos, fault: usize) {
        self.push(at, Class::Fault, 0, Work::Strike { fault });
    }

    /// The shared store's answer to [`Act::Read`], due at `at`, for the asking incarnation only.
    pub fn answer(&mut self, at: Nanos, incarnation: u32, stored: Stored, from: RestartFrom) {
        let anybody = self.plan.breaks(Mutation::AnswersAnybody);
        let incarnation = if anybody { 0 } else { incarnation };
        self.push(at, Class::Frame, incarnation, Work::Loaded(Box::new(Found { stored, from })));
    }

    /// Frames of `from` that were sent until `at` and are due at `due` or later never arrive.
    pub fn cut_wire(&mut self, from: NodeId, at: Nanos, due: Nanos) {
        self.cuts.push(Cut { from, sent_until: at, due_from: due, left_after: None });
    }

    /// Frames of `from` that were sent until `at` and had not left by then never arrive.
    pub fn forget_unsent(&mut self, from: NodeId, at: Nanos) {
        self.cuts.push(Cut { from, sent_until: at, due_from: 0, left_after: Some(at) });
    }
}
