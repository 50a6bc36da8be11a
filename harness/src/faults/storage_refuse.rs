//! Each save asked for meanwhile fails with this probability, as on a full disk or without a quota,
//! and the process is told when it would have become durable. What was there before stays.

use super::{Effect, Entry, Malfunction, Place, pick};
use aftermath_systems::claim::FaultKind;
use aftermath_systems::options::{OptionDoc, OptionKind};

pub const ENTRY: Entry = Entry {
    name: "storage-refuse",
    summary: "saves fail at random, and the process is told",
    kind: FaultKind::StorageRefuse,
    place: Place::Node,
    options: &[OptionDoc {
        name: "probability",
        kind: OptionKind::Percent,
        default: "100%",
        doc: "of each save to be refused",
    }],
    effect: |options| {
        Effect::Storage(Malfunction::Refuse { millionths: options.millionths("probability") })
    },
    colour: "#774411",
    draw: |draw| vec![("probability", pick(draw, &["10%", "50%", "100%"]))],
};
