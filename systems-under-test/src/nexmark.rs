//! The events of NEXMark's auction site as payloads: who writes them and who reads them agree here.
//!
//! Source: P. Tucker, K. Tufte, V. Papadimos, D. Maier, "NEXMark – A Benchmark for Queries over
//! Data Streams", 2004; the queries as the suites of Apache Beam and Apache Flink have them.
//!
//! Kept are the columns that the queries q1, q3, q8 and q12 read, and prices. The time of an event
//! is the instant at which the source is scheduled to emit it.

use crate::protocol::{Field, Payload, Symbol};

/// The states that people live in, in lower case as they are generated. The symbol of a state is
/// its place here, so that operators can know it.
pub const STATES: [&str; 6] = ["az", "ca", "id", "or", "wa", "wy"];

/// Where every event has the person that it is about: who registered, sells or bids.
pub const PERSON: usize = 1;

/// An event. Its first column says of which kind it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// Somebody registers.
    Person {
        /// Who: each person registers once.
        id: u32,
        /// First and last name.
        name: Symbol,
        /// Where from.
        city: Symbol,
        /// One of [`STATES`].
        state: Symbol,
    },
    /// Something is offered.
    Auction {
        /// Which: each auction is opened once.
        id: u32,
        /// A person's id; it may register later.
        seller: u32,
        /// Of which kind it is: 10 to 14.
        category: u32,
    },
    /// Somebody bids.
    Bid {
        /// For what.
        auction: u32,
        /// A person's id.
        bidder: u32,
        /// The price.
        price: Price,
    },
}

/// An amount of money, exact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Price {
    /// The amount in its smallest unit.
    pub units: i64,
    /// How many decimals that unit has: two of dollars that are bid.
    pub decimals: u8,
}

const PERSON_KIND: i64 = 0;
const AUCTION_KIND: i64 = 1;
const BID_KIND: i64 = 2;

impl Event {
    /// Reads what [`Event::payload`] made; `None` for anything else.
    pub fn read(payload: &Payload) -> Option<Event> {
        let Payload::Record(fields) = payload else { return None };
        let id = |number: i64| u32::try_from(number).ok();
        match fields[..] {
            [
                Field::Integer(PERSON_KIND),
                Field::Integer(person),
                Field::Text(name),
                Field::Text(city),
                Field::Text(state),
            ] => Some(Event::Person { id: id(person)?, name, city, state }),
            [
                Field::Integer(AUCTION_KIND),
                Field::Integer(seller),
                Field::Integer(auction),
                Field::Integer(category),
            ] => Some(Event::Auction {
                id: id(auction)?,
                seller: id(seller)?,
                category: id(category)?,
            }),
            [
                Field::Integer(BID_KIND),
                Field::Integer(bidder),
                Field::Integer(auction),
                Field::Fixed { units, decimals },
            ] => Some(Event::Bid {
                auction: id(auction)?,
                bidder: id(bidder)?,
                price: Price { units, decimals },
            }),
            _ => None,
        }
    }

    /// The event as a record.
    pub fn payload(self) -> Payload {
        let number = |number: u32| Field::Integer(number.into());
        match self {
            Event::Person { id, name, city, state } => Payload::Record(
                [
                    Field::Integer(PERSON_KIND),
                    number(id),
                    Field::Text(name),
                    Field::Text(city),
                    Field::Text(state),
                ]
                .into(),
            ),
            Event::Auction { id, seller, category } => Payload::Record(
                [Field::Integer(AUCTION_KIND), number(seller), number(id), number(category)].into(),
            ),
            Event::Bid { auction, bidder, price: Price { units, decimals } } => {
                let price = Field::Fixed { units, decimals };
                let fields = [Field::Integer(BID_KIND), number(bidder), number(auction), price];
                Payload::Record(fields.into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_has_its_person_in_one_column() {
        let (name, city, state) = (Symbol(8), Symbol(7), Symbol(3));
        let price = Price { units: 1_234, decimals: 2 };
        for event in [
            Event::Person { id: 1_007, name, city, state },
            Event::Auction { id: 1_000, seller: 1_007, category: 10 },
            Event::Bid { auction: 1_000, bidder: 1_007, price },
        ] {
            assert_eq!(Event::read(&event.payload()), Some(event));
            assert_eq!(event.payload().key(PERSON), Some(1_007), "{event:?}");
        }
        assert_eq!(Event::read(&Payload::Pair { key: 1, value: 2 }), None);
        assert_eq!(Event::read(&Payload::Record([Field::Integer(0)].into())), None);
    }
}
