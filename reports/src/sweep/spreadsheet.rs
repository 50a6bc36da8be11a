//! The cells of a sweep for a spreadsheet.

use super::cell::SweepCell;
use crate::summary_csv::text;

/// The cells as CSV.
///
/// # Errors
///
/// Never on any input we know of; the writer's error is handed on.
pub fn csv(cells: &[SweepCell]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "scenario",
        "case",
        "strategy",
        "fault",
        "operator",
        "role",
        "event",
        "place",
        "runs",
        "worst",
        "nothing",
        "duplicated",
        "lost",
        "wrong",
        "stuck",
        "kept",
        "idle",
        "not_covered",
        "broken",
        "replay",
    ])?;
    for cell in cells {
        let c = &cell.tally;
        let words = [
            &cell.scenario,
            &cell.case,
            &cell.strategy,
            &cell.fault,
            &cell.operator,
            &cell.role,
            &cell.event,
            &cell.place,
        ];
        let numbers = [
            c.nothing,
            c.duplicated,
            c.lost,
            c.wrong,
            c.stuck,
            c.kept,
            c.idle,
            c.not_covered,
            c.broken,
        ];
        let words = words.into_iter().map(|word| text(word));
        let counted = [c.runs().to_string(), c.worst().name().to_string()];
        let replay = cell.replay.clone().unwrap_or_default();
        let numbers = numbers.iter().map(u64::to_string);
        writer.write_record(words.chain(counted).chain(numbers).chain([replay]))?;
    }
    let bytes = writer.into_inner().map_err(|e| csv::Error::from(e.into_error()))?;
    Ok(String::from_utf8(bytes).expect("built from strings"))
}
