//! The connections over the links break. Whatever is under way is lost, and sent again by the
//! session over a new connection, which can be made at the end of the fault. Those at the ends of a
//! broken connection are told so, one delay later: to them it looks like the death of the other's
//! process.

use super::{Effect, Entry, Place, Weather, pick};
use aftermath_systems::claim::FaultKind;
use aftermath_systems::options::{OptionDoc, OptionKind};

pub const ENTRY: Entry = Entry {
    name: "connection-reset",
    summary: "connections break: what is under way is sent again, and each end thinks the other dead",
    kind: FaultKind::ConnectionReset,
    place: Place::Link,
    options: &[OptionDoc {
        name: "told",
        kind: OptionKind::Choice(&["both", "nobody"]),
        default: "both",
        doc: "who is told that the connection was lost",
    }],
    effect: |options| Effect::Link(Weather::Reset { told: options.choice("told") == "both" }),
    colour: "#ee8866",
    draw: |draw| vec![("told", pick(draw, &["both", "nobody"]))],
};
