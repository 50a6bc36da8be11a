//! What a machine will do, in an order that does not depend on history.

use super::device::Saving;
use super::frame::BoxedFrame;
use aftermath_systems::protocol::{Nanos, NodeId, RestartFrom, Stored, TimerId};
use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

/// What comes first within one instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    /// Started or activated.
    Started,
    /// A service completes.
    ServiceDone,
    /// A frame arrives. Items and talk are one class, so that what one machine sent to another
    /// is handled in the order of sending, always.
    Frame,
    /// A save is durable.
    Saved,
    /// A timer is due.
    Timer,
    /// The harness looks.
    Sample,
    /// A fault strikes or heals.
    Fault,
}

/// The order of work: nothing in it depends on the order in which machines are run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Key {
    /// Logical instant, ns.
    pub time: Nanos,
    /// Within the instant: class, sender and its own count, in one word, because heaps do little
    /// else than compare.
    within: u64,
}

/// Bits of a sender's count.
const COUNT_BITS: u32 = 40;

impl Key {
    /// After everything that happens.
    const NEVER: Key = Key { time: Nanos::MAX, within: u64::MAX };

    /// Work of a class at an instant, ns; the sender counts what it makes.
    ///
    /// # Panics
    /// When a sender has made a million times a million pieces of work.
    pub fn new(time: Nanos, class: Class, sender: NodeId, count: u64) -> Key {
        assert!(count < 1 << COUNT_BITS, "no run is that long");
        let class = (class as u64) << (COUNT_BITS + u16::BITS);
        Key { time, within: class | u64::from(sender.0) << COUNT_BITS | count }
    }
}

/// What a process finds that starts, and where it was looked for.
#[derive(Clone, Debug)]
pub struct Found {
    /// What storage holds.
    pub stored: Stored,
    /// Where.
    pub from: RestartFrom,
}

/// One piece of work. Its size is pinned by a test: heaps move it around, so what is large is
/// boxed.
#[derive(Clone, Debug)]
pub enum Work {
    /// Load what storage holds and start the process.
    Boot,
    /// The process is loaded: start.
    Started(Box<Found>),
    /// The redirect is over.
    Activated,
    /// The service in progress completes.
    ServiceDone,
    /// A frame arrives.
    Frame(BoxedFrame),
    /// A message that has arrived before comes again.
    Again(BoxedFrame),
    /// The connection with a machine was reset.
    Severed {
        /// The machine at its other end.
        peer: NodeId,
    },
    /// A save completes, or is refused.
    Saved(Box<Saving>),
    /// A timer, valid if its generation is still the current one.
    Timer(TimerId, u64),
    /// The next heartbeat, valid for this registration.
    Heartbeat(u64),
    /// The shared store answers a restart's question.
    Loaded(Box<Found>),
    /// Note the retained memory.
    Sample,
    /// The fault with this number strikes.
    Strike {
        /// Number in the schedule.
        fault: usize,
    },
    /// The fault with this number is over.
    Over {
        /// Number in the schedule.
        fault: usize,
    },
}

/// Work with its place in the order.
#[derive(Clone, Debug)]
struct Entry {
    key: Key,
    incarnation: u32,
    work: Work,
}

impl Ord for Entry {
    /// The other way round: the heap gives its largest entry first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.cmp(&self.key)
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Entry {}

/// Work to come, in order.
#[derive(Clone, Debug)]
pub struct Agenda {
    /// The key of the next piece of work: asked far more often than it changes.
    next: Key,
    /// Frames that came in the order in which they are due, as nearly all do: a queue costs a
    /// fraction of a heap.
    queue: VecDeque<Entry>,
    /// The end of the service in progress, and the incarnation that serves: there is one at a time.
    service: Option<(Key, u32)>,
    /// Everything else.
    heap: BinaryHeap<Entry>,
}

impl Default for Agenda {
    fn default() -> Self {
        let (queue, service, heap) = (VecDeque::new(), None, BinaryHeap::new());
        Agenda { next: Key::NEVER, queue, service, heap }
    }
}

impl Agenda {
    /// Adds work. It counts for `incarnation` of the process only (0: for any).
    pub fn push(&mut self, key: Key, incarnation: u32, work: Work) {
        self.next = self.next.min(key);
        match work {
            Work::ServiceDone if self.service.is_none() => self.service = Some((key, incarnation)),
            Work::Frame(_) if self.queue.back().is_none_or(|last| last.key < key) => {
                self.queue.push_back(Entry { key, incarnation, work });
            }
            _ => self.heap.push(Entry { key, incarnation, work }),
        }
    }

