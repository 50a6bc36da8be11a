//! Operators. One file each; adding one is that file and its line in [`samples`].
//!
//! A payload of a shape that an operator is not made for (a pair where it reads flights) is
//! dropped, so that one stream of mixed inputs can probe them all.

use crate::operator::Operator;
use crate::protocol::SECOND;

mod filter;
mod flight;
mod flight_delays;
mod keyed;
mod map;
mod running;
mod sliding_window;
mod tumbling_window;

pub use filter::{Filter, Predicate};
pub use flight_delays::FlightDelays;
pub use map::Map;
pub use running::{Running, RunningKind};
pub use sliding_window::SlidingWindow;
pub use tumbling_window::TumblingWindow;

/// Every operator once, empty, with the name that a failing probe prints. Each is tested for its
/// class, its deltas and its `needs` without any further line.
pub fn samples() -> Vec<(&'static str, Box<dyn Operator>)> {
    vec![
        ("map", Box::new(Map)),
        ("filter, every value below 6", Box::new(Filter::new(Predicate::EveryValueBelow(6)))),
        ("filter, plausible flight", Box::new(Filter::new(Predicate::PlausibleFlight))),
        ("running count", Box::new(Running::new(RunningKind::Count))),
        ("running sum", Box::new(Running::new(RunningKind::Sum))),
        ("tumbling window", Box::new(TumblingWindow::new(SECOND))),
        ("sliding window", Box::new(SlidingWindow::new(SECOND))),
        ("flight delays", Box::new(FlightDelays::default())),
    ]
}
