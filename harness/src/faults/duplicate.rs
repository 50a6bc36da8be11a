//! The network copies transmissions with this probability. The copy comes after the original, below
//! the session, which knows its number and drops it; heartbeats have no session, and come twice.

use super::{Effect, Entry, Place, Weather, pick};
use aftermath_systems::claim::FaultKind;
use aftermath_systems::options::{OptionDoc, OptionKind};

pub const ENTRY: Entry = Entry {
    name: "duplicate",
    summary: "transmissions come over twice; sessions drop the second",
    kind: FaultKind::Duplicate,
    place: Place::Link,
    options: &[
        OptionDoc {
            name: "probability",
            kind: OptionKind::Percent,
            default: "5%",
            doc: "of each transmission to be copied",
        },
        OptionDoc {
            name: "after",
            kind: OptionKind::Duration,
            default: "1ms",
            doc: "how much later than the original the copy comes",
        },
    ],
    effect: |options| {
        Effect::Link(Weather::Copy {
            millionths: options.millionths("probability"),
            after_ns: options.duration("after").unwrap_or(0),
        })
    },
    colour: "#77aadd",
    draw: |draw| {
        let probability = pick(draw, &["1%", "5%", "20%", "50%"]);
        vec![("probability", probability), ("after", pick(draw, &["1ms", "5ms", "20ms", "100ms"]))]
    },
};
