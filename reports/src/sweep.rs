//! What a sweep leaves behind: for each kind of places at which a machine was let fail, each
//! strategy and each way to fail, what was seen and whether it was promised. As JSON lines, CSV, a
//! table and a heat map.

use crate::figures;
use crate::grid::{BOLD, Cell as GridCell, Column, DIM, layout};
use crate::words::plural;
use crate::write::{WriteError, jsonl, write_files};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::path::Path;

/// What can be seen of a failure, from harmless to bad.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seen {
    /// Everything is as without it.
    Nothing,
    /// Outputs came again.
    Duplicated,
    /// Outputs are missing.
    Lost,
    /// A value or a final state is wrong.
    Wrong,
    /// The stream did not drain.
    Stuck,
}

impl Seen {
    /// All, the harmless first.
    pub const ALL: [Seen; 5] =
        [Seen::Nothing, Seen::Duplicated, Seen::Lost, Seen::Wrong, Seen::Stuck];

    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Seen::Nothing => "held",
            Seen::Duplicated => "duplicated",
            Seen::Lost => "lost",
            Seen::Wrong => "wrong",
            Seen::Stuck => "stuck",
        }
    }
}

/// Runs by what was seen, and by what was promised.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// In which everything was as without a failure.
    pub nothing: u64,
    /// In which the worst was that outputs came again.
    pub duplicated: u64,
    /// In which the worst was that outputs were missing.
    pub lost: u64,
    /// In which the worst was that a value or state was wrong.
    pub wrong: u64,
    /// That did not drain.
    pub stuck: u64,
    /// That kept what was claimed.
    pub kept: u64,
    /// In which the failure met nothing.
    pub idle: u64,
    /// About which nothing was claimed.
    pub not_covered: u64,
    /// That broke what was claimed.
    pub broken: u64,
}

impl Tally {
    /// All runs.
    pub fn runs(&self) -> u64 {
        self.nothing + self.duplicated + self.lost + self.wrong + self.stuck
    }

    /// Runs of which this was the worst.
    pub fn of(&self, seen: Seen) -> u64 {
        match seen {
            Seen::Nothing => self.nothing,
            Seen::Duplicated => self.duplicated,
            Seen::Lost => self.lost,
            Seen::Wrong => self.wrong,
            Seen::Stuck => self.stuck,
        }
    }

    /// The worst that was seen.
    pub fn worst(&self) -> Seen {
        let seen = Seen::ALL.into_iter().rev().find(|seen| self.of(*seen) > 0);
        seen.unwrap_or(Seen::Nothing)
    }
}

/// One kind of places under one strategy and one kind of failure.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SweepCell {
    /// The scenario.
    pub scenario: String,
    /// The case.
    pub case: String,
    /// The strategy.
    pub strategy: String,
    /// How the machine failed; where two did, the first of them.
    pub fault: String,
    /// The operator of the machine.
    pub operator: String,
    /// What the machine was: `leads`, `stands by`, `coordinates`.
    pub role: String,
    /// What it was handling.
    pub event: String,
    /// Before which effect, or after the last.
    pub place: String,
    /// Runs by what came of them.
    pub tally: Tally,
    /// Shows the first run that breaks its claim; a command.
    pub replay: Option<String>,
}

impl SweepCell {
    /// What all cells of a row have in common, for people.
    pub fn row(&self) -> String {
        let SweepCell { operator, role, event, place, .. } = self;
        // There is nothing else that it could be.
        match role.as_str() {
            "coordinates" => format!("{operator}: {event}, {place}"),
            role => format!("{operator}, {role}: {event}, {place}"),
        }
    }

    /// How bad it is: broken claims first, then what was seen, then how often.
    pub fn badness(&self) -> (bool, Seen, u64) {
        let worst = self.tally.worst();
        (self.tally.broken > 0, worst, self.tally.of(worst))
    }
}

/// The rows of the table, worst first: name and cells.
pub(crate) fn rows(cells: &[SweepCell]) -> Vec<(String, Vec<&SweepCell>)> {
    let names = figures::distinct(cells.iter().map(SweepCell::row));
    let of = |name: &String| cells.iter().filter(|cell| cell.row() == *name).collect();
    let mut rows: Vec<(String, Vec<&SweepCell>)> =
        names.iter().map(|name| (name.clone(), of(name))).collect();
    rows.sort_by_key(|(_, cells)| Reverse(cells.iter().map(|cell| cell.badness()).max()));
    rows
}

/// A column of the heat map: what is under one heading, in one way to fail.
pub(crate) struct ColumnOf {
    /// The strategy, and the case where there are several.
    pub heading: String,
    case: String,
    strategy: String,
    /// The kind of failure.
    pub fault: String,
}

impl ColumnOf {
    /// Whether a cell stands in it.
    pub fn has(&self, cell: &SweepCell) -> bool {
        (&cell.case, &cell.strategy, &cell.fault) == (&self.case, &self.strategy, &self.fault)
    }
}

