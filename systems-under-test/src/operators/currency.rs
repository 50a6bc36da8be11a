//! Prices in another currency.

use crate::nexmark::{Event, Price};
use crate::operator::{Operator, OperatorClass, Outputs, Span, State};
use crate::protocol::{Nanos, Positions, Tuple};

/// Euros for a dollar, in thousandths: NEXMark's rate.
const RATE_THOUSANDTHS: i64 = 908;
/// What the rate adds to the decimals of a price.
const RATE_DECIMALS: u8 = 3;

/// NEXMark's q1: answers each bid with the same bid in euros. The product is exact: it has three
/// decimals more, and nothing is rounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Currency;

impl Operator for Currency {
    fn apply(&mut self, _now: Nanos, input: &Tuple, out: &mut Outputs) {
        let Some(Event::Bid { auction, bidder, price }) = Event::read(&input.payload) else {
            return;
        };
        let Price { units, decimals } = price;
        let price = Price { units: units * RATE_THOUSANDTHS, decimals: decimals + RATE_DECIMALS };
        out.emit(input.semantic, Event::Bid { auction, bidder, price }.payload());
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

#[cfg(test)]
mod tests {
    use super::super::testing::{emitted, event};
    use super::*;

    #[test]
    fn a_dollar_is_ninety_cents_and_eight_tenths_of_one() {
        let bid = |units, decimals| Event::Bid {
            auction: 1_000,
            bidder: 1_001,
            price: Price { units, decimals },
        };
        let mut out = Outputs::default();
        Currency.apply(0, &event(0, 0, 0, bid(100, 2)), &mut out);
        Currency.apply(0, &event(0, 1, 0, bid(1, 2)), &mut out);
        let person = Event::Auction { id: 1, seller: 2, category: 10 };
        Currency.apply(0, &event(0, 2, 0, person), &mut out);
        let payloads: Vec<_> = emitted(out).into_iter().map(|(_, payload)| payload).collect();
        assert_eq!(payloads, [bid(90_800, 5).payload(), bid(908, 5).payload()]);
    }
}
