//! Whether a strategy promises anything about a schedule, foreseen: who is upset when, and in what
//! situation. The strategy itself is asked, so nothing here is about one strategy.
//!
//! An *upset* is a fault that makes somebody take over: one that kills, one that keeps a machine
//! from showing life for longer than detection, and one that keeps its heartbeats. The next one
//! waits until the first is over and has been recovered from: detection, redirect, restore, two
//! intervals and slack. One of the same instance or region also waits until the pair is whole
//! again.
//! Where failures may overlap, none waits: the strategy is asked what it promises meanwhile.
//! What upsets nobody may overlap anything, as far as the strategy's claim allows.
//!
//! Foreseen generously, and not exactly: a run may turn out not to be covered all the same, because
//! a queue was longer than one could know. What is drawn is judged by what happened.

use crate::config::{FaultAt, FaultConfig};
use crate::faults::{Effect, Weather};
use crate::plan::reach::{arbitrary, depends_on_arrival, ends, hit, span_ns, undisturbed};
use crate::plan::{PlannedFault, PlannedPlace, RunPlan, at_instant};
use crate::transfer::transfer;
use aftermath_systems::claim::{Answer, FaultKind, Situation, UnderRepair};
use aftermath_systems::protocol::{InstanceId, Nanos, NodeId, OperatorId};

/// A schedule as far as it is drawn.
pub struct Promised<'p> {
    plan: &'p RunPlan,
    /// Whether upsets need not wait for each other where the strategies promise something.
    overlap: bool,
    faults: Vec<PlannedFault>,
    upsets: Vec<Upset>,
    /// What recovery takes, generously, ns.
    pub settle_ns: Nanos,
}

/// Somebody may take over.
#[derive(Clone, PartialEq, Eq)]
struct Upset {
    kind: FaultKind,
    kills: bool,
    instance: InstanceId,
    /// The first instant at which it may happen, ns.
    at: Nanos,
    /// The last, ns.
    over: Nanos,
    /// When the pair is whole again, ns.
    repaired: Nanos,
    trouble: Trouble,
}

/// What else is the matter when somebody takes over.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Trouble {
    under_repair: UnderRepair,
    overtaken: bool,
    spare_lost: bool,
}

impl Trouble {
    fn join(self, other: Trouble) -> Trouble {
        let (a, b) = (self.under_repair, other.under_repair);
        Trouble {
            under_repair: UnderRepair {
                own_pair: a.own_pair || b.own_pair,
                upstream: a.upstream || b.upstream,
                upstream_forgot: a.upstream_forgot || b.upstream_forgot,
                downstream: a.downstream || b.downstream,
            },
            overtaken: self.overtaken || other.overtaken,
            spare_lost: self.spare_lost || other.spare_lost,
        }
    }
}

