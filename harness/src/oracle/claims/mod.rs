//! What was promised for what happened, and whether it was kept.

mod redelivered;

use super::Case;
use crate::faults::Effect;
use crate::machine::{Misread, Strike};
use crate::met::met;
use crate::metrics::recovery::Recoveries;
use crate::plan::reach::{arbitrary, depends_on_arrival, ends, hit, span_ns, undisturbed};
use crate::run::RunLog;
use crate::upsets::{Upset, upsets};
use aftermath_reports::record::{Claimed, Guarantee, ValueClass};
use aftermath_systems::claim::{Answer, Claim, FaultKind, Situation, UnderRepair, Value};
use aftermath_systems::plan::ChannelPlan;
use aftermath_systems::protocol::{InstanceId, Nanos, NodeId, OperatorId};

/// The join of the promises for everything that was upset.
pub fn claimed(case: &Case) -> Claimed {
    let run = case.run;
    let strikes = run.strikes();
    let upsets = upsets(run);
    let mut answer = Answer::Claim(standing(run));
    for (node, strike) in &strikes {
        if run.kind(strike.fault).kills() {
            continue;
        }
        let upset = upsets.iter().any(|upset| upset.fault == strike.fault);
        if changes_arrival(run, strike, upset)
            && ends(&run.plan.systems, &run.plan.faults[strike.fault].place, *node)
                .into_iter()
                .any(|end| arbitrary(&run.plan.systems, end))
        {
            let why = "an operator depends on when its inputs arrive";
            answer = answer.join(Answer::NotCovered(why));
        }
    }
    answer = redelivered::answers(run, &strikes).into_iter().fold(answer, Answer::join);
    for upset in &upsets {
        let strike = strikes.iter().find(|(_, strike)| strike.fault == upset.fault);
        let (node, strike) = strike.expect("an upset has its fault");
        let stopped = strike.was_primary && !met(run, strike).is_empty();
        if upset.killed && !stopped && !headless(run, &strikes, (*node, strike)) {
            continue;
        }
        for operator in hit(&run.plan.systems, upset.node) {
            if depends_on_arrival(&run.plan.systems, operator) {
                // Any recovery delays something, and so changes what arrives when.
                let why = "an operator behind depends on when its inputs arrive";
                answer = answer.join(Answer::NotCovered(why));
                continue;
            }
            let past = Past { recoveries: case.recoveries, strikes: &strikes, upsets: &upsets };
            let situation = situation(run, &past, upset, strike, operator);
            answer = answer.join(run.plan.strategy(operator).claim(&situation));
        }
    }
    for (node, misread) in misreads(run) {
        for operator in hit(&run.plan.systems, node) {
            let fault = run.kind(misread.fault);
            let situation = Situation { fault, ..undisturbed(&run.plan.systems, operator) };
            answer = answer.join(run.plan.strategy(operator).claim(&situation));
        }
    }
    match answer {
        Answer::Claim(claim) => Claimed::Guarantee(guarantee(&claim)),
        Answer::NotCovered(why) => Claimed::NotCovered(why.to_string()),
    }
}

/// What happened in a run.
struct Past<'a> {
    recoveries: &'a Recoveries,
    strikes: &'a [(NodeId, &'a Strike)],
    upsets: &'a [Upset],
}

/// Whether a fault that does not kill makes tuples come at other times than without it.
fn changes_arrival(run: &RunLog, strike: &Strike, upset: bool) -> bool {
    let touched = strike.touched;
    match run.kind(strike.fault) {
        FaultKind::HeartbeatLoss => upset,
        FaultKind::Pause => !strike.already_down,
        FaultKind::SlowNode => strike.stretched > 0,
        // Confirmations and trims come later or not at all, and share links with tuples.
        kind if kind.is_of_storage() => upset || strike.saves.delayed + strike.saves.refused > 0,
        _ => upset || touched.items + touched.messages > 0,
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
        let killed = run.kind(other.fault).kills() && other.was_primary;
        let before = (other.at, other.fault) < (strike.at, strike.fault) && killed;
        let same = run.plan.systems.node(*other_node).instance == instance;
        let led_again = || run.mark_after(instance, "took-over", other.at);
        before && same && led_again().is_none_or(|at| at > strike.at)
    })
}

/// Who has read a store and has not found what it had reported durable. What is lost and never
/// read breaks no promise; what is read is a situation of its own, as a take-over is, and what it
/// means is for the strategy to say, which knows what it does with it.
fn misreads(run: &RunLog) -> impl Iterator<Item = (NodeId, Misread)> + '_ {
    run.nodes.iter().enumerate().flat_map(|(index, node)| {
        node.log.misreads.iter().map(move |misread| (NodeId(index as u16), *misread))
    })
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

