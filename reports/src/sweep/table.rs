//! Cells in rows and columns, and the table for a terminal.

use super::cell::{Seen, SweepCell, Tally};
use crate::grid::{BOLD, Cell as GridCell, Column, DIM, layout};
use crate::words::{distinct, plural};
use std::cmp::Reverse;

/// The rows of the table, worst first: name and cells.
pub(crate) fn rows(cells: &[SweepCell]) -> Vec<(String, Vec<&SweepCell>)> {
    let names = distinct(cells.iter().map(SweepCell::row));
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
    let faults = distinct(cells.iter().map(|cell| cell.fault.clone()));
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
    let strategies = distinct(cells.iter().map(|cell| cell.strategy.clone()));
    let faults = distinct(cells.iter().map(|cell| cell.fault.clone()));
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
    let shown = rows.iter().take(rows_max).flat_map(|(_, cells)| cells);
    if shown.map(|cell| &cell.tally).any(|tally| tally.not_covered > 0) {
        text += "?: of some of these nothing was claimed\n";
    }
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