impl<'p> Promised<'p> {
    /// Nothing is drawn yet.
    pub fn new(plan: &'p RunPlan, overlap: bool) -> Promised<'p> {
        let settings = &plan.systems.settings;
        // The largest state has an entry for each input.
        let entries = plan.systems.workload.inputs.len() as u64;
        let state = entries.saturating_mul(settings.entry_bytes);
        let restore = plan.storage.latency_ns + transfer(state, plan.storage.restore_bytes_per_s);
        let slack = 10 * plan.longest_latency_ns() + plan.retransmit_ns + span_ns(&plan.systems);
        let settle_ns = settings.first_suspect_after()
            + settings.redirect
            + restore
            + 2 * (settings.interval + plan.storage.latency_ns)
            + slack;
        Promised { plan, overlap, faults: Vec::new(), upsets: Vec::new(), settle_ns }
    }

    /// Whether something is promised with this fault added. If so, it is.
    pub fn admits(&mut self, fault: &FaultConfig) -> bool {
        let FaultAt::Instant(at) = fault.at else { return false };
        let planned = at_instant(&self.plan.systems, fault, at);
        let upset = |fault: &PlannedFault| {
            let mut upsets = self.upsets(fault);
            // What befalls links may also hold up what somebody had sent who is replaced.
            if let PlannedPlace::Links { .. } = fault.place {
                let touch = |upset: &mut Upset| upset.trouble = self.touch(fault, upset);
                upsets.iter_mut().for_each(touch);
            }
            upsets
        };
        let mut fresh: Vec<Upset> = planned.iter().flat_map(upset).collect();
        let spoils = |fault: &PlannedFault| {
            !fault.kind.kills()
                && self.ends(fault).into_iter().any(|end| arbitrary(&self.plan.systems, end))
        };
        let apart = |(number, a): (usize, &Upset)| {
            let others = fresh[..number].iter().chain(&self.upsets);
            others.into_iter().all(|b| self.apart(a, b))
        };
        if planned.iter().any(spoils)
            || planned.iter().any(|fault| self.is_a_lie(fault))
            || !(self.overlap || fresh.iter().enumerate().all(apart))
        {
            return false;
        }
        let mut known = self.upsets.clone();
        for upset in &mut fresh {
            let touched = self.faults.iter().map(|fault| self.touch(fault, upset));
            upset.trouble = touched.fold(upset.trouble, Trouble::join);
            for other in &mut known {
                if other.at < upset.at {
                    upset.trouble = upset.trouble.join(self.repair(other, upset));
                } else {
                    other.trouble = other.trouble.join(self.repair(upset, other));
                }
            }
        }
        for other in &mut known {
            let touched = planned.iter().map(|fault| self.touch(fault, other));
            other.trouble = touched.fold(other.trouble, Trouble::join);
        }
        known.extend(fresh);
        let asked = |upset: &Upset| {
            let same = |old: &Upset| old == upset;
            self.upsets.iter().any(same) || self.is_covered(upset)
        };
        if !known.iter().all(asked) {
            return false;
        }
        self.upsets = known;
        self.faults.extend(planned);
        true
    }

    /// Whom a fault may upset.
    fn upsets(&self, fault: &PlannedFault) -> Vec<Upset> {
        let settings = &self.plan.systems.settings;
        let end = fault.for_ns.map_or(Nanos::MAX, |length| fault.at.saturating_add(length));
        // The last sign of life may be as old as a period when it begins.
        let least = settings.suspect_after().saturating_sub(settings.heartbeat_every);
        let long = end.saturating_sub(fault.at) >= least;
        let waits = end.saturating_add(settings.first_suspect_after());
        let over = match (fault.effect, &fault.place) {
            (Effect::Crash { .. }, _) => fault.at,
            (Effect::Pause, _) if long => waits,
            // It looks like a death at once.
            (Effect::Link(Weather::Reset { told: true }), _) => waits,
            (Effect::Link(weather), _) if late(weather).is_some_and(|late| late >= least) => {
                waits.saturating_add(late(weather).unwrap_or(0))
            }
            (Effect::Link(weather), _) if !keeps(weather) => return Vec::new(),
            (Effect::Link(_), _) if long => waits,
            _ => return Vec::new(),
        };
        let wire_dies = matches!(fault.effect, Effect::Crash { wire_dies: true, .. });
        let overtakes = |instance: InstanceId| {
            let mut replicas = self.plan.systems.instance(instance).replicas.iter();
            wire_dies && replicas.any(|node| self.plan.talks_faster_than_it_sends(*node))
        };
        let upset = |instance: InstanceId| Upset {
            kind: fault.kind,
            kills: fault.kind.kills(),
            instance,
            at: fault.at,
            over,
            repaired: end.max(over).saturating_add(self.settle_ns + settings.join_after()),
            trouble: Trouble { overtaken: overtakes(instance), ..Trouble::default() },
        };
        self.watched(&fault.place).into_iter().map(upset).collect()
    }

    /// The instances whose signs of life go through a place.
    fn watched(&self, place: &PlannedPlace) -> Vec<InstanceId> {
        let systems = &self.plan.systems;
        let instance = |node: NodeId| systems.node(node).instance;
        let coordinates = |a: NodeId, b: NodeId| {
            let region = systems.region_of(b).map(|region| region.coordinator);
            a != b && region == Some(a)
        };
        match place {
            PlannedPlace::Node { instance, .. } => vec![*instance],
            PlannedPlace::Links { pairs, .. } => {
                let watched = |(a, b): &(NodeId, NodeId)| {
                    let pair = (instance(*a) == instance(*b)).then(|| instance(*a));
                    let follows = coordinates(*a, *b).then(|| instance(*b));
                    pair.or(follows).or(coordinates(*b, *a).then(|| instance(*a)))
                };
                let mut all: Vec<_> = pairs.iter().filter_map(watched).collect();
                all.sort_unstable();
                all.dedup();
                all
            }
        }
    }

    /// Who coordinates an instance, or itself.
    fn region(&self, instance: InstanceId) -> Option<NodeId> {
        let node = self.plan.systems.instance(instance).replicas[0];
        self.plan.systems.region_of(node).map(|region| region.coordinator)
    }

    /// Whether one upset has been dealt with when the other comes.
    fn apart(&self, a: &Upset, b: &Upset) -> bool {
        let (earlier, later) = if a.at <= b.at { (a, b) } else { (b, a) };
        let region = self.region(a.instance);
        let together =
            a.instance == b.instance || (region.is_some() && region == self.region(b.instance));
        let ready = if together { earlier.repaired } else { earlier.over };
        later.at >= ready.saturating_add(self.settle_ns)
    }

    /// What the repair of one means for one that comes later.
    fn repair<'u>(&self, earlier: &'u Upset, later: &'u Upset) -> Trouble {
        let systems = &self.plan.systems;
        let region =
            |upset: &Upset| systems.region_of(systems.instance(upset.instance).replicas[0]);
        let alone = |upset: &'u Upset| std::slice::from_ref(&upset.instance);
        let mine = region(later).map_or(alone(later), |region| &region.instances);
        // To its neighbours a region is one: whoever of it failed, all of it asks them again.
        let theirs = match region(earlier) {
            Some(theirs) if self.region(later.instance) != Some(theirs.coordinator) => {
                &theirs.instances[..]
            }
            _ => alone(earlier),
        };
        let leads = |from: &[InstanceId], to: &[InstanceId]| {
            systems.channels.iter().any(|c| from.contains(&c.from) && to.contains(&c.to))
        };
        let operator = systems.instance(earlier.instance).operator;
        let forgets = !self.plan.strategy(operator).log_survives() && leads(theirs, mine);
        let open = earlier.repaired.saturating_add(self.settle_ns) > later.at;
        let own_pair = open && earlier.instance == later.instance;
        Trouble {
            under_repair: UnderRepair {
                own_pair,
                upstream: forgets && open,
                upstream_forgot: forgets,
                downstream: open && leads(mine, theirs),
            },
            spare_lost: own_pair,
            ..Trouble::default()
        }
    }