    /// When the next piece of work is due.
    #[inline]
    pub fn next_due(&self) -> Option<Nanos> {
        Some(self.next.time).filter(|due| *due < Nanos::MAX)
    }

    /// Takes the next piece of work that is due at `until` or before.
    #[inline]
    pub fn pop(&mut self, until: Nanos) -> Option<(Key, u32, Work)> {
        if self.next.time <= until { self.take() } else { None }
    }

    /// Takes the next piece of work.
    fn take(&mut self) -> Option<(Key, u32, Work)> {
        let is_next = |key: Key| key == self.next;
        let taken = if let Some((key, incarnation)) = self.service.filter(|(key, _)| is_next(*key))
        {
            self.service = None;
            Some((key, incarnation, Work::ServiceDone))
        } else {
            let queued = self.queue.front().is_some_and(|entry| is_next(entry.key));
            let entry = if queued { self.queue.pop_front() } else { self.heap.pop() };
            entry.map(|Entry { key, incarnation, work }| (key, incarnation, work))
        };
        let key = |entry: Option<&Entry>| entry.map_or(Key::NEVER, |entry| entry.key);
        let service = self.service.map_or(Key::NEVER, |(key, _)| key);
        self.next = key(self.queue.front()).min(key(self.heap.peek())).min(service);
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aftermath_systems::operator::mix;

    #[test]
    fn what_a_heap_moves_is_forty_bytes() {
        assert_eq!(size_of::<Work>(), 16);
        assert_eq!(size_of::<Entry>(), 40);
    }

    #[test]
    fn work_is_ordered_by_instant_then_class_then_sender_then_count() {
        let mut keys = Vec::new();
        for time in [0, Nanos::MAX] {
            for class in [Class::Started, Class::Frame, Class::Fault] {
                for sender in [0, 1, u16::MAX] {
                    let counts = [0, 1, (1 << COUNT_BITS) - 1];
                    keys.extend(counts.map(|count| Key::new(time, class, NodeId(sender), count)));
                }
            }
        }
        assert!(keys.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn work_comes_out_in_order_whatever_order_it_went_in() {
        let mut agenda = Agenda::default();
        let (mut pushed, mut popped) = (Vec::new(), Vec::new());
        for count in 0..2_000 {
            let word = mix(7, count);
            let time = count / 4 + word % 20;
            let key = Key::new(time, Class::Frame, NodeId(0), count);
            agenda.push(key, 0, if word >> 62 == 0 { Work::Sample } else { frame() });
            pushed.push(key);
            if word >> 61 == 7 {
                // What is due before is done: nothing comes later that is due earlier.
                popped.extend(std::iter::from_fn(|| agenda.pop(count / 4)).map(|(key, ..)| key));
                assert!(agenda.next_due().is_none_or(|due| due > count / 4));
            }
        }
        popped.extend(std::iter::from_fn(|| agenda.pop(Nanos::MAX)).map(|(key, ..)| key));
        assert!(popped.is_sorted_by_key(|key| key.time));
        pushed.sort_unstable();
        popped.sort_unstable();
        assert_eq!(pushed, popped);
    }

    #[test]
    fn an_instant_is_emptied_in_the_order_of_keys() {
        let mut agenda = Agenda::default();
        for count in [3, 1, 5, 2, 4] {
            agenda.push(Key::new(1, Class::Frame, NodeId(0), count), 0, frame());
        }
        agenda.push(Key::new(1, Class::ServiceDone, NodeId(0), 6), 0, Work::ServiceDone);
        let keys: Vec<Key> = std::iter::from_fn(|| agenda.pop(1)).map(|(key, ..)| key).collect();
        assert_eq!(keys.len(), 6);
        assert!(keys.is_sorted());
    }

    fn frame() -> Work {
        let body = crate::machine::Body::ConnectionLost;
        Work::Frame(Box::new(crate::machine::Frame {
            from: NodeId(0),
            to: NodeId(0),
            sent: 0,
            left: 0,
            due: 0,
            count: 0,
            session: (0, 0),
            cause: Default::default(),
            lineage: 0,
            is_copy: false,
            body,
        }))
    }
}
