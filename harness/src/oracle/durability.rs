//! Confirmed position ≤ durable position.
//!
//! Speaks when a replica tells upstream to forget inputs that no completed save of its instance
//! covers, under a strategy that promises to trim only what has been saved. It speaks in runs
//! without any fault: the loss itself would need a crash within a few milliseconds.

use super::Case;
use crate::run::RunLog;
use aftermath_reports::record::Witness;
use aftermath_systems::protocol::{ChannelId, InstanceId, Nanos, Positions};

/// The first unfounded trim of each instance.
pub fn check(case: &Case) -> Vec<Witness> {
    let systems = &case.run.plan.systems;
    let mut witnesses = Vec::new();
    for (index, instance) in systems.instances.iter().enumerate() {
        let operator = systems.operator(instance.operator);
        let is_task = operator.operator().is_some();
        if !is_task || !case.run.plan.strategy(instance.operator).trims_follow_saves() {
            continue;
        }
        if let Some((at, channel, safe)) = first_unfounded(case.run, InstanceId(index as u16)) {
            witnesses.push(Witness {
                checker: "confirmed-before-durable".into(),
                subject: format!("{}/{} trims {channel:?}", operator.name, instance.index),
                expected: "only what a completed save covers".into(),
                observed: show(&safe),
                at_ns: Some(at),
            });
        }
    }
    witnesses
}

fn first_unfounded(run: &RunLog, instance: InstanceId) -> Option<(Nanos, ChannelId, Positions)> {
    let replicas = &run.plan.systems.instance(instance).replicas;
    let logs = || replicas.iter().map(|node| &run.nodes[node.index()].log);
    let mut durable: Vec<_> = logs().flat_map(|log| &log.durable).collect();
    durable.sort_by_key(|(at, _)| *at);
    let mut trims: Vec<_> = logs().flat_map(|log| &log.trims).collect();
    trims.sort_by_key(|(at, _, _)| *at);
    let mut saved = Positions::default();
    let mut durable = durable.into_iter().peekable();
    for (at, channel, safe) in trims {
        while let Some((_, covers)) = durable.next_if(|(durable_at, _)| durable_at <= at) {
            for (stream, position) in covers.iter() {
                saved.advance(stream, position);
            }
        }
        if !saved.includes(safe) {
            return Some((*at, *channel, safe.clone()));
        }
    }
    None
}

fn show(positions: &Positions) -> String {
    let one = |(stream, position): (_, aftermath_systems::protocol::Position)| {
        format!("{stream:?} before {}.{}", position.sequence, position.sub)
    };
    positions.iter().map(one).collect::<Vec<_>>().join(", ")
}
