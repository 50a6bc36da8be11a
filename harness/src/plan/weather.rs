//! What faults do to links, as a function of time alone. So a sender knows when a frame will come
//! over at the instant at which it sends it, and no machine has to be told that a fault has begun
//! or ended.

use super::{PlannedFault, PlannedPlace, RunPlan};
use crate::faults::{Effect, Weather};
use aftermath_systems::operator::mix;
use aftermath_systems::protocol::{Nanos, NodeId};

/// One fault on links.
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
            from: fault.at,
            to: fault.over_at(),
            pairs: pairs.clone(),
            weather,
        }),
        _ => None,
    };
    let lasting = |spell: &Spell| spell.from < spell.to;
    faults.iter().enumerate().filter_map(spell).filter(lasting).collect()
}

/// Whether a schedule has such weather.
pub(super) fn any(faults: &[PlannedFault], is: impl Fn(Weather) -> bool) -> bool {
    faults.iter().any(|fault| matches!(fault.effect, Effect::Link(weather) if is(weather)))
}

impl RunPlan {
    /// When a machine is told that its connection with which other was reset, ns.
    pub fn resets(&self, node: NodeId) -> Vec<(Nanos, NodeId)> {
        let mut told = Vec::new();
        for fault in &self.faults {
            let PlannedPlace::Links { pairs, .. } = &fault.place else { continue };
            if !matches!(fault.effect, Effect::Link(Weather::Reset { told: true })) {
                continue;
            }
            // A connection goes both ways, whichever of them the fault names.
            let ends = pairs.iter().flat_map(|(from, to)| [(*from, *to), (*to, *from)]);
            let mut peers: Vec<_> = ends.filter(|(me, _)| *me == node).map(|end| end.1).collect();
            peers.sort_unstable();
            peers.dedup();
            let known = self.acquaintances(node);
            peers.retain(|peer| known.contains(peer));
            told.extend(peers.into_iter().map(|peer| (fault.at, peer)));
        }
        told
    }

    /// What becomes of a transmission. Calls `met` with the number of every fault that decides
    /// about it or changes it.
    pub fn fate(&self, sent: Transmission, mut met: impl FnMut(usize, Met)) -> Fate {
        let Transmission { pair, left, mut due, heartbeat, .. } = sent;
        let spells = || self.spells.iter().filter(move |spell| spell.is_about(pair));
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
    pub fn again(&self, arrived: Transmission, mut met: impl FnMut(usize, Met)) -> Vec<Nanos> {
        let on = |spell: &&Spell| spell.is_about(arrived.pair) && spell.is_on(arrived.due);
        let mut times = Vec::new();
        for spell in self.spells.iter().filter(on) {
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
        let word = mix(word, spell.fault as u64);
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
