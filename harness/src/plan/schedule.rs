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

/// Time to drain after everything has healed, generous by design: what takes longer is stuck.
/// 10 s, plus what the slowest operator lags behind without any fault, plus for every fault ten
/// times what the queue that it leaves takes to work off and the time to process the whole stream
/// again.
pub fn drain_bound(config: &RunConfig, plan: &Plan, faults: &[PlannedFault]) -> Nanos {
    let length = u128::from(plan.workload.end_at);
    let work = busiest(plan);
    let timing = &config.timing;
    let detection = timing.heartbeat_ns * timing.misses + config.network.latency_ns;
    let mut bound = u128::from(10 * SECOND) + 2 * work.saturating_sub(length);
    for fault in faults {
        let down = fault.for_ns.unwrap_or(plan.workload.end_at).min(10 * SECOND);
        let backlog = u128::from(down + detection + timing.redirect_ns);
        // Worked off in what the operator has left, if it has anything left.
        let spare = length.saturating_sub(work).max(length / 100).max(1);
        bound += 10 * backlog * length / spare + work;
    }
    bound.min(u128::from(u64::MAX / 4)) as Nanos
}

/// CPU time that the busiest operator spends on the stream at most, if all its inputs go to one
/// instance, ns. An operator is taken to put out as much as it takes in.
fn busiest(plan: &Plan) -> u128 {
    let mut inputs = vec![plan.workload.inputs.len() as u128; plan.operators.len()];
    // Upstream comes first.
    for (index, operator) in plan.operators.iter().enumerate() {
        if !operator.inputs.is_empty() {
            let from = operator.inputs.iter().map(|edge| plan.edge(*edge).from.index());
            inputs[index] = from.map(|from| inputs[from]).sum();
        }
    }
    let work = plan.operators.iter().zip(&inputs);
    work.map(|(operator, inputs)| u128::from(operator.service_ns) * inputs).max().unwrap_or(0)
}
