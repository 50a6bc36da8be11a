//! Each heartbeat is lost with this probability; everything else comes over. Detectors err, and the
//! one that was suspected lives.

use super::{Effect, Entry, Place, Weather, pick};
use aftermath_systems::claim::FaultKind;
use aftermath_systems::options::{OptionDoc, OptionKind};

pub const ENTRY: Entry = Entry {
    name: "heartbeat-loss",
    summary: "heartbeats are lost at random, and nothing else",
    kind: FaultKind::HeartbeatLoss,
    place: Place::Link,
    options: &[OptionDoc {
        name: "probability",
        kind: OptionKind::Percent,
        default: "50%",
        doc: "of each heartbeat to be lost",
    }],
    effect: |options| {
        Effect::Link(Weather::LoseHeartbeats { millionths: options.millionths("probability") })
    },
    colour: "#999933",
    draw: |draw| vec![("probability", pick(draw, &["10%", "30%", "50%", "80%"]))],
};
