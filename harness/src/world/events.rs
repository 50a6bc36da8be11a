//! The event world: machines run one tick after the other, idle time is skipped, frames go
//! straight into the receiver's agenda. As nothing between machines is faster than a tick, the
//! order of machines within a tick cannot matter.

use super::due::Due;
use super::{Ended, Finished, Machines};
use crate::machine::{BoxedFrame, Machine, MachineLog};
use crate::plan::{Awaited, RunPlan};
use aftermath_systems::protocol::{Nanos, NodeId};
use std::rc::Rc;

/// A run in the event world. Cloning forks it.
#[derive(Clone)]
pub struct EventWorld {
    machines: Machines,
    now: Nanos,
    due: Due,
    /// The machines that have run in this tick, in their order.
    ran: Vec<usize>,
    /// What a machine has sent, while it is handed out: empty in between.
    carried: Vec<BoxedFrame>,
}

impl EventWorld {
    /// A run that is about to start.
    pub fn new(plan: &Rc<RunPlan>, traced: bool) -> EventWorld {
        let machines = Machines::new(plan, traced);
        let due = Due::new(machines.list.len());
        let mut world = EventWorld { machines, now: 0, due, ran: Vec::new(), carried: Vec::new() };
        world.look_again();
        world
    }

    /// Runs one tick in which something happens; returns how the run ended if it did.
    pub fn step(&mut self) -> Option<Ended> {
        self.now = self.next_tick_end();
        self.ran.clear();
        let (mut from, mut livelocked) = (0, false);
        while let Some(index) = self.due.next(from, self.now) {
            from = index + 1;
            let machine = &mut self.machines.list[index];
            machine.run_until(self.now);
            livelocked |= machine.livelocked();
            self.due.set(index, machine.next_due());
            self.ran.push(index);
            std::mem::swap(&mut machine.outbox, &mut self.carried);
            for frame in self.carried.drain(..) {
                let to = frame.to.index();
                self.due.add(to, frame.due);
                self.machines.list[to].deliver(frame);
            }
            if self.machines.breaks_early(self.now) {
                return Some(Ended::Drained);
            }
            self.look_again();
        }
        self.machines.cross_from(&self.ran, self.now);
        let ended = self.machines.ended_unless(livelocked, self.now);
        self.look_again();
        ended
    }

    /// Notes what machines have been given to do by the world.
    fn look_again(&mut self) {
        if std::mem::take(&mut self.machines.instructed) {
            for (index, machine) in self.machines.list.iter().enumerate() {
                self.due.set(index, machine.next_due());
            }
        }
    }

    /// Runs to the end.
    pub fn finish(mut self) -> Finished {
        loop {
            if let Some(ended) = self.step() {
                return Finished { ended, at: self.now, machines: self.machines.list };
            }
        }
    }

    /// The end of the next tick in which something happens, ns.
    pub fn next_tick_end(&self) -> Nanos {
        self.machines.next_tick_end(self.due.first()).max(self.now)
    }

    /// Lets a fault of the schedule for which no machine is watched wait for `awaited` at `node`,
    /// which it befalls. Returns whether it waits: nothing does any more once everything heals.
    pub fn arm(&mut self, fault: usize, node: NodeId, awaited: Awaited) -> bool {
        self.machines.arm(fault, node, awaited)
    }

    /// The logs of the machines, by node.
    pub fn logs_mut(&mut self) -> impl Iterator<Item = &mut MachineLog> {
        self.machines.list.iter_mut().map(|machine| &mut machine.log)
    }

    /// The end of the last tick, ns.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// The machines, by node.
    pub fn machines(&self) -> &[Machine] {
        &self.machines.list
    }

    /// The machines, by node, for good.
    pub fn into_machines(self) -> Vec<Machine> {
        self.machines.list
    }
}
