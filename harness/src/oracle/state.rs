//! State: what each operator instance holds in the end, against the twin. Outputs may all be
//! right while the state is not; the next fault would tell.
//!
//! Speaks when the leading replica's digest differs from the twin's, or nobody leads.

use super::Case;
use crate::run::{NodeLog, RunLog};
use aftermath_reports::record::Witness;
use aftermath_systems::plan::InstancePlan;

/// The instances whose state differs.
pub fn check(case: &Case) -> Vec<Witness> {
    let systems = &case.run.plan.systems;
    let mut witnesses = Vec::new();
    for instance in &systems.instances {
        let operator = systems.operator(instance.operator);
        if operator.operator().is_none() {
            continue;
        }
        let (found, expected) = (state(case.run, instance), state(case.twin, instance));
        if found != expected {
            let show = |state: Option<u64>| match state {
                Some(digest) => format!("state {digest:016x}"),
                None => "no replica leads".to_string(),
            };
            witnesses.push(Witness {
                checker: "state".into(),
                subject: format!("{}/{}", operator.name, instance.index),
                expected: show(expected),
                observed: show(found),
                at_ns: Some(case.run.length_ns),
            });
        }
    }
    witnesses
}

/// Digest of the leading replica's state. Of two that lead, one has not heard yet that it was
/// replaced: the one that took over last leads.
fn state(run: &RunLog, instance: &InstancePlan) -> Option<u64> {
    let nodes = instance.replicas.iter().map(|node| &run.nodes[node.index()]);
    let leading = nodes.filter(|node| node.is_primary);
    let since = |node: &&NodeLog| {
        let marks = node.log.marks.iter().rev();
        marks.clone().find(|mark| mark.name == "took-over").map(|mark| mark.at)
    };
    // The first of those that have led from the start.
    let leader = leading.rev().max_by_key(since);
    leader.and_then(|node| node.digest.as_ref()).map(|digest| digest.state)
}
