//! The report for the terminal: one table a scenario, overhead by cause, expectations, and the
//! broken runs with the command that repeats each.

use crate::grid::{BOLD, Cell, Column, DIM, WIDTH, clean, layout, paint, wrap};
use crate::record::{CaseResult, Record, Status};
use crate::summary::{Failures, Report, Row, by_scenario, causes};
use crate::words::{
    self, cause_percent, claimed, guarantee, mean_count, mean_ms, percent, plural, run_name,
    statuses,
};
use std::collections::BTreeSet;

/// Reasons and pieces of evidence that are shown of each, of each kind.
const EVIDENCE: usize = 3;

/// Everything as text of about 120 columns, painted with ANSI colours or not.
pub fn render(report: &Report, colour: bool) -> String {
    let mut text = String::new();
    for rows in by_scenario(&report.rows) {
        text.push_str(&scenario(rows, colour));
        text.push('\n');
    }
    text.push_str(&checks(&report.cases, colour));
    text.push_str(&failures(&report.broken, colour));
    if report.runs == 0 {
        text.push_str("no runs\n");
    }
    text.push_str(&words::missing(report).map_or_else(String::new, |said| format!("{said}\n")));
    let end = text.trim_end().len();
    text.truncate(end);
    text.push('\n');
    text
}

/// The table of one scenario and, under it, overhead by cause. All rows are of that scenario.
pub fn scenario(rows: &[Row], colour: bool) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let runs = rows.iter().map(|r| r.runs).sum();
    let name = paint(&clean(&first.scenario), BOLD, colour);
    let means = if rows.iter().any(|r| r.runs > 1) { ", means per run" } else { "" };
    let many = named(rows);
    let case = if many.cases { String::new() } else { clean(&format!("case {}, ", first.case)) };
    let mut text = format!("{name}: {case}{}{means}\n", plural(runs, "run"));
    text.push_str(&verdicts(rows, colour));
    for row in rows {
        for note in words::notes(row) {
            let note = clean(&format!("* {}: {note}", many.name(row)));
            text.push_str(&paragraph(&note, 2, DIM, colour));
        }
    }
    text.push_str(&overhead(rows, colour));
    text
}

/// Whether cases must be named to tell rows apart.
struct Named {
    cases: bool,
}

fn named(rows: &[Row]) -> Named {
    let cases: BTreeSet<&str> = rows.iter().map(|r| &*r.case).collect();
    Named { cases: cases.len() > 1 }
}

impl Named {
    fn name(&self, row: &Row) -> String {
        if self.cases { format!("{} / {}", row.case, row.label()) } else { row.label() }
    }

    /// The first columns of a table, titles and cells.
    fn titles(&self) -> Vec<(&'static str, Column)> {
        let strategy = ("strategy", Column::Text);
        if self.cases { vec![("case", Column::Text), strategy] } else { vec![strategy] }
    }

    fn cells(&self, rows: &[Row], at: usize) -> Vec<Cell> {
        let mut cells = Vec::new();
        if self.cases {
            let again = at > 0 && rows[at - 1].case == rows[at].case;
            cells.push(Cell::from(if again { String::new() } else { rows[at].case.clone() }));
        }
        cells.push(Cell::from(rows[at].label()));
        cells
    }
}

fn verdicts(rows: &[Row], colour: bool) -> String {
    let named = named(rows);
    let mut columns = named.titles();
    columns.extend([
        ("claimed", Column::Text),
        ("observed", Column::Text),
        ("status", Column::Text),
        ("lost", Column::Number),
        ("dupl.", Column::Number),
        ("wrong", Column::Number),
        ("R2 ms", Column::Number),
        ("R3 ms", Column::Number),
        ("silence ms", Column::Number),
        ("overhead per hop", Column::Number),
    ]);
    let body: Vec<Vec<Cell>> = (0..rows.len())
        .map(|at| {
            let row = &rows[at];
            let mut cells = named.cells(rows, at);
            cells.extend([
                Cell::from(claimed(row)),
                Cell::from(guarantee(&row.observed)),
                Cell { text: statuses(row), style: style(row.verdict()) },
            ]);
            let numbers = [
                mean_count(&row.lost),
                mean_count(&row.duplicates),
                mean_count(&row.wrong),
                mean_ms(&row.r2),
                mean_ms(&row.r3),
                mean_ms(&row.silence),
                row.per_hop_ppm.mean().map_or_else(|| "-".to_owned(), percent),
            ];
            cells.extend(numbers.map(Cell::from));
            cells
        })
        .collect();
    layout(&columns, &body, 2, colour)
}

