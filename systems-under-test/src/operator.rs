//! What is computed, apart from how it survives.

use crate::protocol::{
    Bytes, DeliveryId, Nanos, Payload, Positions, SemanticId, StreamId, Tuple, decode,
};
use serde::{Serialize, de::DeserializeOwned};

/// The determinism classes of Hwang et al. (ICDE 2005), each contained in the next.
/// A test probes every listed operator for its class: by replaying other interleavings and by
/// restarting it empty at every input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OperatorClass {
    /// Restarted empty at a suitable earlier input it only repeats, then continues.
    Repeatable,
    /// Restarted empty anywhere it agrees with the uninterrupted run after a bounded prefix.
    ConvergentCapable,
    /// Same inputs in the same order per stream give the same outputs.
    Deterministic,
    /// Output depends on arrival order, time or chance.
    Arbitrary,
}

impl OperatorClass {
    /// The name used in tables.
    pub fn name(self) -> &'static str {
        match self {
            OperatorClass::Repeatable => "repeatable",
            OperatorClass::ConvergentCapable => "convergent-capable",
            OperatorClass::Deterministic => "deterministic",
            OperatorClass::Arbitrary => "arbitrary",
        }
    }
}

/// How far back an output may depend on inputs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Span {
    /// Each output depends on one input only.
    Stateless,
    /// On inputs scheduled at most this long ago.
    Bounded(Nanos),
    /// On everything since the start.
    Unbounded,
}

/// Operator state, or a change of it, encoded; with the size it has in the modelled system.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, serde::Deserialize)]
pub struct State {
    /// Our own encoding.
    pub bytes: Bytes,
    /// How many keyed entries it holds; the plan says how many bytes one is.
    pub entries: u64,
}

impl State {
    /// Encodes `value`, which holds `entries` keyed entries.
    pub fn encode<T: Serialize>(value: &T, entries: usize) -> State {
        State { bytes: Bytes::encode(value), entries: entries as u64 }
    }

    /// Decodes what [`State::encode`] made.
    ///
    /// # Panics
    /// When the bytes are another operator's: our own bug.
    pub fn decode<T: DeserializeOwned>(&self) -> T {
        decode(&self.bytes)
    }
}

/// The operator state that a node holds, for the judge.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Digest {
    /// Exclusive bounds of the inputs that the state has absorbed.
    pub position: Positions,
    /// Digest of the operator state.
    pub state: u64,
}

/// One output of an operator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// What it is, for the judge.
    pub semantic: SemanticId,
    /// Its value.
    pub payload: Payload,
    /// The input that it stands for, where that is not the input being handled: an operator that
    /// puts streams in order releases inputs that came before.
    pub origin: Option<Release>,
}

/// An earlier input that an operator releases now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Release {
    /// Where it is in its stream.
    pub id: DeliveryId,
    /// When the source was scheduled to emit it, ns.
    pub scheduled: Nanos,
    /// How many were released before it at this opportunity: an input that was received twice,
    /// where nobody removes duplicates, is released twice, and each time its outputs are counted
    /// from zero.
    number: usize,
}

/// The outputs of one input, in order.
#[derive(Default, Debug)]
pub struct Outputs {
    /// What was emitted.
    pub list: Vec<Output>,
    /// How many earlier inputs were released.
    released: usize,
}

impl Outputs {
    /// Emits one output of the input being handled.
    pub fn emit(&mut self, semantic: SemanticId, payload: Payload) {
        self.list.push(Output { semantic, payload, origin: None });
    }

    /// Releases an earlier input: what is emitted for it keeps its place in its stream.
    pub fn release(&mut self, input: &Tuple) -> Release {
        self.released += 1;
        Release { id: input.id, scheduled: input.scheduled, number: self.released }
    }

    /// Emits one output of an input that is being released.
    pub fn emit_for(&mut self, origin: Release, semantic: SemanticId, payload: Payload) {
        self.list.push(Output { semantic, payload, origin: Some(origin) });
    }

    /// Empty, and as new.
    pub fn clear(&mut self) {
        self.list.clear();
        self.released = 0;
    }
}

/// Clones a boxed operator; implemented for every operator that is `Clone`.
pub trait ForkOperator {
    /// A copy with the same state.
    fn fork(&self) -> Box<dyn Operator>;
}

impl<T: Operator + Clone + 'static> ForkOperator for T {
    fn fork(&self) -> Box<dyn Operator> {
        Box::new(self.clone())
    }
}

/// A function from inputs to outputs with state that can be saved, shipped and compared.
pub trait Operator: ForkOperator {
    /// Told once, before anything else: the streams of its inputs.
    fn connect(&mut self, _streams: &[StreamId]) {}

    /// Takes one input at the instant `now`; never an end marker. Whoever looks at `now` is of
    /// class arbitrary.
    fn apply(&mut self, now: Nanos, input: &Tuple, out: &mut Outputs);

    /// Some input streams have ended, others go on.
    fn streams_ended(&mut self, _now: Nanos, _ended: &[StreamId], _out: &mut Outputs) {}

    /// When it wants to be woken without an input, ns.
    fn wakes_at(&self) -> Option<Nanos> {
        None
    }

    /// The instant it wanted to be woken at.
    fn wake(&mut self, _now: Nanos, _out: &mut Outputs) {}

    /// All input streams have ended: emit what was still open.
    fn end(&mut self, _out: &mut Outputs) {}

    /// The whole state. Later deltas are relative to this cut.
    fn snapshot(&mut self) -> State;

    /// Replaces the state by a snapshot.
    fn restore(&mut self, state: &State);

    /// What changed since the last cut (snapshot or delta).
    fn delta(&mut self) -> State;

    /// Applies a delta to the state it is relative to.
    fn apply_delta(&mut self, delta: &State);

    /// The oldest inputs on which an output still to come may depend, given what was `received`:
    /// exclusive bounds, everything before may be forgotten upstream.
    fn needs(&self, received: &Positions) -> Positions;

    /// How far back outputs depend on inputs.
    fn span(&self) -> Span;

    /// The determinism class.
    fn class(&self) -> OperatorClass;

    /// Whether one input can cause several outputs; such an operator takes 16 bits of the
    /// sub-index of its outputs' delivery ids.
    fn fans_out(&self) -> bool {
        false
    }

    /// A number that is equal for equal states, whatever path led there.
    fn digest(&self) -> u64;
}

/// Mixes words into a digest: stable across platforms, versions and builds.
#[inline]
pub fn mix(hash: u64, word: u64) -> u64 {
    let x = (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ (x >> 29)
}
