//! Frames that leave meanwhile are under way so much longer, each of them by a little more or less
//! if there is jitter. The order of a connection stays.

use super::{Effect, Entry, Place, Weather, pick};
use aftermath_systems::claim::FaultKind;
use aftermath_systems::options::{OptionDoc, OptionKind};

pub const ENTRY: Entry = Entry {
    name: "slow-link",
    summary: "everything on a link takes longer",
    kind: FaultKind::SlowLink,
    place: Place::Link,
    options: &[
        OptionDoc {
            name: "by",
            kind: OptionKind::Duration,
            default: "20ms",
            doc: "how much longer",
        },
        OptionDoc {
            name: "jitter",
            kind: OptionKind::Duration,
            default: "0ms",
            doc: "and up to so much more, drawn for each transmission",
        },
    ],
    effect: |options| {
        Effect::Link(Weather::Slow {
            by_ns: options.duration("by").unwrap_or(0),
            jitter_ns: options.duration("jitter").unwrap_or(0),
        })
    },
    colour: "#88ccee",
    draw: |draw| {
        let by = pick(draw, &["2ms", "5ms", "10ms", "20ms", "50ms"]);
        vec![("by", by), ("jitter", pick(draw, &["100us", "1ms", "9ms"]))]
    },
};
