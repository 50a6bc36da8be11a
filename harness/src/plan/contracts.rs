//! Joining what the strategies at both ends ask of an edge.

use super::Assignment;
use crate::config::RunConfig;
use crate::seed::Seed;
use aftermath_systems::plan::{EdgeContract, Feed, OperatorPlan, OperatorRole, Plan};
use aftermath_systems::protocol::{Nanos, OperatorId};
use aftermath_systems::strategies::{Demand, Strategy};

/// The contract of the edge between two operators. Retention implies acknowledgement: a sender
/// must learn when it may forget.
pub(super) fn agree(
    plan: &Plan,
    from: OperatorId,
    to: OperatorId,
    config: &RunConfig,
    assigned: &Assignment,
    seed: Seed,
) -> EdgeContract {
    let (sender, receiver) = (plan.operator(from), plan.operator(to));
    let region = |operator: &OperatorPlan| plan.instance(operator.instances[0]).region;
    let internal = region(sender).is_some() && region(sender) == region(receiver);
    let is_task = |operator: &OperatorPlan| matches!(operator.role, OperatorRole::Task(_));
    // Within a region both ends are rolled back together: nothing needs keeping.
    let demand = |operator: &OperatorPlan, of: fn(&dyn Strategy) -> Demand| match operator {
        operator if is_task(operator) && !internal => of(&*assigned.of(&operator.name)),
        _ => Demand::NONE,
    };
    let output = demand(sender, |strategy| strategy.output_demand());
    let input = demand(receiver, |strategy| strategy.input_demand());
    let all = [output.feed, input.feed].contains(&Feed::AllReplicas);
    let ack = output.ack || input.ack || output.retain || input.retain;
    let every = config.timing.interval_ns;
    EdgeContract {
        feed: if all { Feed::AllReplicas } else { Feed::Primary },
        retain: output.retain || input.retain,
        ack_every: ack.then_some(every),
        ack_phase: offset(plan, sender, output, every)
            .or(offset(plan, receiver, input, every))
            .unwrap_or_else(|| {
                let name = format!("ack/{}/{}", sender.name, receiver.name);
                seed.phase(&name, every, config.timing.ack_phase_ns)
            }),
        dedup: config.dedup,
    }
}

/// A strategy may want acknowledgements a certain time after its checkpoints.
fn offset(plan: &Plan, operator: &OperatorPlan, demand: Demand, every: Nanos) -> Option<Nanos> {
    let checkpoint = plan.instance(operator.instances[0]).checkpoint_phase;
    demand.ack_phase.map(|later| (checkpoint + later) % every)
}
