//! What a strategy promises, as a value that composes.
//!
//! A claim answers "what will the output look like after *this* fault in *this* situation". Claims
//! join component by component over everything a fault hit; what nobody promised anything about
//! is *not covered*, which never counts as held.

use crate::operator::{OperatorClass, Span};
use crate::plan::Dedup;
use crate::planted_bugs::Bug;

/// Which tuples reach the sink, compared with the run without faults.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Delivery {
    /// Some may be missing.
    pub gap: bool,
    /// Some may come more than once.
    pub duplicates: bool,
}

impl Delivery {
    /// Each exactly once.
    pub const NONE: Delivery = Delivery { gap: false, duplicates: false };
    /// Some missing.
    pub const GAP: Delivery = Delivery { gap: true, duplicates: false };
    /// Some repeated.
    pub const DUPLICATES: Delivery = Delivery { gap: false, duplicates: true };

    /// Everything that either allows.
    pub fn join(self, other: Delivery) -> Delivery {
        Delivery { gap: self.gap || other.gap, duplicates: self.duplicates || other.duplicates }
    }
}

/// What the tuples that arrive carry, compared with the run without faults.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// Always the same value: the *repeating* recovery of Hwang et al., or no change at all.
    Same,
    /// Wrong for a bounded time, then the same for ever: *convergent*.
    Converges,
    /// Wrong for ever: *divergent*.
    Any,
}

/// A promise about one fault.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Claim {
    /// Missing and repeated outputs.
    pub delivery: Delivery,
    /// Values of outputs.
    pub value: Value,
    /// Whether the operator state ends up as without the fault.
    pub state_same: bool,
    /// Whether retained memory stays bounded while every pair is complete.
    pub memory_bounded: bool,
    /// Whether the stream drains after the fault has healed.
    pub settles: bool,
}

impl Claim {
    /// Exactly once, at the output and in the state.
    pub const PRECISE: Claim = Claim {
        delivery: Delivery::NONE,
        value: Value::Same,
        state_same: true,
        memory_bounded: true,
        settles: true,
    };

    /// Of a strategy that computes everything again as it was: exactly once where duplicates are
    /// removed behind it, and elsewhere repeated outputs, with what they do to what follows.
    pub fn repeating(situation: &Situation) -> Claim {
        match situation.dedup {
            Dedup::Receiver | Dedup::Handshake => Claim::PRECISE,
            Dedup::Off => Claim {
                delivery: Delivery::DUPLICATES,
                value: situation.downstream.value(),
                state_same: situation.downstream == Downstream::Stateless,
                ..Claim::PRECISE
            },
        }
    }

    /// Component by component the weaker of two promises.
    pub fn join(self, other: Claim) -> Claim {
        Claim {
            delivery: self.delivery.join(other.delivery),
            value: self.value.max(other.value),
            state_same: self.state_same && other.state_same,
            memory_bounded: self.memory_bounded && other.memory_bounded,
            settles: self.settles && other.settles,
        }
    }
}

/// A strategy's answer: a promise, or why it promises nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It promises this.
    Claim(Claim),
    /// It promises nothing, for this reason.
    NotCovered(&'static str),
}

impl Answer {
    /// The answer for two faults, or for two operators hit by one: *not covered* wins.
    pub fn join(self, other: Answer) -> Answer {
        match (self, other) {
            (Answer::Claim(a), Answer::Claim(b)) => Answer::Claim(a.join(b)),
            (Answer::NotCovered(why), _) | (_, Answer::NotCovered(why)) => Answer::NotCovered(why),
        }
    }
}

/// What befell the operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FaultKind {
    /// The process died; its disk is intact and its connections closed.
    ProcessCrash,
    /// The machine went silent; its disk is gone.
    MachineLoss,
    /// The process stood still and went on, without knowing.
    Pause,
    /// Its services took longer.
    SlowNode,
    /// Nothing came over a link; what was sent came late.
    Partition,
    /// Everything came late over a link.
    SlowLink,
    /// Messages were lost on a link, and sent again by the session.
    MessageLoss,
    /// Heartbeats were lost on a link.
    HeartbeatLoss,
    /// Connections between processes that lived were closed.
    ConnectionReset,
    /// Messages came twice on a link, below the session, which dropped the copies.
    Duplicate,
    /// Messages were overtaken on a link, and put in order by the session.
    Reorder,
    /// Old messages came again, above the session.
    Redelivery,
    /// Saves took longer.
    StorageSlow,
    /// Saves failed, and the process was told.
    StorageRefuse,
    /// Saves were reported durable and lost. A claim is asked for it when somebody has read, and
    /// has not found what it should have.
    StorageLose,
    /// A kill destroyed the version that a save was overwriting. A claim is asked for it when
    /// somebody has read, and has not found what it should have.
    StorageTear,
}

impl FaultKind {
    /// Whether a process loses its memory.
    pub fn kills(self) -> bool {
        matches!(self, FaultKind::ProcessCrash | FaultKind::MachineLoss)
    }

    /// Whether it befalls a storage device.
    pub fn is_of_storage(self) -> bool {
        matches!(self, FaultKind::StorageSlow | FaultKind::StorageRefuse) || self.loses_saves()
    }

    /// Whether what had been reported durable may be gone.
    pub fn loses_saves(self) -> bool {
        matches!(self, FaultKind::StorageLose | FaultKind::StorageTear)
    }
}

/// Who else was still being repaired when the fault struck.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct UnderRepair {
    /// The same instance: its pair was not complete.
    pub own_pair: bool,
    /// An operator directly upstream, whose successor does not hold everything that its
    /// predecessor had sent.
    pub upstream: bool,
    /// Such an operator was hit before, and what it had sent is gone for ever, though its repair
    /// may be over.
    pub upstream_forgot: bool,
    /// An operator directly downstream, which may still ask for what was sent.
    pub downstream: bool,
}

/// How far a gap or a repetition behind this operator spoils what follows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Downstream {
    /// Only stateless operators follow.
    Stateless,
    /// State of a bounded span follows.
    BoundedSpan,
    /// State since the start follows.
    Unbounded,
}

impl Downstream {
    /// The class of one operator by its span.
    pub fn of(span: Span) -> Downstream {
        match span {
            Span::Stateless => Downstream::Stateless,
            Span::Bounded(_) => Downstream::BoundedSpan,
            Span::Unbounded => Downstream::Unbounded,
        }
    }

    /// What becomes of values behind an operator whose output has gaps or repetitions.
    pub fn value(self) -> Value {
        match self {
            Downstream::Stateless => Value::Same,
            Downstream::BoundedSpan => Value::Converges,
            Downstream::Unbounded => Value::Any,
        }
    }
}

/// Everything a promise may depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Situation {
    /// What befell.
    pub fault: FaultKind,
    /// Determinism class of the operator that was hit.
    pub class: OperatorClass,
    /// Its span.
    pub span: Span,
    /// Deduplication on its output edges.
    pub dedup: Dedup,
    /// Whether a living standby was there when the fault struck.
    pub spare_left: bool,
    /// Who was still being repaired.
    pub under_repair: UnderRepair,
    /// Whether what it had sent was still on its way when a successor took over, and so was taken
    /// for the talk of a zombie: its links had queues, or jitter longer than detection. Or it had
    /// not left yet, and was lost with the machine.
    pub overtaken: bool,
    /// What follows.
    pub downstream: Downstream,
    /// A deliberately wrong variant may promise too much.
    pub planted: Option<Bug>,
}
