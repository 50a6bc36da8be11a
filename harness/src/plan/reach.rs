//! What a plan alone says about how far a fault reaches: the operators that it concerns, those
//! behind them, and the situation about which their strategies are asked. Swarms ask beforehand,
//! the judge afterwards.

use super::PlannedPlace;
use aftermath_systems::claim::{Downstream, FaultKind, Situation, UnderRepair};
use aftermath_systems::operator::{OperatorClass, Span};
use aftermath_systems::plan::{Dedup, Plan};
use aftermath_systems::protocol::{Nanos, NodeId, OperatorId};

/// The operators at the ends of what a fault befalls, `node` if it is a machine; those of its
/// region, too: it cuts, trims and is set back as a whole.
pub fn ends(systems: &Plan, place: &PlannedPlace, node: NodeId) -> Vec<OperatorId> {
    let nodes = match place {
        PlannedPlace::Node { .. } => vec![node],
        PlannedPlace::Links { pairs, .. } => pairs.iter().flat_map(|(a, b)| [*a, *b]).collect(),
    };
    let operators = |node: NodeId| match systems.region_of(node) {
        Some(region) => region.instances.clone(),
        None => vec![systems.node(node).instance],
    };
    let instances = nodes.into_iter().flat_map(operators);
    let mut all: Vec<_> = instances.map(|i| systems.instance(i).operator).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Whether an operator, or one behind it, is of class arbitrary.
pub fn arbitrary(systems: &Plan, id: OperatorId) -> bool {
    let class = systems.operator(id).operator().map(|operator| operator.class());
    class == Some(OperatorClass::Arbitrary) || depends_on_arrival(systems, id)
}

/// The operators that an upset of this machine hits: its own, or its whole region, set back with
/// it.
pub fn hit(systems: &Plan, node: NodeId) -> Vec<OperatorId> {
    let Some(region) = systems.region_of(node) else {
        return vec![systems.instance(systems.node(node).instance).operator];
    };
    let mut all: Vec<_> = region.instances.iter().map(|i| systems.instance(*i).operator).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The situation of an operator that is hit while all else is well.
pub fn undisturbed(systems: &Plan, id: OperatorId) -> Situation {
    let operator = systems.operator(id).operator().expect("only tasks fail");
    let dedup = systems.operator(id).outputs.iter().map(|edge| systems.edge(*edge).contract.dedup);
    Situation {
        fault: FaultKind::MachineLoss,
        class: operator.class(),
        span: operator.span(),
        dedup: dedup.min().unwrap_or(Dedup::Off),
        spare_left: true,
        under_repair: UnderRepair::default(),
        overtaken: false,
        downstream: downstream(systems, id),
        planted: systems.bug,
    }
}

/// Whether an operator behind `id` is of class arbitrary.
pub fn depends_on_arrival(systems: &Plan, id: OperatorId) -> bool {
    systems.operator(id).outputs.iter().map(|edge| systems.edge(*edge).to).any(|to| {
        let class = systems.operator(to).operator().map(|operator| operator.class());
        class == Some(OperatorClass::Arbitrary) || depends_on_arrival(systems, to)
    })
}

/// How far back the operators behind `id` depend on their inputs, at worst. Those of its own region
/// are set back with it and do not count.
fn downstream(systems: &Plan, id: OperatorId) -> Downstream {
    let region = |id| systems.instance(systems.operator(id).instances[0]).region;
    behind(systems, id, |to| region(id).is_none() || region(id) != region(to))
}

/// How far back those of the operators behind `id` that count depend on their inputs, at worst.
pub fn behind(systems: &Plan, id: OperatorId, counts: impl Fn(OperatorId) -> bool) -> Downstream {
    let mut worst = Downstream::Stateless;
    let mut behind = vec![id];
    while let Some(from) = behind.pop() {
        for edge in &systems.operator(from).outputs {
            let to = systems.edge(*edge).to;
            behind.push(to);
            if let (Some(operator), true) = (systems.operator(to).operator(), counts(to)) {
                worst = worst.max(Downstream::of(operator.span()));
            }
        }
    }
    worst
}

/// The sum of the bounded spans of all operators: how long a wrong input can echo, ns.
pub fn span_ns(systems: &Plan) -> Nanos {
    let spans = systems.operators.iter().filter_map(|operator| operator.operator());
    let bounded = spans.map(|operator| match operator.span() {
        Span::Bounded(span) => span,
        Span::Stateless | Span::Unbounded => 0,
    });
    bounded.sum()
}