/// In which columns cells stand: those of a case beside each other.
pub(crate) fn columns(cells: &[SweepCell]) -> Vec<ColumnOf> {
    let faults = figures::distinct(cells.iter().map(|cell| cell.fault.clone()));
    let mut swept: Vec<(&String, &String)> = Vec::new();
    for cell in cells {
        if !swept.contains(&(&cell.case, &cell.strategy)) {
            swept.push((&cell.case, &cell.strategy));
        }
    }
    let several = swept.iter().any(|(case, _)| *case != swept[0].0);
    let columns = swept.into_iter().flat_map(|(case, strategy)| {
        let heading = if several { format!("{case} / {strategy}") } else { strategy.clone() };
        faults.iter().map(move |fault| ColumnOf {
            heading: heading.clone(),
            case: case.clone(),
            strategy: strategy.clone(),
            fault: fault.clone(),
        })
    });
    columns.collect()
}

/// The table for a terminal: at most so many rows, worst first, and how many are left out.
pub fn table(cells: &[SweepCell], rows_max: usize, colour: bool) -> String {
    let strategies = figures::distinct(cells.iter().map(|cell| cell.strategy.clone()));
    let faults = figures::distinct(cells.iter().map(|cell| cell.fault.clone()));
    let rows = rows(cells);
    let mut lines: Vec<Vec<GridCell>> = Vec::new();
    for (name, cells) in rows.iter().take(rows_max) {
        let of_fault = |fault: &String| -> Vec<GridCell> {
            let of = |strategy: &String| {
                let cell = cells.iter().find(|c| c.strategy == *strategy && c.fault == *fault);
                cell.map_or_else(GridCell::default, |cell| short(&cell.tally))
            };
            strategies.iter().map(of).collect()
        };
        let said: Vec<Vec<GridCell>> = faults.iter().map(of_fault).collect();
        let text = |cells: &[GridCell]| cells.iter().map(|c| c.text.clone()).collect::<Vec<_>>();
        let same = said.iter().all(|cells| text(cells) == text(&said[0]));
        let shown: Vec<(String, &Vec<GridCell>)> = match said.first() {
            Some(first) if same && said.len() > 1 => vec![("either".into(), first)],
            _ => faults.iter().cloned().zip(&said).collect(),
        };
        for (nth, (fault, cells)) in shown.into_iter().enumerate() {
            let name = if nth == 0 { name.clone() } else { String::new() };
            let mut line = vec![name.into(), GridCell { text: fault, style: DIM }];
            line.extend(cells.iter().cloned());
            lines.push(line);
        }
    }
    let mut titles = vec![("place", Column::Text), ("failure", Column::Text)];
    titles.extend(strategies.iter().map(|name| (name.as_str(), Column::Text)));
    let mut text = layout(&titles, &lines, 0, colour);
    if rows.len() > rows_max {
        let more = plural((rows.len() - rows_max) as u64, "more row");
        text += &format!("and {more}: --all shows all\n");
    }
    text
}

/// `lost 12 of 30`; `?`: some are not covered; `BROKEN`: a claim is.
fn short(counts: &Tally) -> GridCell {
    let worst = counts.worst();
    let mut text = match worst {
        Seen::Nothing => format!("held {}", counts.nothing),
        seen if counts.of(seen) == counts.runs() => format!("{} {}", seen.name(), counts.runs()),
        seen => format!("{} {}\u{a0}of\u{a0}{}", seen.name(), counts.of(seen), counts.runs()),
    };
    if counts.not_covered > 0 {
        text += " ?";
    }
    if counts.broken > 0 {
        text = format!("BROKEN {}: {text}", counts.broken);
    }
    let style = match (counts.broken > 0, worst) {
        (true, _) => BOLD,
        (false, Seen::Nothing) => DIM,
        (false, _) => "",
    };
    GridCell { text, style }
}

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
        let words = words.into_iter().cloned();
        let counted = [c.runs().to_string(), c.worst().name().to_string()];
        let replay = cell.replay.clone().unwrap_or_default();
        let numbers = numbers.iter().map(u64::to_string);
        writer.write_record(words.chain(counted).chain(numbers).chain([replay]))?;
    }
    let bytes = writer.into_inner().map_err(|e| csv::Error::from(e.into_error()))?;
    Ok(String::from_utf8(bytes).expect("built from strings"))
}

/// Writes `sweep.jsonl`, `sweep.csv`, `sweep.svg` and `sweep.png` into `dir`, which must be there.
///
/// # Errors
///
/// When a file cannot be written or the picture cannot be painted.
pub fn write(dir: &Path, title: &str, cells: &[SweepCell]) -> Result<(), WriteError> {
    let fail = |name: &str, what: String| WriteError { file: dir.join(name), what };
    let figure = figures::heat_map(title, cells);
    let csv = csv(cells).map_err(|e| fail("sweep.csv", e.to_string()))?;
    let svg = figure.svg().map_err(|e| fail("sweep.svg", e))?;
    let png = figure.png().map_err(|e| fail("sweep.png", e))?;
    let files = [
        ("sweep.jsonl".to_owned(), jsonl(cells).into_bytes()),
        ("sweep.csv".to_owned(), csv.into_bytes()),
        ("sweep.svg".to_owned(), svg.into_bytes()),
        ("sweep.png".to_owned(), png),
    ];
    write_files(dir, &files)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

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
