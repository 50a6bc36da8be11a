//! Counts over time, for plots.

use super::recovery::lag;
use crate::machine::Delivery;
use crate::run::RunLog;
use aftermath_reports::record::Series;
use aftermath_systems::protocol::{MILLISECOND, Nanos, SemanticId};
use std::collections::BTreeSet;

/// At most so many bins: a plot has no room for more, and records stay small.
const BINS_MAX: u64 = 400;

/// The series of a run, beside its twin's.
pub fn series(run: &RunLog, twin: &RunLog) -> Series {
    let bin_ns = width(run.length_ns);
    let bins = (run.length_ns / bin_ns + 1) as usize;
    let ours = counts(&run.deliveries, bin_ns, bins);
    let twins = counts(&twin.deliveries, bin_ns, bins);
    let mut retained = vec![0; bins];
    for (index, sample) in run.retained.iter().enumerate() {
        let bin = ((index as u64 + 1) * run.plan.sample_every_ns / bin_ns) as usize;
        // Bins between two samples repeat the last one.
        if let Some(rest) = retained.get_mut(bin..) {
            rest.fill(*sample);
        }
    }
    Series {
        bin_ns,
        new_outputs: ours.new,
        repeated_outputs: ours.repeated,
        lag_max_ns: ours.lag_max_ns,
        retained,
        twin_outputs: twins.new,
        twin_lag_max_ns: twins.lag_max_ns,
    }
}

/// The width of a bin: 1, 2 or 5 times a power of ten milliseconds.
fn width(length_ns: Nanos) -> Nanos {
    let mut power = MILLISECOND;
    loop {
        for width in [power, 2 * power, 5 * power] {
            if length_ns / width < BINS_MAX {
                return width;
            }
        }
        power *= 10;
    }
}

/// Deliveries in bins.
struct Counts {
    new: Vec<u64>,
    repeated: Vec<u64>,
    lag_max_ns: Vec<u64>,
}

fn counts(deliveries: &[Delivery], bin_ns: Nanos, bins: usize) -> Counts {
    let mut counts =
        Counts { new: vec![0; bins], repeated: vec![0; bins], lag_max_ns: vec![0; bins] };
    let mut seen: BTreeSet<SemanticId> = BTreeSet::new();
    for delivery in deliveries {
        // A twin may outlast its run, if that one got stuck.
        let bin = (delivery.at / bin_ns) as usize;
        if bin >= bins {
            break;
        }
        if seen.insert(delivery.semantic) {
            counts.new[bin] += 1;
            counts.lag_max_ns[bin] = counts.lag_max_ns[bin].max(lag(delivery));
        } else {
            counts.repeated[bin] += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_round_and_few() {
        let ms = MILLISECOND;
        assert_eq!(width(0), ms);
        assert_eq!(width(399 * ms), ms);
        assert_eq!(width(400 * ms), 2 * ms);
        assert_eq!(width(8_054 * ms), 50 * ms);
        assert_eq!(width(60_000 * ms), 200 * ms);
    }
}
