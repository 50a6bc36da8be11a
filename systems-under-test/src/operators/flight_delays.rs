//! Flights and their delays per airport of departure.

use super::flight::Flight;
use super::keyed::{Keyed, Value};
use crate::operator::{Operator, OperatorClass, Outputs, Span, State, mix};
use crate::protocol::{Field, Nanos, Payload, Positions, SemanticId, Tuple};
use serde::{Deserialize, Serialize};

/// Minutes in seven days.
const WEEK_MINUTES: i64 = 7 * 24 * 60;

/// What one origin has had in the open week. A mean is sum and count: no float.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Week {
    count: i64,
    sum: i64,
    max: i64,
}

impl Week {
    fn with(old: Option<Week>, delay: i64) -> Week {
        match old {
            Some(week) => {
                Week { count: week.count + 1, sum: week.sum + delay, max: week.max.max(delay) }
            }
            None => Week { count: 1, sum: delay, max: delay },
        }
    }
}

impl Value for Week {
    fn mix_into(self, hash: u64) -> u64 {
        mix(mix(mix(hash, self.count as u64), self.sum as u64), self.max as u64)
    }
}

/// Answers each flight with the running total of its origin; and at the end of each week with
/// (count, sum of delays, largest delay) of every origin, in the order of origins.
///
/// A week closes at the first row of a later week that this instance sees, and at the end of the
/// stream. The row that closes it contributes to it, and to it only: the next week starts empty.
/// Such a trigger is what real windowing operators have; and where it falls depends on which rows
/// an instance sees, so a lost row may change a window that it did not belong to.
#[derive(Clone, Debug, Default)]
pub struct FlightDelays {
    totals: Keyed<i64>,
    weeks: Keyed<Week>,
    /// Which week is open, counted from 1970-01-01.
    open: Option<i64>,
}

impl FlightDelays {
    /// The semantic kind of a running total; its index is that of the row that it answers.
    pub const RUNNING_TOTAL: u16 = 1;
    /// The semantic kind of a closed week of an origin; its index is the week since 1970-01-01.
    pub const CLOSED_WEEK: u16 = 2;

    fn close(&mut self, index: i64, out: &mut Outputs) {
        for (key, Week { count, sum, max }) in self.weeks.drain() {
            let fields = [count, sum, max].map(Field::Integer);
            let semantic = SemanticId { kind: Self::CLOSED_WEEK, key, index: index as u64 };
            out.emit(semantic, Payload::Record(fields.into()));
        }
    }
}

impl Operator for FlightDelays {
    fn apply(&mut self, _now: Nanos, input: &Tuple, out: &mut Outputs) {
        let Some(flight) = Flight::read(&input.payload) else { return };
        let key = flight.origin.0;
        let value = self.totals.update(key, |old| old.unwrap_or(0) + 1);
        let semantic = SemanticId { kind: Self::RUNNING_TOTAL, key, index: input.semantic.index };
        out.emit(semantic, Payload::Pair { key, value });

        let week = flight.minute.div_euclid(WEEK_MINUTES);
        let open = *self.open.get_or_insert(week);
        self.weeks.update(key, |old| Week::with(old, flight.delay));
        if week > open {
            self.close(open, out);
            self.open = Some(week);
        }
    }

    fn end(&mut self, out: &mut Outputs) {
        if let Some(open) = self.open.take() {
            self.close(open, out);
        }
    }

    fn snapshot(&mut self) -> State {
        let entries = self.totals.len() + self.weeks.len();
        State::encode(&(self.open, self.totals.snapshot(), self.weeks.snapshot()), entries)
    }

    fn restore(&mut self, state: &State) {
        let (totals, weeks);
        (self.open, totals, weeks) = state.decode();
        self.totals.restore(totals);
        self.weeks.restore(weeks);
    }

    fn delta(&mut self) -> State {
        let (totals, weeks) = (self.totals.delta(), self.weeks.delta());
        State::encode(&(self.open, &totals, &weeks), totals.len() + weeks.len())
    }

    fn apply_delta(&mut self, delta: &State) {
        let (totals, weeks);
        (self.open, totals, weeks) = delta.decode();
        self.totals.apply(totals);
        self.weeks.apply(weeks);
    }

    fn needs(&self, _received: &Positions) -> Positions {
        // The totals go back to the first row.
        Positions::default()
    }

    fn span(&self) -> Span {
        Span::Unbounded
    }

