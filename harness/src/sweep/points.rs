//! Every place between two effects of any handler of a machine that may fail, and what kind of
//! place it is. A handler with n effects has n + 1 places: before each effect, and after the last.

use crate::machine::{EffectKind, EventKind, Step};
use crate::plan::{Awaited, RunPlan};
use aftermath_systems::plan::{OperatorRole, Plan};
use aftermath_systems::protocol::{Nanos, NodeId};
use std::collections::BTreeMap;
use std::fmt;

/// A place between two effects, as scenarios and traces name it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Address {
    /// The machine.
    pub node: NodeId,
    /// The number of the handler there, over all incarnations, from 1.
    pub handler: u64,
    /// The incarnation that runs it.
    pub incarnation: u32,
    /// Just before this effect, from 0; the number of effects: after the last.
    pub effect: u64,
}

impl Address {
    /// What a fault waits for that strikes there.
    pub fn awaited(&self) -> Awaited {
        let Address { incarnation, handler, effect, .. } = *self;
        Awaited::Address { incarnation, handler, effect }
    }
}

/// A place with what is known of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point {
    /// Where.
    pub address: Address,
    /// When it is reached, ns.
    pub at: Nanos,
    /// Its kind, by its number in [`Points::kinds`].
    pub kind: usize,
    /// To die here is to die at the place before: what lies between dies with the process.
    pub same_as_before: bool,
}

/// What a machine is to its instance.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Role {
    /// It leads.
    Leads,
    /// It stands by.
    StandsBy,
    /// It coordinates a region.
    Coordinates,
}

impl Role {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Role::Leads => "leads",
            Role::StandsBy => "stands by",
            Role::Coordinates => "coordinates",
        }
    }
}

/// A kind of places.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Kind {
    /// The operator.
    pub operator: String,
    /// What the machine is to it when the handler is over.
    pub role: Role,
    /// What happened.
    pub event: EventKind,
    /// What is to be done next; `None`: all is done.
    pub next: Option<EffectKind>,
}

impl Kind {
    /// Where in the handler it is, for people.
    pub fn place(&self) -> String {
        self.next.map_or("after the last".to_string(), |next| format!("before {}", next.0))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Kind { operator, role, event, .. } = self;
        write!(f, "{operator}, {}: {}, {}", role.name(), event.0, self.place())
    }
}

/// The places of a run, in the order of ticks, and their kinds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Points {
    /// The places.
    pub list: Vec<Point>,
    /// The kinds, sorted.
    pub kinds: Vec<Kind>,
}

impl Points {
    /// The places to run, by number: those that are not the same as the one before. If there may
    /// be `limit` only, they are spread evenly.
    pub fn distinct(&self, limit: Option<usize>) -> Vec<usize> {
        let all = self.list.iter().enumerate();
        let own = all.filter(|(_, point)| !point.same_as_before).map(|(number, _)| number);
        let own: Vec<usize> = own.collect();
        match limit {
            Some(limit) if limit < own.len() => {
                (0..limit).map(|nth| own[nth * own.len() / limit]).collect()
            }
            _ => own,
        }
    }
}

/// The machines that may fail: the replicas of protected operators, and coordinators.
pub fn victims(systems: &Plan) -> Vec<NodeId> {
    let nodes = (0..systems.nodes.len() as u16).map(NodeId);
    let fails = |node: &NodeId| {
        let operator = systems.operator_of(*node);
        operator.protected || matches!(operator.role, OperatorRole::Coordinator)
    };
    nodes.filter(fails).collect()
}

/// The places in these handlers of machines that may fail.
pub fn points<'a>(plan: &RunPlan, steps: impl Iterator<Item = &'a Step>) -> Points {
    let systems = &plan.systems;
    let mut found = Vec::new();
    for step in steps {
        let node = NodeId(step.handler.node);
        let operator = systems.operator_of(node);
        let role = match operator.role {
            OperatorRole::Coordinator => Role::Coordinates,
            _ if step.led => Role::Leads,
            _ => Role::StandsBy,
        };
        // Whoever dies or restarts itself never gets to the rest.
        let whole = step.done == step.effects.len();
        for effect in 0..step.done + usize::from(whole) {
            let kind = Kind {
                operator: operator.name.clone(),
                role,
                event: step.event,
                next: step.effects.get(effect).copied(),
            };
            let before = effect.checked_sub(1).map(|before| step.effects[before]);
            // How often a message comes again is drawn by a number that every timer moves on.
            let same_as_before =
                before.is_some_and(EffectKind::dies_with_the_process) && !plan.redelivers;
            let address = Address {
                node,
                handler: step.handler.number,
                incarnation: step.handler.incarnation,
                effect: effect as u64,
            };
            found.push((Point { address, at: step.at, kind: 0, same_as_before }, kind));
        }
    }
    found.sort_by_key(|(point, _)| (point.at.div_ceil(plan.tick_ns), point.address));
    let names: BTreeMap<Kind, ()> = found.iter().map(|(_, kind)| (kind.clone(), ())).collect();
    let kinds: Vec<Kind> = names.into_keys().collect();
    let number = |kind: &Kind| kinds.binary_search(kind).unwrap_or_default();
    let list = found.iter().map(|(point, kind)| Point { kind: number(kind), ..*point }).collect();
    Points { list, kinds }
}
