//! How long a run can last in virtual time. Its machines note their memory and their queues at
//! every sampling instant and all of that is kept, so a run of months would fill any computer.

use super::table::Table;
use crate::config::{FaultConfig, RunConfig};
use crate::faults::of;
use aftermath_systems::options::{OptionKind, format_duration};
use aftermath_systems::protocol::{Nanos, SECOND};

/// Notes a mistake if a run could last longer than its machines can note down: the stream, and then
/// as long as it may stand still before it is given up.
pub fn check(root: &Table, config: &RunConfig) {
    let every = config.sample_every_ns();
    let most = config.longest_ns();
    let stream = config.input.length_ns(config.rate_per_s);
    let waits = waits(config);
    let sum = waits.iter().fold(0u64, |sum, (_, wait)| sum.saturating_add(*wait));
    let still = (sum.saturating_mul(10)).saturating_add(10 * SECOND);
    let still = config.drain_within_ns.unwrap_or(still);
    let all = stream.saturating_add(still);
    if all <= most {
        return;
    }
    let given = config.drain_within_ns.map(|still| ("`drain_within`".to_string(), still));
    let named = given.map_or(waits, |given| vec![given]);
    let stream = ("the stream".to_string(), stream);
    let longest = named.into_iter().chain([stream]).max_by_key(|(_, length)| *length);
    let (what, length) = longest.expect("the stream is one of them");
    root.error(
        format!(
            "a run could last {} before it is given up, and its machines note their memory every \
             {}: at most {} are possible",
            format_duration(all),
            format_duration(every),
            format_duration(most)
        ),
        Some(format!(
            "most of it is {what} ({}): shorten that, or make both `timing.heartbeat` and \
             `timing.interval` longer, a quarter of which lies between two notes",
            format_duration(length)
        )),
    );
}

/// What may be waited for while nothing moves, as the bound on standing still adds it up
/// (`plan::schedule::still_bound`), and how long each is, ns.
fn waits(config: &RunConfig) -> Vec<(String, Nanos)> {
    let (network, timing) = (&config.network, &config.timing);
    let longest = |all: Nanos, edges: &mut dyn Iterator<Item = &Nanos>| {
        edges.copied().fold(all, Nanos::max).saturating_mul(4)
    };
    let mut waits = vec![
        (
            "`timing.misses` times `timing.heartbeat`",
            timing.heartbeat_ns.saturating_mul(timing.misses + 2),
        ),
        ("`timing.redirect`", timing.redirect_ns),
        ("`timing.interval`", timing.interval_ns),
        (
            "four times `network.latency`",
            longest(network.latency_ns, &mut network.edge_latency_ns.values()),
        ),
        (
            "four times `network.jitter`",
            longest(network.jitter_ns, &mut network.edge_jitter_ns.values()),
        ),
    ]
    .into_iter()
    .map(|(name, length)| (name.to_string(), length))
    .collect::<Vec<_>>();
    waits.extend(config.faults.iter().enumerate().map(|(number, fault)| {
        (format!("`fault.{number}.{}`", of(fault.kind).name), late_ns(fault))
    }));
    waits
}

/// How much later something comes for what a fault is set to, ns.
fn late_ns(fault: &FaultConfig) -> Nanos {
    let settings = of(fault.kind).options.iter();
    let spans = settings.filter(|setting| setting.kind == OptionKind::Duration);
    let lengths = spans.filter_map(|setting| fault.options.duration(setting.name));
    lengths.fold(0, Nanos::saturating_add)
}
