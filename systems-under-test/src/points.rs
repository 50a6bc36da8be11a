//! Protocol points: the instants of a strategy that have a name (`fx.mark("checkpoint-cut")`). A
//! scenario can let a fault strike when one is reached, so every strategy says which ones it can
//! reach; what blocks mark stands beside their code.

/// A point that a strategy can reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point {
    /// Its name in code, scenarios and records.
    pub name: &'static str,
    /// What has just happened when it is reached, in one sentence.
    pub summary: &'static str,
    /// Who reaches it.
    pub by: By,
}

/// Who reaches a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// Replicas of the operators that the strategy protects.
    Replicas,
    /// The coordinator of a region.
    Coordinator,
}

impl Point {
    /// A point that replicas reach.
    pub const fn of_replicas(name: &'static str, summary: &'static str) -> Point {
        Point { name, summary, by: By::Replicas }
    }

    /// A point that coordinators reach.
    pub const fn of_coordinators(name: &'static str, summary: &'static str) -> Point {
        Point { name, summary, by: By::Coordinator }
    }
}

/// What every strategy with spares says, at an instant of its own choice.
pub const PAIR_COMPLETE: &[Point] = &[Point::of_replicas(
    "pair-complete",
    "a replica that had come back protects its instance, or is protected, again",
)];

/// What pairs of which one sends checkpoints to the other reach.
pub const CHECKPOINTS: &[Point] = &[
    Point::of_replicas("checkpoint-cut", "the primary is about to save or send a checkpoint"),
    Point::of_replicas("checkpoint-applied", "the standby holds a checkpoint and confirms it"),
    Point::of_replicas("checkpoint-confirmed", "the primary knows that its standby holds one"),
];

/// What replicas that save reach where their storage fails.
pub const REFUSED: &[Point] = &[Point::of_replicas(
    "checkpoint-refused",
    "the storage has refused to save a checkpoint, and it is given up",
)];
