//! People who register and sell within one window.

use super::keyed::{Keyed, Value};
use super::merge::{Loaded, Merge};
use crate::nexmark::Event;
use crate::operator::{Operator, OperatorClass, Outputs, Span, State, mix};
use crate::protocol::{Field, Nanos, Payload, Positions, SemanticId, StreamId, Symbol, Tuple};
use std::collections::BTreeSet;

impl Value for Symbol {
    fn mix_into(self, hash: u64) -> u64 {
        mix(hash, self.0.into())
    }
}

/// NEXMark's q8: takes people and auctions in the order of (schedule, rank of the stream). The
/// first input of a later window closes the open one, which then answers with (person, name) of
/// everybody who has registered in it and has opened an auction in it, in the order of people; so
/// does the end of the stream. Windows lie side by side in the time of the schedule.
///
/// What comes again from a window that is closed is dropped: it would meet the wrong people.
///
/// The class is *repeatable*: an instance that starts empty with the first inputs of a window,
/// which is what `needs` asks for, only repeats whole windows; and in the midst of one it leaves
/// people out and says nothing wrong.
#[derive(Clone, Debug)]
pub struct NewSellers {
    window: Nanos,
    merge: Merge,
    /// Which window is open: its start divided by the length.
    open: Option<u64>,
    /// Names by person.
    people: Keyed<Symbol>,
    sellers: Keyed<()>,
    /// The first input of each stream in the open window, of whatever kind: the last one of a
    /// stream tells how far the other may go.
    firsts: Positions,
}

impl NewSellers {
    /// The semantic kind of an answer; its key is the person and its index the window.
    pub const NEW_SELLER: u16 = 1;

    /// Windows of this length; window i begins at i lengths.
    ///
    /// # Panics
    /// When the length is zero.
    pub fn new(window: Nanos) -> NewSellers {
        assert!(window > 0, "a window has a length");
        NewSellers {
            window,
            merge: Merge::default(),
            open: None,
            people: Keyed::default(),
            sellers: Keyed::default(),
            firsts: Positions::default(),
        }
    }

    fn release(&mut self, out: &mut Outputs) {
        while let Some((_, input)) = self.merge.next() {
            let index = input.scheduled / self.window;
            if self.open.is_some_and(|open| index < open) {
                continue;
            }
            if self.open.is_some_and(|open| index > open) {
                self.close(Some(&input), out);
            }
            self.open.get_or_insert(index);
            let stream = input.id.stream;
            if self.firsts.iter().all(|(known, _)| known != stream) {
                self.firsts.set(stream, input.id.position);
            }
            match Event::read(&input.payload) {
                Some(Event::Person { id, name, .. }) => {
                    self.people.update(id, |_| name);
                }
                Some(Event::Auction { seller, .. }) => self.sellers.update(seller, |_| ()),
                _ => {}
            }
        }
    }

    /// Closes the open window, on account of an input or at the end of the stream.
    fn close(&mut self, trigger: Option<&Tuple>, out: &mut Outputs) {
        let Some(index) = self.open.take() else { return };
        self.firsts = Positions::default();
        let release = trigger.map(|input| out.release(input));
        let sellers: BTreeSet<u32> = self.sellers.drain().map(|(seller, ())| seller).collect();
        for (key, name) in self.people.drain() {
            if !sellers.contains(&key) {
                continue;
            }
            let semantic = SemanticId { kind: Self::NEW_SELLER, key, index };
            let payload = Payload::Record([Field::Integer(key.into()), Field::Text(name)].into());
            match release {
                Some(release) => out.emit_for(release, semantic, payload),
                None => out.emit(semantic, payload),
            }
        }
    }
}

impl Operator for NewSellers {
    fn connect(&mut self, streams: &[StreamId]) {
        self.merge.connect(streams);
    }

    fn apply(&mut self, _now: Nanos, input: &Tuple, out: &mut Outputs) {
        self.merge.push(input);
        self.release(out);
    }

    fn streams_ended(&mut self, _now: Nanos, ended: &[StreamId], out: &mut Outputs) {
        self.merge.end(ended);
        self.release(out);
    }

    fn end(&mut self, out: &mut Outputs) {
        self.merge.end_all();
        self.release(out);
        self.close(None, out);
    }

    fn snapshot(&mut self) -> State {
        let entries = self.merge.len() + self.people.len() + self.sellers.len();
        let (people, sellers) = (self.people.snapshot(), self.sellers.snapshot());
        let state = (self.open, &self.firsts, self.merge.snapshot(), people, sellers);
        State::encode(&state, entries)
    }

    fn restore(&mut self, state: &State) {
        let (waiting, people, sellers): (Loaded, _, _);
        (self.open, self.firsts, waiting, people, sellers) = state.decode();
        self.merge.restore(waiting);
        self.people.restore(people);
        self.sellers.restore(sellers);
    }

