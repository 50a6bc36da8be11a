//! Worlds run machines. What crosses machines and the test for the end live here, shared by all
//! worlds, or they would drift apart.

mod due;
mod events;
mod mutation;
mod points;
mod store;
mod turmoil;

pub use self::turmoil::{HOSTS_MAX, TurmoilWorld};
pub use events::EventWorld;

use crate::machine::{Act, Machine, Misread};
use crate::plan::{Mutation, PlannedFault, PlannedPlace, RunPlan};
use aftermath_systems::protocol::{Nanos, NodeId};
use points::{Points, Reached};
use std::collections::BTreeSet;
use std::rc::Rc;
use store::SharedStore;

/// A run that moves all the time may take so many times as long to drain as one may stand still.
const PATIENCE: u64 = 20;

/// Which world runs the machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum World {
    /// Frames go straight into the receiver's agenda, and idle time is skipped.
    Events,
    /// Every machine is a host of a turmoil simulation, and frames are its datagrams.
    Turmoil,
}

/// What a world leaves behind.
pub struct Finished {
    /// How the run ended.
    pub ended: Ended,
    /// The end of the last tick, ns.
    pub at: Nanos,
    /// The machines, by node.
    pub machines: Vec<Machine>,
}

/// Runs a plan to its end; `traced`: keep every event for people.
///
/// # Panics
/// When the plan has more machines than the world can carry ([`HOSTS_MAX`]).
pub fn run(world: World, plan: &Rc<RunPlan>, traced: bool) -> Finished {
    match world {
        World::Events => EventWorld::new(plan, traced).finish(),
        World::Turmoil => TurmoilWorld::new(plan, traced).finish(),
    }
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Everything healed, and no output is under way any more.
    Drained,
    /// It did not drain in time.
    Stuck,
    /// A node handled event after event without time passing.
    Livelock,
}

/// The machines of a run and what is between them, but for the carrying of frames.
#[derive(Clone)]
pub struct Machines {
    plan: Rc<RunPlan>,
    /// By node.
    pub list: Vec<Machine>,
    store: SharedStore,
    /// The next fault of the schedule that has not been assigned to a machine.
    next_fault: usize,
    /// The faults that wait for what a machine does.
    points: Points,
    /// When everything that was left was told to heal, ns.
    healed_at: Option<Nanos>,
    /// When it is looked whether the run is stuck, ns.
    stuck_at: Nanos,
    /// Instants at which a run may end, or begin to heal, only because time has passed, ns.
    deadlines: BTreeSet<Nanos>,
    /// Whether machines may have been given something to do, other than frames, since somebody
    /// asked.
    instructed: bool,
}

impl Machines {
    /// All machines of a plan, about to start.
    pub fn new(plan: &Rc<RunPlan>, traced: bool) -> Machines {
        let nodes = (0..plan.systems.nodes.len()).map(|index| NodeId(index as u16));
        let mut machines = Machines {
            plan: Rc::clone(plan),
            list: nodes.map(|id| Machine::new(plan, id, traced)).collect(),
            store: SharedStore::default(),
            next_fault: 0,
            points: Points::default(),
            healed_at: None,
            stuck_at: Nanos::MAX,
            deadlines: BTreeSet::new(),
            instructed: true,
        };
        let ends = [plan.systems.workload.end_at, machines.heals_until()];
        machines.deadlines = machines.over().chain(ends).collect();
        machines.watch();
        machines
    }

    /// The first tick end at which something happens: machines' own work, the first of which is at
    /// `due`, a deadline, or the choice of whom the next fault hits, one tick before it strikes. A
    /// world that skips the ticks before it ends at the same tick as one that does not.
    fn next_tick_end(&self, due: Option<Nanos>) -> Nanos {
        let tick = self.plan.tick_ns;
        let due = due.into_iter().chain(self.deadlines.first().copied());
        let end = due.min().unwrap_or(Nanos::MAX - tick).div_ceil(tick) * tick;
        match self.plan.faults.get(self.next_fault) {
            Some(fault) if fault.trigger.is_none() => end.min((fault.at.div_ceil(tick) - 1) * tick),
            _ => end,
        }
    }

    /// As [`Machines::cross`], where only these machines have run: if nothing crosses, none of the
    /// others is looked at.
    fn cross_from(&mut self, ran: &[usize], tick_end: Nanos) {
        let acts = ran.iter().any(|index| !self.list[*index].acts.is_empty());
        let fault = self.plan.faults.get(self.next_fault);
        if acts || fault.is_some_and(|fault| self.is_next(fault, tick_end)) {
            self.cross(tick_end);
        } else {
            self.aim();
        }
    }

