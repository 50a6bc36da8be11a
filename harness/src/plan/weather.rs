//! What faults do to links, as a function of time alone. So a sender knows when a frame will come
//! over at the instant at which it sends it, and no machine has to be told that a fault has begun
//! or ended.

use super::{PlannedFault, PlannedPlace, RunPlan};
use crate::faults::{Effect, Weather};
use aftermath_systems::operator::mix;
use aftermath_systems::protocol::{Nanos, NodeId};

/// One fault on links.
#[derive(Clone)]
pub struct Spell {
    /// Its number in the schedule.
    pub fault: usize,
    /// Start, ns.
    from: Nanos,
    /// End, ns.
    to: Nanos,
    /// From which node to which, sorted.
    pairs: Vec<(NodeId, NodeId)>,
    weather: Weather,
}

/// What becomes of one transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It comes over at this instant, ns.
    Arrives(Nanos),
    /// It is lost.
    Lost,
}

/// One transmission of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Transmission {
    /// Sender and receiver.
    pub pair: (NodeId, NodeId),
    /// When it leaves, ns.
    pub left: Nanos,
    /// When it comes over in fair weather, ns.
    pub due: Nanos,
    /// Its number, counted by the sender over all its incarnations, for each receiver.
    pub number: u64,
    /// Whether it carries a heartbeat.
    pub heartbeat: bool,
}

/// The spells of a schedule.
pub(super) fn spells(faults: &[PlannedFault]) -> Vec<Spell> {
    let spell = |(number, fault): (usize, &PlannedFault)| match (&fault.place, fault.effect) {
        (PlannedPlace::Links { pairs, .. }, Effect::Link(weather)) => Some(Spell {
            fault: number,
            from: fault.at,
            to: fault.over_at(),
            pairs: pairs.clone(),
            weather,
        }),
        _ => None,
    };
    let lasting = |spell: &Spell| spell.from < spell.to;
    let planned = faults.iter().enumerate().filter(|(_, fault)| fault.trigger.is_none());
    planned.filter_map(spell).filter(lasting).collect()
}

impl RunPlan {
    /// When a fault that waited, and struck at `start`, ends, if not by the healing of everything,
    /// ns.
    pub fn over_from(&self, fault: usize, start: Nanos) -> Nanos {
        let planned = &self.faults[fault];
        match (planned.for_ns, &planned.place) {
            (Some(length), _) => start.saturating_add(length),
            (None, PlannedPlace::Node { .. }) => start,
            // Links cannot wait for the rest to heal.
            (None, PlannedPlace::Links { .. }) => self.systems.workload.end_at.max(start),
        }
    }

    /// What a fault on links does that waited and struck at `start`; none if it is none on links.
    pub fn spell(&self, fault: usize, start: Nanos) -> Option<Spell> {
        let planned = &self.faults[fault];
        let (PlannedPlace::Links { pairs, .. }, Effect::Link(weather)) =
            (&planned.place, planned.effect)
        else {
            return None;
        };
        let to = self.over_from(fault, start);
        Some(Spell { fault, from: start, to, pairs: pairs.clone(), weather })
    }

    /// What becomes of a transmission; `begun`: the faults that had waited, as far as the sender
    /// has been told. Calls `touched` with the number of every fault that changes it.
    pub fn fate(
        &self,
        sent: Transmission,
        begun: &[Spell],
        mut touched: impl FnMut(usize),
    ) -> Fate {
        let Transmission { pair, left, mut due, heartbeat, .. } = sent;
        // Nobody could know of those before: what was under way by then gets through.
        let begun = || begun.iter().filter(move |spell| left >= spell.from);
        let spells = || self.spells.iter().chain(begun()).filter(move |s| s.is_about(pair));
        // First what happens on the way, then whether it ends: a longer way meets more.
        for spell in spells().filter(|spell| spell.is_on(left)) {
            if let Weather::Slow { by_ns } = spell.weather {
                due += by_ns;
                if by_ns > 0 {
                    touched(spell.fault);
                }
            }
        }
        // Until nothing holds it any longer.
        let held = |due: Nanos| {
            let holds = spells().filter(|spell| spell.weather == Weather::Hold);
            let mut holds = holds.filter(|spell| spell.meets(left, due) && due < spell.to);
            holds.next().map(|spell| (spell.fault, spell.to))
        };
        while let Some((fault, until)) = held(due) {
            touched(fault);
            due = until;
        }
        for spell in spells() {
            let lost = match spell.weather {
                Weather::Cut => spell.meets(left, due),
                Weather::Lose { millionths } => {
                    spell.is_on(left) && self.draws(spell, sent, millionths)
                }
                Weather::LoseHeartbeats { millionths } => {
                    heartbeat && spell.is_on(left) && self.draws(spell, sent, millionths)
                }
                Weather::Hold | Weather::Slow { .. } => false,
            };
            if lost {
                touched(spell.fault);
                return Fate::Lost;
            }
        }
        Fate::Arrives(due)
    }

    /// A draw with this probability: a function of the seed, the pair and the number.
    fn draws(&self, spell: &Spell, sent: Transmission, millionths: u32) -> bool {
        let (from, to) = sent.pair;
        let pair = u64::from(from.0) << 16 | u64::from(to.0);
        let heartbeat = u64::from(sent.heartbeat) << 32;
        let word = mix(mix(self.loss_seed, pair | heartbeat), sent.number);
        let word = mix(word, spell.fault as u64);
        ((u128::from(word) * 1_000_000) >> 64) < u128::from(millionths)
    }
}

impl Spell {
    /// Whether it befalls this link.
    fn is_about(&self, pair: (NodeId, NodeId)) -> bool {
        self.pairs.binary_search(&pair).is_ok()
    }

    /// Whether it lasts at this instant.
    fn is_on(&self, at: Nanos) -> bool {
        (self.from..self.to).contains(&at)
    }

    /// Whether something under way from `left` to `due` is under way while it lasts.
    fn meets(&self, left: Nanos, due: Nanos) -> bool {
        left < self.to && due >= self.from
    }
}