    /// What another fault does to an upset that it overlaps.
    fn touch(&self, fault: &PlannedFault, upset: &Upset) -> Trouble {
        let systems = &self.plan.systems;
        let tail = match fault.effect {
            Effect::Link(weather) => late(weather).unwrap_or(self.plan.retransmit_ns),
            _ => 0,
        };
        let end = fault.for_ns.map_or(Nanos::MAX, |length| fault.at.saturating_add(length));
        let end = end.saturating_add(tail + self.plan.longest_latency_ns());
        let overlap = fault.at <= upset.over && upset.at <= end;
        let of = |node: &NodeId| systems.node(*node).instance == upset.instance;
        match &fault.place {
            PlannedPlace::Node { instance, .. } => Trouble {
                spare_lost: overlap
                    && *instance == upset.instance
                    && (fault.kind.kills() || fault.effect == Effect::Pause),
                ..Trouble::default()
            },
            PlannedPlace::Links { pairs, .. } => Trouble {
                overtaken: overlap
                    && holds_up(fault.effect)
                    && pairs.iter().any(|(from, to)| of(from) && !of(to)),
                ..Trouble::default()
            },
        }
    }

    /// The operators at the ends of what a fault befalls.
    fn ends(&self, fault: &PlannedFault) -> Vec<OperatorId> {
        let systems = &self.plan.systems;
        let node = match &fault.place {
            PlannedPlace::Node { instance, .. } => systems.instance(*instance).replicas[0],
            // Links have their own ends.
            PlannedPlace::Links { .. } => NodeId(0),
        };
        ends(systems, &fault.place, node)
    }

    /// Whether a fault makes storage lose what it has reported durable, under a strategy that
    /// promises nothing then.
    fn is_a_lie(&self, fault: &PlannedFault) -> bool {
        fault.kind.loses_saves()
            && self.ends(fault).into_iter().any(|operator| {
                let undisturbed = undisturbed(&self.plan.systems, operator);
                let situation = Situation { fault: fault.kind, ..undisturbed };
                let answer = self.plan.strategy(operator).claim(&situation);
                matches!(answer, Answer::NotCovered(_))
            })
    }

    /// Whether the strategy promises something about an upset.
    fn is_covered(&self, upset: &Upset) -> bool {
        let systems = &self.plan.systems;
        let operators = hit(systems, systems.instance(upset.instance).replicas[0]);
        let alone = systems.instance(upset.instance).replicas.len() == 1;
        operators.into_iter().all(|operator| {
            let lost = alone || (upset.kills && upset.trouble.spare_lost);
            let situation = Situation {
                fault: upset.kind,
                spare_left: !lost,
                under_repair: upset.trouble.under_repair,
                overtaken: upset.trouble.overtaken,
                ..undisturbed(systems, operator)
            };
            let answer = self.plan.strategy(operator).claim(&situation);
            !depends_on_arrival(systems, operator) && matches!(answer, Answer::Claim(_))
        })
    }
}

/// How late a transmission comes, ns, where a fault says so.
fn late(weather: Weather) -> Option<Nanos> {
    match weather {
        Weather::Slow { by_ns, jitter_ns } => Some(by_ns + jitter_ns),
        Weather::Delay { by_ns, .. } => Some(by_ns),
        _ => None,
    }
}

/// Whether signs of life may stay away for as long as a fault lasts.
fn keeps(weather: Weather) -> bool {
    let loses = |w| matches!(w, Weather::Lose { .. } | Weather::LoseHeartbeats { .. });
    loses(weather) || matches!(weather, Weather::Cut | Weather::Hold | Weather::Reset { .. })
}

/// Whether a fault may hold up what was sent.
fn holds_up(effect: Effect) -> bool {
    match effect {
        Effect::Link(weather) => !matches!(weather, Weather::Copy { .. } | Weather::Again { .. }),
        _ => false,
    }
}
