//! What was promised for what happened, and whether it was kept.

use super::Case;
use super::met::met;
use crate::machine::Strike;
use crate::metrics::recovery::{Recoveries, span_ns};
use crate::run::RunLog;
use aftermath_reports::record::{Claimed, Guarantee, ValueClass};
use aftermath_systems::claim::{
    Answer, Claim, Downstream, FaultKind, Situation, UnderRepair, Value,
};
use aftermath_systems::operator::OperatorClass;
use aftermath_systems::plan::{ChannelPlan, Plan};
use aftermath_systems::protocol::{InstanceId, Nanos, NodeId, OperatorId};

/// The join of the promises for everything that was hit.
pub fn claimed(case: &Case) -> Claimed {
    let run = case.run;
    let strikes = run.strikes();
    let mut answer = Answer::Claim(standing(run));
    for (node, strike) in &strikes {
        let counts = strike.was_primary && !met(strike).is_empty();
        if !counts && !headless(run, &strikes, (*node, strike)) {
            continue;
        }
        for operator in hit(&run.plan.systems, *node) {
            if depends_on_arrival(&run.plan.systems, operator) {
                // Any recovery delays something, and so changes what arrives when.
                let why = "an operator behind depends on when its inputs arrive";
                answer = answer.join(Answer::NotCovered(why));
                continue;
            }
            let situation = situation(run, case.recoveries, &strikes, (*node, strike), operator);
            answer = answer.join(run.plan.strategy(operator).claim(&situation));
        }
    }
    match answer {
        Answer::Claim(claim) => Claimed::Guarantee(guarantee(&claim)),
        Answer::NotCovered(why) => Claimed::NotCovered(why.to_string()),
    }
}

/// Whether nobody led the instance when a replica of it was hit: its primary had been hit before,
/// and no other had taken over yet.
fn headless(
    run: &RunLog,
    strikes: &[(NodeId, &Strike)],
    (node, strike): (NodeId, &Strike),
) -> bool {
    let instance = run.plan.systems.node(node).instance;
    strikes.iter().any(|(other_node, other)| {
        let before = (other.at, other.fault) < (strike.at, strike.fault) && other.was_primary;
        let same = run.plan.systems.node(*other_node).instance == instance;
        let led_again = || run.first_mark(instance, "took-over", other.at);
        before && same && led_again().is_none_or(|at| at > strike.at)
    })
}

