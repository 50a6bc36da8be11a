//! The machine goes silent, and its disk with it. Peers learn only by missing its heartbeats.
//! Frames that had left it arrive all the same, unless the scenario lets them die on the wire; what
//! still waited for the link, or for being sent again, is gone.

use super::{Effect, Entry, Place, pick};
use aftermath_systems::claim::FaultKind;
use aftermath_systems::options::{OptionDoc, OptionKind};

pub const ENTRY: Entry = Entry {
    name: "machine-loss",
    summary: "the machine goes silent and its disk is gone; peers learn by missing heartbeats",
    kind: FaultKind::MachineLoss,
    place: Place::Node,
    options: &[OptionDoc {
        name: "wire",
        kind: OptionKind::Choice(&["live", "die"]),
        default: "live",
        doc: "the fate of frames that are on the wire when their sender dies",
    }],
    effect: |options| Effect::Crash {
        closes_connections: false,
        loses_disk: true,
        wire_dies: options.choice("wire") == "die",
    },
    colour: "#cc6677",
    draw: |draw| vec![("wire", pick(draw, &["live", "die"]))],
};
