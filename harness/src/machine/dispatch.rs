//! What a machine does with one piece of work: whether it waits, and what comes of it.

use super::agenda::Key;
use super::{Body, BoxedFrame, Class, Found, Frame, HandlerId, Machine, Phase, Work};
use crate::narrator::tell;
use crate::plan::Transmission;
use aftermath_systems::planted_bugs::Bug;
use aftermath_systems::protocol::{Event, Nanos, NodeId};

impl Machine {
    pub(super) fn take(&mut self, key: Key, incarnation: u32, work: Work) {
        if incarnation != 0 && incarnation != self.incarnation {
            return;
        }
        // What waited while parked is handled late, in its old order.
        let now = key.time.max(self.clock);
        if now > self.clock {
            self.clock = now;
            self.handlers_now = 0;
        }
        // Frames take a tick, so only work that a machine makes for itself can go in circles.
        self.handlers_now += u32::from(!matches!(work, Work::Frame(_) | Work::ServiceDone));
        if self.livelocked() {
            return;
        }
        if self.must_wait(&work) {
            self.note_waiting(&work);
            self.parked.push((key, incarnation, work));
        } else {
            self.work(now, work);
        }
    }

    /// Counts what waits because the process stands still.
    fn note_waiting(&mut self, work: &Work) {
        if let Work::Frame(frame) = work
            && !frame.body.is_heartbeat()
        {
            let paused = &self.paused;
            let strikes = self.log.strikes.iter_mut();
            strikes.filter(|s| paused.contains(&s.fault)).for_each(|strike| strike.waited += 1);
        }
    }

    fn must_wait(&self, work: &Work) -> bool {
        let of_the_world = matches!(work, Work::Strike { .. } | Work::Over { .. } | Work::Sample);
        if !self.paused.is_empty() && !of_the_world {
            return true;
        }
        match self.phase {
            Phase::Loading => matches!(work, Work::Frame(_) | Work::Again(_)),
            Phase::Activating => {
                matches!(work, Work::Frame(_) | Work::Again(_) | Work::Severed { .. })
                    || matches!(work, Work::Timer(..))
            }
            Phase::Up | Phase::Down => false,
        }
    }

    fn work(&mut self, now: Nanos, work: Work) {
        match work {
            Work::Boot => self.boot(now),
            Work::Loaded(found) => self.load(now, found),
            Work::Started(found) => self.start(now, *found),
            Work::Activated => self.activated(now),
            Work::ServiceDone => self.service_done(now),
            Work::Frame(frame) => self.arrive(now, frame),
            Work::Again(frame) => self.arrive_again(now, frame),
            Work::Severed { peer } => self.severed(now, peer),
            Work::Saved(saving) => self.saved(now, *saving),
            Work::Timer(id, generation) => {
                if self.timers.ring(id, generation) {
                    self.handle(now, Event::Timer(id), 0, HandlerId::default());
                }
            }
            Work::Heartbeat(registration) => self.heartbeat(now, registration),
            Work::Sample => {
                self.log.retained.push(self.retained());
                self.log.waiting.push(self.waiting(now));
                let next = now + self.plan.sample_every_ns;
                self.push(next, Class::Sample, 0, Work::Sample);
            }
            Work::Strike { fault } => self.struck(now, fault),
            Work::Over { fault } => self.over(now, fault),
        }
    }

    fn arrive(&mut self, now: Nanos, frame: BoxedFrame) {
        self.significant_over += u64::from(frame.is_significant());
        if self.phase == Phase::Down || self.cuts.iter().any(|cut| cut.hits(&frame)) {
            self.log.frames_lost += 1;
            if let (Phase::Down, Some(strike)) = (self.phase, self.killer()) {
                strike.items_lost += u64::from(frame.body.is_data());
                strike.messages_lost += u64::from(matches!(frame.body, Body::Message(_)));
            }
            return;
        }
        let unordered = self.plan.systems.bug == Some(Bug::SessionUnordered);
        if !frame.body.is_heartbeat() && !unordered {
            // The original came before, or died with whoever it was for.
            if frame.is_copy {
                self.log.copies_dropped += 1;
                return;
            }
            let session = self.sessions.with(frame.from);
            assert!(frame.session > session.received, "links are FIFO: {frame:?}");
            session.received = frame.session;
        }
        self.keep_for_later(now, &frame);
        self.accept(now, frame);
    }

    /// A fault may hand a message to us again, later.
    fn keep_for_later(&mut self, now: Nanos, frame: &Frame) {
        // That a connection is lost is no message, and a sign of life is kept by nobody.
        let passes = frame.body.is_heartbeat() || matches!(frame.body, Body::ConnectionLost);
        if !self.plan.redelivers || passes {
            return;
        }
        let pair = (frame.from, self.id);
        let arrived = Transmission {
            pair,
            left: frame.left,
            due: now,
            number: frame.count,
            heartbeat: false,
        };
        let log = &mut self.log;
        for at in
            self.plan.again(arrived, &self.spells, |fault, met| log.note(fault, met, &frame.body))
        {
            // It counts for whatever process runs by then.
            self.significant_sent += 1;
            self.push(at, Class::Frame, 0, Work::Again(Box::new(frame.clone())));
        }
    }

    fn arrive_again(&mut self, now: Nanos, frame: BoxedFrame) {
        self.significant_over += 1;
        if self.phase != Phase::Down {
            self.accept(now, frame);
        }
    }

    /// The connection with a machine was reset, and the process notices, if there is one.
    fn severed(&mut self, now: Nanos, peer: NodeId) {
        if self.phase == Phase::Up {
            self.handle(now, Event::ConnectionLost(peer), 0, HandlerId::default());
        }
    }

    /// Hands a frame to the process, or puts it into its queue.
    fn accept(&mut self, now: Nanos, frame: BoxedFrame) {
        if frame.body.is_data() {
            return self.enqueue(now, frame);
        }
        let Frame { from, lineage, cause, .. } = *frame;
        let event = match self.unboxed(frame) {
            // It has gone into the queue.
            Body::Data { .. } => return,
            Body::Link(link) => Event::Link { from, link },
            Body::Message(bytes) => Event::Message { from, bytes },
            Body::ConnectionLost => Event::ConnectionLost(from),
        };
        self.handle(now, event, lineage, cause);
    }

    fn start(&mut self, now: Nanos, found: Found) {
        let Found { stored, from } = found;
        self.node = Some(self.plan.process(self.id));
        self.phase = Phase::Up;
        if self.incarnation > 1 {
            tell!(INFO, now, "{}: restarted from {from:?}", self.name());
            self.lineage = now;
            self.log.activations.push(now);
        }
        let event = Event::Started { incarnation: self.incarnation, stored, from };
        self.handle(now, event, self.lineage, HandlerId::default());
        self.unpark();
    }

    fn activated(&mut self, now: Nanos) {
        tell!(INFO, now, "{}: activated", self.name());
        self.phase = Phase::Up;
        self.lineage = now;
        self.log.activations.push(now);
        self.handle(now, Event::Activated, now, HandlerId::default());
        self.unpark();
        // A service may have ended meanwhile, and left the queue standing.
        self.serve_on(now);
    }

    pub(super) fn unpark(&mut self) {
        for (key, incarnation, work) in std::mem::take(&mut self.parked) {
            self.agenda.push(key, incarnation, work);
        }
    }
}
