//! All figures of a report: which sets of figures there are, and what each shows.
//!
//! | figure | file |
//! |---|---|
//! | recovery time against overhead | `tradeoff` |
//! | where recovery time goes | `recovery` |
//! | outputs and lag over time | `timeline` |
//! | lost, duplicated, wrong | `outputs` |
//! | what came of a failure at each protocol point, which is in no set | `heat_map` |
//! | a search over one setting, which is in no set | `search` |
//!
//! A set is about one case, and has one row a strategy. If no case of a scenario has two, a set is
//! about many cases, and has one row a case.

mod heat_map;
mod outputs;
mod panel;
mod recovery;
mod search;
mod timeline;
mod tradeoff;

use tradeoff::Measure;

use crate::paint;
use crate::scene::Scene;
use crate::search::Search;
use crate::summary::Row;
use crate::sweep::SweepCell;
use crate::words::distinct;

/// A scenario has at most so many sets.
pub const SETS_MAX: usize = 12;
/// A set has at most so many rows, if they are cases.
const ROWS_MAX: usize = 24;

/// The kinds of figures: what their files are called by.
const KINDS: [&str; 5] = ["tradeoff", "recovery", "timeline", "outputs", "tradeoff-r3"];

const RECOVERY: &str = "Recovery against overhead";
const NORMAL: &str = "Return to normal lag against overhead";

/// What figures are made from: some rows of one scenario, and how they are named and coloured.
pub(crate) struct Group<'a> {
    /// The scenario and, if it has several, the case.
    pub title: String,
    pub rows: Vec<&'a Row>,
    /// The name of each row.
    pub labels: Vec<String>,
    /// The strategy of each row, as its place among all of the scenario.
    pub series: Vec<usize>,
    /// The names of these strategies.
    pub strategies: &'a [String],
}

/// One picture.
pub struct Figure {
    /// What kind: `tradeoff`, `recovery`, `timeline`, `outputs`, `tradeoff-r3`; with a number from
    /// the second set on.
    pub name: String,
    /// What it shows, for a heading.
    pub about: &'static str,
    scene: Scene,
}

impl Figure {
    /// As SVG.
    ///
    /// # Errors
    ///
    /// When it cannot be painted; the text says why.
    pub fn svg(&self) -> Result<String, String> {
        paint::svg(&self.scene)
    }

    /// As PNG, twice as large in pixels.
    ///
    /// # Errors
    ///
    /// When it cannot be painted; the text says why.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        paint::png(&self.scene)
    }
}

/// Figures about the same rows.
pub struct Set {
    /// The scenario.
    pub scenario: String,
    /// What within it.
    pub title: String,
    /// The figures that there is something to show in.
    pub figures: Vec<Figure>,
}

/// All sets, in the order of the rows; one without rows if there are none at all.
pub fn sets(rows: &[Row]) -> Vec<Set> {
    let mut sets = Vec::new();
    if rows.is_empty() {
        let scene = tradeoff::tradeoff(&group("no runs".to_owned(), Vec::new(), &[]), Measure::R2);
        let figures = vec![figure("tradeoff", RECOVERY, 1, scene)];
        return vec![Set { scenario: String::new(), title: String::new(), figures }];
    }
    for rows in crate::summary::by_scenario(rows) {
        let strategies = distinct(rows.iter().map(Row::label));
        let scenario = &rows[0].scenario;
        let groups = groups(rows, &strategies);
        if groups.len() > 1 {
            let all = group(scenario.clone(), rows.iter().collect(), &strategies);
            let number = sets.len() + 1;
            let scene = tradeoff::tradeoff(&all, Measure::R2);
            let mut figures = vec![figure("tradeoff", RECOVERY, number, scene)];
            let scene = tradeoff::tradeoff(&all, Measure::R3);
            figures.push(figure("tradeoff-r3", NORMAL, number, scene));
            sets.push(Set { scenario: scenario.clone(), title: "all cases".to_owned(), figures });
        }
        let several = groups.len() > 1;
        for (title, group) in groups.into_iter().take(SETS_MAX) {
            let number = sets.len() + 1;
            let mut figures = figures(&group, number);
            if !several {
                let scene = tradeoff::tradeoff(&group, Measure::R3);
                figures.push(figure("tradeoff-r3", NORMAL, number, scene));
            }
            sets.push(Set { scenario: scenario.clone(), title, figures });
        }
    }
    sets
}

