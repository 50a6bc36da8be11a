//! An old message comes again, above the session, which has done with it: as from a queue with
//! at-least-once delivery, or a connection that was opened anew. It may come when its receiver has
//! taken a thousand others, or has died and started again meanwhile. Heartbeats are kept by nobody,
//! and do not come again.

use super::{Effect, Entry, Place, Weather, pick};
use aftermath_systems::claim::FaultKind;
use aftermath_systems::options::{OptionDoc, OptionKind};

pub const ENTRY: Entry = Entry {
    name: "redelivery",
    summary: "old messages come again, later, also after their receiver has started again",
    kind: FaultKind::Redelivery,
    place: Place::Link,
    options: &[
        OptionDoc {
            name: "probability",
            kind: OptionKind::Percent,
            default: "5%",
            doc: "of each message to come again",
        },
        OptionDoc {
            name: "within",
            kind: OptionKind::Duration,
            default: "100ms",
            doc: "how much later at most: uniform up to this",
        },
    ],
    effect: |options| {
        Effect::Link(Weather::Again {
            millionths: options.millionths("probability"),
            within_ns: options.duration("within").unwrap_or(0),
        })
    },
    colour: "#ddcc77",
    draw: |draw| {
        let probability = pick(draw, &["1%", "5%", "20%", "50%"]);
        vec![("probability", probability), ("within", pick(draw, &["5ms", "50ms", "500ms"]))]
    },
};
