//! When which fault strikes, drawn from the seed where the scenario leaves it open.

use super::Trigger;
use crate::config::{FaultAt, FaultConfig, FaultPlace, LinkEnd, RunConfig, Target};
use crate::faults::{self, Effect, Weather};
use crate::seed::Seed;
use aftermath_systems::claim::FaultKind;
use aftermath_systems::plan::Plan;
use aftermath_systems::protocol::{InstanceId, Nanos, NodeId, SECOND};

/// A fault with its instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedFault {
    /// What befalls.
    pub kind: FaultKind,
    /// What it does.
    pub effect: Effect,
    /// Whom it befalls.
    pub place: PlannedPlace,
    /// Start, ns; [`Nanos::MAX`] if it waits for something.
    pub at: Nanos,
    /// Length, ns; until everything heals if `None`.
    pub for_ns: Option<Nanos>,
    /// What it waits for, if it has no instant of its own.
    pub trigger: Option<Trigger>,
    /// The number of what it leaves to chance is drawn from; its place in the schedule if `None`.
    pub draws: Option<u64>,
}

/// Whom a fault befalls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlannedPlace {
    /// A machine.
    Node {
        /// The instance.
        instance: InstanceId,
        /// The replica; whichever leads at that instant if `None`.
        replica: Option<u16>,
    },
    /// Links.
    Links {
        /// For people: `source -> count`, or `count/0/0 <-> count/0/1`.
        name: String,
        /// From which node to which, sorted.
        pairs: Vec<(NodeId, NodeId)>,
    },
}

impl PlannedFault {
    /// When it ends, if not by the healing of everything, ns. Not of one that waits for something.
    pub fn over_at(&self) -> Nanos {
        self.at.saturating_add(self.for_ns.unwrap_or(0))
    }
}

impl PlannedFault {
    /// How much later than without it something may come, ns.
    pub fn late_ns(&self) -> Nanos {
        match self.effect {
            Effect::Link(Weather::Slow { by_ns, jitter_ns }) => by_ns + jitter_ns,
            Effect::Link(Weather::Delay { by_ns, .. }) => by_ns,
            Effect::Link(Weather::Copy { after_ns, .. }) => after_ns,
            Effect::Link(Weather::Again { within_ns, .. }) => within_ns,
            _ => 0,
        }
    }
}

/// The faults of one run, by start; of several machines at once, one for each.
pub fn faults(
    written: &[FaultConfig],
    config: &RunConfig,
    plan: &Plan,
    (seed, stratum): (Seed, u32),
) -> Vec<PlannedFault> {
    let mut previous = 0;
    let mut planned = Vec::new();
    for (number, fault) in written.iter().enumerate() {
        let at = instant(fault, seed, number, stratum, previous, config);
        previous = at;
        planned.extend(at_instant(plan, fault, at));
    }
    // Stable: faults of one instant keep the order of the file. Those that wait come last.
    planned.sort_by_key(|fault| fault.at);
    planned
}

/// What a fault is, at this instant.
pub fn at_instant(plan: &Plan, fault: &FaultConfig, at: Nanos) -> Vec<PlannedFault> {
    let effect = (faults::of(fault.kind).effect)(&fault.options);
    let trigger = Trigger::new(&fault.at, |end| nodes(plan, end));
    let planned = |(number, place): (u64, PlannedPlace)| {
        let draws = fault.draws.map(|first| first.saturating_add(number));
        let for_ns = match place {
            PlannedPlace::Node { .. } => fault.for_ns,
            // A new connection can be made at once.
            PlannedPlace::Links { .. } if matches!(effect, Effect::Link(Weather::Reset { .. })) => {
                Some(fault.for_ns.unwrap_or(1))
            }
            _ if trigger.is_some() => fault.for_ns,
            // Links are a function of time alone: they cannot wait for the rest to heal.
            PlannedPlace::Links { .. } => {
                Some(fault.for_ns.unwrap_or(plan.workload.end_at.saturating_sub(at)))
            }
        };
        let trigger = trigger.clone();
        PlannedFault { kind: fault.kind, effect, place, at, for_ns, trigger, draws }
    };
    (0..).zip(places(plan, &fault.place)).map(planned).collect()
}

