//! Sending: what a machine knows of its connection with another, and when a frame gets there.

use super::{Body, BoxedFrame, Frame, HandlerId, Machine, MachineLog};
use crate::plan::{Fate, RunPlan, Spell, Transmission};
use crate::transfer::transfer;
use aftermath_systems::planted_bugs::Bug;
use aftermath_systems::protocol::{Nanos, NodeId};
use std::collections::VecDeque;

/// What one machine knows of its connection with another: frames are numbered within a pair of
/// incarnations and arrive in that order.
#[derive(Clone, Debug, Default)]
pub(super) struct Session {
    /// When the link to it is free again (bandwidth), ns.
    pub(super) free_at: Nanos,
    /// When the last frame to it, heartbeats apart, leaves for good, ns.
    pub(super) left: Nanos,
    /// When the last item to it leaves for good, ns.
    pub(super) items_left: Nanos,
    /// When the last frame to it is due, ns: jitter lets none overtake another.
    pub(super) due: Nanos,
    /// When the last item to it is due, ns.
    pub(super) item_due: Nanos,
    /// The same of heartbeats, which have a connection of their own.
    pub(super) heartbeat_due: Nanos,
    /// Frames sent to it, over all our incarnations.
    pub(super) frames: u64,
    /// Our incarnation when we last sent, and the number of that frame.
    pub(super) sent: (u32, u64),
    /// Its incarnation and number of the last frame that arrived.
    pub(super) received: (u32, u64),
    /// What is on the wire and has not been overtaken: when it comes over, ns, and which fault
    /// holds it up. Kept only where a fault makes frames overtake each other.
    pub(super) on_wire: VecDeque<(Nanos, Option<usize>)>,
}

/// The sessions of one machine: with those others that it has had to do with.
#[derive(Clone, Debug, Default)]
pub(super) struct Sessions {
    /// In the order of nodes.
    list: Vec<(NodeId, Session)>,
    /// By node: one more than the place in the list; 0 if there is none.
    places: Vec<u16>,
}

impl Sessions {
    /// The session with another machine.
    #[inline]
    pub(super) fn with(&mut self, peer: NodeId) -> &mut Session {
        let known = self.places.get(peer.index()).copied().filter(|place| *place > 0);
        let place = known.unwrap_or_else(|| self.begin(peer));
        &mut self.list[usize::from(place) - 1].1
    }

    /// Begins one; returns its place.
    #[cold]
    fn begin(&mut self, peer: NodeId) -> u16 {
        let at = self.list.partition_point(|(node, _)| *node < peer);
        self.list.insert(at, (peer, Session::default()));
        let last = self.list.last().map_or(0, |(node, _)| node.index());
        self.places.resize(last + 1, 0);
        for (place, (node, _)) in (1..).zip(&self.list) {
            self.places[node.index()] = place;
        }
        self.places[peer.index()]
    }

    /// All of them, in the order of nodes.
    pub(super) fn iter(&self) -> impl Iterator<Item = (NodeId, &Session)> {
        self.list.iter().map(|(node, session)| (*node, session))
    }
}

/// When a frame leaves for good and when it arrives, ns.
struct Way {
    left: Nanos,
    due: Nanos,
    /// When a copy of it arrives.
    copy_at: Option<Nanos>,
}

impl Session {
    /// Notes that a frame leaves now and is on the wire until `arrives`. Calls `overtaken` with the
    /// fault that holds it up for each frame that was sent before and comes over after it: a real
    /// inversion on the wire (a frame is reordered if one that was sent later has come before it,
    /// RFC 4737, section 3).
    fn overtake(
        &mut self,
        leaves: Nanos,
        arrives: Nanos,
        delayed: Option<usize>,
        mut overtaken: impl FnMut(Option<usize>),
    ) {
        // Sorted by arrival: whatever was overtaken has been taken out.
        while self.on_wire.front().is_some_and(|(at, _)| *at <= leaves) {
            self.on_wire.pop_front();
        }
        while let Some((_, fault)) = self.on_wire.back().filter(|(at, _)| *at > arrives) {
            overtaken(*fault);
            self.on_wire.pop_back();
        }
        self.on_wire.push_back((arrives, delayed));
    }

