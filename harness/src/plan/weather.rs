//! What faults do to links, as a function of time alone. So a sender knows when a frame will come
//! over at the instant at which it sends it, and no machine has to be told that a fault has begun
//! or ended. Only of a fault that waits for a machine does it hear when that has begun
//! ([`crate::machine::Machine::begin_spell`]).

use super::{PlannedFault, PlannedPlace, RunPlan};
use crate::faults::{Effect, Weather};
use aftermath_systems::operator::mix;
use aftermath_systems::protocol::{Nanos, NodeId};

/// One fault on links.
#[derive(Clone)]
pub struct Spell {
    /// Its number in the schedule.
    pub fault: usize,
    /// The number that its chance is drawn from.
    draws: u64,
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
    /// It comes over.
    Arrives {
        /// When, ns.
        at: Nanos,
        /// When a copy of it does, ns.
        copy_at: Option<Nanos>,
        /// The fault that holds it up so that others overtake it.
        delayed: Option<usize>,
    },
    /// It is lost.
    Lost,
}

/// What a fault has to do with a transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Met {
    /// A draw decided about it.
    Exposed,
    /// It was changed.
    Changed,
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
            draws: fault.draws.unwrap_or(number as u64),
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

/// Whether a schedule has such weather.
pub(super) fn any(faults: &[PlannedFault], is: impl Fn(Weather) -> bool) -> bool {
    faults.iter().any(|fault| matches!(fault.effect, Effect::Link(weather) if is(weather)))
}

impl RunPlan {
    /// When a machine is told that its connection with which other was reset, ns: one delay after.
    pub fn resets(&self, node: NodeId) -> Vec<(Nanos, NodeId)> {
        let planned = self.faults.iter().enumerate().filter(|(_, fault)| fault.trigger.is_none());
        let told = planned.flat_map(|(number, fault)| {
            let learns = move |peer| (fault.at + self.latency_ns(peer, node), peer);
            self.severed(number, node).into_iter().map(learns)
        });
        told.collect()
    }

