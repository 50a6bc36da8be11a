//! Counts over time, for plots.

use super::recovery::lag;
use crate::run::RunLog;
use aftermath_reports::record::Series;
use aftermath_systems::protocol::{MILLISECOND, Nanos, SemanticId};
use std::collections::BTreeSet;

const BIN: Nanos = 100 * MILLISECOND;

/// The series of a run.
pub fn series(run: &RunLog) -> Series {
    let bins = (run.length_ns / BIN + 1) as usize;
    let mut series = Series {
        bin_ns: BIN,
        new_outputs: vec![0; bins],
        repeated_outputs: vec![0; bins],
        lag_max_ns: vec![0; bins],
        retained: vec![0; bins],
    };
    let mut seen: BTreeSet<SemanticId> = BTreeSet::new();
    for delivery in &run.deliveries {
        let bin = (delivery.at / BIN) as usize;
        if seen.insert(delivery.semantic) {
            series.new_outputs[bin] += 1;
            series.lag_max_ns[bin] = series.lag_max_ns[bin].max(lag(delivery));
        } else {
            series.repeated_outputs[bin] += 1;
        }
    }
    for (index, retained) in run.retained.iter().enumerate() {
        let bin = ((index as u64 + 1) * run.plan.sample_every_ns / BIN) as usize;
        if let Some(last) = series.retained.get_mut(bin) {
            *last = *retained;
        }
    }
    series
}
