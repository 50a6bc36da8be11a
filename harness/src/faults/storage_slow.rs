//! Saves asked for meanwhile take longer. The device stays a queue: a save that comes later is
//! never durable before, so what waits behind a slow one is late too.

use super::{Effect, Entry, Malfunction, Place, pick};
use aftermath_systems::claim::FaultKind;
use aftermath_systems::options::{OptionDoc, OptionKind};

pub const ENTRY: Entry = Entry {
    name: "storage-slow",
    summary: "saves take longer to become durable",
    kind: FaultKind::StorageSlow,
    place: Place::Node,
    options: &[OptionDoc {
        name: "by",
        kind: OptionKind::Duration,
        default: "100ms",
        doc: "how much longer a save takes",
    }],
    effect: |options| {
        Effect::Storage(Malfunction::Slow { by_ns: options.duration("by").unwrap_or(0) })
    },
    colour: "#aa7744",
    draw: |draw| vec![("by", pick(draw, &["2ms", "10ms", "50ms", "200ms"]))],
};
