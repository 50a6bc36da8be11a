//! Faults: what can befall a node. One file each; adding one is that file and its line in [`ALL`].

mod machine_loss;
mod process_crash;

use aftermath_systems::claim::FaultKind;

/// A fault of the list.
pub struct Entry {
    /// Its name in scenarios and records.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// What strategies are told.
    pub kind: FaultKind,
    /// Whether peers are told at once that the connection is closed.
    pub closes_connections: bool,
    /// Whether the machine's own disk is gone.
    pub loses_disk: bool,
}

/// Every fault. Adding one is its file and its line here.
pub const ALL: &[Entry] = &[process_crash::ENTRY, machine_loss::ENTRY];

/// The entry of a kind.
pub fn of(kind: FaultKind) -> &'static Entry {
    ALL.iter().find(|entry| entry.kind == kind).expect("every kind has its line in the list")
}
