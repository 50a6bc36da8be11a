//! The process dies, politely: the operating system lives, closes its connections (peers learn one
//! delay later) and keeps its disk. Memory, queues, timers and unfinished saves are gone.

use super::Entry;
use aftermath_systems::claim::FaultKind;

pub const ENTRY: Entry = Entry {
    name: "process-crash",
    summary: "the process dies: connections close, the disk survives, memory and unfinished saves are gone",
    kind: FaultKind::ProcessCrash,
    closes_connections: true,
    loses_disk: false,
};
