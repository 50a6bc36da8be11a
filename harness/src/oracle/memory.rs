//! Memory: retained tuples stay bounded while every pair is complete.
//!
//! Speaks when, over a long enough stretch, the largest, the median and the least number of
//! retained tuples in the last quarter are each above 1.25 times that of the second quarter and two
//! tuples. All three, because a burst of outputs (a closing window) raises the maximum of the
//! quarter that it falls into and says nothing about growth, while every log that is trimmed too
//! late, or never, does not fall back to where it was either. Judged in the twin over the whole
//! stream, and in the run from the last R3 on while every pair is complete. A stretch is long
//! enough if it is at least eight times the interval M plus the span W, and four times that and
//! what a trim takes (two saves, six hops, waiting for links and stores); a shorter one is not
//! judged, nor is anything where more comes in than is worked off.

use super::Case;
use crate::met::telling;
use crate::plan::RunPlan;
use crate::plan::reach::span_ns;
use crate::run::RunLog;
use crate::upsets::{Upset, upsets};
use aftermath_reports::record::{Time, Witness};
use aftermath_systems::protocol::Nanos;

/// What was seen of memory.
pub struct Memory {
    /// Whether it is bounded; `None`: not judged.
    pub bounded: Option<bool>,
    /// Evidence if it is not.
    pub witness: Option<Witness>,
    /// Largest retained memory while a pair was incomplete, tuples.
    pub unpaired_max: u64,
}

/// Judges both stretches.
pub fn check(case: &Case) -> Memory {
    let end = case.run.plan.systems.workload.end_at;
    let unpaired = unpaired(case.run);
    let after = match &unpaired[..] {
        [] => None,
        intervals => {
            let repaired = intervals.iter().map(|(_, to)| *to).max().unwrap_or(0);
            let recovered = case.recoveries.list.iter().map(|from| match from.recovery.r3 {
                Time::Ns(r3) => from.at + r3,
                Time::MoreThanNs(_) => Nanos::MAX,
                Time::None => from.at,
            });
            stretch(case.run, repaired.max(recovered.max().unwrap_or(0)), end)
        }
    };
    let steady = !case.standard.overloaded;
    let judged: Vec<_> = [("twin", case.standard.memory), ("run", after)]
        .into_iter()
        .filter(|_| steady)
        .filter_map(|(which, stretch)| Some((which, stretch?)))
        .collect();
    let grows = |second: u64, last: u64| last * 4 > second * 5 + 8;
    let broken = judged.iter().find(|(_, quarters)| {
        let [second, last] = quarters;
        grows(second.max, last.max)
            && grows(second.median, last.median)
            && grows(second.min, last.min)
    });
    let witness = broken.map(|(which, [second, last])| Witness {
        checker: "memory".into(),
        subject: format!("retained tuples, {which}"),
        expected: format!(
            "at most {} + 25 % + 2, as in the second quarter (median {}, least {})",
            second.max, second.median, second.min
        ),
        observed: format!(
            "{} in the last quarter (median {}, least {})",
            last.max, last.median, last.min
        ),
        at_ns: None,
    });
    let during = |at: Nanos| unpaired.iter().any(|(from, to)| (*from..*to).contains(&at));
    let samples = samples(case.run).filter(|(at, _)| during(*at));
    Memory {
        bounded: (!judged.is_empty()).then_some(broken.is_none()),
        witness,
        unpaired_max: samples.map(|(_, retained)| retained).max().unwrap_or(0),
    }
}

/// Intervals in which a pair of a protected operator was incomplete, or in which something stood
/// still or was held up, so that somebody had to keep what waited.
fn unpaired(run: &RunLog) -> Vec<(Nanos, Nanos)> {
    let interval = |upset: Upset| (upset.at, upset.repaired);
    let mut all: Vec<_> = upsets(run).into_iter().map(interval).collect();
    let strikes = telling(run).into_iter().map(|(_, strike)| strike);
    let held_up = strikes.filter(|strike| !run.kind(strike.fault).kills());
    all.extend(held_up.map(|strike| (strike.at, strike.healed.unwrap_or(Nanos::MAX))));
    all
}

/// The second and the last quarter of a stretch.
pub type Stretch = [Quarter; 2];

/// Retained memory over a quarter of a stretch, tuples.
#[derive(Clone, Copy)]
pub struct Quarter {
    max: u64,
    median: u64,
    min: u64,
}

/// The shortest stretch over which memory is judged, ns. `waiting`: the longest that anything has
/// waited for its link or device.
pub fn shortest_stretch(plan: &RunPlan, waiting: Nanos) -> Nanos {
    let systems = &plan.systems;
    // Two saves and two large messages may each have to wait.
    let trimmed_within = 2 * plan.longest_save_ns() + 6 * plan.longest_latency_ns() + 4 * waiting;
    let cycle = systems.settings.interval + span_ns(systems);
    // The second quarter must begin after the first trim.
    (8 * cycle).max(4 * (cycle + trimmed_within))
}

/// Judges [from, to), if that is long enough.
pub fn stretch(run: &RunLog, from: Nanos, to: Nanos) -> Option<Stretch> {
    let waiting = run.waiting.iter().copied().max().unwrap_or(0);
    if to.saturating_sub(from) < shortest_stretch(&run.plan, waiting) {
        return None;
    }
    let quarter = (to - from) / 4;
    let of = |from: Nanos, to: Nanos| {
        let inside = samples(run).filter(|(at, _)| (from..to).contains(at));
        let mut retained: Vec<u64> = inside.map(|(_, retained)| retained).collect();
        retained.sort_unstable();
        Quarter {
            max: retained.last().copied().unwrap_or(0),
            min: retained.first().copied().unwrap_or(0),
            median: retained.get(retained.len() / 2).copied().unwrap_or(0),
        }
    };
    Some([of(from + quarter, from + 2 * quarter), of(to - quarter, to)])
}

fn samples(run: &RunLog) -> impl Iterator<Item = (Nanos, u64)> + '_ {
    let every = run.plan.sample_every_ns;
    run.retained
        .iter()
        .enumerate()
        .map(move |(index, retained)| ((index as u64 + 1) * every, *retained))
}
