//! Who ceased to lead, and why: what claims are asked about, and what pairs recover from.
//!
//! A fault that kills is one upset. A fault that does not (a pause, a partition, lost heartbeats)
//! is none by itself: it upsets an instance when somebody takes over there without its leader
//! having been killed, once for each such take-over.

use crate::machine::Strike;
use crate::run::RunLog;
use aftermath_systems::protocol::{InstanceId, Nanos, NodeId};

/// One upset.
#[derive(Clone, Copy, Debug)]
pub struct Upset {
    /// Number of the fault that caused it.
    pub fault: usize,
    /// The machine that was killed, or that took over.
    pub node: NodeId,
    /// Its instance.
    pub instance: InstanceId,
    /// When, ns: the fault, or the take-over.
    pub at: Nanos,
    /// Until when the pair of the instance was incomplete, ns.
    pub repaired: Nanos,
    /// When the machine was up again and the fault over, if ever, ns.
    pub back: Option<Nanos>,
    /// Whether a process was killed.
    pub killed: bool,
    /// Whether a killed process had been dead already.
    pub already_down: bool,
}

/// All upsets of a run, by time.
pub fn upsets(run: &RunLog) -> Vec<Upset> {
    let strikes = run.strikes();
    let instance = |node: NodeId| run.plan.systems.node(node).instance;
    let kills = strikes.iter().filter(|(_, strike)| run.kind(strike.fault).kills());
    let kills = kills.map(|(node, strike)| Upset {
        fault: strike.fault,
        node: *node,
        instance: instance(*node),
        at: strike.at,
        repaired: strike.healed.map_or(Nanos::MAX, |back| {
            run.repaired(instance(*node), before_heard(run, *node, back))
        }),
        back: strike.healed,
        killed: true,
        already_down: strike.already_down,
    });
    let mut upsets: Vec<Upset> = kills.collect();
    upsets.extend(unprovoked(run, &strikes));
    upsets.sort_by_key(|upset| (upset.at, upset.fault, upset.node));
    upsets
}

/// The take-overs of leaders that had not been killed.
fn unprovoked(run: &RunLog, strikes: &[(NodeId, &Strike)]) -> Vec<Upset> {
    let mut harmless: Vec<_> =
        strikes.iter().map(|(_, s)| *s).filter(|s| !run.kind(s.fault).kills()).collect();
    harmless.sort_by_key(|strike| (strike.at, strike.fault));
    if harmless.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (node, at) in take_overs(run) {
        // The latest of those that had begun is the one to blame, but a storage device only if
        // there was nothing else: it silences nobody.
        let begun = || harmless.iter().rev().filter(|strike| strike.at < at);
        let of_storage = |strike: &Strike| run.kind(strike.fault).is_of_storage();
        let killed = || {
            let mut all = strikes.iter();
            all.any(|(_, strike)| strike.at <= at && run.kind(strike.fault).kills())
        };
        let fault = begun().find(|strike| !of_storage(strike));
        let Some(fault) = fault.or_else(|| begun().next().filter(|_| !killed())) else { continue };
        if answers_a_kill(run, strikes, node, at) {
            continue;
        }
        found.push(Upset {
            fault: fault.fault,
            node,
            instance: run.plan.systems.node(node).instance,
            at,
            repaired: repaired(run, node, at),
            back: fault.healed.map(|healed| healed.max(at)),
            killed: false,
            already_down: false,
        });
    }
    found
}

/// Just before anybody can have heard of a machine that is back, ns: its process has started, and
/// the fastest link is crossed. Whatever was on its way from the dead says nothing of the living.
fn before_heard(run: &RunLog, node: NodeId, back: Nanos) -> Nanos {
    let mut started = run.nodes[node.index()].log.activations.iter();
    let Some(started) = started.find(|at| **at >= back) else { return Nanos::MAX };
    started.saturating_add(run.plan.shortest_latency_ns()).saturating_sub(1)
}

/// Until when the pair was incomplete after a take-over by `node` at `at`. A region takes over
/// together, when all have restored: who was replaced may have joined by then, and who led before
/// has its spare still.
fn repaired(run: &RunLog, node: NodeId, at: Nanos) -> Nanos {
    let systems = &run.plan.systems;
    let instance = systems.node(node).instance;
    let Some(region) = systems.region_of(node) else { return run.repaired(instance, at) };
    let before = take_overs(run).filter(|(other, before)| {
        systems.node(*other).instance == instance && (*before, *other) < (at, node)
    });
    let led = before.max_by_key(|(_, before)| *before).map(|(node, _)| node);
    if led.unwrap_or(systems.instance(instance).replicas[0]) == node {
        return at;
    }
    let marks = &run.nodes[region.coordinator.index()].log.marks;
    let mut suspected = marks.iter().rev().filter(|mark| mark.name == "suspected");
    let since = suspected.find(|mark| mark.at <= at).map_or(at, |mark| mark.at);
    run.repaired(instance, since).max(at)
}

/// Who took over, and when.
fn take_overs(run: &RunLog) -> impl Iterator<Item = (NodeId, Nanos)> + '_ {
    run.nodes.iter().enumerate().flat_map(|(index, node)| {
        let marks = node.log.marks.iter().filter(|mark| mark.name == "took-over");
        marks.map(move |mark| (NodeId(index as u16), mark.at))
    })
}

/// Whether a take-over is the first of its instance after its leader, or somebody of its region,
/// was killed. A take-over at the instant of a fault came before it, see [`RunLog::mark_after`].
fn answers_a_kill(run: &RunLog, strikes: &[(NodeId, &Strike)], node: NodeId, at: Nanos) -> bool {
    let systems = &run.plan.systems;
    let instance = systems.node(node).instance;
    let concerns = |other: NodeId| {
        let region = systems.region_of(node).map(|region| region.coordinator);
        let theirs = systems.region_of(other).map(|region| region.coordinator);
        systems.node(other).instance == instance || (region.is_some() && region == theirs)
    };
    let before = take_overs(run).filter(|(other, before)| {
        systems.node(*other).instance == instance && (*before, *other) < (at, node)
    });
    let last = before.map(|(_, before)| before).max();
    strikes.iter().any(|(other, strike)| {
        let kills = run.kind(strike.fault).kills() && strike.was_primary && strike.at < at;
        kills && concerns(*other) && last.is_none_or(|last| last <= strike.at)
    })
}
