//! Nothing comes over the links while it lasts. What is sent is sent again by the session until it
//! comes over, in order; or, if `in_flight` is held, it waits in the network and comes over at the
//! end. Heartbeats are not sent again: those that are dropped are lost.

use super::{Effect, Entry, Place, Weather, pick};
use aftermath_systems::claim::FaultKind;
use aftermath_systems::options::{OptionDoc, OptionKind};

pub const ENTRY: Entry = Entry {
    name: "partition",
    summary: "nothing comes over a link; sessions send again, heartbeats are lost",
    kind: FaultKind::Partition,
    place: Place::Link,
    options: &[OptionDoc {
        name: "in_flight",
        kind: OptionKind::Choice(&["dropped", "held"]),
        default: "dropped",
        doc: "whether what is under way is lost and sent again, or comes over at the end",
    }],
    effect: |options| {
        let held = options.choice("in_flight") == "held";
        Effect::Link(if held { Weather::Hold } else { Weather::Cut })
    },
    colour: "#44aa99",
    draw: |draw| vec![("in_flight", pick(draw, &["dropped", "held"]))],
};
