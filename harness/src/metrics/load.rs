//! Whether a system keeps up with its input. One that does not teaches nothing about memory or
//! about how long anything takes: queues grow, whatever the strategy does.

use super::recovery::lag;
use crate::run::RunLog;
use aftermath_systems::protocol::Nanos;

/// Growth below this is none, ns.
const MARGIN: Nanos = 1_000_000;

/// Whether more comes in than operators and their links work off, without any fault: a machine
/// needs more CPU time for the stream than that lasts, or the lag of outputs grows from the second
/// to the last quarter of it, both the largest and the median. Of what has hardly any outputs only
/// the former can be seen.
pub fn is_overloaded(twin: &RunLog) -> bool {
    let end = twin.plan.systems.workload.end_at;
    let lags = twin.deliveries.iter().map(|delivery| (delivery.scheduled, lag(delivery)));
    twin.nodes.iter().any(|node| node.log.cpu_ns > end) || grows(lags, end)
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
