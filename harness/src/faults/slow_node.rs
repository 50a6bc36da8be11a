//! Services that start meanwhile take so many times as long. Talk and timers are as fast as ever,
//! so nobody suspects anything.

use super::{Effect, Entry, Place, pick};
use aftermath_systems::claim::FaultKind;
use aftermath_systems::options::{OptionDoc, OptionKind};

pub const ENTRY: Entry = Entry {
    name: "slow-node",
    summary: "every service takes several times as long",
    kind: FaultKind::SlowNode,
    place: Place::Node,
    options: &[OptionDoc {
        name: "times",
        kind: OptionKind::Number(1, 1_000),
        default: "4",
        doc: "how many times as long",
    }],
    effect: |options| Effect::SlowServices { times: options.number("times") },
    colour: "#aa4499",
    draw: |draw| vec![("times", pick(draw, &["2", "4", "8"]))],
};
