//! `summary.csv`: one line a [`Row`], numbers in plain units, named in the header.

use crate::record::Status;
use crate::summary::{Row, Spread, causes};
use crate::words::{claimed, delivery, guarantee};

/// The rows as CSV. Empty fields: there was no such value.
///
/// # Errors
///
/// Never on any input we know of; the writer's error is handed on.
pub fn render(rows: &[Row]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let causes = causes(rows);
    let mut written = false;
    for row in rows {
        let fields = fields(row, &causes);
        if !written {
            writer.write_record(fields.iter().map(|(name, _)| name))?;
            written = true;
        }
        writer.write_record(fields.iter().map(|(_, value)| value))?;
    }
    let bytes = writer.into_inner().map_err(|e| csv::Error::from(e.into_error()))?;
    Ok(String::from_utf8(bytes).expect("built from strings"))
}

/// A name as a spreadsheet shows it. One that begins like a formula would be computed there, so an
/// apostrophe stands before it.
pub(crate) fn text(name: &str) -> String {
    match name.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => format!("'{name}"),
        false => name.to_owned(),
    }
}

fn fields(row: &Row, causes: &[&str]) -> Vec<(String, String)> {
    let mut list: Vec<(String, String)> = Vec::new();
    let mut put = |name: &str, value: String| list.push((name.to_owned(), value));
    put("scenario", text(&row.scenario));
    put("case", text(&row.case));
    put("strategy", text(&row.strategy));
    put("options", text(&row.options));
    put("planted", text(row.planted.as_deref().unwrap_or_default()));
    put("status", crate::words::status(row.verdict()).to_owned());
    put("runs", row.runs.to_string());
    for (name, status) in [
        ("runs_held", Status::Held),
        ("runs_broken", Status::Broken),
        ("runs_inconclusive", Status::Inconclusive),
        ("runs_not_covered", Status::NotCovered),
    ] {
        put(name, row.by_status.get(&status).copied().unwrap_or(0).to_string());
    }
    put("checks_broken", row.checks_broken.to_string());
    put("claimed", claimed(row));
    put("observed", guarantee(&row.observed));
    put("observed_delivery", delivery(&row.observed).to_string());
    put("expected_mean", number(row.expected.mean(), 1.0));
    for (name, s) in [
        ("lost", &row.lost),
        ("duplicates", &row.duplicates),
        ("wrong", &row.wrong),
        ("unexpected", &row.unexpected),
        ("reordered", &row.reordered),
    ] {
        put(&format!("{name}_total"), s.total.to_string());
        spread(&mut put, name, "", s, 1.0);
    }
    for (name, s) in [
        ("r1", &row.r1),
        ("r2", &row.r2),
        ("r3", &row.r3),
        ("silence", &row.silence),
        ("peak_lag", &row.peak_lag),
        ("down", &row.down),
        ("detect", &row.detect),
        ("redirect", &row.redirect),
        ("restore", &row.restore),
        ("replay", &row.replay),
        ("catch_up", &row.catch_up),
    ] {
        put(&format!("{name}_runs"), s.n.to_string());
        put(&format!("{name}_not_reached_runs"), s.beyond.to_string());
        spread(&mut put, name, "_ms", s, 1e6);
    }
    put("overhead_bytes_per_hop_percent", number(row.per_hop_ppm.mean(), 1e4));
    put("overhead_bytes_percent", number(row.bytes_ppm.mean(), 1e4));
    for cause in causes {
        let none = if row.traffic.contains_key(*cause) { None } else { Some(0.0) };
        put(&format!("overhead_{cause}_percent"), number(row.cause_ppm(cause).or(none), 1e4));
    }
    put("saves_mean", number(row.saves.mean(), 1.0));
    put("cpu_mean_ms", number(row.cpu_ns.mean(), 1e6));
    put("twin_lag_mean_ms", number(row.lag_mean_ns.mean(), 1e6));
    put("twin_lag_max_ms", maximum(&row.lag_max_ns, 1e6));
    put("retained_max_tuples", maximum(&row.retained_max, 1.0));
    put("retained_unpaired_max_tuples", maximum(&row.retained_unpaired, 1.0));
    list
}

fn spread(put: &mut impl FnMut(&str, String), name: &str, unit: &str, s: &Spread, scale: f64) {
    put(&format!("{name}_mean{unit}"), number(s.mean(), scale));
    put(&format!("{name}_min{unit}"), number((s.n > 0).then_some(s.min as f64), scale));
    put(&format!("{name}_max{unit}"), maximum(s, scale));
}

fn maximum(s: &Spread, scale: f64) -> String {
    number((s.n > 0).then_some(s.max as f64), scale)
}

/// At most six decimals, none in vain.
fn number(value: Option<f64>, scale: f64) -> String {
    let Some(value) = value else { return String::new() };
    let text = format!("{:.6}", value / scale);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::summary::Report;

    #[test]
    fn one_line_a_row_and_units_in_the_header() {
        let mut records = sample::three_strategies();
        records[0].planted = Some("say \"no\", twice".to_owned());
        let text = render(&Report::of(&records, &[]).rows).unwrap();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().unwrap().clone();
        let lines: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let field = |line: usize, name: &str| {
            lines[line][header.iter().position(|h| h == name).unwrap()].to_owned()
        };
        assert_eq!(lines.len(), 4);
        assert_eq!(field(0, "planted"), "say \"no\", twice");
        assert_eq!(field(2, "strategy"), "passive-standby");
        assert_eq!(field(2, "r2_mean_ms"), "639");
        assert_eq!(field(2, "overhead_bytes_per_hop_percent"), "40");
        assert_eq!(field(2, "duplicates_total"), "36");
        assert_eq!(field(3, "runs_broken"), "1");
        assert_eq!(field(3, "r3_not_reached_runs"), "1");
        assert_eq!(field(3, "overhead_state_percent"), "0");
        assert_eq!(field(3, "claimed"), "exactly once");
        assert_eq!(field(3, "observed"), "gap");
        assert_eq!(field(3, "observed_delivery"), "at-most-once");
    }

    #[test]
    fn a_name_is_no_formula() {
        assert_eq!(text("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
        assert_eq!(text("amnesia"), "amnesia");
    }

    #[test]
    fn no_rows_no_bytes() {
        assert_eq!(render(&[]).unwrap(), "");
    }
}
