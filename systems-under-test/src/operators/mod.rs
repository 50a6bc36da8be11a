//! Operators. One file each; adding one is that file and its line in [`samples`].
//!
//! A payload of a shape that an operator is not made for (a pair where it reads flights) is
//! dropped, so that one stream of mixed inputs can probe them all.

use crate::operator::Operator;
use crate::protocol::{MILLISECOND, SECOND, StreamId};

mod arrival_union;
mod clock_window;
mod currency;
mod filter;
mod flight;
mod flight_delays;
mod fold;
mod keyed;
mod map;
mod merge;
mod new_sellers;
mod open_window;
mod queue;
mod running;
mod seller_join;
mod sliding_window;
mod sorted_union;
#[cfg(test)]
mod testing;
mod timeout_window;
mod tumbling_window;
mod windowed_join;

pub use arrival_union::ArrivalUnion;
pub use clock_window::ClockWindow;
pub use currency::Currency;
pub use filter::{Filter, Predicate};
pub use flight_delays::FlightDelays;
pub use map::Map;
pub use new_sellers::NewSellers;
pub use running::{Running, RunningKind};
pub use seller_join::SellerJoin;
pub use sliding_window::SlidingWindow;
pub use sorted_union::SortedUnion;
pub use timeout_window::TimeoutWindow;
pub use tumbling_window::TumblingWindow;
pub use windowed_join::WindowedJoin;

/// An operator to probe.
pub struct Sample {
    /// What a failing probe prints.
    pub name: &'static str,
    /// How many input streams it is connected to; they are numbered from 0.
    pub streams: u16,
    /// Empty.
    pub operator: Box<dyn Operator>,
}

/// Every operator once. Each is tested for its class, its deltas and its `needs` without any
/// further line.
pub fn samples() -> Vec<Sample> {
    let below = Predicate::EveryValueBelow(6);
    vec![
        sample("map", 1, Map),
        sample("filter, every value below 6", 1, Filter::new(below)),
        sample("filter, even value", 1, Filter::new(Predicate::EvenValue)),
        sample("filter, odd value", 1, Filter::new(Predicate::OddValue)),
        sample("filter, plausible flight", 1, Filter::new(Predicate::PlausibleFlight)),
        sample("filter, person", 1, Filter::new(Predicate::Person)),
        sample("filter, local person", 1, Filter::new(Predicate::LocalPerson)),
        sample("filter, auction", 1, Filter::new(Predicate::Auction)),
        sample("filter, auction of category 10", 1, Filter::new(Predicate::AuctionOfCategoryTen)),
        sample("filter, bid", 1, Filter::new(Predicate::Bid)),
        sample("currency", 1, Currency),
        sample("running count", 1, Running::new(RunningKind::Count)),
        sample("running sum", 1, Running::new(RunningKind::Sum)),
        sample("tumbling window", 1, TumblingWindow::new(SECOND)),
        sample("sliding window", 1, SlidingWindow::new(SECOND)),
        sample("timeout window", 1, TimeoutWindow::new(200 * MILLISECOND)),
        sample("clock window", 1, ClockWindow::new(SECOND)),
        sample("flight delays", 1, FlightDelays::default()),
        sample("arrival union", 2, ArrivalUnion::default()),
        sample("sorted union", 2, SortedUnion::default()),
        sample("windowed join", 2, WindowedJoin::new(SECOND)),
        sample("seller join", 2, SellerJoin::default()),
        sample("new sellers", 2, NewSellers::new(2 * SECOND)),
    ]
}

fn sample(name: &'static str, streams: u16, mut operator: impl Operator + 'static) -> Sample {
    operator.connect(&(0..streams).map(StreamId).collect::<Vec<_>>());
    Sample { name, streams, operator: Box::new(operator) }
}
