//! Whether a system keeps up with its input. One that does not teaches nothing about memory or
//! about how long anything takes: queues grow, whatever the strategy does.

use super::recovery::lag;
use crate::run::RunLog;
use aftermath_systems::protocol::Nanos;

/// Growth below this is none, ns.
const MARGIN: Nanos = 1_000_000;

/// Whether more comes in than operators and their links work off, without any fault: the lag of
/// outputs grows from the second to the last quarter of the stream, both the largest and the
/// median.
pub fn is_overloaded(twin: &RunLog) -> bool {
    let lags = twin.deliveries.iter().map(|delivery| (delivery.scheduled, lag(delivery)));
    grows(lags, twin.plan.systems.workload.end_at)
}

/// Whether values with their instants grow over [0, end).
fn grows(values: impl Iterator<Item = (Nanos, Nanos)>, end: Nanos) -> bool {
    let mut quarters: [Vec<Nanos>; 4] = Default::default();
    for (at, value) in values.filter(|(at, _)| *at < end) {
        quarters[(4 * u128::from(at) / u128::from(end)) as usize].push(value);
    }
    let [_, second, _, last] = &mut quarters;
    second.sort_unstable();
    last.sort_unstable();
    let more = |before: Option<&Nanos>, after: Option<&Nanos>| match (before, after) {
        (Some(before), Some(after)) => *after > before + before / 4 + MARGIN,
        _ => false,
    };
    more(second.last(), last.last()) && more(second.get(second.len() / 2), last.get(last.len() / 2))
}