fn overhead(rows: &[Row], colour: bool) -> String {
    let causes = causes(rows);
    if causes.is_empty() {
        return String::new();
    }
    let named = named(rows);
    let mut columns = named.titles();
    columns.extend(causes.iter().map(|&c| (c, Column::Number)));
    columns.push(("all", Column::Number));
    let body: Vec<Vec<Cell>> = (0..rows.len())
        .map(|at| {
            let row = &rows[at];
            let mut cells = named.cells(rows, at);
            cells.extend(causes.iter().map(|c| Cell::from(cause_percent(row, c))));
            let all = row.bytes_ppm.mean().map_or_else(|| "-".to_owned(), percent);
            cells.push(Cell::from(all));
            cells
        })
        .collect();
    let title = "overhead by cause, bytes as a share of all tuple bytes, while nothing fails";
    format!("\n  {}\n{}", paint(title, BOLD, colour), layout(&columns, &body, 2, colour))
}

fn checks(cases: &[CaseResult], colour: bool) -> String {
    let body: Vec<Vec<Cell>> = cases
        .iter()
        .flat_map(|case| case.checks.iter().map(move |check| (case, check)))
        .map(|(case, check)| {
            let status = if check.held { Status::Held } else { Status::Broken };
            vec![
                Cell::from(case.case.clone()),
                Cell::from(case.strategy.clone()),
                Cell::from(check.what.clone()),
                Cell::from(check.expected.clone()),
                Cell::from(check.measured.clone()),
                Cell { text: words::status(status).to_owned(), style: style(status) },
            ]
        })
        .collect();
    if body.is_empty() {
        return String::new();
    }
    let columns =
        ["case", "strategy", "what", "predicted", "measured", "check"].map(|t| (t, Column::Text));
    let title = paint("expectations over all runs of a case", BOLD, colour);
    format!("{title}\n{}\n", layout(&columns, &body, 2, colour))
}

fn failures(broken: &Failures, colour: bool) -> String {
    if broken.count() == 0 {
        return String::new();
    }
    let total = plural(broken.count(), "broken run");
    let mut text = format!("{}\n", paint(&total, BOLD, colour));
    for record in broken.shown() {
        let name = clean(&format!("{}: {}", record.scenario, run_name(record)));
        text.push_str(&format!("  {}\n", paint(&name, style(Status::Broken), colour)));
        let reasons = record.reasons.iter().cloned();
        text.push_str(&first(reasons, "reason", colour));
        let witnesses = record.witnesses.iter().map(words::witness);
        text.push_str(&first(witnesses, "witness", colour));
        // One line however long: it is there to be pasted.
        text.push_str(&format!("    replay: {}\n", clean(&record.replay)));
        text.push_str(&schedule(record, 4));
    }
    if broken.left_out() > 0 {
        text.push_str(&format!("  and {} more, see records.jsonl\n", broken.left_out()));
    }
    text
}

