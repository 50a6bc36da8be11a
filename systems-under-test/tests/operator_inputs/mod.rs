//! Inputs that probe every operator, and how to run one over them.

use aftermath_systems::operator::{Operator, Outputs};
use aftermath_systems::protocol::{
    DeliveryId, Field, MILLISECOND, Payload, Position, Positions, SECOND, SemanticId, StreamId,
    Symbol, Tuple,
};

/// What an operator put out for one input.
pub type Slot = Vec<(SemanticId, Payload)>;

/// Draws for a test: the high bits of a linear congruential generator (Knuth's MMIX constants).
pub struct Lcg(pub u64);

impl Lcg {
    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        let Lcg(state) = self;
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % bound
    }
}

/// A stream of pairs and flights, mixed: five keys; numbers from 1 to 9, so that no sum stands
/// still; steps of up to 60 ms with a pause of three seconds now and then, so that windows of a
/// second fill, slide and empty; about one flight a day, some of them implausible.
pub fn stream(stream: StreamId, length: u64, seed: u64) -> Vec<Tuple> {
    let mut lcg = Lcg(seed);
    let (mut scheduled, mut minute) = (0, 11_326 * 24 * 60);
    let mut tuple = |sequence| {
        scheduled += lcg.below(60) * MILLISECOND;
        if lcg.below(100) == 0 {
            scheduled += 3 * SECOND;
        }
        let key = lcg.below(5) as u32;
        let payload = if lcg.below(3) > 0 {
            Payload::Pair { key, value: 1 + lcg.below(9) as i64 }
        } else {
            minute += lcg.below(2 * 24 * 60) as i64;
            let distance = if lcg.below(20) == 0 { 0 } else { 100 + lcg.below(3000) as i64 };
            let delay = lcg.below(2_000) as i64 - 200;
            let fields = [
                Field::Integer(minute),
                Field::Text(Symbol(key)),
                Field::Text(Symbol(9)),
                Field::Integer(distance),
                Field::Integer(delay),
            ];
            Payload::Record(fields.into())
        };
        Tuple {
            id: DeliveryId { stream, position: Position::of(sequence) },
            semantic: SemanticId { kind: 0, key: 0, index: sequence },
            scheduled,
            payload,
        }
    };
    (0..length).map(&mut tuple).collect()
}

/// Feeds `inputs` without ending the stream: one slot an input.
pub fn feed(operator: &mut dyn Operator, inputs: &[Tuple]) -> Vec<Slot> {
    let mut apply = |input: &Tuple| {
        let mut out = Outputs::default();
        operator.apply(input, &mut out);
        out.list
    };
    inputs.iter().map(&mut apply).collect()
}

/// Feeds `inputs` and ends the stream: one slot an input and one for the end.
pub fn run(operator: &mut dyn Operator, inputs: &[Tuple]) -> Vec<Slot> {
    let mut slots = feed(operator, inputs);
    let mut out = Outputs::default();
    operator.end(&mut out);
    slots.push(out.list);
    slots
}

/// What has been received after `inputs`.
pub fn received(inputs: &[Tuple]) -> Positions {
    let mut positions = Positions::default();
    for input in inputs {
        positions.advance(input.id.stream, input.id.position.next());
    }
    positions
}

/// The inputs that upstream still has when it forgets everything before `needs`.
pub fn kept(inputs: &[Tuple], needs: &Positions) -> Vec<Tuple> {
    let keeps = |input: &&Tuple| !needs.covers(input.id.stream, input.id.position);
    inputs.iter().filter(keeps).cloned().collect()
}
