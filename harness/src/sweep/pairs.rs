//! Second failures: one first place of each kind, and then every place from there until the run
//! has rejoined its twin, at which another machine fails, or the same once more.

use super::failure::{Failure, KILLS, KINDS, draw};
use super::fork::{Ground, Trunk, record_steps};
use super::points::{Point, points};
use std::collections::BTreeMap;

/// The first failures: of each kind of places the one that is nearest to the middle of the stream,
/// in each way, with the number of the place.
pub fn firsts(ground: &Ground) -> Vec<(usize, Failure)> {
    let middle = ground.plan.systems.workload.end_at / 2;
    let mut nearest: BTreeMap<usize, usize> = BTreeMap::new();
    let points = &ground.points.list;
    for number in ground.points.distinct(None) {
        let distance = |number: usize| points[number].at.abs_diff(middle);
        let best = nearest.entry(points[number].kind).or_insert(number);
        if distance(number) < distance(*best) {
            *best = number;
        }
    }
    let mut places: Vec<usize> = nearest.into_values().collect();
    places.sort_unstable();
    let failures = |number: usize| {
        let address = points[number].address;
        (0..KINDS.len()).map(move |kind| (number, Failure { address, kind }))
    };
    places.into_iter().flat_map(failures).collect()
}

/// A trunk in which a machine is about to fail.
pub fn failing_trunk(ground: &Ground, number: usize, first: Failure) -> Trunk {
    let mut trunk = ground.trunk();
    trunk.advance_to(&ground.plan, &ground.points.list[number]);
    if ground.trunk_is_twin() {
        trunk.strip();
    }
    ground.arm(&mut trunk.world, first, true);
    trunk
}

/// The places that are reached between a first failure and when the run has rejoined its twin, in
/// the order of ticks, with each way to fail.
pub fn seconds(ground: &mut Ground, number: usize, first: Failure) -> Vec<(Point, usize)> {
    let mut fork = failing_trunk(ground, number, first);
    record_steps(&mut fork.world, &ground.victims);
    let begin = ground.points.list[number].at;
    let forked = ground.run(fork, 1);
    let own = |node: u16| node == first.address.node.0;
    let after = forked.steps.iter().filter(|step| {
        let later = step.handler.number > first.address.handler;
        step.at >= begin && step.at <= forked.until && (later || !own(step.handler.node))
    });
    let found = points(&ground.plan, after).list;
    let distinct = found.into_iter().filter(|point| !point.same_as_before);
    distinct.flat_map(|point| (0..KILLS).map(move |kind| (point, kind))).collect()
}

/// The `nth` of `parts` parts of so many, which differ by one at most and make up the whole.
pub fn part(whole: usize, nth: usize, parts: usize) -> usize {
    let until = |nth: usize| (whole as u128 * nth as u128 / parts as u128) as usize;
    until(nth + 1) - until(nth)
}

/// At most so many of them, in their order: of each kind of places and failures as many as of any
/// other while there are any, drawn from the seed. Else what happens rarely would hardly be drawn.
pub fn sample(
    seed: u64,
    first: Failure,
    seconds: Vec<(Point, usize)>,
    most: usize,
) -> Vec<(Point, usize)> {
    if seconds.len() <= most {
        return seconds;
    }
    let mut strata: BTreeMap<(usize, usize), Vec<(u64, usize)>> = BTreeMap::new();
    for (nth, (point, kind)) in seconds.iter().enumerate() {
        let second = Failure { address: point.address, kind: *kind };
        let drawn = draw(seed, &[first, second]);
        strata.entry((point.kind, *kind)).or_default().push((drawn, nth));
    }
    strata.values_mut().for_each(|stratum| stratum.sort_unstable());
    let rounds = (0..).take_while(|round| strata.values().any(|stratum| stratum.len() > *round));
    // In an order that is drawn, too: the last round is not whole, and perhaps the first is not.
    let round = |round: usize| {
        let mut of_each: Vec<_> =
            strata.values().filter_map(|stratum| stratum.get(round)).copied().collect();
        of_each.sort_unstable();
        of_each
    };
    let mut kept: Vec<usize> = rounds.flat_map(round).map(|(_, nth)| nth).take(most).collect();
    kept.sort_unstable();
    kept.into_iter().map(|nth| seconds[nth]).collect()
}
