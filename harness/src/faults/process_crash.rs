//! The process dies, politely: the operating system lives, closes its connections (peers learn one
//! delay later), goes on sending what it was given, and keeps its disk. Memory, queues, timers and
//! unfinished saves are gone.

use super::{Effect, Entry, Place};
use aftermath_systems::claim::FaultKind;

pub const ENTRY: Entry = Entry {
    name: "process-crash",
    summary: "the process dies: connections close, the disk survives, memory and unfinished saves are gone",
    kind: FaultKind::ProcessCrash,
    place: Place::Node,
    options: &[],
    effect: |_| Effect::Crash { closes_connections: true, loses_disk: false, wire_dies: false },
    colour: "#882255",
    draw: |_| Vec::new(),
};