    /// Carries out what crosses machines, after all have run until `tick_end`. Every consequence
    /// lies in a later tick.
    pub fn cross(&mut self, tick_end: Nanos) {
        self.instructed = true;
        let tick = if self.plan.breaks(Mutation::ActsAtOnce) { 0 } else { self.plan.tick_ns };
        let (mut discarded, mut reached) = (Vec::new(), Vec::new());
        for index in 0..self.list.len() {
            for act in std::mem::take(&mut self.list[index].acts) {
                match act {
                    Act::CutWire { from, at } => {
                        for machine in &mut self.list {
                            machine.cut_wire(from, at, at + tick);
                        }
                    }
                    Act::ForgetUnsent { from, at } => {
                        for machine in &mut self.list {
                            machine.forget_unsent(from, at);
                        }
                    }
                    Act::Store { at, key, blob, lost_by } => {
                        self.store.add(at, key, blob, lost_by);
                    }
                    Act::Read { node, incarnation, at, slot, number, attempt } => {
                        self.store.ask(node, incarnation, at, (slot, number, attempt));
                    }
                    Act::Discard { slot, number } => discarded.push((slot, number)),
                    Act::Reached { fault, node, at, struck } => {
                        reached.push(Reached { fault, node, at, struck });
                    }
                }
            }
        }
        for answer in self.store.answer() {
            let machine = &mut self.list[answer.node.index()];
            if let Some(fault) = answer.missed
                && machine.incarnation() == answer.incarnation
            {
                machine.log.misreads.push(Misread { at: answer.at, fault });
            }
            machine.answer(answer.at + tick, answer.incarnation, answer.found, answer.from);
        }
        // Questions of this tick were asked before anybody could know.
        for (slot, number) in discarded {
            self.store.discard(slot, number);
        }
        self.strike_at_points(&reached, tick);
        self.assign_faults(tick_end);
        self.aim();
    }

    /// Assigns the faults of the next tick. Who leads is looked up now, one tick or less before:
    /// several machines' states at one instant are known between ticks only.
    fn assign_faults(&mut self, tick_end: Nanos) {
        while let Some(fault) = self.plan.faults.get(self.next_fault) {
            if !self.is_next(fault, tick_end) {
                break;
            }
            let PlannedPlace::Node { instance, replica } = fault.place else {
                // Links are a matter of the plan.
                self.next_fault += 1;
                continue;
            };
            let node = self.befallen(instance, replica);
            self.list[node.index()].strike(fault.at, self.next_fault);
            self.next_fault += 1;
        }
    }

    /// Whether a fault has an instant, and that is in the tick after this tick end.
    fn is_next(&self, fault: &PlannedFault, tick_end: Nanos) -> bool {
        fault.trigger.is_none() && fault.at <= tick_end + self.plan.tick_ns
    }

    /// Whether the run is over at this tick end, and how. Starts the heal phase when it is time.
    pub fn ended(&mut self, tick_end: Nanos) -> Option<Ended> {
        let livelocked = self.list.iter().any(Machine::livelocked);
        self.ended_unless(livelocked, tick_end)
    }

    /// The same, where it is known whether a machine is in a livelock.
    fn ended_unless(&mut self, livelocked: bool, tick_end: Nanos) -> Option<Ended> {
        while self.deadlines.first().is_some_and(|deadline| *deadline <= tick_end) {
            self.deadlines.pop_first();
        }
        if livelocked {
            return Some(Ended::Livelock);
        }
        if tick_end < self.plan.systems.workload.end_at {
            return None;
        }
        let Some(healed_at) = self.healed_at else {
            self.heal(tick_end);
            // A source that never comes to its end must not keep everybody waiting for ever.
            let late = tick_end >= self.heals_until();
            return (late && self.healed_at.is_none()).then_some(Ended::Stuck);
        };
        if tick_end >= healed_at && self.settled() {
            return Some(Ended::Drained);
        }
        if tick_end < self.stuck_at {
            return None;
        }
        self.stuck_at = self.moves_until(tick_end).saturating_add(self.plan.drain_within_ns);
        if self.stuck_at <= tick_end || tick_end >= self.patience_until(healed_at) {
            return Some(Ended::Stuck);
        }
        self.deadlines.insert(self.stuck_at);
        None
    }

    /// Until when something has moved, ns: the last output has come, or until now if a machine
    /// serves, transmits, saves or loads.
    fn moves_until(&self, tick_end: Nanos) -> Nanos {
        if self.list.iter().any(|machine| machine.is_busy(tick_end)) {
            return tick_end;
        }
        let outputs = self.list.iter().filter_map(|machine| machine.log.deliveries.last());
        outputs.map(|delivery| delivery.at).max().unwrap_or(0)
    }

    /// Some strategy may go in circles and move for ever.
    fn patience_until(&self, healed_at: Nanos) -> Nanos {
        healed_at.saturating_add(self.plan.drain_within_ns.saturating_mul(PATIENCE))
    }

    /// Whether no output can follow any more, from anything in a machine or on the wire.
    fn settled(&self) -> bool {
        let counts = self.list.iter().map(Machine::significant);
        let (sent, over) = counts.fold((0, 0), |(a, b), (sent, over)| (a + sent, b + over));
        sent == over && self.list.iter().all(Machine::settled)
    }

    /// When the sources are done and every fault with a length is over, all that is left heals,
    /// one tick later.
    fn heal(&mut self, tick_end: Nanos) {
        let sources_done = self.sources().all(|source| source.source_done());
        if !sources_done || self.over().any(|over| over > tick_end) {
            return;
        }
        self.wait_no_longer();
        self.instructed = true;
        let at = tick_end + self.plan.tick_ns;
        for machine in &mut self.list {
            machine.heal(at);
        }
        self.healed_at = Some(at);
        self.stuck_at = at.saturating_add(self.plan.drain_within_ns);
        self.deadlines.extend([at, self.stuck_at]);
    }

    /// Until when the heal phase must have begun, ns.
    fn heals_until(&self) -> Nanos {
        let over = self.over().max().unwrap_or(0);
        over.max(self.plan.systems.workload.end_at).saturating_add(self.plan.drain_within_ns)
    }

    fn sources(&self) -> impl Iterator<Item = &Machine> {
        let is_source = |machine: &&Machine| {
            let operator = self.plan.systems.operator_of(machine.id);
            matches!(operator.role, aftermath_systems::plan::OperatorRole::Source)
        };
        self.list.iter().filter(is_source)
    }
}
