//! Each transmission is lost with this probability, and sent again by the session: what was lost
//! comes late, and what was sent after it waits for it. Heartbeats are not sent again.

use super::{Effect, Entry, Place, Weather, pick};
use aftermath_systems::claim::FaultKind;
use aftermath_systems::options::{OptionDoc, OptionKind};

pub const ENTRY: Entry = Entry {
    name: "message-loss",
    summary: "transmissions are lost at random; sessions send again, heartbeats are lost",
    kind: FaultKind::MessageLoss,
    place: Place::Link,
    options: &[OptionDoc {
        name: "probability",
        kind: OptionKind::Percent,
        default: "5%",
        doc: "of each transmission to be lost",
    }],
    effect: |options| Effect::Link(Weather::Lose { millionths: options.millionths("probability") }),
    colour: "#117733",
    draw: |draw| vec![("probability", pick(draw, &["1%", "5%", "20%", "50%"]))],
};
