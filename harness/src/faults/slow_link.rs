//! Frames that leave meanwhile are under way so much longer. The order of a connection stays.

use super::{Effect, Entry, Place, Weather, pick};
use aftermath_systems::claim::FaultKind;
use aftermath_systems::options::{OptionDoc, OptionKind};

pub const ENTRY: Entry = Entry {
    name: "slow-link",
    summary: "everything on a link takes longer",
    kind: FaultKind::SlowLink,
    place: Place::Link,
    options: &[OptionDoc {
        name: "by",
        kind: OptionKind::Duration,
        default: "20ms",
        doc: "how much longer",
    }],
    effect: |options| Effect::Link(Weather::Slow { by_ns: options.duration("by").unwrap_or(0) }),
    colour: "#88ccee",
    draw: |draw| vec![("by", pick(draw, &["2ms", "5ms", "10ms", "20ms", "50ms"]))],
};
