//! Lets some tuples pass, unchanged.

use super::flight::Flight;
use crate::nexmark::{Event, STATES};
use crate::operator::{Operator, OperatorClass, Outputs, Span, State};
use crate::protocol::{Nanos, Payload, Positions, Symbol, Tuple};

/// Which tuples pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Predicate {
    /// Pairs with a number below this one.
    EveryValueBelow(i64),
    /// Pairs with an even number.
    EvenValue,
    /// Pairs with an odd number.
    OddValue,
    /// Flights over some distance, at most two hours early and at most a day late: recorded
    /// streams hold typing errors.
    PlausibleFlight,
    /// People who register, of NEXMark.
    Person,
    /// Those of Oregon, Idaho and California, whom q3 asks for.
    LocalPerson,
    /// Auctions that are opened.
    Auction,
    /// Those of the category that q3 asks for.
    AuctionOfCategoryTen,
    /// Bids.
    Bid,
}

/// The states that q3 asks for.
const LOCAL: [&str; 3] = ["or", "id", "ca"];

/// Whether a state is one that q3 asks for.
fn is_local(state: Symbol) -> bool {
    STATES.get(state.0 as usize).is_some_and(|name| LOCAL.contains(name))
}

impl Predicate {
    fn accepts(self, payload: &Payload) -> bool {
        match self {
            Predicate::EveryValueBelow(bound) => {
                matches!(payload, Payload::Pair { value, .. } if *value < bound)
            }
            Predicate::EvenValue => {
                matches!(payload, Payload::Pair { value, .. } if value % 2 == 0)
            }
            Predicate::OddValue => {
                matches!(payload, Payload::Pair { value, .. } if value % 2 != 0)
            }
            Predicate::PlausibleFlight => Flight::read(payload)
                .is_some_and(|flight| flight.distance > 0 && (-120..=1440).contains(&flight.delay)),
            Predicate::Person => matches!(Event::read(payload), Some(Event::Person { .. })),
            Predicate::LocalPerson => {
                matches!(Event::read(payload), Some(Event::Person { state, .. }) if is_local(state))
            }
            Predicate::Auction => matches!(Event::read(payload), Some(Event::Auction { .. })),
            Predicate::AuctionOfCategoryTen => {
                matches!(Event::read(payload), Some(Event::Auction { category: 10, .. }))
            }
            Predicate::Bid => matches!(Event::read(payload), Some(Event::Bid { .. })),
        }
    }
}

/// Drops what its predicate does not accept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Filter {
    predicate: Predicate,
}

impl Filter {
    /// Lets pass what `predicate` accepts.
    pub fn new(predicate: Predicate) -> Filter {
        Filter { predicate }
    }
}

impl Operator for Filter {
    fn apply(&mut self, _now: Nanos, input: &Tuple, out: &mut Outputs) {
        if self.predicate.accepts(&input.payload) {
            out.emit(input.semantic, input.payload.clone());
        }
    }

    fn snapshot(&mut self) -> State {
        State::default()
    }

    fn restore(&mut self, _state: &State) {}

    fn delta(&mut self) -> State {
        State::default()
    }

    fn apply_delta(&mut self, _delta: &State) {}

    fn needs(&self, received: &Positions) -> Positions {
        received.clone()
    }

    fn span(&self) -> Span {
        Span::Stateless
    }

    fn class(&self) -> OperatorClass {
        OperatorClass::Repeatable
    }

    fn digest(&self) -> u64 {
        0
    }
}