/// Cases of a scenario for which there is no set.
pub fn left_out(rows: &[Row]) -> usize {
    let strategies = distinct(rows.iter().map(Row::label));
    let groups = groups(rows, &strategies);
    let cases = groups.into_iter().skip(SETS_MAX).flat_map(|(_, group)| group.rows);
    distinct(cases.map(|row| row.case.clone())).len()
}

/// What came of a failure at each kind of protocol points; `title`: of what.
pub fn heat_map(title: &str, cells: &[SweepCell]) -> Figure {
    let about = "What came of a failure at every protocol point";
    Figure { name: "sweep".to_owned(), about, scene: heat_map::heat_map(title, cells) }
}

/// What was found along the values of one setting.
pub fn search(search: &Search) -> Figure {
    let about = "What is found, against the value";
    Figure { name: "search".to_owned(), about, scene: search::search(search) }
}

fn figures(group: &Group<'_>, number: usize) -> Vec<Figure> {
    let scene = tradeoff::tradeoff(group, Measure::R2);
    let mut list = vec![figure("tradeoff", RECOVERY, number, scene)];
    let more = [
        ("recovery", "Where recovery time goes", recovery::recovery(group)),
        ("timeline", "Outputs and lag over time", timeline::timeline(group)),
        ("outputs", "Lost, duplicated, wrong", outputs::outputs(group)),
    ];
    for (kind, about, scene) in more {
        list.extend(scene.map(|scene| figure(kind, about, number, scene)));
    }
    list
}

fn figure(kind: &str, about: &'static str, number: usize, scene: Scene) -> Figure {
    let name = if number == 1 { kind.to_owned() } else { format!("{kind}-{number}") };
    Figure { name, about, scene }
}

/// Whether a file of a report that is called so is a figure: a kind, a number from 2 on or none,
/// and one of two endings.
pub fn is_file_name(name: &str) -> bool {
    let ending = [".svg", ".png"].iter().find_map(|ending| name.strip_suffix(ending));
    let numbered = |rest: &str| match rest.strip_prefix('-') {
        Some(number) => number.parse::<usize>().is_ok_and(|n| n > 1 && n.to_string() == number),
        None => rest.is_empty(),
    };
    let of = |stem: &str| KINDS.iter().filter_map(|kind| stem.strip_prefix(kind)).any(numbered);
    ending.is_some_and(of)
}

/// Rows that belong together, with what they have in common.
fn groups<'a>(rows: &'a [Row], strategies: &'a [String]) -> Vec<(String, Group<'a>)> {
    let cases: Vec<&[Row]> = rows.chunk_by(|a, b| a.case == b.case).collect();
    let named = |title: String, rows: Vec<&'a Row>| {
        let whole = match cases.len() {
            0 | 1 => rows.first().map_or_else(String::new, |row| row.scenario.clone()),
            _ => format!("{}, {title}", rows[0].scenario),
        };
        (title, group(whole, rows, strategies))
    };
    if cases.len() > 1 && cases.iter().all(|case| case.len() == 1) {
        let parts = rows.chunks(ROWS_MAX).enumerate();
        let title = |nth: usize, part: &[Row]| {
            let first = nth * ROWS_MAX + 1;
            format!("cases {first} to {} of {}", first + part.len() - 1, rows.len())
        };
        return parts.map(|(nth, part)| named(title(nth, part), part.iter().collect())).collect();
    }
    cases.iter().map(|case| named(case[0].case.clone(), case.iter().collect())).collect()
}

fn group<'a>(title: String, rows: Vec<&'a Row>, strategies: &'a [String]) -> Group<'a> {
    let place = |row: &Row| strategies.iter().position(|s| *s == row.label()).unwrap_or(0);
    let one_case = rows.iter().all(|row| row.case == rows[0].case);
    // Cases are told apart by their names, strategies by their colours and markers.
    let label = |row: &&Row| if one_case { row.label() } else { row.case.clone() };
    Group {
        labels: rows.iter().map(label).collect(),
        series: rows.iter().map(|row| place(row)).collect(),
        title,
        rows,
        strategies,
    }
}

#[cfg(test)]
mod tests;
