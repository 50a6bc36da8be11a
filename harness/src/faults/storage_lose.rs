//! The device lies: with this probability a save asked for meanwhile is reported durable, and is
//! not there when somebody looks. What was there before stays. It takes a recovery that reads to
//! notice, which may be long after the fault.

use super::{Effect, Entry, Malfunction, Place, pick};
use aftermath_systems::claim::FaultKind;
use aftermath_systems::options::{OptionDoc, OptionKind};

pub const ENTRY: Entry = Entry {
    name: "storage-lose",
    summary: "saves are reported durable and are not there when they are read",
    kind: FaultKind::StorageLose,
    place: Place::Node,
    options: &[OptionDoc {
        name: "probability",
        kind: OptionKind::Percent,
        default: "100%",
        doc: "of each save to be lost",
    }],
    effect: |options| {
        Effect::Storage(Malfunction::Lose { millionths: options.millionths("probability") })
    },
    colour: "#ee3377",
    draw: |draw| vec![("probability", pick(draw, &["10%", "50%", "100%"]))],
};
