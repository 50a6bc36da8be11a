//! Deliberately wrong variants of the honest code, to test the judge with. Each is a named seam:
//! one place where honest code asks [`crate::context::Cx::planted`] and does the wrong thing.
//! Adding one is a variant, its line in [`ALL`] and its seam.

/// A deliberately wrong variant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Bug {
    /// A new primary tells only the node that it knows to lead each neighbour, not every replica.
    AnnounceToKnownOnly,
    /// A returning first replica believes that it still leads.
    StaticRole,
    /// A returning standby is never sent the state it missed.
    NoStateCopy,
    /// Passive standby promises two neighbouring failures at once without shipping its output log.
    UnshippedLogPromised,
    /// Passive standby trims upstream when it cuts a checkpoint, not when it is confirmed.
    TrimBeforeConfirmed,
    /// The positions for deduplication are not part of the checkpoint.
    DedupNotInCheckpoint,
    /// A restarted operator numbers its outputs from 0.
    SequenceRestarts,
    /// Upstream backup trims its input as soon as it arrives.
    TrimOnReceipt,
    /// A window says that it needs only its newest input.
    NeedsNewestOnly,
    /// A retained log is sent again from one position too late.
    ResendOneTooLate,
    /// A standby skips one delta.
    DeltaSkipped,
    /// Nobody ever trims.
    NeverTrims,
    /// The coordinator restarts onto a spare without asking whether it lives.
    RestartOntoDeadSpare,
    /// A task handles what arrives between its restore and the release of the sources.
    RestartWithoutParking,
    /// The coordinator restarts from the newest checkpoint it triggered, complete or not.
    IncompleteCheckpoint,
    /// A coordinator that comes back does not read its pointer.
    PointerForgotten,
    /// What was on its way before a rewind is taken for what was asked for.
    RewindUnmarked,
    /// The region trims when it cuts, not when the checkpoint is complete.
    TrimBeforeComplete,
    /// Channels whose barrier has come are not held back.
    NoAlignment,
    /// A task cuts at the first barrier instead of the last.
    CutAtFirstBarrier,
    /// Consumers trim and do not acknowledge.
    TrimWithoutAck,
    /// An active primary does not forward trims to its standby.
    StandbyNeverTrimmed,
    /// An active standby takes over without sending what it has kept.
    KeptLogUnsent,
    /// Sessions hand on what arrives as it arrives.
    SessionUnordered,
    /// Items of a leader that was replaced are taken like any other.
    NoFence,
    /// Items that do not answer what was asked for are taken like any other.
    OldStampTaken,
    /// A standby applies a checkpoint that comes again.
    OldCheckpointApplied,
    /// A task obeys a command that comes again.
    OldCommandObeyed,
    /// Who saves takes a refused save for a durable one.
    RefusalIgnored,
}

/// A bug of the list.
pub struct PlantedBug {
    /// Which.
    pub bug: Bug,
    /// Its name in scenarios.
    pub name: &'static str,
    /// What is wrong, in one sentence.
    pub summary: &'static str,
}

