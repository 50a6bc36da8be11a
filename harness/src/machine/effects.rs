//! Doing what a node wants done.

use super::{Act, Body, Class, Delivery, Frame, HandlerId, Machine, Mark, Phase, Work};
use aftermath_systems::protocol::{
    Blob, Cause, Effect, Event, Item, Link, Nanos, NodeId, Payload, Positions, RestartFrom,
    SaveKey, Scope,
};

use crate::narrator::tell;
use crate::plan::{Fate, Transmission};
use crate::transfer::transfer;

impl Machine {
    pub(super) fn execute(
        &mut self,
        now: Nanos,
        effect: Effect,
        lineage: Nanos,
        handler: HandlerId,
    ) {
        match effect {
            Effect::Emit { to, channel, term, item, cause } => {
                let bytes = match &item {
                    Item::Tuple(tuple) if tuple.payload != Payload::End => {
                        self.plan.systems.edge(self.plan.systems.channel(channel).edge).tuple_bytes
                    }
                    _ => self.plan.systems.settings.control_bytes,
                };
                self.count_traffic(cause, 1, bytes, self.plan.into_protected(channel));
                self.send(now, to, Body::Data { channel, term, item }, bytes, lineage, handler);
            }
            Effect::Link { to, link } => {
                let (cause, bytes) = self.link_cost(&link);
                if let Link::Trim { channel, safe } = &link {
                    self.log.trims.push((now, *channel, safe.clone()));
                }
                let systems = &self.plan.systems;
                let protection = match &link {
                    Link::Ack { channel, .. } | Link::Trim { channel, .. } => {
                        let peers = systems.node(to).instance == systems.node(self.id).instance;
                        peers || self.plan.into_protected(*channel)
                    }
                    _ => false,
                };
                self.count_traffic(cause, 1, bytes, protection);
                self.send(now, to, Body::Link(link), bytes, lineage, handler);
            }
            Effect::Send { to, bytes, modelled_bytes } => {
                let mut total = 0;
                for (index, (cause, bytes)) in modelled_bytes.iter().enumerate() {
                    self.count_traffic(*cause, u64::from(index == 0), *bytes, true);
                    total += bytes;
                }
                self.send(now, to, Body::Message(bytes), total, lineage, handler);
            }
            Effect::Save { key, blob, scope, covers } => self.save(now, key, blob, scope, covers),
            Effect::Timer { id, at } => {
                self.timers_set += 1;
                self.timers.insert(id, self.timers_set);
                self.schedule(at.max(now), Class::Timer, Work::Timer(id, self.timers_set));
            }
            Effect::Deliver(tuple) => self.log.deliveries.push(Delivery {
                at: now,
                semantic: tuple.semantic,
                scheduled: tuple.scheduled,
                lineage,
                payload: tuple.payload,
            }),
            Effect::Mark(name) => {
                tell!(DEBUG, now, "{}: {name}", self.name());
                self.log.marks.push(Mark { at: now, name });
                if !self.watches.is_empty() {
                    self.reach_point(now, name);
                }
            }
            Effect::Busy(duration_ns) => self.lane.stall(now + duration_ns),
            Effect::Activate => {
                self.phase = Phase::Activating;
                self.schedule(
                    now + self.plan.systems.settings.redirect,
                    Class::Started,
                    Work::Activated,
                );
            }
            Effect::Restart(from) => self.restart(now, from),
            Effect::Discard { slot, number } => self.acts.push(Act::Discard { slot, number }),
            Effect::Heartbeats { to, term } => {
                let registration = self.heartbeats.registration + 1;
                self.heartbeats = super::Heartbeats { to, term, registration };
                self.next_heartbeat(now);
            }
        }
    }

    fn count_traffic(&mut self, cause: Cause, messages: u64, bytes: u64, protection: bool) {
        self.log.traffic.add(cause, messages, bytes);
        if protection {
            self.log.hop_traffic.add(cause, messages, bytes);
        }
    }

    fn link_cost(&self, link: &Link) -> (Cause, u64) {
        let settings = &self.plan.systems.settings;
        match link {
            Link::Heartbeat { .. } => (Cause::Heartbeat, settings.heartbeat_bytes),
            Link::Ack { .. } => (Cause::Ack, settings.ack_bytes),
            Link::Trim { .. } => (Cause::Trim, settings.ack_bytes),
            Link::Takeover { .. }
            | Link::Rewound { .. }
            | Link::Wanted { .. }
            | Link::Hello { .. }
            | Link::Welcome { .. } => (Cause::Control, settings.control_bytes),
        }
    }

    /// Puts a frame on the wire: it waits for the link, takes its bytes' time and the latency.
    pub(super) fn send(
        &mut self,
        now: Nanos,
        to: NodeId,
        body: Body,
        bytes: u64,
        lineage: Nanos,
        cause: HandlerId,
    ) {
        self.count += 1;
        let takes = transfer(bytes, self.plan.bandwidth_bytes_per_s);
        let session = &mut self.sessions[to.index()];
        // Life is shown on a connection of its own: behind a large state that is being sent it
        // would come too late, and say that we are dead.
        let sent_at = if body.is_heartbeat() {
            now + takes
        } else {
            session.free_at = now.max(session.free_at) + takes;
            session.sent = match session.sent {
                (mine, number) if mine == self.incarnation => (mine, number + 1),
                _ => (self.incarnation, 1),
            };
            session.free_at
        };
        self.log.largest_bytes = self.log.largest_bytes.max(bytes);
        let (from, count, session) = (self.id, self.count, self.sessions[to.index()].sent);
        let Some((left, due)) = self.travel(to, sent_at, &body) else { return };
        if body.is_data() {
            let session = &mut self.sessions[to.index()];
            session.items_left = left.max(session.items_left);
            session.item_due = due;
        }
        if body.is_data() && self.plan.spares_lives {
            self.note_late(now, due - self.plan.latency_ns(self.id, to));
        }
        self.log.frames_sent += 1;
        self.significant_sent += u64::from(body.is_significant());
        let frame = Frame { from, to, sent: now, left, due, count, session, cause, lineage, body };
        self.outbox.push(frame);
    }