    fn class(&self) -> OperatorClass {
        OperatorClass::Deterministic
    }

    fn fans_out(&self) -> bool {
        true
    }

    fn digest(&self) -> u64 {
        let open = self.open.map_or(0, |index| mix(u64::MAX, index as u64));
        mix(mix(self.totals.digest(), self.weeks.digest()), open)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::emitted;
    use super::*;
    use crate::protocol::{DeliveryId, Position, StreamId, Symbol};

    const DTW: u32 = 4;
    const HNL: u32 = 7;

    /// Day 0 is 2001-01-04, the first day of week 1618.
    fn row(number: u64, day: i64, origin: u32, delay: i64) -> Tuple {
        let fields = [
            Field::Integer((11_326 + day) * 24 * 60 + 47),
            Field::Text(Symbol(origin)),
            Field::Text(Symbol(0)),
            Field::Integer(1_750),
            Field::Integer(delay),
        ];
        Tuple {
            id: DeliveryId { stream: StreamId(0), position: Position::of(number) },
            semantic: SemanticId { kind: 0, key: 0, index: number },
            scheduled: number,
            payload: Payload::Record(fields.into()),
        }
    }

    fn total(row: u64, key: u32, value: i64) -> (SemanticId, Payload) {
        (
            SemanticId { kind: FlightDelays::RUNNING_TOTAL, key, index: row },
            Payload::Pair { key, value },
        )
    }

    fn week(index: u64, key: u32, numbers: [i64; 3]) -> (SemanticId, Payload) {
        let fields = numbers.map(Field::Integer);
        (SemanticId { kind: FlightDelays::CLOSED_WEEK, key, index }, Payload::Record(fields.into()))
    }

    #[test]
    fn the_row_that_closes_a_week_counts_in_it_and_only_in_it() {
        let mut operator = FlightDelays::default();
        let mut put_out = |row: Tuple| {
            let mut out = Outputs::default();
            operator.apply(row.scheduled, &row, &mut out);
            emitted(out)
        };
        assert_eq!(put_out(row(0, 0, HNL, 10)), [total(0, HNL, 1)]);
        assert_eq!(put_out(row(1, 6, HNL, -3)), [total(1, HNL, 2)]);
        // Day 7 is the first of the next week: its total first, then the windows by origin; DTW
        // has one although none of its rows lies in the week.
        assert_eq!(
            put_out(row(2, 7, DTW, 66)),
            [total(2, DTW, 1), week(1618, DTW, [1, 66, 66]), week(1618, HNL, [2, 7, 10])]
        );
        assert_eq!(put_out(row(3, 8, DTW, -5)), [total(3, DTW, 2)]);
        // Three weeks on: nothing is put out about the weeks without rows.
        assert_eq!(
            put_out(row(4, 29, HNL, -8)),
            [total(4, HNL, 3), week(1619, DTW, [1, -5, -5]), week(1619, HNL, [1, -8, -8])]
        );
        let mut out = Outputs::default();
        operator.end(&mut out);
        assert_eq!(emitted(out), [], "the last row closed a week and opened an empty one");
    }

    #[test]
    fn the_end_closes_the_open_week() {
        let mut operator = FlightDelays::default();
        let mut out = Outputs::default();
        operator.apply(0, &row(0, 3, DTW, -20), &mut out);
        operator.end(&mut out);
        assert_eq!(emitted(out), [total(0, DTW, 1), week(1618, DTW, [1, -20, -20])]);
    }

    #[test]
    fn the_digest_tells_totals_and_the_open_week_apart() {
        let digest = |days: &[(i64, u32)]| {
            let mut operator = FlightDelays::default();
            for (day, origin) in days {
                operator.apply(0, &row(0, *day, *origin, 0), &mut Outputs::default());
            }
            operator.digest()
        };
        let states = [
            digest(&[]),
            digest(&[(0, DTW), (7, DTW)]),
            // Another total behind the same empty week.
            digest(&[(0, DTW), (1, DTW), (7, DTW)]),
            digest(&[(0, HNL), (7, DTW)]),
            // The same totals before another empty week.
            digest(&[(0, DTW), (14, DTW)]),
        ];
        for (index, state) in states.iter().enumerate() {
            assert!(!states[..index].contains(state), "state {index}");
        }
        assert_eq!(states[3], digest(&[(0, DTW), (7, HNL)]), "the path is forgotten");
    }
}
