//! What a sweep leaves behind: for each kind of places at which a machine was let fail, each
//! strategy and each way to fail, what was seen and whether it was promised. As JSON lines, CSV, a
//! table and a heat map.

mod cell;
mod spreadsheet;
mod table;

pub use cell::{Seen, SweepCell, Tally};
pub use spreadsheet::csv;
pub use table::table;
pub(crate) use table::{ColumnOf, columns, rows};

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::files::jsonl;

    /// Three kinds of places under two strategies: one breaks its claim, one is not covered.
    pub(crate) fn sample() -> Vec<SweepCell> {
        let places =
            ["before emit", "after the last", "before a very long name of a protocol point"];
        let mut cells = Vec::new();
        for strategy in ["amnesia", "checkpoint-rollback"] {
            for (nth, place) in places.iter().enumerate() {
                for fault in ["process-crash", "machine-loss"] {
                    let count = 12_345 * nth as u64;
                    let (lost, broken) = if nth == 1 { (count, 1) } else { (0, 0) };
                    let not_covered = if nth == 2 { count } else { 0 };
                    let kept = 7 + count - broken - not_covered;
                    let counts = Tally { lost, broken, not_covered, kept, ..Tally::default() };
                    cells.push(SweepCell {
                        scenario: "sweep".into(),
                        case: "base".into(),
                        strategy: strategy.into(),
                        fault: fault.into(),
                        operator: "count".into(),
                        role: "leads".into(),
                        event: "tuple".into(),
                        place: (*place).into(),
                        tally: Tally { nothing: 7 + count - lost, ..counts },
                        replay: (broken > 0).then(|| "aftermath run points/1.toml".into()),
                    });
                }
            }
        }
        cells
    }

    #[test]
    fn broken_claims_come_first_and_then_what_is_worst() {
        let cells = sample();
        let first = rows(&cells).remove(0).1;
        assert!(first.iter().any(|cell| cell.tally.broken > 0));
        let text = table(&cells, 2, false);
        let line = text.lines().nth(1).expect("a row");
        assert!(line.contains("BROKEN") && line.contains("lost"), "{text}");
        assert!(text.contains("and 1 more row: --all"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    }

    #[test]
    fn every_case_has_its_columns() {
        let mut cells = sample();
        let of_one = columns(&cells).len();
        let other = sample().into_iter().map(|cell| SweepCell { case: "other".into(), ..cell });
        cells.extend(other);
        let both = columns(&cells);
        assert_eq!(both.len(), 2 * of_one);
        assert!(cells.iter().all(|cell| both.iter().filter(|c| c.has(cell)).count() == 1));
        assert_eq!(both[of_one].heading, "other / amnesia");
    }

    #[test]
    fn csv_and_json_lines_hold_every_cell() {
        let cells = sample();
        let csv = csv(&cells).unwrap();
        assert_eq!(csv.lines().count(), cells.len() + 1);
        let first = csv.lines().nth(1).expect("a cell");
        assert_eq!(csv.lines().next().unwrap().matches(',').count(), 19);
        assert!(first.starts_with("sweep,base,amnesia,process-crash,count,leads,"), "{first}");
        let read: Vec<SweepCell> =
            jsonl(&cells).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(read, cells);
    }
}