    /// Notes that an item sent now would have left at `leaving`.
    fn note_late(&mut self, now: Nanos, leaving: Nanos) {
        match self.log.late.last_mut() {
            Some((_, until)) if now <= *until => *until = leaving.max(*until),
            _ if leaving > now => self.log.late.push((now, leaving)),
            _ => {}
        }
    }

    /// When a frame leaves for good and when it arrives, if it does, ns: after latency and jitter,
    /// and never before the one sent before it on the same connection. What a fault takes is sent
    /// again, as often as it must, unless it is a heartbeat.
    fn travel(&mut self, to: NodeId, mut left: Nanos, body: &Body) -> Option<(Nanos, Nanos)> {
        let heartbeat = body.is_heartbeat();
        loop {
            let session = &mut self.sessions[to.index()];
            session.frames += 1;
            let number = session.frames;
            let jitter = self.plan.jitter_ns(self.id, to, number);
            let due = left + self.plan.latency_ns(self.id, to) + jitter;
            let last = if heartbeat { &mut session.heartbeat_due } else { &mut session.due };
            let pair = (self.id, to);
            let sent = Transmission { pair, left, due, number, heartbeat };
            let log = &mut self.log;
            match self
                .plan
                .fate(sent, &self.spells, |fault| log.touched.entry(fault).or_default().add(body))
            {
                Fate::Arrives(due) => {
                    *last = due.max(*last);
                    let due = *last;
                    if !heartbeat {
                        // What waits for something to be sent again is gone if that is gone.
                        session.left = left.max(session.left);
                        left = session.left;
                    }
                    return Some((left, due));
                }
                Fate::Lost if heartbeat => {
                    log.frames_lost += 1;
                    return None;
                }
                Fate::Lost => {
                    log.retransmissions += 1;
                    left += self.plan.retransmit_ns;
                }
            }
        }
    }

    fn save(&mut self, now: Nanos, key: SaveKey, blob: Blob, scope: Scope, covers: Positions) {
        self.log.saves += 1;
        let bytes = blob.modelled_bytes;
        self.log.largest_bytes = self.log.largest_bytes.max(bytes).max(blob.restored_bytes);
        if scope == Scope::Shared {
            // The store is remote: what is written there crosses the network.
            let region = self.plan.systems.region_of(self.id);
            let pointer = region.is_some_and(|region| region.coordinator == self.id);
            self.count_traffic(Cause::State, 1, bytes, !pointer);
        }
        let storage = &self.plan.storage;
        let (latency, bandwidth) = (storage.latency_ns, storage.bandwidth_bytes_per_s);
        let done = self.device.save(now, bytes, latency, bandwidth);
        self.schedule(done, Class::Saved, Work::Saved { key, blob, scope, covers });
    }

    pub(super) fn saved(
        &mut self,
        now: Nanos,
        key: SaveKey,
        blob: Blob,
        scope: Scope,
        covers: Positions,
    ) {
        match scope {
            Scope::Local => self.device.store(key, blob),
            Scope::Shared => self.acts.push(Act::Store { at: now, key, blob }),
        }
        self.log.durable.push((now, covers));
        self.handle(now, Event::Saved(key), 0, HandlerId::default());
    }

    /// A restart of its own free will: the process forgets, and lives on. The world goes on sending
    /// its heartbeats while it loads, or a long restart would cause the next suspicion.
    fn restart(&mut self, now: Nanos, from: RestartFrom) {
        let heartbeats = self.heartbeats.clone();
        // A pause that has struck in the midst of this handler outlives the memory.
        let paused = std::mem::take(&mut self.paused);
        self.forget(now);
        self.heartbeats = heartbeats;
        self.paused = paused;
        self.phase = Phase::Loading;
        match from {
            RestartFrom::Nothing => self.load(now, Default::default(), from),
            RestartFrom::Local => self.load(now, self.device.stored(), from),
            RestartFrom::Shared { slot, number } => {
                let (node, incarnation) = (self.id, self.incarnation);
                self.acts.push(Act::Read { node, incarnation, at: now, slot, number });
            }
        }
    }

    pub(super) fn next_heartbeat(&mut self, now: Nanos) {
        if self.heartbeats.to.is_empty() {
            return;
        }
        let every = self.plan.systems.settings.heartbeat_every;
        let phase = self.plan.systems.node(self.id).heartbeat_phase;
        let at = aftermath_systems::node::next_on_grid(now, every, phase);
        // A heartbeat belongs to its registration, not to the incarnation that lives by then:
        // registrations end with the process.
        self.push(at, Class::Timer, 0, Work::Heartbeat(self.heartbeats.registration));
    }

    pub(super) fn heartbeat(&mut self, now: Nanos, registration: u64) {
        if self.phase == Phase::Down || registration != self.heartbeats.registration {
            return;
        }
        let link = Link::Heartbeat { term: self.heartbeats.term };
        let (cause, bytes) = self.link_cost(&link);
        for to in self.heartbeats.to.clone() {
            self.count_traffic(cause, 1, bytes, false);
            let handler = HandlerId::default();
            self.send(now, to, Body::Link(link.clone()), bytes, self.lineage, handler);
        }
        self.next_heartbeat(now);
    }
}
