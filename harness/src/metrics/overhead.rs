//! What protection costs while nothing fails: counted in the twin, by cause.

use super::recovery::{lag, worst_lag};
use crate::machine::{Counters, MachineLog};
use crate::run::RunLog;
use aftermath_reports::record::{Overhead, Traffic};
use aftermath_systems::protocol::Cause;
use std::collections::BTreeMap;

const MILLION: u128 = 1_000_000;

/// Adds up the twin's traffic.
pub fn overhead(twin: &RunLog) -> Overhead {
    let (mut all, mut hop) = (Counters::default(), Counters::default());
    for node in &twin.nodes {
        all.merge(&node.log.traffic);
        hop.merge(&node.log.hop_traffic);
    }
    let sum = |counters: &Counters, free: &[Cause]| -> u64 {
        let paid = Cause::ALL.iter().filter(|cause| !free.contains(cause));
        paid.map(|cause| counters.bytes(*cause)).sum()
    };
    // The closed forms know neither heartbeats nor end markers.
    let hop_extra = sum(&hop, &[Cause::Tuple, Cause::Heartbeat, Cause::Marker]);
    let all_extra = sum(&all, &[Cause::Tuple]);
    let ppm = |part: u64, whole: u64| {
        (u128::from(part) * MILLION).checked_div(u128::from(whole)).unwrap_or(0) as u64
    };
    let traffic: BTreeMap<String, Traffic> = Cause::ALL
        .iter()
        .map(|cause| {
            let (messages, bytes) = (all.messages(*cause), all.bytes(*cause));
            (cause.name().to_string(), Traffic { messages, bytes })
        })
        .filter(|(_, traffic)| *traffic != Traffic::default())
        .collect();
    let lags: u128 = twin.deliveries.iter().map(|d| u128::from(lag(d))).sum();
    Overhead {
        traffic,
        bytes_per_hop_ppm: ppm(hop_extra, hop.bytes(Cause::Tuple)),
        bytes_ppm: ppm(all_extra, all.bytes(Cause::Tuple)),
        checkpoints: twin.nodes.iter().map(|node| cuts(&node.log)).sum(),
        saves: twin.nodes.iter().map(|node| node.log.saves).sum(),
        cpu_ns: twin.nodes.iter().map(|node| node.log.cpu_ns).sum(),
        lag_mean_ns: lags.checked_div(twin.deliveries.len() as u128).unwrap_or(0) as u64,
        lag_max_ns: worst_lag(&twin.deliveries),
        retained_max: twin.retained.iter().copied().max().unwrap_or(0),
    }
}

/// What a strategy marks when a task cuts its part of a checkpoint.
const CUT: &str = "checkpoint-cut";

/// How often a machine has done so.
fn cuts(log: &MachineLog) -> u64 {
    log.marks.iter().filter(|mark| mark.name == CUT).count() as u64
}
