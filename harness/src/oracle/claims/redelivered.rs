//! Old tuples that come again.

use crate::machine::Strike;
use crate::plan::PlannedPlace;
use crate::plan::reach::behind;
use crate::run::RunLog;
use aftermath_systems::claim::{Answer, Claim, Delivery, Downstream, FaultKind};
use aftermath_systems::plan::{Dedup, Feed};
use aftermath_systems::protocol::NodeId;

/// What is promised where tuples came again, above the session: as if their sender had repeated
/// them, whoever took them. Where positions are remembered nobody notices. They are not where
/// nobody looks at them, and where whoever leads has started with no memory and nothing was sent
/// to it again.
pub fn answers(run: &RunLog, strikes: &[(NodeId, &Strike)]) -> Vec<Answer> {
    let systems = &run.plan.systems;
    let mut answers = Vec::new();
    for (_, strike) in strikes {
        let PlannedPlace::Links { pairs, .. } = &run.plan.faults[strike.fault].place else {
            continue;
        };
        if run.kind(strike.fault) != FaultKind::Redelivery {
            continue;
        }
        let came_again = |node: &NodeId| {
            let touched = run.nodes[node.index()].log.touched.get(&strike.fault);
            touched.is_some_and(|touched| touched.items > 0)
        };
        for (from, to) in pairs.iter().filter(|(_, to)| came_again(to)) {
            let instance = systems.node(*to).instance;
            let started_again = !run.nodes[to.index()].log.activations.is_empty();
            let sender = systems.node(*from).instance;
            for channel in systems.channels.iter().filter(|c| c.from == sender && c.to == instance)
            {
                let contract = &systems.edge(channel.edge).contract;
                let asks = contract.retain || contract.feed == Feed::AllReplicas;
                if contract.dedup == Dedup::Off || (started_again && !asks) {
                    let id = systems.instance(instance).operator;
                    let own = systems.operator(id).operator();
                    let own = own.map_or(Downstream::Stateless, |own| Downstream::of(own.span()));
                    // Nothing is set back, so its own region counts.
                    let spoilt = own.max(behind(systems, id, |_| true));
                    answers.push(Answer::Claim(Claim {
                        delivery: Delivery::DUPLICATES,
                        value: spoilt.value(),
                        state_same: spoilt == Downstream::Stateless,
                        ..Claim::PRECISE
                    }));
                }
            }
        }
    }
    answers
}
