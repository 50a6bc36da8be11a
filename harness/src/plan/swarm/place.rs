//! Whom the faults of a swarm befall: machines of protected operators and coordinators, and links
//! between machines that talk.

use crate::config::{FaultPlace, LinkEnd, Target};
use crate::plan::RunPlan;
use crate::seed::Draw;
use aftermath_systems::claim::FaultKind;
use aftermath_systems::plan::{OperatorPlan, OperatorRole};
use aftermath_systems::protocol::NodeId;

/// Of so many faults of machines, one befalls several.
const SEVERAL: u64 = 4;
/// Of so many faults of links, one befalls what replicas and coordinators say to each other.
const INNER: u64 = 3;
/// Of so many ends of links, one is all machines of an operator.
const WHOLE: u64 = 4;

/// Machines and links of a plan.
pub struct Places<'p> {
    plan: &'p RunPlan,
    machines: Vec<NodeId>,
    links: Vec<(NodeId, NodeId)>,
    /// Those between replicas, and with coordinators.
    inner: Vec<(NodeId, NodeId)>,
}

impl<'p> Places<'p> {
    /// All that can be hit.
    pub fn new(plan: &'p RunPlan) -> Places<'p> {
        let systems = &plan.systems;
        let nodes = || (0..systems.nodes.len() as u16).map(NodeId);
        let fails = |node: &NodeId| {
            let operator = systems.operator_of(*node);
            operator.protected || matches!(operator.role, OperatorRole::Coordinator)
        };
        let links = |a: NodeId| plan.acquaintances(a).into_iter().map(move |b| (a, b));
        let links: Vec<_> = nodes().flat_map(links).collect();
        let is_inner = |(a, b): &(NodeId, NodeId)| {
            let coordinates = |a, b| systems.region_of(b).is_some_and(|r| r.coordinator == a);
            let one = systems.node(*a).instance == systems.node(*b).instance;
            one || coordinates(*a, *b) || coordinates(*b, *a)
        };
        let inner = links.iter().copied().filter(is_inner).collect();
        Places { plan, machines: nodes().filter(fails).collect(), links, inner }
    }

    /// A machine, or some; `any`: perhaps all replicas of an instance. A fault of storage befalls
    /// who saves: elsewhere it meets nothing.
    pub fn machines(&self, draw: &mut Draw, kind: FaultKind, any: bool) -> Option<FaultPlace> {
        let several = draw.below(SEVERAL) == 0;
        let count = if several { 2 + draw.below(2) } else { 1 };
        let by_name = draw.below(2) == 0;
        let mut left = self.machines.clone();
        left.retain(|node| !kind.is_of_storage() || self.saves(*node));
        let mut targets = Vec::new();
        for _ in 0..count {
            if left.is_empty() {
                break;
            }
            let node = left.remove(draw.below(left.len() as u64) as usize);
            // Whoever leads may be any of the instance.
            if !(any && by_name) {
                let instance = self.plan.systems.node(node).instance;
                left.retain(|other| self.plan.systems.node(*other).instance != instance);
            }
            targets.push(self.target(node, by_name));
        }
        match targets.len() {
            0 | 1 => targets.pop().map(FaultPlace::Node),
            _ => Some(FaultPlace::Nodes(targets)),
        }
    }

    /// Whether a machine saves anything.
    fn saves(&self, node: NodeId) -> bool {
        let systems = &self.plan.systems;
        let operator = systems.instance(systems.node(node).instance).operator;
        match systems.operator(operator).role {
            OperatorRole::Coordinator => true,
            _ => self.plan.strategy(operator).trims_follow_saves(),
        }
    }

    /// The links between two machines that talk, or between operators whose machines do.
    pub fn links(&self, draw: &mut Draw) -> Option<FaultPlace> {
        // There are few links between replicas, and much goes wrong there.
        let inner = draw.below(INNER) == 0 && !self.inner.is_empty();
        let links = if inner { &self.inner } else { &self.links };
        let (from, to) = *links.get(draw.below(links.len() as u64) as usize)?;
        let both = draw.below(2) == 0;
        let mut end = |node: NodeId| {
            let whole = draw.below(WHOLE) == 0;
            let Target { operator, instance, replica } = self.target(node, !whole);
            let instance = (!whole && self.machines_of(&operator) > 1).then_some(instance);
            LinkEnd { operator, instance, replica: instance.and(replica) }
        };
        Some(FaultPlace::Link { from: end(from), to: end(to), both })
    }

    /// A machine as scenarios name it; else whoever leads its instance.
    fn target(&self, node: NodeId, by_name: bool) -> Target {
        let systems = &self.plan.systems;
        let operator = systems.operator_of(node).name.clone();
        let planned = systems.node(node);
        let by_name = by_name && self.machines_of(&operator) > 1;
        Target {
            operator,
            instance: systems.instance(planned.instance).index,
            replica: by_name.then_some(planned.replica),
        }
    }

    fn operator(&self, name: &str) -> &OperatorPlan {
        let found = self.plan.systems.operators.iter().find(|known| known.name == name);
        found.expect("names are taken from the plan")
    }

    /// How many machines an operator has.
    fn machines_of(&self, operator: &str) -> usize {
        let instances = &self.operator(operator).instances;
        instances.iter().map(|i| self.plan.systems.instance(*i).replicas.len()).sum()
    }

    /// How many machines an instance of an operator has.
    pub fn replicas(&self, operator: &str) -> u16 {
        let first = self.operator(operator).instances[0];
        self.plan.systems.instance(first).replicas.len() as u16
    }
}
