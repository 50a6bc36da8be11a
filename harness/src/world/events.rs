//! The event world: machines run one tick after the other, idle time is skipped, frames go
//! straight into the receiver's agenda. As nothing between machines is faster than a tick, the
//! order of machines within a tick cannot matter.

use super::{Ended, Finished, Machines};
use crate::machine::{Machine, MachineLog};
use crate::plan::{Awaited, RunPlan};
use aftermath_systems::protocol::{Nanos, NodeId};
use std::rc::Rc;

/// A run in the event world. Cloning forks it.
#[derive(Clone)]
pub struct EventWorld {
    machines: Machines,
    now: Nanos,
}

impl EventWorld {
    /// A run that is about to start.
    pub fn new(plan: &Rc<RunPlan>, traced: bool) -> EventWorld {
        EventWorld { machines: Machines::new(plan, traced), now: 0 }
    }

    /// Runs one tick in which something happens; returns how the run ended if it did.
    pub fn step(&mut self) -> Option<Ended> {
        self.now = self.next_tick_end();
        for index in 0..self.machines.list.len() {
            let machine = &mut self.machines.list[index];
            if machine.next_due().is_none_or(|due| due > self.now) {
                continue;
            }
            machine.run_until(self.now);
            let mut outbox = std::mem::take(&mut machine.outbox);
            for frame in outbox.drain(..) {
                self.machines.list[frame.to.index()].deliver(frame);
            }
            // Hand the buffer back: it is filled again in the next tick.
            self.machines.list[index].outbox = outbox;
            self.machines.cross_early(self.now);
            if self.machines.stops_early(self.now) {
                return Some(Ended::Drained);
            }
        }
        self.machines.cross(self.now);
        self.machines.ended(self.now)
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
        self.machines.next_tick_end().max(self.now)
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