/// The same schedule with nothing left open that the seed decides before a run: instants are
/// drawn, and what else is left to chance is numbered. By start; what waits comes last.
pub fn settled(
    written: &[FaultConfig],
    config: &RunConfig,
    (seed, stratum): (Seed, u32),
) -> Vec<FaultConfig> {
    let mut previous = 0;
    let settle = |(number, fault): (usize, &FaultConfig)| {
        let at = instant(fault, seed, number, stratum, previous, config);
        previous = at;
        let awaited = fault.at.is_awaited().then(|| fault.at.clone());
        (at, FaultConfig { at: awaited.unwrap_or(FaultAt::Instant(at)), ..fault.clone() })
    };
    let mut list: Vec<_> = written.iter().enumerate().map(settle).collect();
    list.sort_by_key(|(at, _)| *at);
    let mut faults: Vec<_> = list.into_iter().map(|(_, fault)| fault).collect();
    FaultConfig::number(&mut faults);
    faults
}

/// Into how many runs the strata of a case's faults divide it, if any.
pub fn strata(faults: &[FaultConfig]) -> Option<u32> {
    faults.iter().find_map(|fault| match fault.at {
        FaultAt::Strata { count, .. } => Some(count),
        _ => None,
    })
}

fn instant(
    fault: &FaultConfig,
    seed: Seed,
    number: usize,
    stratum: u32,
    previous: Nanos,
    config: &RunConfig,
) -> Nanos {
    match fault.at {
        FaultAt::Instant(at) => at,
        FaultAt::Between(from, to) => {
            let number = fault.draws.unwrap_or(number as u64);
            from + seed.stream(&format!("faults/{number}")).below(to.saturating_sub(from) + 1)
        }
        FaultAt::Strata { count, start, span } => {
            let half_steps = u128::from(2 * stratum + 1) * u128::from(span);
            let middle = start + (half_steps / u128::from(2 * count)) as Nanos;
            // Spread the strata evenly over the phase within one inter-arrival time as well, and
            // centre that spread, or every count is half a tuple off (theory of stratification:
            // a mean over strata is exact only if it is taken over all phases that matter).
            let spacing = SECOND / config.rate_per_s;
            let phase = (2 * u64::from(stratum) + 1) * spacing / (2 * u64::from(count));
            (middle + phase).saturating_sub(spacing / 2).max(config.network.tick_ns)
        }
        FaultAt::After(length) => previous.saturating_add(length),
        FaultAt::Point { .. } | FaultAt::Address { .. } => Nanos::MAX,
    }
}

fn instances<'a>(plan: &'a Plan, operator: &str) -> &'a [InstanceId] {
    let found = plan.operators.iter().find(|plan| plan.name == operator);
    &found.expect("the scenario reader checked the name").instances
}

/// The machines that an end names.
fn nodes(plan: &Plan, end: &LinkEnd) -> Vec<NodeId> {
    let all = instances(plan, &end.operator).iter().enumerate();
    let chosen = all.filter(|(index, _)| end.instance.is_none_or(|i| usize::from(i) == *index));
    let replicas = chosen.flat_map(|(_, instance)| &plan.instance(*instance).replicas);
    let wanted = |node: &&NodeId| end.replica.is_none_or(|r| plan.node(**node).replica == r);
    replicas.filter(wanted).copied().collect()
}

fn places(plan: &Plan, place: &FaultPlace) -> Vec<PlannedPlace> {
    match place {
        FaultPlace::Node(_) | FaultPlace::Nodes(_) => {
            let node = |Target { operator, instance, replica }: &Target| PlannedPlace::Node {
                instance: instances(plan, operator)[usize::from(*instance)],
                replica: *replica,
            };
            place.targets().iter().map(node).collect()
        }
        FaultPlace::Link { from, to, both } => {
            let name = format!("{from} {} {to}", if *both { "<->" } else { "->" });
            let (from, to) = (nodes(plan, from), nodes(plan, to));
            let pairs = from.iter().flat_map(|from| to.iter().map(|to| (*from, *to)));
            let mut pairs: Vec<_> = pairs.filter(|(from, to)| from != to).collect();
            if *both {
                pairs.extend(pairs.clone().into_iter().map(|(from, to)| (to, from)));
            }
            pairs.sort_unstable();
            pairs.dedup();
            vec![PlannedPlace::Links { name, pairs }]
        }
    }
}

/// How long a run may stand still after everything has healed, generous by design: what takes
/// longer is stuck. Nothing is still that is served, transmitted, saved or loaded, and so this is
/// about waiting only: 10 s, and ten times what it takes to suspect, to ask around and to trim.
pub fn still_bound(plan: &Plan, longest_latency_ns: Nanos) -> Nanos {
    let settings = &plan.settings;
    let waits = settings.join_after() + settings.interval + 4 * longest_latency_ns;
    10 * SECOND + 10 * waits
}