    /// When a frame leaves for good and when it arrives, if it does, ns: after latency and jitter,
    /// and never before the one sent before it on the same connection. What a fault takes is sent
    /// again, as often as it must, unless it is a heartbeat.
    fn travel(
        &mut self,
        (plan, spells): (&RunPlan, &[Spell]),
        log: &mut MachineLog,
        pair: (NodeId, NodeId),
        mut left: Nanos,
        body: &Body,
    ) -> Option<Way> {
        let heartbeat = body.is_heartbeat();
        loop {
            self.frames += 1;
            let number = self.frames;
            let due = left + plan.latency_ns(pair.0, pair.1);
            let due = due + plan.jitter_ns(pair.0, pair.1, number);
            let last = if heartbeat { &mut self.heartbeat_due } else { &mut self.due };
            let sent = Transmission { pair, left, due, number, heartbeat };
            match plan.fate(sent, spells, |fault, met| log.note(fault, met, body)) {
                Fate::Arrives { at, copy_at, delayed } => {
                    let unordered = plan.systems.bug == Some(Bug::SessionUnordered);
                    *last = if unordered { at } else { at.max(*last) };
                    let due = *last;
                    if plan.reorders && !heartbeat {
                        self.overtake(sent.left, at, delayed, |fault| log.overtaken(fault));
                    }
                    if !heartbeat {
                        // What waits for something to be sent again is gone if that is gone.
                        self.left = left.max(self.left);
                        left = self.left;
                    }
                    return Some(Way { left, due, copy_at: copy_at.map(|at| at.max(due)) });
                }
                Fate::Lost if heartbeat => {
                    log.frames_lost += 1;
                    return None;
                }
                Fate::Lost => {
                    log.retransmissions += 1;
                    left += plan.retransmit_ns;
                }
            }
        }
    }
}

impl Machine {
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
        let (from, incarnation, count) = (self.id, self.incarnation, self.count);
        let (plan, log) = (&*self.plan, &mut self.log);
        let session = self.sessions.with(to);
        let takes = transfer(bytes, plan.bandwidth_bytes_per_s);
        // Life is shown on a connection of its own: behind a large state that is being sent it
        // would come too late, and say that we are dead.
        let sent_at = if body.is_heartbeat() {
            now + takes
        } else {
            session.free_at = now.max(session.free_at) + takes;
            session.sent = match session.sent {
                (mine, number) if mine == incarnation => (mine, number + 1),
                _ => (incarnation, 1),
            };
            session.free_at
        };
        log.largest_bytes = log.largest_bytes.max(bytes);
        let way = session.travel((plan, &self.spells), log, (from, to), sent_at, &body);
        let Some(Way { left, due, copy_at }) = way else { return };
        if body.is_data() {
            session.items_left = left.max(session.items_left);
            session.item_due = due;
            if plan.spares_lives {
                note_late(log, now, due - plan.latency_ns(from, to));
            }
        }
        let session = session.sent;
        let mut frame = self.spare.pop().unwrap_or_else(Frame::blank);
        frame.fill((from, to), (now, left, due), (count, session), (cause, lineage), body);
        self.significant_sent += u64::from(frame.is_significant());
        let copy = copy_at.map(|due| Box::new(Frame { due, is_copy: true, ..(*frame).clone() }));
        self.log.frames_sent += 1 + u64::from(copy.is_some());
        self.outbox.push(frame);
        self.outbox.extend(copy);
    }
}

/// Most boxes that a machine keeps for frames to come.
const SPARE_MAX: usize = 32;

impl Machine {
    /// Takes the content out of a frame, and keeps the box.
    pub(super) fn unboxed(&mut self, mut frame: BoxedFrame) -> Body {
        let body = std::mem::replace(&mut frame.body, Body::ConnectionLost);
        if self.spare.len() < SPARE_MAX {
            self.spare.push(frame);
        }
        body
    }
}

impl Frame {
    /// A box for a frame.
    fn blank() -> BoxedFrame {
        Box::new(Frame {
            from: NodeId(0),
            to: NodeId(0),
            sent: 0,
            left: 0,
            due: 0,
            count: 0,
            session: (0, 0),
            cause: HandlerId::default(),
            lineage: 0,
            is_copy: false,
            body: Body::ConnectionLost,
        })
    }

    /// Makes it another frame, no copy. Field by field in its box: a whole frame would be moved
    /// twice on its way there.
    #[inline]
    fn fill(
        &mut self,
        pair: (NodeId, NodeId),
        times: (Nanos, Nanos, Nanos),
        order: (u64, (u32, u64)),
        origin: (HandlerId, Nanos),
        content: Body,
    ) {
        // Without dots, so that no field is forgotten.
        let Frame { from, to, sent, left, due, count, session, cause, lineage, is_copy, body } =
            self;
        (*from, *to) = pair;
        (*sent, *left, *due) = times;
        (*count, *session) = order;
        (*cause, *lineage) = origin;
        *is_copy = false;
        *body = content;
    }
}

/// Notes that an item sent now would have left at `leaving`.
fn note_late(log: &mut MachineLog, now: Nanos, leaving: Nanos) {
    match log.late.last_mut() {
        Some((_, until)) if now <= *until => *until = leaving.max(*until),
        _ if leaving > now => log.late.push((now, leaving)),
        _ => {}
    }
}
