//! Recorded flights: real keys, real skew, typing errors, and windows in the time of the record.

use super::line::{Stage, line};
use super::{Column, ColumnType, InputSchema, Pipeline, Topology};
use crate::operators::{Filter, FlightDelays, Predicate};
use crate::options::Options;
use crate::plan::Partitioning;
use crate::protocol::SemanticId;

/// source -> clean -> delays -> sink.
pub(super) const PIPELINE: Pipeline = Pipeline {
    name: "flights",
    summary: "plausible flights; their running total and weekly delays per origin",
    input: InputSchema::Recorded(&[
        Column { name: "time", kind: ColumnType::Minute },
        Column { name: "origin", kind: ColumnType::Text },
        Column { name: "destination", kind: ColumnType::Text },
        Column { name: "distance_miles", kind: ColumnType::Integer },
        Column { name: "delay_minutes", kind: ColumnType::Integer },
    ]),
    options: &[],
    build,
    describe,
};

/// Where the schema has the origin.
const ORIGIN: usize = 1;

fn build(_options: &Options) -> Topology {
    let clean = Filter::new(Predicate::PlausibleFlight);
    let delays = FlightDelays::default();
    let by_origin = Partitioning::Keyed { column: ORIGIN };
    line(
        Stage { name: "clean", operator: Box::new(clean), fed: Partitioning::Forward },
        Stage { name: "delays", operator: Box::new(delays), fed: by_origin },
    )
}

fn describe(id: &SemanticId, symbols: &[String]) -> String {
    let origin = symbols.get(id.key as usize).map_or("?", String::as_str);
    match id.kind {
        FlightDelays::RUNNING_TOTAL => format!("origin {origin}, row {} (running total)", id.index),
        FlightDelays::CLOSED_WEEK => {
            format!("origin {origin}, week of {}", date((id.index as i64) * 7))
        }
        _ => format!("row {}", id.index),
    }
}

/// The civil date (proleptic Gregorian) of a day counted from 1970-01-01.
fn date(day: i64) -> String {
    // Years that begin in March have their leap day at the end, and 400 of them 146,097 days.
    // From 0000-03-01 to 1970-01-01 there are 719,468 days.
    let day = day + 719_468;
    let (era, day_of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let leap_days = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // From March on, five months have 153 days, again and again.
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day_of_month:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_civil_dates() {
        for (day, civil) in [
            (-1, "1969-12-31"),
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (789, "1972-02-29"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (11_322, "2000-12-31"),
            (11_326, "2001-01-04"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(date(day), civil, "day {day}");
        }
    }

    #[test]
    fn outputs_have_names_for_people() {
        let symbols = ["LAS".to_string(), "DTW".to_string()];
        let name = |kind, index| describe(&SemanticId { kind, key: 1, index }, &symbols);
        assert_eq!(name(FlightDelays::RUNNING_TOTAL, 51), "origin DTW, row 51 (running total)");
        assert_eq!(name(FlightDelays::CLOSED_WEEK, 1618), "origin DTW, week of 2001-01-04");
    }
}
