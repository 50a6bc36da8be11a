//! Dying and coming back.

use super::device::stored_bytes;
use super::session::Session;
use super::{Act, Body, Class, Found, HandlerId, Machine, Phase, Strike, Work};
use crate::faults::Effect;
use crate::narrator::tell;
use crate::transfer::transfer;
use aftermath_systems::protocol::{Cause, Nanos, NodeId, RestartFrom};

impl Machine {
    /// A fault strikes at this very instant.
    pub(super) fn struck(&mut self, now: Nanos, fault: usize) {
        let planned = &self.plan.faults[fault];
        let effect = planned.effect;
        let healed = planned.for_ns.map(|length| now + length);
        tell!(INFO, now, "{}: {} strikes", self.name(), crate::faults::of(planned.kind).name);
        let down = self.phase == Phase::Down;
        self.log.strikes.push(Strike {
            fault,
            at: now,
            healed,
            already_down: down,
            was_primary: self.is_primary() || self.is_activating(),
            queued: self.lane.items() + self.parked_frames(),
            unsaved: self.device.is_writing(now),
            items_leave_until: self.items_leave_until(),
            unsent: self.sessions.iter().any(|(_, session)| session.items_left > now),
            ..Strike::default()
        });
        match effect {
            Effect::Crash { .. } => self.crash(now, effect, healed),
            Effect::Pause if !down => self.paused.push(fault),
            Effect::SlowServices { times } => self.slow.push((fault, times)),
            Effect::Storage(_) => self.ailing.push(fault),
            // A machine that is down cannot pause; links are no matter of machines.
            Effect::Pause | Effect::Link(_) => {}
        }
        if let (Some(at), false) = (healed, matches!(effect, Effect::Crash { .. })) {
            self.push(at, Class::Fault, 0, Work::Over { fault });
        }
    }

    /// A fault that did not kill is over. When the last pause is, the process goes on, and what has
    /// waited is handled now, in its old order.
    pub(super) fn over(&mut self, now: Nanos, fault: usize) {
        tell!(INFO, now, "{}: a fault is over", self.name());
        self.slow.retain(|(slow, _)| *slow != fault);
        self.ailing.retain(|ailing| *ailing != fault);
        let stood = !self.paused.is_empty();
        self.paused.retain(|pause| *pause != fault);
        if stood && self.paused.is_empty() {
            self.unpark();
            // A pause that struck within a handler has left the queue standing.
            self.serve_on(now);
        }
    }

    /// What is parked and came from other machines.
    fn parked_frames(&self) -> u64 {
        let frames = self.parked.iter().filter(|(_, _, work)| matches!(work, Work::Frame(_)));
        frames.count() as u64
    }

    /// The last fault that killed the process here.
    pub(super) fn killer(&mut self) -> Option<&mut Strike> {
        let faults = &self.plan.faults;
        let mut strikes = self.log.strikes.iter_mut().rev();
        strikes.find(|strike| faults[strike.fault].kind.kills())
    }

    /// The process dies. Its memory, queue, timers and unfinished saves are gone; so is its disk if
    /// the machine is lost. What it sent before is on the wire.
    fn crash(&mut self, now: Nanos, effect: Effect, healed: Option<Nanos>) {
        let Effect::Crash { closes_connections, loses_disk, wire_dies } = effect else { return };
        let already_down = self.phase == Phase::Down;
        // Overlapping faults unite: the machine is down until the last of them is over.
        let unite = |until: Nanos| self.down_until.map(|before| before.max(until));
        self.down_until = if already_down { healed.and_then(unite) } else { healed };
        if let Some(at) = healed {
            self.push(at, Class::Fault, 0, Work::Boot);
        }
        if loses_disk {
            self.device.wipe();
        }
        if already_down {
            return;
        }
        self.tear(now);
        let unsent = self.sessions.iter().any(|(_, session)| session.left > now);
        self.forget(now);
        self.phase = Phase::Down;
        if closes_connections {
            self.close_connections(now);
        } else if unsent {
            self.acts.push(Act::ForgetUnsent { from: self.id, at: now });
        }
        if wire_dies {
            self.acts.push(Act::CutWire { from: self.id, at: now });
        }
    }

    /// When the last item sent would have left, had its link no jitter, ns.
    fn items_leave_until(&self) -> Nanos {
        let left = |(to, session): (NodeId, &Session)| {
            session.item_due.saturating_sub(self.plan.latency_ns(self.id, to))
        };
        self.sessions.iter().map(left).max().unwrap_or(0)
    }

    /// Everything heals: a machine that is down comes back at `at`.
    pub fn heal(&mut self, at: Nanos) {
        if self.phase == Phase::Down {
            self.down_until = Some(at);
            self.push(at, Class::Fault, 0, Work::Boot);
        }
        let open = |strike: &&mut Strike| {
            let planned = &self.plan.faults[strike.fault];
            strike.healed.is_none() && !planned.kind.kills()
        };
        let open: Vec<usize> = self
            .log
            .strikes
            .iter_mut()
            .filter(open)
            .map(|strike| {
                strike.healed = Some(at);
                strike.fault
            })
            .collect();
        for fault in open {
            self.push(at, Class::Fault, 0, Work::Over { fault });
        }
    }

    /// The operating system of a crashed process closes its connections; peers learn one delay
    /// later.
    fn close_connections(&mut self, now: Nanos) {
        let bytes = self.plan.systems.settings.control_bytes;
        for to in self.plan.acquaintances(self.id) {
            self.log.traffic.add(Cause::Control, 1, bytes);
            self.send(now, to, Body::ConnectionLost, bytes, 0, HandlerId::default());
        }
    }

    /// Ends the life of the process: whatever was scheduled for it is void.
    pub(super) fn forget(&mut self, now: Nanos) {
        self.node = None;
        self.paused.clear();
        self.incarnation += 1;
        self.lane = Default::default();
        self.timers.clear();
        self.heartbeats.to.clear();
        self.heartbeats.registration += 1;
        self.device.abort(now);
        // Parked frames were addressed to the memory that is gone.
        for (_, _, work) in std::mem::take(&mut self.parked) {
            match work {
                Work::Frame(frame) => {
                    self.significant_over += u64::from(frame.is_significant());
                    self.log.frames_lost += 1;
                }
                Work::Again(_) => self.significant_over += 1,
                _ => {}
            }
        }
    }

    pub(super) fn boot(&mut self, now: Nanos) {
        if self.phase != Phase::Down || self.down_until.is_none_or(|until| now < until) {
            return;
        }
        if let Some(strike) = self.killer() {
            strike.healed = Some(now);
        }
        tell!(INFO, now, "{}: the fault is over", self.name());
        self.phase = Phase::Loading;
        let stored = self.read_disk(now);
        self.load(now, Box::new(Found { stored, from: RestartFrom::Local }));
    }

    /// Charges for reading what was found; the process starts afterwards.
    pub(super) fn load(&mut self, now: Nanos, found: Box<Found>) {
        let read = transfer(stored_bytes(&found.stored), self.plan.storage.restore_bytes_per_s);
        let at = now + self.plan.systems.settings.redirect + read;
        self.schedule(at, Class::Started, Work::Started(found));
    }
}
