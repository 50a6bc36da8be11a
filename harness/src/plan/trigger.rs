//! What a fault waits for that has no instant of its own: a protocol point, or a place between two
//! effects of one handler.

use crate::config::FaultAt;
use aftermath_systems::protocol::NodeId;
use std::fmt;

/// What a fault waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// The machines that may get there; the first one does it. Sorted.
    pub nodes: Vec<NodeId>,
    /// What they must reach.
    pub awaited: Awaited,
    /// The same for people: `3rd checkpoint-cut of count`.
    pub text: String,
}

/// What a machine must reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// A protocol point, for the nth time on that machine.
    Point {
        /// Its name.
        name: &'static str,
        /// For which time, from 1.
        nth: u64,
    },
    /// A place between two effects.
    Address {
        /// In which incarnation.
        incarnation: u32,
        /// Which handler, over all incarnations, from 1.
        handler: u64,
        /// Just before which effect, from 0.
        effect: u64,
    },
}

impl Trigger {
    /// What `at` waits for, if for anything; `nodes_of` tells the machines that an end names.
    pub(super) fn new(
        at: &FaultAt,
        nodes_of: impl Fn(&crate::config::LinkEnd) -> Vec<NodeId>,
    ) -> Option<Trigger> {
        let (mut nodes, awaited, text) = match at {
            FaultAt::Point { name, nodes, nth } => {
                let names: Vec<String> = nodes.iter().map(ToString::to_string).collect();
                let text = format!("{} {name} of {}", Ordinal(*nth), names.join(" or "));
                let nodes = nodes.iter().flat_map(nodes_of).collect();
                (nodes, Awaited::Point { name, nth: *nth }, text)
            }
            FaultAt::Address { node, incarnation, handler, effect } => {
                let (incarnation, handler, effect) = (*incarnation, *handler, *effect);
                // As traces write it.
                let text = format!("{node} #{incarnation}.{handler}, before effect {effect}");
                (nodes_of(node), Awaited::Address { incarnation, handler, effect }, text)
            }
            _ => return None,
        };
        nodes.sort_unstable();
        nodes.dedup();
        Some(Trigger { nodes, awaited, text })
    }
}

/// A number as people count.
struct Ordinal(u64);

impl fmt::Display for Ordinal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ending = match (self.0 % 10, self.0 % 100) {
            (1, tens) if tens != 11 => "st",
            (2, tens) if tens != 12 => "nd",
            (3, tens) if tens != 13 => "rd",
            _ => "th",
        };
        write!(f, "{}{ending}", self.0)
    }
}
