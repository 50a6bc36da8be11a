//! Faults: what can befall a node or a link. One file each, which says what it does and which
//! settings it has; adding one is that file and its line in [`ALL`].

mod connection_reset;
mod duplicate;
mod heartbeat_loss;
mod machine_loss;
mod message_loss;
mod partition;
mod pause;
mod process_crash;
mod redelivery;
mod reorder;
mod slow_link;
mod slow_node;
mod storage_lose;
mod storage_refuse;
mod storage_slow;
mod storage_tear;

use crate::seed::Draw;
use aftermath_systems::claim::FaultKind;
use aftermath_systems::options::{OptionDoc, Options};
use aftermath_systems::protocol::Nanos;

/// A fault of the list.
pub struct Entry {
    /// Its name in scenarios and records.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// What strategies are told.
    pub kind: FaultKind,
    /// What it befalls.
    pub place: Place,
    /// Its settings beside where and when.
    pub options: &'static [OptionDoc],
    /// What it does.
    pub effect: fn(&Options) -> Effect,
    /// Its colour in plots, `#rrggbb`. No strategy has it, and no other fault.
    pub colour: &'static str,
    /// Draws its settings, as a user would write them, for a swarm. Never such that it does
    /// nothing. What it leaves out has its default.
    pub draw: fn(&mut Draw) -> Vec<(&'static str, &'static str)>,
}

impl Entry {
    /// Settings for a swarm, defaults filled in.
    ///
    /// # Panics
    /// When the generator draws what the descriptions do not allow: our own bug.
    pub fn draw_options(&self, draw: &mut Draw) -> Options {
        let drawn = (self.draw)(draw).into_iter();
        let given = drawn.map(|(key, value)| (key.to_string(), value.to_string())).collect();
        Options::resolve(self.options, &given).expect("what is drawn is allowed")
    }
}

/// One of some values, drawn.
pub(crate) fn pick(draw: &mut Draw, values: &[&'static str]) -> &'static str {
    values[draw.below(values.len() as u64) as usize]
}

/// A probability, in millionths.
const CERTAIN: u32 = 1_000_000;

/// What a fault befalls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// One machine: `node = "count/0/1"`.
    Node,
    /// Links between machines: `between = ["a", "b"]`, or one way `from = "a", to = "b"`.
    Link,
}

/// What a fault does while it lasts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// The process dies at the start, and may come back at the end.
    Crash {
        /// Whether peers are told at once that the connection is closed.
        closes_connections: bool,
        /// Whether the machine's own disk is gone.
        loses_disk: bool,
        /// Whether frames on the wire die with it.
        wire_dies: bool,
    },
    /// The process stands still.
    Pause,
    /// Services take longer.
    SlowServices {
        /// So many times as long.
        times: u64,
    },
    /// Something happens to frames.
    Link(Weather),
    /// The storage device does not do what it should.
    Storage(Malfunction),
}

impl Effect {
    /// Whether anything about it is drawn from the seed while it lasts.
    pub fn is_of_chance(self) -> bool {
        match self {
            Effect::Link(Weather::Slow { jitter_ns, .. }) => jitter_ns > 0,
            Effect::Link(Weather::Again { .. }) => true,
            Effect::Link(weather) => weather.millionths().is_some_and(|m| m < CERTAIN),
            Effect::Storage(
                Malfunction::Refuse { millionths } | Malfunction::Lose { millionths },
            ) => millionths < CERTAIN,
            Effect::Storage(_) | Effect::Crash { .. } => false,
            Effect::Pause | Effect::SlowServices { .. } => false,
        }
    }
}

