//! Writes to the machine's own disk are not atomic: if the process is killed meanwhile while saves
//! are under way, the versions that they were overwriting are destroyed too. Their checksum tells,
//! so the slots read as empty. The shared store writes beside what is there: a torn version of it
//! is not there, and the older ones stay, as after every kill.

use super::{Effect, Entry, Malfunction, Place};
use aftermath_systems::claim::FaultKind;

pub const ENTRY: Entry = Entry {
    name: "storage-tear",
    summary: "a kill during a save to the own disk destroys the version that was being overwritten",
    kind: FaultKind::StorageTear,
    place: Place::Node,
    options: &[],
    effect: |_| Effect::Storage(Malfunction::Tear),
    colour: "#ff9988",
    draw: |_| Vec::new(),
};
