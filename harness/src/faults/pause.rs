//! The process stands still, as in a long garbage collection or a frozen virtual machine, and goes
//! on without knowing. What arrives and what is due meanwhile waits, and is handled at the end in
//! its old order. It shows no life: if that takes longer than detection, it goes on as a zombie.

use super::{Effect, Entry, Place};
use aftermath_systems::claim::FaultKind;

pub const ENTRY: Entry = Entry {
    name: "pause",
    summary: "the process stands still and goes on without knowing; a long one makes a zombie",
    kind: FaultKind::Pause,
    place: Place::Node,
    options: &[],
    effect: |_| Effect::Pause,
    colour: "#332288",
    draw: |_| Vec::new(),
};