/// What happens to frames on a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Weather {
    /// Whatever is under way meanwhile is lost.
    Cut,
    /// Whatever is under way meanwhile comes over at the end.
    Hold,
    /// Whatever leaves meanwhile takes longer.
    Slow {
        /// By so much, ns.
        by_ns: Nanos,
        /// And up to so much more, ns.
        jitter_ns: Nanos,
    },
    /// Whatever leaves meanwhile is lost with this probability.
    Lose {
        /// In millionths.
        millionths: u32,
    },
    /// As [`Weather::Lose`], but heartbeats only.
    LoseHeartbeats {
        /// In millionths.
        millionths: u32,
    },
    /// Whatever comes over having left meanwhile comes over twice with this probability.
    Copy {
        /// In millionths.
        millionths: u32,
        /// How much later the copy comes, ns.
        after_ns: Nanos,
    },
    /// Whatever leaves meanwhile takes longer with this probability.
    Delay {
        /// In millionths.
        millionths: u32,
        /// By so much, ns.
        by_ns: Nanos,
    },
    /// Whatever arrives meanwhile, heartbeats apart, is handed to the receiver again with this
    /// probability.
    Again {
        /// In millionths.
        millionths: u32,
        /// At most so much later, ns.
        within_ns: Nanos,
    },
    /// Whatever is under way meanwhile is lost, and the ends may be told at the start.
    Reset {
        /// Whether they are.
        told: bool,
    },
}

impl Weather {
    /// With which probability it does something to a transmission, in millionths; `None`: always.
    pub fn millionths(self) -> Option<u32> {
        match self {
            Weather::Lose { millionths }
            | Weather::LoseHeartbeats { millionths }
            | Weather::Copy { millionths, .. }
            | Weather::Delay { millionths, .. }
            | Weather::Again { millionths, .. } => Some(millionths),
            Weather::Cut | Weather::Hold | Weather::Slow { .. } | Weather::Reset { .. } => None,
        }
    }
}

/// What a storage device does wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Malfunction {
    /// Saves asked for meanwhile take longer.
    Slow {
        /// By so much, ns.
        by_ns: Nanos,
    },
    /// Saves asked for meanwhile fail with this probability, and the process is told.
    Refuse {
        /// In millionths.
        millionths: u32,
    },
    /// Saves asked for meanwhile are reported durable and lost, with this probability.
    Lose {
        /// In millionths.
        millionths: u32,
    },
    /// Saves to the own disk that a kill interrupts meanwhile destroy what they overwrite.
    Tear,
}

/// Every fault. Adding one is its file and its line here.
pub const ALL: &[Entry] = &[
    process_crash::ENTRY,
    machine_loss::ENTRY,
    pause::ENTRY,
    slow_node::ENTRY,
    partition::ENTRY,
    slow_link::ENTRY,
    message_loss::ENTRY,
    heartbeat_loss::ENTRY,
    connection_reset::ENTRY,
    duplicate::ENTRY,
    reorder::ENTRY,
    redelivery::ENTRY,
    storage_slow::ENTRY,
    storage_refuse::ENTRY,
    storage_lose::ENTRY,
    storage_tear::ENTRY,
];

/// The entry of a kind.
///
/// # Panics
/// When the kind has no line in the list: our own bug.
pub fn of(kind: FaultKind) -> &'static Entry {
    ALL.iter().find(|entry| entry.kind == kind).expect("every kind has its line in the list")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;
    use aftermath_systems::options::OptionKind;
    use std::collections::BTreeSet;

    #[test]
    fn every_fault_has_a_colour_of_its_own() {
        let colours: BTreeSet<_> = ALL.iter().map(|entry| entry.colour).collect();
        assert_eq!(colours.len(), ALL.len());
        for colour in colours {
            let digits = colour.strip_prefix('#').expect("#rrggbb");
            assert!(digits.len() == 6 && u32::from_str_radix(digits, 16).is_ok(), "{colour}");
        }
    }

    #[test]
    fn what_is_drawn_does_something_and_not_always_the_same() {
        for entry in ALL {
            let mut draw = Seed(1).stream("test");
            let drawn: Vec<Options> = (0..100).map(|_| entry.draw_options(&mut draw)).collect();
            for (options, doc) in
                drawn.iter().flat_map(|o| entry.options.iter().map(move |d| (o, d)))
            {
                let nothing = match doc.kind {
                    OptionKind::Duration => options.duration(doc.name) == Some(0),
                    OptionKind::Percent => options.millionths(doc.name) == 0,
                    _ => false,
                };
                assert!(!nothing, "{}: {}", entry.name, doc.name);
            }
            let different = drawn.iter().any(|options| *options != drawn[0]);
            assert_eq!(different, !entry.options.is_empty(), "{}", entry.name);
        }
    }
}
