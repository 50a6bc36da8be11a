//! Schedules of faults drawn as a whole from the seed. Each seed first draws *which* faults may
//! occur and then the schedule: a run that lacks most kinds goes where one with a bit of everything
//! never goes (Groce, Zhang, Eide, Chen and Regehr, "Swarm testing", ISSTA 2012).
//!
//! What is drawn are faults as a scenario says them, so the schedule can be printed, pasted and
//! shrunk. What each leaves to chance is numbered, and so does not depend on the others. Where the
//! swarm stays within claims, a fault is drawn again until the schedule is one about which the
//! strategy promises something (`promised`); so schedules differ between strategies that promise
//! different things. Whom faults befall is drawn in `place`.

mod place;
mod promised;

use crate::config::{FaultAt, FaultConfig, SwarmConfig};
use crate::faults::{self, Place};
use crate::plan::RunPlan;
use crate::seed::{Draw, Seed};
use aftermath_systems::claim::FaultKind;
use aftermath_systems::protocol::Nanos;
use place::Places;
use promised::Promised;

/// How often a fault is drawn again before the schedule goes on without it.
const TRIES: u32 = 20;
/// Of so many faults, one lasts until everything heals.
const UNTIL_HEALED: u64 = 8;
/// Instants and lengths are whole microseconds after the first, so that people can read them.
const GRAIN: Nanos = 1_000;
/// Where failures may overlap, of so many faults one begins or ends near the begin or end of
/// another: what matters is often over before an instant drawn from all would meet it.
const NEAR: u64 = 2;

/// A schedule that was drawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Drawn {
    /// The faults, by start.
    pub faults: Vec<FaultConfig>,
    /// Whether it may be one about which nothing is promised.
    pub beyond_claims: bool,
}

/// Draws the schedule of a run.
pub fn draw(swarm: &SwarmConfig, plan: &RunPlan, seed: Seed) -> Drawn {
    let mut draw = seed.stream("swarm");
    let kinds = part(&mut draw, &swarm.kinds);
    let count = 1 + draw.below(u64::from(swarm.most));
    let places = Places::new(plan);
    let mut promised = Promised::new(plan, swarm.overlap);
    let mut drawn: Vec<FaultConfig> = Vec::new();
    for _ in 0..count {
        for _ in 0..TRIES {
            let longest = 4 * promised.settle_ns;
            let candidate = candidate(&mut draw, swarm, &kinds, &places, longest);
            let Some(mut fault) = candidate else { continue };
            if swarm.overlap && !drawn.is_empty() && draw.below(NEAR) == 0 {
                bring_near(&mut draw, &mut fault, &drawn, promised.settle_ns, swarm);
            }
            let fits = match swarm.beyond_claims {
                true => drawn
                    .iter()
                    .all(|other| other.clash(&fault, |name| places.replicas(name)).is_none()),
                false => promised.admits(&fault),
            };
            if fits {
                drawn.push(fault);
                break;
            }
        }
    }
    drawn.sort_by_key(|fault| match fault.at {
        FaultAt::Instant(at) => at,
        _ => unreachable!("instants are drawn here"),
    });
    FaultConfig::number(&mut drawn);
    Drawn { faults: drawn, beyond_claims: swarm.beyond_claims }
}

/// A part of the kinds, not empty: each is in it or not by the toss of a coin.
fn part(draw: &mut Draw, kinds: &[FaultKind]) -> Vec<FaultKind> {
    let part: Vec<_> = kinds.iter().copied().filter(|_| draw.below(2) == 0).collect();
    match part.is_empty() {
        true => vec![kinds[draw.below(kinds.len() as u64) as usize]],
        false => part,
    }
}

/// A fault, if there is a place for its kind.
fn candidate(
    draw: &mut Draw,
    swarm: &SwarmConfig,
    kinds: &[FaultKind],
    places: &Places,
    longest: Nanos,
) -> Option<FaultConfig> {
    let kind = kinds[draw.below(kinds.len() as u64) as usize];
    let entry = faults::of(kind);
    let options = entry.draw_options(draw);
    let place = match entry.place {
        Place::Node => places.machines(draw, kind, swarm.beyond_claims),
        Place::Link => places.links(draw),
    };
    let span = (swarm.until_ns - swarm.from_ns).div_ceil(GRAIN);
    let at = FaultAt::Instant(swarm.from_ns + GRAIN * draw.below(span));
    let lasting = draw.below(UNTIL_HEALED) > 0;
    let length = length(draw, longest);
    Some(FaultConfig {
        kind,
        place: place?,
        options,
        at,
        for_ns: lasting.then_some(length),
        draws: None,
    })
}

/// Lets a fault begin or end near the begin or end of another, as often 1 ms to 2 ms from it as
/// 100 ms to 200 ms.
fn bring_near(
    draw: &mut Draw,
    fault: &mut FaultConfig,
    others: &[FaultConfig],
    longest: Nanos,
    swarm: &SwarmConfig,
) {
    let begin_of = |fault: &FaultConfig| match fault.at {
        FaultAt::Instant(at) => at,
        _ => unreachable!("instants are drawn here"),
    };
    let other = &others[draw.below(others.len() as u64) as usize];
    let of_end = draw.below(2) == 0;
    let by_end = draw.below(2) == 0;
    let before = draw.below(2) == 0;
    let distance = length(draw, longest);
    let near = begin_of(other) + if of_end { other.for_ns.unwrap_or(0) } else { 0 };
    let near = if before { near.saturating_sub(distance) } else { near + distance };
    let at = near.saturating_sub(if by_end { fault.for_ns.unwrap_or(0) } else { 0 });
    if (swarm.from_ns..swarm.until_ns).contains(&at) {
        fault.at = FaultAt::Instant(at);
    }
}

/// A length, as often from 1 ms to 2 ms as from 100 ms to 200 ms.
fn length(draw: &mut Draw, longest: Nanos) -> Nanos {
    let grains = (longest / GRAIN).max(2_000);
    let doublings = u64::from((grains / 1_000).ilog2()) + 1;
    let least = 1_000 << draw.below(doublings);
    GRAIN * (least + draw.below(least))
}
