//! When which fault strikes, drawn from the seed where the scenario leaves it open.

use crate::config::{FaultAt, FaultConfig, RunConfig, Target};
use crate::seed::Seed;
use aftermath_systems::claim::FaultKind;
use aftermath_systems::plan::Plan;
use aftermath_systems::protocol::{InstanceId, Nanos, SECOND};

/// A fault with its instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedFault {
    /// What befalls.
    pub kind: FaultKind,
    /// The instance.
    pub instance: InstanceId,
    /// The replica; whichever leads at that instant if `None`.
    pub replica: Option<u16>,
    /// Start, ns.
    pub at: Nanos,
    /// Length, ns; until everything heals if `None`.
    pub for_ns: Option<Nanos>,
    /// Whether frames on the wire die with the machine.
    pub wire_dies: bool,
}

impl PlannedFault {
    /// When it ends, if not by the healing of everything, ns.
    pub fn over_at(&self) -> Nanos {
        self.at.saturating_add(self.for_ns.unwrap_or(0))
    }
}

/// The faults of one run, by start.
pub fn faults(config: &RunConfig, plan: &Plan, seed: Seed, stratum: u32) -> Vec<PlannedFault> {
    let mut previous = 0;
    let mut faults = Vec::new();
    for (number, fault) in config.faults.iter().enumerate() {
        let at = instant(fault, seed, number, stratum, previous, config);
        previous = at;
        faults.push(PlannedFault {
            kind: fault.kind,
            instance: instance(plan, &fault.node),
            replica: fault.node.replica,
            at,
            for_ns: fault.for_ns,
            wire_dies: fault.wire_dies,
        });
    }
    // Stable: faults of one instant keep the order of the file.
    faults.sort_by_key(|fault| fault.at);
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
        FaultAt::After(length) => previous + length,
    }
}

fn instance(plan: &Plan, target: &Target) -> InstanceId {
    let operator = plan.operators.iter().find(|operator| operator.name == target.operator);
    let instances = &operator.expect("the scenario reader checked the name").instances;
    instances[usize::from(target.instance)]
}

/// How long a run may stand still after everything has healed, generous by design: what takes
/// longer is stuck. Nothing is still that is served, transmitted, saved or loaded, and so this is
/// about waiting only: 10 s, and ten times what it takes to suspect, to ask around and to trim.
pub fn still_bound(plan: &Plan, longest_latency_ns: Nanos) -> Nanos {
    let settings = &plan.settings;
    let waits = settings.join_after() + settings.interval + 4 * longest_latency_ns;
    10 * SECOND + 10 * waits
}
