//! The machine goes silent, and its disk with it. Peers learn only by missing its heartbeats.
//! Frames that it had sent arrive all the same, unless the scenario lets them die on the wire.

use super::Entry;
use aftermath_systems::claim::FaultKind;

pub const ENTRY: Entry = Entry {
    name: "machine-loss",
    summary: "the machine goes silent and its disk is gone; peers learn by missing heartbeats",
    kind: FaultKind::MachineLoss,
    closes_connections: false,
    loses_disk: true,
};
