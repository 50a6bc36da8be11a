//! The data lane: items are served one after the other; talk and timers pass at once, or
//! heartbeats would queue behind a backlog and recovery would cause the next suspicion.

use super::{BoxedFrame, Class, Frame, Machine, Phase, Work};
use crate::machine::Body;
use aftermath_systems::context::Cx;
use aftermath_systems::protocol::{Event, Nanos};
use std::collections::VecDeque;

/// Queue and server.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    queue: VecDeque<BoxedFrame>,
    serving: Option<BoxedFrame>,
    /// No service starts before ([`aftermath_systems::protocol::Effect::Busy`]).
    stalled_until: Nanos,
}

impl Lane {
    /// Whether nothing is queued or in service.
    pub fn is_idle(&self) -> bool {
        self.serving.is_none() && self.queue.is_empty()
    }

    /// Items queued or in service.
    pub fn items(&self) -> u64 {
        self.queue.len() as u64 + u64::from(self.serving.is_some())
    }

    /// Delays the start of the next service; one in progress ends as planned.
    pub fn stall(&mut self, until: Nanos) {
        self.stalled_until = self.stalled_until.max(until);
    }
}

impl Machine {
    pub(super) fn enqueue(&mut self, now: Nanos, frame: BoxedFrame) {
        if let (Body::Data { channel, stamp, .. }, Some(node)) = (&frame.body, &self.node) {
            let cx = Cx { now, me: self.id, plan: &self.plan.systems };
            if !node.admits(&cx, *stamp, *channel) {
                self.log.frames_fenced += 1;
                return;
            }
        }
        if self.lane.is_idle() {
            self.serve(now, frame);
        } else {
            self.lane.queue.push_back(frame);
        }
    }

    pub(super) fn service_done(&mut self, now: Nanos) {
        if let Some(frame) = self.lane.serving.take() {
            self.handle_item(now, frame);
        }
        self.serve_on(now);
    }

    /// Serves what is queued, unless the process has stopped to.
    pub(super) fn serve_on(&mut self, now: Nanos) {
        let stands = |machine: &Machine| machine.phase != Phase::Up || !machine.paused.is_empty();
        while !stands(self) && self.lane.serving.is_none() {
            let Some(frame) = self.lane.queue.pop_front() else { break };
            self.serve(now, frame);
        }
    }

    /// Charges for an item before it is handled: state change and emission are one instant, at
    /// the end of the service.
    fn serve(&mut self, now: Nanos, frame: BoxedFrame) {
        let Body::Data { channel, item, .. } = &frame.body else { return };
        let Some(node) = &self.node else { return };
        let cx = Cx { now, me: self.id, plan: &self.plan.systems };
        let own = node.cost(&cx, *channel, item);
        let mut cost = own;
        let stretches = |(_, times): &&(usize, u64)| *times > 1;
        for (fault, times) in self.slow.iter().filter(stretches).filter(|_| own > 0) {
            cost = cost.saturating_mul(*times);
            let strike = self.log.strikes.iter_mut().find(|strike| strike.fault == *fault);
            strike.expect("what struck is on record").stretched += 1;
        }
        self.log.cpu_ns += cost;
        let start = now.max(self.lane.stalled_until);
        if start + cost == now {
            self.handle_item(now, frame);
        } else {
            self.lane.serving = Some(frame);
            self.schedule(start + cost, Class::ServiceDone, Work::ServiceDone);
        }
    }

    fn handle_item(&mut self, now: Nanos, frame: BoxedFrame) {
        let Frame { from, lineage, cause, .. } = *frame;
        if let Body::Data { channel, stamp, item } = self.unboxed(frame) {
            self.handle(now, Event::Data { from, term: stamp.term, channel, item }, lineage, cause);
        }
    }
}