    /// With which others a machine has a connection that a fault resets, and is told so.
    pub fn severed(&self, fault: usize, node: NodeId) -> Vec<NodeId> {
        let planned = &self.faults[fault];
        let (PlannedPlace::Links { pairs, .. }, Effect::Link(Weather::Reset { told: true })) =
            (&planned.place, planned.effect)
        else {
            return Vec::new();
        };
        // A connection goes both ways, whichever of them the fault names.
        let ends = pairs.iter().flat_map(|(from, to)| [(*from, *to), (*to, *from)]);
        let mut peers: Vec<_> = ends.filter(|(me, _)| *me == node).map(|end| end.1).collect();
        peers.sort_unstable();
        peers.dedup();
        let known = self.acquaintances(node);
        peers.retain(|peer| known.contains(peer));
        peers
    }

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
        let (draws, pairs) = (self.draws_of(fault), pairs.clone());
        Some(Spell { fault, draws, from: start, to, pairs, weather })
    }

    /// What becomes of a transmission; `begun`: the faults that had waited, as far as the sender
    /// has been told. Calls `met` with the number of every fault that decides about it or changes
    /// it.
    pub fn fate(
        &self,
        sent: Transmission,
        begun: &[Spell],
        mut met: impl FnMut(usize, Met),
    ) -> Fate {
        let Transmission { pair, left, mut due, heartbeat, .. } = sent;
        if self.spells.is_empty() && begun.is_empty() {
            return Fate::Arrives { at: due, copy_at: None, delayed: None };
        }
        // Nobody could know of those before: what was under way by then gets through.
        let begun = || begun.iter().filter(move |spell| left >= spell.from);
        let spells = || self.spells.iter().chain(begun()).filter(move |s| s.is_about(pair));
        let mut delayed = None;
        // First what happens on the way, then whether it ends: a longer way meets more.
        for spell in spells().filter(|spell| spell.is_on(left)) {
            let longer = match spell.weather {
                Weather::Slow { by_ns, jitter_ns } => {
                    by_ns + uniform(self.word(spell, sent, Draw::Length), jitter_ns)
                }
                Weather::Delay { millionths, by_ns } => {
                    met(spell.fault, Met::Exposed);
                    if self.draws(spell, sent, millionths) { by_ns } else { 0 }
                }
                _ => 0,
            };
            due += longer;
            if longer > 0 {
                met(spell.fault, Met::Changed);
                let delays = matches!(spell.weather, Weather::Delay { .. });
                delayed = delays.then_some(spell.fault).or(delayed);
            }
        }
        // Until nothing holds it any longer.
        let held = |due: Nanos| {
            let holds = spells().filter(|spell| spell.weather == Weather::Hold);
            let mut holds = holds.filter(|spell| spell.meets(left, due) && due < spell.to);
            holds.next().map(|spell| (spell.fault, spell.to))
        };
        while let Some((fault, until)) = held(due) {
            met(fault, Met::Changed);
            due = until;
        }
        for spell in spells() {
            let lost = match spell.weather {
                Weather::Cut | Weather::Reset { .. } => spell.meets(left, due),
                Weather::Lose { millionths } if spell.is_on(left) => {
                    met(spell.fault, Met::Exposed);
                    self.draws(spell, sent, millionths)
                }
                Weather::LoseHeartbeats { millionths } if heartbeat && spell.is_on(left) => {
                    met(spell.fault, Met::Exposed);
                    self.draws(spell, sent, millionths)
                }
                _ => false,
            };
            if lost {
                met(spell.fault, Met::Changed);
                return Fate::Lost;
            }
        }
        let mut copy_at = None;
        for spell in spells().filter(|spell| spell.is_on(left)) {
            let Weather::Copy { millionths, after_ns } = spell.weather else { continue };
            met(spell.fault, Met::Exposed);
            if self.draws(spell, sent, millionths) {
                met(spell.fault, Met::Changed);
                copy_at = Some(due + after_ns);
            }
        }
        Fate::Arrives { at: due, copy_at, delayed }
    }

    /// When a message that has arrived comes again, ns: once for each fault that wants it. Its
    /// `number` is that of its sender's count.
    pub fn again(
        &self,
        arrived: Transmission,
        begun: &[Spell],
        mut met: impl FnMut(usize, Met),
    ) -> Vec<Nanos> {
        let on = |spell: &&Spell| spell.is_about(arrived.pair) && spell.is_on(arrived.due);
        let mut times = Vec::new();
        for spell in self.spells.iter().chain(begun).filter(on) {
            let Weather::Again { millionths, within_ns } = spell.weather else { continue };
            met(spell.fault, Met::Exposed);
            if self.draws(spell, arrived, millionths) {
                met(spell.fault, Met::Changed);
                let later = uniform(self.word(spell, arrived, Draw::Length), within_ns);
                times.push(arrived.due + later);
            }
        }
        times
    }

    /// A draw with this probability.
    fn draws(&self, spell: &Spell, sent: Transmission, millionths: u32) -> bool {
        uniform(self.word(spell, sent, Draw::Whether), 999_999) < u64::from(millionths)
    }

    /// A random word: a function of the seed, the pair, the number and the fault, so that no draw
    /// depends on an earlier one.
    fn word(&self, spell: &Spell, sent: Transmission, draw: Draw) -> u64 {
        let (from, to) = sent.pair;
        let pair = u64::from(from.0) << 16 | u64::from(to.0);
        let heartbeat = u64::from(sent.heartbeat) << 32;
        let word = mix(mix(self.loss_seed, pair | heartbeat), sent.number);
        let word = mix(word, spell.draws);
        match draw {
            Draw::Whether => word,
            Draw::Length => mix(word, 1),
        }
    }
}

/// What is drawn about a transmission.
#[derive(Clone, Copy)]
enum Draw {
    /// Whether a fault changes it.
    Whether,
    /// How long something takes.
    Length,
}

/// A number in 0..=`most` from a random word. The high half of a product with a uniform word is
/// uniform: no division, no bias to see.
pub(super) fn uniform(word: u64, most: u64) -> u64 {
    ((u128::from(word) * (u128::from(most) + 1)) >> 64) as u64
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
