//! Doing what a node wants done.

use super::device::Save;
use super::{Act, Body, Class, Delivery, Found, HandlerId, Machine, Mark, Phase, Work};
use aftermath_systems::protocol::{Cause, Effect, Item, Link, Nanos, Payload, RestartFrom};

use crate::narrator::tell;

impl Machine {
    pub(super) fn execute(
        &mut self,
        now: Nanos,
        effect: Effect,
        lineage: Nanos,
        handler: HandlerId,
    ) {
        match effect {
            Effect::Emit { to, channel, stamp, item, cause } => {
                let bytes = match &item {
                    Item::Tuple(tuple) if tuple.payload != Payload::End => {
                        self.plan.systems.edge(self.plan.systems.channel(channel).edge).tuple_bytes
                    }
                    _ => self.plan.systems.settings.control_bytes,
                };
                self.count_traffic(cause, 1, bytes, self.plan.into_protected(channel));
                self.send(now, to, Body::Data { channel, stamp, item }, bytes, lineage, handler);
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
            Effect::Save { key, blob, scope, covers } => {
                self.save(now, Save { key, blob, scope, covers });
            }
            Effect::Timer { id, at } => {
                self.timers_set += 1;
                self.timers.set(id, self.timers_set);
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

    pub(super) fn count_traffic(
        &mut self,
        cause: Cause,
        messages: u64,
        bytes: u64,
        protection: bool,
    ) {
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
            RestartFrom::Nothing => {
                self.load(now, Box::new(Found { stored: Default::default(), from }));
            }
            RestartFrom::Local => {
                let stored = self.read_disk(now);
                self.load(now, Box::new(Found { stored, from }));
            }
            RestartFrom::Shared { slot, number, attempt } => {
                let (node, incarnation) = (self.id, self.incarnation);
                self.acts.push(Act::Read { node, incarnation, at: now, slot, number, attempt });
            }
        }
    }

    fn next_heartbeat(&mut self, now: Nanos) {
        if self.heartbeats.to.is_empty() {
            return;
        }
        let every = self.plan.systems.settings.heartbeat_every;
        let phase = self.plan.systems.node(self.id).heartbeat_phase;
        let at = aftermath_systems::context::next_on_grid(now, every, phase);
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
