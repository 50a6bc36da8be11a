//! Inputs that probe every operator, and how to run one over them.

use aftermath_systems::nexmark::{Event, Price};
use aftermath_systems::operator::{Operator, Outputs};
use aftermath_systems::protocol::{
    DeliveryId, Field, MILLISECOND, Nanos, Payload, Position, Positions, SECOND, SemanticId,
    StreamId, Symbol, Tuple,
};

/// The input that an output stands for and that one's schedule (none: nobody asked for it), what
/// it is, and its value.
pub type Emitted = (Option<(DeliveryId, Nanos)>, SemanticId, Payload);
/// What an operator put out for one input, and unasked since the input before.
pub type Slot = Vec<Emitted>;

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

/// A stream of pairs, flights and events of an auction site, mixed: five keys; numbers from 1 to 9,
/// so that no sum stands still; steps of up to 60 ms with a pause of three seconds now and then, so
/// that windows of a second fill, slide and empty; about one flight a day, some of them
/// implausible; auctions of people who have registered, who do so now, and who will.
pub fn stream(stream: StreamId, length: u64, seed: u64) -> Vec<Tuple> {
    let mut lcg = Lcg(seed);
    let (mut scheduled, mut minute) = (0, 11_326 * 24 * 60);
    let mut site = AuctionSite::default();
    let mut tuple = |sequence| {
        scheduled += lcg.below(60) * MILLISECOND;
        if lcg.below(100) == 0 {
            scheduled += 3 * SECOND;
        }
        let key = lcg.below(5) as u32;
        let payload = match lcg.below(100) {
            0..35 => Payload::Pair { key, value: 1 + lcg.below(9) as i64 },
            35..55 => {
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
            }
            _ => site.event(&mut lcg).payload(),
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

/// People are numbered as they register, auctions as they are opened.
#[derive(Default)]
struct AuctionSite {
    people: u32,
    auctions: u32,
}

impl AuctionSite {
    fn event(&mut self, lcg: &mut Lcg) -> Event {
        let kind = lcg.below(20);
        let mut below = |bound: u32| lcg.below(bound.into()) as u32;
        // The next to register, the last who did, and anybody.
        let seller = match below(4) {
            0 | 1 => self.people,
            2 => self.people.saturating_sub(1),
            _ => below(self.people + 1),
        };
        match kind {
            0..7 => {
                self.people += 1;
                let (name, city) = (Symbol(20 + below(5)), Symbol(10 + below(5)));
                // California, Idaho and Oregon, and Washington.
                Event::Person { id: self.people - 1, name, city, state: Symbol(1 + below(4)) }
            }
            7..14 => {
                self.auctions += 1;
                let category = 10 + below(4) / 3;
                Event::Auction { id: self.auctions - 1, seller, category }
            }
            _ => {
                let price = Price { units: 100 + i64::from(below(1_000)), decimals: 2 };
                Event::Bid { auction: below(self.auctions + 1), bidder: seller, price }
            }
        }
    }
}

/// A stream dealt out to several: together they are what [`stream`] makes, each in its order. An
/// input keeps its number, as behind the branches of a diamond.
pub fn streams(count: u16, length: u64, seed: u64) -> Vec<Vec<Tuple>> {
    let mut lcg = Lcg(seed + 100);
    let mut dealt = vec![Vec::new(); usize::from(count)];
    for mut input in stream(StreamId(0), length, seed) {
        input.id.stream = StreamId(lcg.below(u64::from(count)) as u16);
        dealt[input.id.stream.index()].push(input);
    }
    dealt
}

/// How an instance sees several streams: each in its own order, and each input up to 50 ms late.
/// One stream comes as it is.
pub fn arriving(streams: &[Vec<Tuple>], seed: u64) -> Vec<Tuple> {
    let mut lcg = Lcg(seed + 200);
    let mut arrivals = Vec::new();
    for stream in streams {
        let mut at = 0;
        for input in stream {
            at = at.max(input.scheduled + lcg.below(50) * MILLISECOND);
            arrivals.push((at, input.clone()));
        }
    }
    // Stable: each stream keeps its order.
    arrivals.sort_by_key(|(at, _)| *at);
    arrivals.into_iter().map(|(_, input)| input).collect()
}

/// Feeds `inputs` without ending the stream, each at the instant that it is scheduled at: one slot
/// an input.
pub fn feed(operator: &mut dyn Operator, inputs: &[Tuple]) -> Vec<Slot> {
    feed_at(operator, inputs, |input| input.scheduled)
}

/// Feeds `inputs` and ends the stream: one slot an input and one for the end.
pub fn run(operator: &mut dyn Operator, inputs: &[Tuple]) -> Vec<Slot> {
    run_at(operator, inputs, |input| input.scheduled)
}

/// Like [`run`], each input at the instant that `now` says.
pub fn run_at(
    operator: &mut dyn Operator,
    inputs: &[Tuple],
    now: impl FnMut(&Tuple) -> Nanos,
) -> Vec<Slot> {
    let mut slots = feed_at(operator, inputs, now);
    let mut out = Outputs::default();
    operator.end(&mut out);
    slots.push(slot(out, None));
    slots
}

fn feed_at(
    operator: &mut dyn Operator,
    inputs: &[Tuple],
    mut now: impl FnMut(&Tuple) -> Nanos,
) -> Vec<Slot> {
    let mut apply = |input: &Tuple| {
        let now = now(input);
        let mut out = Outputs::default();
        while let Some(at) = operator.wakes_at().filter(|at| *at <= now) {
            operator.wake(at, &mut out);
        }
        let mut slot_of_input = slot(out, None);
        let mut out = Outputs::default();
        operator.apply(now, input, &mut out);
        slot_of_input.extend(slot(out, Some(input)));
        slot_of_input
    };
    inputs.iter().map(&mut apply).collect()
}

fn slot(out: Outputs, trigger: Option<&Tuple>) -> Slot {
    let trigger = trigger.map(|input| (input.id, input.scheduled));
    let outputs = out.list.into_iter();
    outputs
        .map(|o| (o.origin.map(|r| (r.id, r.scheduled)).or(trigger), o.semantic, o.payload))
        .collect()
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