/// A table of words with these titles.
pub fn plain(titles: &[&'static str], rows: &[Vec<String>]) -> String {
    let columns: Vec<_> = titles.iter().map(|title| (*title, Column::Text)).collect();
    let cells = |row: &Vec<String>| row.iter().map(|text| Cell::from(text.clone())).collect();
    let body: Vec<Vec<Cell>> = rows.iter().map(cells).collect();
    layout(&columns, &body, 2, false)
}

/// The faults that a swarm drew, so indented, to be pasted into the scenario.
pub fn schedule(record: &Record, indent: usize) -> String {
    let Some(schedule) = &record.schedule else { return String::new() };
    let indent = " ".repeat(indent);
    let lines = schedule.lines().filter(|line| !line.is_empty()).map(clean);
    let lines: String = lines.map(|line| format!("{indent}  {line}\n")).collect();
    match lines.is_empty() {
        true => format!("{indent}the swarm drew no fault\n"),
        false => {
            let strategy = clean(&record.strategy);
            format!("{indent}drawn for {strategy}, to be pasted in place of the swarm:\n{lines}")
        }
    }
}

/// The schedules of the first run of each case under each strategy, if they were drawn.
pub fn schedules(records: &[Record]) -> String {
    let mut seen = BTreeSet::new();
    let mut text = String::new();
    for record in records.iter().filter(|record| record.schedule.is_some()) {
        if seen.insert((&record.scenario, &record.case, &record.strategy)) {
            let name = clean(&format!("{}: {}", record.scenario, run_name(record)));
            text.push_str(&format!("{name}\n{}", schedule(record, 2)));
        }
    }
    text
}

fn first(lines: impl Iterator<Item = String>, noun: &str, colour: bool) -> String {
    let lines: Vec<String> = lines.collect();
    let mut text: String =
        lines.iter().take(EVIDENCE).map(|l| paragraph(&clean(l), 4, "", colour)).collect();
    if lines.len() > EVIDENCE {
        let more = (lines.len() - EVIDENCE) as u64;
        let noun = if noun == "witness" && more > 1 { "witnesse" } else { noun };
        text.push_str(&format!("    … and {}\n", plural(more, noun).replacen(' ', " more ", 1)));
    }
    text
}

/// A text in lines that fit; all but the first are indented two further.
fn paragraph(text: &str, indent: usize, style: &str, colour: bool) -> String {
    let lines = wrap(text, WIDTH - indent - 2);
    let lines = lines.iter().enumerate().map(|(nth, line)| {
        let indent = " ".repeat(if nth == 0 { indent } else { indent + 2 });
        format!("{indent}{}\n", paint(line, style, colour))
    });
    lines.collect()
}

fn style(status: Status) -> &'static str {
    match status {
        Status::Held => "32",
        Status::NotCovered => "34",
        Status::Inconclusive => "33",
        Status::Broken => "1;31",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn three_strategies() -> Report {
        Report::of(&sample::three_strategies(), &sample::three_strategies_cases())
    }

    #[test]
    fn the_whole_table() {
        let text = render(&three_strategies(), false);
        println!("{text}");
        assert_eq!(text, include_str!("../tests/table.txt"));
        assert!(
            text.lines().filter(|l| !l.contains("replay:")).all(|l| l.chars().count() <= WIDTH)
        );
        let painted = render(&three_strategies(), true);
        assert!(painted.contains("\u{1b}[1;31mbroken 1,"), "{painted}");
    }

    #[test]
    fn many_cases_fit_and_are_named_once() {
        let text = render(&Report::of(&sample::twelve_cases(), &[]), false);
        println!("{text}");
        assert!(text.lines().all(|l| l.chars().count() <= WIDTH), "{text}");
    }

    #[test]
    fn only_ten_broken_runs_are_shown_in_full() {
        let mut records: Vec<_> = (0..13).map(|s| sample::record("s", "c", "a", s)).collect();
        for r in &mut records {
            r.status = Status::Broken;
            r.reasons = (0..5).map(|n| format!("reason {n}")).collect();
        }
        let text = render(&Report::of(&records, &[]), false);
        assert!(text.contains("13 broken runs\n"), "{text}");
        assert_eq!(text.matches("replay:").count(), 10);
        assert_eq!(text.matches("… and 2 more reasons").count(), 10);
        assert!(text.ends_with("  and 3 more, see records.jsonl\n"), "{text}");
    }

    #[test]
    fn nothing_is_said_to_be_nothing() {
        assert_eq!(render(&Report::of(&[], &[]), true), "no runs\n");
    }
}