    fn delta(&mut self) -> State {
        let waiting = self.merge.delta();
        let (people, sellers) = (self.people.delta(), self.sellers.delta());
        let entries = waiting.len() + people.len() + sellers.len();
        State::encode(&(self.open, &self.firsts, &waiting, &people, &sellers), entries)
    }

    fn apply_delta(&mut self, delta: &State) {
        let (waiting, people, sellers);
        (self.open, self.firsts, waiting, people, sellers) = delta.decode();
        self.merge.apply(waiting);
        self.people.apply(people);
        self.sellers.apply(sellers);
    }

    fn needs(&self, received: &Positions) -> Positions {
        let first = |stream| self.firsts.iter().find(|(known, _)| *known == stream);
        self.merge.needs(received, |_, stream| Some(first(stream)?.1))
    }

    fn span(&self) -> Span {
        Span::Bounded(self.window)
    }

    fn class(&self) -> OperatorClass {
        OperatorClass::Repeatable
    }

    fn fans_out(&self) -> bool {
        true
    }

    fn digest(&self) -> u64 {
        let firsts = self.firsts.iter().fold(0, |hash, (stream, position)| {
            mix(mix(mix(hash, stream.0.into()), position.sequence), position.sub)
        });
        let contents = mix(self.people.digest(), self.sellers.digest());
        mix(mix(contents, self.merge.digest()), mix(firsts, self.open.map_or(0, |open| open + 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{emitted, event};
    use super::*;
    use crate::protocol::Position;

    const PEOPLE: u16 = 3;
    const AUCTIONS: u16 = 7;

    fn person(id: u32) -> Event {
        Event::Person { id, name: Symbol(id), city: Symbol(8), state: Symbol(3) }
    }

    fn auction(seller: u32) -> Event {
        Event::Auction { id: 1, seller, category: 12 }
    }

    fn new_sellers() -> NewSellers {
        let mut operator = NewSellers::new(10);
        operator.connect(&[StreamId(PEOPLE), StreamId(AUCTIONS)]);
        operator
    }

    #[test]
    fn who_registers_and_sells_in_one_window_is_told_when_it_closes() {
        let mut operator = new_sellers();
        let mut out = Outputs::default();
        for input in [
            event(PEOPLE, 0, 11, person(5)),
            // In the window before: its seller is not new when it closes.
            event(AUCTIONS, 1, 9, auction(5)),
            event(AUCTIONS, 2, 12, auction(4)),
            event(PEOPLE, 3, 13, person(4)),
            event(AUCTIONS, 4, 14, auction(4)),
            event(AUCTIONS, 5, 19, auction(6)),
            event(PEOPLE, 6, 20, person(6)),
        ] {
            operator.apply(0, &input, &mut out);
        }
        assert!(out.list.is_empty(), "an auction of the first window may still come");
        operator.apply(0, &event(AUCTIONS, 7, 21, auction(6)), &mut out);
        let origin = out.list[0].origin.expect("the input that closes is released").id;
        assert_eq!((origin.stream.0, origin.position), (PEOPLE, Position::of(6)));
        operator.end(&mut out);
        let told: Vec<_> = emitted(out).iter().map(|(id, _)| (id.key, id.index)).collect();
        assert_eq!(told, [(4, 1), (6, 2)]);
    }

    #[test]
    fn what_comes_again_from_a_closed_window_is_dropped() {
        let mut operator = new_sellers();
        let mut out = Outputs::default();
        for input in [
            event(PEOPLE, 0, 1, person(5)),
            event(AUCTIONS, 1, 2, auction(5)),
            event(PEOPLE, 2, 11, person(6)),
            event(AUCTIONS, 3, 12, auction(7)),
            event(PEOPLE, 0, 1, person(5)),
            event(AUCTIONS, 1, 2, auction(5)),
        ] {
            operator.apply(0, &input, &mut out);
        }
        operator.end(&mut out);
        let told: Vec<_> = emitted(out).iter().map(|(id, _)| (id.key, id.index)).collect();
        assert_eq!(told, [(5, 0)]);
    }

    #[test]
    fn the_open_window_and_what_waits_are_needed() {
        let mut operator = new_sellers();
        let mut out = Outputs::default();
        operator.apply(0, &event(PEOPLE, 4, 11, person(5)), &mut out);
        operator.apply(0, &event(AUCTIONS, 5, 12, auction(5)), &mut out);
        operator.apply(0, &event(AUCTIONS, 6, 23, auction(5)), &mut out);
        operator.apply(0, &event(PEOPLE, 7, 13, person(6)), &mut out);
        let received = [(StreamId(PEOPLE), Position::of(8)), (StreamId(AUCTIONS), Position::of(7))];
        let needs = operator.needs(&received.into_iter().collect());
        assert_eq!(needs.get(StreamId(PEOPLE)), Position::of(4));
        assert_eq!(needs.get(StreamId(AUCTIONS)), Position::of(5));
    }
}