/// The operators that a fault on `node` hits: its own, or its whole region, set back with it.
fn hit(systems: &Plan, node: NodeId) -> Vec<OperatorId> {
    let Some(region) = systems.region_of(node) else {
        return vec![systems.instance(systems.node(node).instance).operator];
    };
    let mut all: Vec<_> = region.instances.iter().map(|i| systems.instance(*i).operator).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// What is promised while nothing fails: everything, but for memory.
fn standing(run: &RunLog) -> Claim {
    let systems = &run.plan.systems;
    let mut claim = Claim::PRECISE;
    for (index, operator) in systems.operators.iter().enumerate() {
        if operator.operator().is_none() {
            continue;
        }
        let id = OperatorId(index as u16);
        let situation = undisturbed(systems, id);
        claim.memory_bounded &= match run.plan.strategy(id).claim(&situation) {
            Answer::Claim(promise) => promise.memory_bounded,
            Answer::NotCovered(_) => false,
        };
    }
    claim
}

fn undisturbed(systems: &Plan, id: OperatorId) -> Situation {
    let operator = systems.operator(id).operator().expect("only tasks fail");
    let dedup = systems.operator(id).outputs.iter().map(|edge| systems.edge(*edge).contract.dedup);
    Situation {
        fault: FaultKind::MachineLoss,
        class: operator.class(),
        span: operator.span(),
        dedup: dedup.min().unwrap_or(aftermath_systems::plan::Dedup::Off),
        spare_left: true,
        under_repair: UnderRepair::default(),
        overtaken: false,
        downstream: downstream(systems, id),
        planted: systems.bug,
    }
}

fn situation(
    run: &RunLog,
    recoveries: &Recoveries,
    strikes: &[(NodeId, &Strike)],
    (node, strike): (NodeId, &Strike),
    operator: OperatorId,
) -> Situation {
    let systems = &run.plan.systems;
    let instance = systems.node(node).instance;
    // A region is set back as a whole, and so all instances of its operators.
    let mine = match systems.region_of(node) {
        Some(_) => systems.operator(operator).instances.clone(),
        None => vec![instance],
    };
    let mut under_repair = UnderRepair::default();
    let earlier = strikes.iter().filter(|(_, other)| {
        (other.at, other.fault) < (strike.at, strike.fault) && !other.already_down
    });
    for (other_node, other) in earlier {
        let other_instance = systems.node(*other_node).instance;
        let connected = |from: &[InstanceId], to: &[InstanceId]| {
            let joins = |c: &ChannelPlan| from.contains(&c.from) && to.contains(&c.to);
            systems.channels.iter().any(joins)
        };
        let theirs = &[other_instance][..];
        let repaired = run.repaired(other_instance, other.at);
        under_repair.own_pair |= other_instance == instance && repaired > strike.at;
        let other_operator = systems.instance(other_instance).operator;
        let forgets = !run.plan.strategy(other_operator).log_survives();
        under_repair.upstream_forgot |= forgets && connected(theirs, &mine);
        // A neighbour's repair is over for us when what we may ask it for lies after its failure:
        // its own is over, and ours has been saved or acknowledged anew.
        let recovered = recoveries.list.iter().find(|from| from.fault == other.fault);
        let recovered = match recovered {
            Some(from) => from.recovered_at().unwrap_or(Nanos::MAX),
            // It met nothing.
            None => other.at,
        };
        let cycles = 2 * (systems.settings.interval + run.plan.storage.latency_ns);
        let over = repaired.max(recovered).saturating_add(cycles + span_ns(systems));
        if over > strike.at {
            under_repair.upstream |= forgets && connected(theirs, &mine);
            under_repair.downstream |= connected(&mine, theirs);
        }
    }
    let alive = |peer: &NodeId| {
        *peer != node
            && !strikes.iter().any(|(other_node, other)| {
                other_node == peer
                    && other.at <= strike.at
                    && other.healed.is_none_or(|healed| healed > strike.at)
            })
    };
    Situation {
        fault: run.plan.faults[strike.fault].kind,
        spare_left: systems.instance(instance).replicas.iter().any(alive),
        under_repair,
        overtaken: run
            .first_mark(instance, "took-over", strike.at)
            .is_some_and(|at| at < strike.items_leave_until),
        ..undisturbed(systems, operator)
    }
}

/// Whether an operator behind `id` is of class arbitrary.
fn depends_on_arrival(systems: &Plan, id: OperatorId) -> bool {
    systems.operator(id).outputs.iter().map(|edge| systems.edge(*edge).to).any(|to| {
        let class = systems.operator(to).operator().map(|operator| operator.class());
        class == Some(OperatorClass::Arbitrary) || depends_on_arrival(systems, to)
    })
}

/// How far back the operators behind `id` depend on their inputs, at worst. Those of its own region
/// are set back with it and do not count.
fn downstream(systems: &Plan, id: OperatorId) -> Downstream {
    let region = |id| systems.instance(systems.operator(id).instances[0]).region;
    let mut worst = Downstream::Stateless;
    let mut behind = vec![id];
    while let Some(from) = behind.pop() {
        for edge in &systems.operator(from).outputs {
            let to = systems.edge(*edge).to;
            behind.push(to);
            let inside = region(id).is_some() && region(id) == region(to);
            if let (Some(operator), false) = (systems.operator(to).operator(), inside) {
                worst = worst.max(Downstream::of(operator.span()));
            }
        }
    }
    worst
}

fn guarantee(claim: &Claim) -> Guarantee {
    Guarantee {
        gap: claim.delivery.gap,
        duplicates: claim.delivery.duplicates,
        value: match claim.value {
            Value::Same => ValueClass::Same,
            Value::Converges => ValueClass::Converges,
            Value::Any => ValueClass::Diverges,
        },
        state_same: claim.state_same,
        memory_bounded: Some(claim.memory_bounded),
        settles: claim.settles,
    }
}

/// In which respects what was observed is worse than what was promised.
pub fn violations(promise: &Guarantee, observed: &Guarantee) -> Vec<String> {
    let mut violations = Vec::new();
    let mut check = |worse: bool, what: &str| {
        if worse {
            violations.push(what.to_string());
        }
    };
    check(observed.gap && !promise.gap, "outputs are lost, and no gap was claimed");
    check(
        observed.duplicates && !promise.duplicates,
        "outputs are repeated, and no duplicates were claimed",
    );
    check(observed.value > promise.value, "values are wrong beyond what was claimed");
    check(
        !observed.state_same && promise.state_same,
        "the final state differs, and the same state was claimed",
    );
    check(
        observed.memory_bounded == Some(false) && promise.memory_bounded == Some(true),
        "retained memory grows, and bounded memory was claimed",
    );
    check(!observed.settles && promise.settles, "the stream does not drain");
    violations
}
