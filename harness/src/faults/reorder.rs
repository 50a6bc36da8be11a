//! Transmissions are late with this probability, and what was sent after them overtakes them on the
//! wire. Sessions put everything back in order: what came early waits for what is late.

use super::{Effect, Entry, Place, Weather, pick};
use aftermath_systems::claim::FaultKind;
use aftermath_systems::options::{OptionDoc, OptionKind};

pub const ENTRY: Entry = Entry {
    name: "reorder",
    summary: "transmissions are overtaken on the wire; sessions put them in order",
    kind: FaultKind::Reorder,
    place: Place::Link,
    options: &[
        OptionDoc {
            name: "probability",
            kind: OptionKind::Percent,
            default: "5%",
            doc: "of each transmission to be late",
        },
        OptionDoc {
            name: "by",
            kind: OptionKind::Duration,
            default: "5ms",
            doc: "how late; what is sent within that time may overtake it",
        },
    ],
    effect: |options| {
        Effect::Link(Weather::Delay {
            millionths: options.millionths("probability"),
            by_ns: options.duration("by").unwrap_or(0),
        })
    },
    colour: "#bbcc33",
    draw: |draw| {
        let probability = pick(draw, &["1%", "5%", "20%", "50%"]);
        vec![("probability", probability), ("by", pick(draw, &["2ms", "5ms", "20ms"]))]
    },
};
