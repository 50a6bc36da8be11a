//! Auctions joined with the people who sell, since the start of the stream.

use super::keyed::{Keyed, Value};
use super::merge::{Loaded, Merge};
use crate::nexmark::Event;
use crate::operator::{Operator, OperatorClass, Outputs, Span, State, mix};
use crate::protocol::{Field, Nanos, Payload, Positions, SemanticId, StreamId, Symbol, Tuple};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What an answer says of a person.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Seller {
    name: Symbol,
    city: Symbol,
    state: Symbol,
}

impl Value for Seller {
    fn mix_into(self, hash: u64) -> u64 {
        let Seller { name, city, state } = self;
        [name, city, state].into_iter().fold(hash, |hash, symbol| mix(hash, symbol.0.into()))
    }
}

/// NEXMark's q3, the join: takes people and auctions in the order of (schedule, rank of the
/// stream), and answers (person, name, city, state, auction) when the later one of an auction and
/// its seller has come. Which people and which auctions is the business of filters before it.
///
/// Both sides are kept for ever. What meets does not depend on the order of arrival, but *when* it
/// meets does, and so does the delivery id of the answer, by which receivers know a repetition:
/// hence the one order for both streams.
///
/// The class is *deterministic* and no stronger: whoever misses a person misses all that they sell
/// for the rest of the stream.
#[derive(Clone, Debug, Default)]
pub struct SellerJoin {
    merge: Merge,
    people: Keyed<Seller>,
    /// (seller, auction).
    auctions: Keyed<(), (u32, u32)>,
}

impl SellerJoin {
    /// The semantic kind of an answer; its key is the person and its index the auction.
    pub const OFFER: u16 = 1;

    fn release(&mut self, out: &mut Outputs) {
        while let Some((_, input)) = self.merge.next() {
            match Event::read(&input.payload) {
                Some(Event::Person { id, name, city, state }) => {
                    let seller = self.people.update(id, |_| Seller { name, city, state });
                    let release = out.release(&input);
                    for (_, auction) in self.auctions.keys_in((id, 0)..=(id, u32::MAX)) {
                        let (semantic, payload) = offer(id, seller, auction);
                        out.emit_for(release, semantic, payload);
                    }
                }
                Some(Event::Auction { id, seller, .. }) => {
                    self.auctions.update((seller, id), |_| ());
                    let release = out.release(&input);
                    if let Some(known) = self.people.get(seller) {
                        let (semantic, payload) = offer(seller, known, id);
                        out.emit_for(release, semantic, payload);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The answer for an auction of a person.
fn offer(person: u32, seller: Seller, auction: u32) -> (SemanticId, Payload) {
    let semantic = SemanticId { kind: SellerJoin::OFFER, key: person, index: auction.into() };
    let fields = [
        Field::Integer(person.into()),
        Field::Text(seller.name),
        Field::Text(seller.city),
        Field::Text(seller.state),
        Field::Integer(auction.into()),
    ];
    (semantic, Payload::Record(fields.into()))
}

impl Operator for SellerJoin {
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
    }

    fn snapshot(&mut self) -> State {
        let entries = self.merge.len() + self.people.len() + self.auctions.len();
        let (people, auctions) = (self.people.snapshot(), self.auctions.snapshot());
        State::encode(&(self.merge.snapshot(), people, auctions), entries)
    }

    fn restore(&mut self, state: &State) {
        let (waiting, people, auctions): (Loaded, _, BTreeMap<(u32, u32), ()>) = state.decode();
        self.merge.restore(waiting);
        self.people.restore(people);
        self.auctions.restore(auctions);
    }

    fn delta(&mut self) -> State {
        let waiting = self.merge.delta();
        let (people, auctions) = (self.people.delta(), self.auctions.delta());
        let entries = waiting.len() + people.len() + auctions.len();
        State::encode(&(&waiting, &people, &auctions), entries)
    }

    fn apply_delta(&mut self, delta: &State) {
        let (waiting, people, auctions) = delta.decode();
        self.merge.apply(waiting);
        self.people.apply(people);
        self.auctions.apply(auctions);
    }

    fn needs(&self, _received: &Positions) -> Positions {
        // Whoever registered first may still sell.
        Positions::default()
    }

    fn span(&self) -> Span {
        Span::Unbounded
    }

    fn class(&self) -> OperatorClass {
        OperatorClass::Deterministic
    }

    fn fans_out(&self) -> bool {
        true
    }

    fn digest(&self) -> u64 {
        mix(mix(self.people.digest(), self.auctions.digest()), self.merge.digest())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{emitted, event};
    use super::*;

    const PEOPLE: u16 = 3;
    const AUCTIONS: u16 = 7;

    fn person(id: u32) -> Event {
        Event::Person { id, name: Symbol(id), city: Symbol(8), state: Symbol(3) }
    }

    fn auction(id: u32, seller: u32) -> Event {
        Event::Auction { id, seller, category: 10 }
    }

    #[test]
    fn an_auction_and_its_seller_meet_once_whichever_comes_first() {
        let inputs = [
            event(PEOPLE, 0, 10, person(1_000)),
            event(AUCTIONS, 1, 20, auction(1, 1_000)),
            event(AUCTIONS, 2, 30, auction(2, 1_001)),
            event(AUCTIONS, 3, 40, auction(3, 1_001)),
            event(PEOPLE, 4, 50, person(1_001)),
            event(AUCTIONS, 5, 60, auction(4, 1_000)),
            event(AUCTIONS, 6, 70, auction(5, 1_002)),
        ];
        let answers = |order: &[usize]| {
            let mut join = SellerJoin::default();
            join.connect(&[StreamId(PEOPLE), StreamId(AUCTIONS)]);
            let mut out = Outputs::default();
            order.iter().for_each(|number| join.apply(0, &inputs[*number], &mut out));
            join.end(&mut out);
            let origins = out.list.iter().map(|output| {
                output.origin.expect("a join answers for the later input").id.position.sequence
            });
            let origins: Vec<u64> = origins.collect();
            (origins, emitted(out))
        };
        let (origins, found) = answers(&[0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(origins, [1, 4, 4, 5]);
        let met: Vec<_> = found.iter().map(|(id, _)| (id.key, id.index)).collect();
        assert_eq!(met, [(1_000, 1), (1_001, 2), (1_001, 3), (1_000, 4)]);
        let fields = [
            Field::Integer(1_001),
            Field::Text(Symbol(1_001)),
            Field::Text(Symbol(8)),
            Field::Text(Symbol(3)),
            Field::Integer(2),
        ];
        assert_eq!(found[1].1, Payload::Record(fields.into()));
        // All auctions are there before the first person is.
        assert_eq!(answers(&[1, 2, 3, 5, 6, 0, 4]), (origins, found));
    }
}