fn situation(
    run: &RunLog,
    past: &Past,
    upset: &Upset,
    strike: &Strike,
    operator: OperatorId,
) -> Situation {
    let systems = &run.plan.systems;
    let (node, instance) = (upset.node, upset.instance);
    let region = systems.region_of(node).map(|region| region.coordinator);
    // A region is set back as a whole, and so all instances of its operators.
    let mine = match region {
        Some(_) => systems.operator(operator).instances.clone(),
        None => vec![instance],
    };
    let mut under_repair = UnderRepair::default();
    let order = |upset: &Upset| (upset.at, upset.fault, upset.node);
    let earlier = past.upsets.iter().filter(|other| {
        // All of a region take over together: one is no repair of another.
        let theirs = systems.region_of(other.node).map(|region| region.coordinator);
        let together = !upset.killed && !other.killed && region.is_some() && region == theirs;
        order(other) < order(upset) && !other.already_down && !together
    });
    for other in earlier {
        let connected = |from: &[InstanceId], to: &[InstanceId]| {
            let joins = |c: &ChannelPlan| from.contains(&c.from) && to.contains(&c.to);
            systems.channels.iter().any(joins)
        };
        // To its neighbours a region is one: whoever of it failed, all of it asks them again.
        let theirs = match systems.region_of(other.node) {
            Some(theirs) if Some(theirs.coordinator) != region => &theirs.instances[..],
            _ => &[other.instance][..],
        };
        let repaired = other.repaired;
        under_repair.own_pair |= other.instance == instance && repaired > upset.at;
        let other_operator = systems.instance(other.instance).operator;
        let forgets = !run.plan.strategy(other_operator).log_survives();
        under_repair.upstream_forgot |= forgets && connected(theirs, &mine);
        // A neighbour's repair is over for us when what we may ask it for lies after its failure:
        // its own is over, and ours has been saved or acknowledged anew.
        let recovered = past.recoveries.list.iter().find(|from| from.fault == other.fault);
        let recovered = match recovered {
            Some(from) => from.recovered_at().unwrap_or(Nanos::MAX),
            // It met nothing.
            None => other.at,
        };
        let over = saved_anew(run, past, repaired.max(recovered));
        if over > upset.at {
            under_repair.upstream |= forgets && connected(theirs, &mine);
            under_repair.downstream |= connected(&mine, theirs);
        }
    }
    let stands = |kind: FaultKind| kind.kills() || kind == FaultKind::Pause;
    let alive = |peer: &NodeId| {
        *peer != node
            && !past.strikes.iter().any(|(other_node, other)| {
                other_node == peer
                    && stands(run.kind(other.fault))
                    && other.at <= upset.at
                    && other.healed.is_none_or(|healed| healed > upset.at)
            })
    };
    let replicas = &systems.instance(instance).replicas;
    let overtaken = if upset.killed {
        let successor = run.mark_after(instance, "took-over", strike.at);
        let silent = run.kind(upset.fault) == FaultKind::MachineLoss;
        // What a fault or a queue has held up dies with the wire, or before it gets there.
        let effect = run.plan.faults[upset.fault].effect;
        let wire_dies = matches!(effect, Effect::Crash { wire_dies: true, .. });
        successor.is_some_and(|at| at < strike.items_leave_until)
            || (silent && strike.unsent)
            || (wire_dies && strike.at < strike.items_leave_until)
            || (wire_dies && run.plan.talks_faster_than_it_sends(node))
    } else {
        replicas.iter().any(|peer| run.is_late(*peer, upset.at))
    };
    Situation {
        fault: run.kind(upset.fault),
        // Whoever takes over has been there.
        spare_left: !upset.killed || replicas.iter().any(alive),
        under_repair,
        overtaken,
        ..undisturbed(systems, operator)
    }
}

/// When everybody has saved or acknowledged anew what came until `from`, ns: two intervals and
/// saves later, counted from the end of every fault that has let saves fail meanwhile.
fn saved_anew(run: &RunLog, past: &Past, from: Nanos) -> Nanos {
    let systems = &run.plan.systems;
    let cycles = systems.settings.interval.saturating_add(run.plan.longest_save_ns());
    let cycles = cycles.saturating_mul(2).saturating_add(span_ns(systems));
    let mut refusing: Vec<_> =
        past.strikes.iter().map(|(_, strike)| *strike).filter(|s| s.saves.refused > 0).collect();
    refusing.sort_by_key(|strike| strike.at);
    refusing.into_iter().fold(from.saturating_add(cycles), |over, strike| match strike.healed {
        _ if strike.at > over => over,
        Some(healed) => over.max(healed.saturating_add(cycles)),
        None => Nanos::MAX,
    })
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