/// Every planted bug.
pub const ALL: &[PlantedBug] = &[
    PlantedBug {
        bug: Bug::AnnounceToKnownOnly,
        name: "announce-to-known-only",
        summary: "a take-over is announced only to the node known to lead each neighbour, not to every replica",
    },
    PlantedBug {
        bug: Bug::StaticRole,
        name: "static-role",
        summary: "a first replica that returns believes that it still leads",
    },
    PlantedBug {
        bug: Bug::NoStateCopy,
        name: "no-state-copy",
        summary: "a standby that returns is never sent the state it missed",
    },
    PlantedBug {
        bug: Bug::UnshippedLogPromised,
        name: "unshipped-log-promised",
        summary: "two neighbouring passive standbys promise to survive together without shipping their output logs",
    },
    PlantedBug {
        bug: Bug::TrimBeforeConfirmed,
        name: "trim-before-confirmed",
        summary: "passive standby trims upstream when it cuts a checkpoint, not when it is confirmed",
    },
    PlantedBug {
        bug: Bug::DedupNotInCheckpoint,
        name: "dedup-not-in-checkpoint",
        summary: "the input positions for deduplication are not part of the checkpoint",
    },
    PlantedBug {
        bug: Bug::SequenceRestarts,
        name: "sequence-restarts",
        summary: "an operator that took over numbers its outputs from 0",
    },
    PlantedBug {
        bug: Bug::TrimOnReceipt,
        name: "trim-on-receipt",
        summary: "upstream backup lets its input be trimmed as soon as it arrives",
    },
    PlantedBug {
        bug: Bug::NeedsNewestOnly,
        name: "needs-newest-only",
        summary: "a window says that it needs only its newest input",
    },
    PlantedBug {
        bug: Bug::ResendOneTooLate,
        name: "resend-one-too-late",
        summary: "a retained log is sent again from one tuple too late",
    },
    PlantedBug {
        bug: Bug::DeltaSkipped,
        name: "delta-skipped",
        summary: "a standby skips every third delta",
    },
    PlantedBug { bug: Bug::NeverTrims, name: "never-trims", summary: "trims are never sent" },
    PlantedBug {
        bug: Bug::RestartOntoDeadSpare,
        name: "restart-onto-dead-spare",
        summary: "a coordinator restarts onto a spare without asking whether it lives",
    },
    PlantedBug {
        bug: Bug::RestartWithoutParking,
        name: "restart-without-parking",
        summary: "a task handles what arrives between its restore and the release of the sources",
    },
    PlantedBug {
        bug: Bug::IncompleteCheckpoint,
        name: "incomplete-checkpoint",
        summary: "a coordinator restarts from the newest checkpoint it triggered, complete or not",
    },
    PlantedBug {
        bug: Bug::PointerForgotten,
        name: "pointer-forgotten",
        summary: "a coordinator that comes back does not read which checkpoint was complete",
    },
    PlantedBug {
        bug: Bug::RewindUnmarked,
        name: "rewind-unmarked",
        summary: "what was on its way before a rewind is taken for what was asked for",
    },
    PlantedBug {
        bug: Bug::TrimBeforeComplete,
        name: "trim-before-complete",
        summary: "a region trims upstream when it cuts, not when the checkpoint is complete",
    },
    PlantedBug {
        bug: Bug::NoAlignment,
        name: "no-alignment",
        summary: "channels whose barrier has come are not held back until the others' have",
    },
    PlantedBug {
        bug: Bug::CutAtFirstBarrier,
        name: "cut-at-first-barrier",
        summary: "a task with several inputs cuts at the first barrier instead of the last",
    },
    PlantedBug {
        bug: Bug::TrimWithoutAck,
        name: "trim-without-ack",
        summary: "consumers trim and do not acknowledge",
    },
    PlantedBug {
        bug: Bug::StandbyNeverTrimmed,
        name: "standby-never-trimmed",
        summary: "an active primary does not forward trims to its standby",
    },
    PlantedBug {
        bug: Bug::KeptLogUnsent,
        name: "kept-log-unsent",
        summary: "an active standby takes over without sending what it has kept",
    },
    PlantedBug {
        bug: Bug::SessionUnordered,
        name: "session-unordered",
        summary: "the session hands on what arrives as it arrives, without order and copies included",
    },
    PlantedBug {
        bug: Bug::NoFence,
        name: "no-fence",
        summary: "items of a leader that was replaced are taken like any other",
    },
    PlantedBug {
        bug: Bug::OldStampTaken,
        name: "old-stamp-taken",
        summary: "items that were sent before a rewind and come again are taken like any other",
    },
    PlantedBug {
        bug: Bug::OldCheckpointApplied,
        name: "old-checkpoint-applied",
        summary: "a passive standby applies a checkpoint that comes again",
    },
    PlantedBug {
        bug: Bug::OldCommandObeyed,
        name: "old-command-obeyed",
        summary: "a task of a region obeys its coordinator's command when it comes again",
    },
    PlantedBug {
        bug: Bug::RefusalIgnored,
        name: "refusal-ignored",
        summary: "a save that the storage has refused is taken for durable",
    },
];

/// The bug of that name.
pub fn find(name: &str) -> Option<Bug> {
    ALL.iter().find(|entry| entry.name == name).map(|entry| entry.bug)
}
