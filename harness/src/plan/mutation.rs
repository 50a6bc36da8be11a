//! Rules of machines and worlds, broken on purpose: whatever compares the two worlds must notice.

/// A broken rule. Tests set it in a plan ([`super::RunPlan::mutation`]); nothing else can.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mutation {
    /// A machine sorts what is due once a tick; work that joins the tick waits for the next.
    SortedBatch,
    /// Frames due at one instant are handled in the order of their arrival.
    ArrivalOrder,
    /// What crosses machines is carried out while the tick is still being run.
    ActsAtOnce,
    /// Frames of a dead machine die from the instant of its death on.
    WireCutAtOnce,
    /// The event world stops as soon as everything has drained, in the middle of a tick.
    StopsAtDrained,
    /// The shared store's answer is for whatever process runs by then.
    AnswersAnybody,
    /// Turmoil's links take a tick longer than the shortest frame may.
    LinkTooLong,
}
