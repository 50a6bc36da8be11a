//! The files of a report, of a sweep and of a search.

use crate::figures;
use crate::files::{WriteError, jsonl, make_folder, write_files, write_with};
use crate::html;
use crate::junit;
use crate::markdown;
use crate::record::{CaseResult, Record};
use crate::search::{self, Search};
use crate::summary::Report;
use crate::summary_csv;
use crate::sweep::{self, SweepCell};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where everything was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// `records.jsonl`: one line a run.
    pub records: PathBuf,
    /// `cases.jsonl`: one line a case and strategy.
    pub cases: PathBuf,
    /// `summary.csv`: one line a row of the tables.
    pub summary: PathBuf,
    /// `report.html`: the page.
    pub report: PathBuf,
    /// `tradeoff.svg`, `tradeoff.png` and so on of the first set of figures, `tradeoff-2.svg` of
    /// the second.
    pub plots: Vec<PathBuf>,
    /// `summary.md`: the tables as Markdown.
    pub markdown: PathBuf,
    /// `junit.xml`: the verdicts for programs that run tests.
    pub junit: PathBuf,
}

/// Writes the report of these records: see [`write_report`].
///
/// # Errors
///
/// Those of [`write_report`].
pub fn write_all(
    dir: &Path,
    records: &[Record],
    cases: &[CaseResult],
) -> Result<Written, WriteError> {
    let lines = |file: &mut dyn Write| file.write_all(jsonl(records).as_bytes());
    write_report(dir, &Report::of(records, cases), lines)
}

/// Writes `records.jsonl`, `cases.jsonl`, `summary.csv`, `report.html`, `summary.md`, `junit.xml`
/// and all figures into `dir`, which is created if it is missing; `records` writes the lines of the
/// first. All are first written under another name beside their own and then renamed, so that no
/// reader ever sees half a file. Figures that an earlier, larger report left in the folder are
/// removed; nothing else is.
///
/// # Errors
///
/// When a file cannot be written; it and those after it are then as they were before. When an old
/// figure cannot be removed.
pub fn write_report(
    dir: &Path,
    report: &Report,
    mut records: impl FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<Written, WriteError> {
    let at = |name: &str| dir.join(name);
    let fail = |name: &str, what: String| WriteError { file: at(name), what };
    let page = html::render(report).map_err(|e| fail("report.html", e))?;
    let csv = summary_csv::render(&report.rows).map_err(|e| fail("summary.csv", e.to_string()))?;
    let xml = junit::render(report).map_err(|e| fail("junit.xml", e))?;
    let mut files = vec![
        ("cases.jsonl".to_owned(), jsonl(&report.cases).into_bytes()),
        ("summary.csv".to_owned(), csv.into_bytes()),
        ("report.html".to_owned(), page.into_bytes()),
        ("summary.md".to_owned(), markdown::render(report).into_bytes()),
        ("junit.xml".to_owned(), xml.into_bytes()),
    ];
    let plots_from = files.len();
    for figure in figures::sets(&report.rows).iter().flat_map(|set| &set.figures) {
        let (svg, png) = (format!("{}.svg", figure.name), format!("{}.png", figure.name));
        files.push((svg.clone(), figure.svg().map_err(|e| fail(&svg, e))?.into_bytes()));
        files.push((png.clone(), figure.png().map_err(|e| fail(&png, e))?));
    }
    make_folder(dir)?;
    write_with(dir, Some((RECORDS, &mut records)), &files)?;
    remove_other_figures(dir, &files)?;
    Ok(Written {
        records: at(RECORDS),
        cases: at("cases.jsonl"),
        summary: at("summary.csv"),
        report: at("report.html"),
        markdown: at("summary.md"),
        junit: at("junit.xml"),
        plots: files[plots_from..].iter().map(|(name, _)| at(name)).collect(),
    })
}

/// The file of the records.
pub const RECORDS: &str = "records.jsonl";

/// Whether a report may have a file of that name.
pub fn is_file_of_report(name: &str) -> bool {
    let files = ["cases.jsonl", "summary.csv", "report.html", "summary.md", "junit.xml"];
    name == RECORDS || files.contains(&name) || figures::is_file_name(name)
}

/// Removes files that are called like figures and are not of this report.
fn remove_other_figures(dir: &Path, files: &[(String, Vec<u8>)]) -> Result<(), WriteError> {
    let fail = |file: &Path, e: io::Error| WriteError {
        file: file.to_owned(),
        what: format!("figures of an earlier report cannot be removed: {e}"),
    };
    for entry in fs::read_dir(dir).map_err(|e| fail(dir, e))? {
        let entry = entry.map_err(|e| fail(dir, e))?;
        let name = entry.file_name();
        let old = name.to_str().is_some_and(|name| {
            figures::is_file_name(name) && files.iter().all(|(written, _)| written != name)
        });
        let path = entry.path();
        if old && entry.file_type().map_err(|e| fail(&path, e))?.is_file() {
            fs::remove_file(&path).map_err(|e| fail(&path, e))?;
        }
    }
    Ok(())
}

/// Writes `sweep.jsonl`, `sweep.csv`, `sweep.svg` and `sweep.png` into `dir`, which must be there.
///
/// # Errors
///
/// When a file cannot be written or the picture cannot be painted.
pub fn write_sweep(dir: &Path, title: &str, cells: &[SweepCell]) -> Result<(), WriteError> {
    let fail = |name: &str, what: String| WriteError { file: dir.join(name), what };
    let figure = figures::heat_map(title, cells);
    let csv = sweep::csv(cells).map_err(|e| fail("sweep.csv", e.to_string()))?;
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

/// Writes `search.csv`, `search.jsonl`, `search.svg` and `search.png` into `dir`, which is created
/// if it is missing.
///
/// # Errors
///
/// When a file cannot be written or the picture cannot be painted.
pub fn write_search(dir: &Path, search: &Search) -> Result<(), WriteError> {
    let fail = |name: &str, what: String| WriteError { file: dir.join(name), what };
    let figure = figures::search(search);
    let csv = search::csv(search).map_err(|e| fail("search.csv", e.to_string()))?;
    let svg = figure.svg().map_err(|e| fail("search.svg", e))?;
    let png = figure.png().map_err(|e| fail("search.png", e))?;
    let files = [
        ("search.csv".to_owned(), csv.into_bytes()),
        ("search.jsonl".to_owned(), search::jsonl(search).into_bytes()),
        ("search.svg".to_owned(), svg.into_bytes()),
        ("search.png".to_owned(), png),
    ];
    make_folder(dir)?;
    write_files(dir, &files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;
    use crate::sample;

    fn folder(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("aftermath-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        dir
    }

    #[test]
    fn the_same_records_give_the_same_bytes() {
        let records = sample::three_strategies();
        let cases = sample::three_strategies_cases();
        let (a, b) = (folder("bytes-a"), folder("bytes-b").join("deeper"));
        let written = write_all(&a, &records, &cases).unwrap();
        write_all(&b, &records, &cases).unwrap();
        write_all(&b, &records, &cases).unwrap();
        let mut names: Vec<_> = fs::read_dir(&a)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(
            names,
            [
                "cases.jsonl",
                "junit.xml",
                "outputs.png",
                "outputs.svg",
                "records.jsonl",
                "recovery.png",
                "recovery.svg",
                "report.html",
                "summary.csv",
                "summary.md",
                "timeline.png",
                "timeline.svg",
                "tradeoff-r3.png",
                "tradeoff-r3.svg",
                "tradeoff.png",
                "tradeoff.svg"
            ]
        );
        for name in names {
            assert_eq!(
                fs::read(a.join(&name)).unwrap(),
                fs::read(b.join(&name)).unwrap(),
                "{name}"
            );
        }
        assert_eq!(load::read_records(&written.records).unwrap(), records);
        assert_eq!(load::read_cases(&written.cases).unwrap(), cases);
        fs::remove_dir_all(a).unwrap();
        fs::remove_dir_all(b.parent().unwrap()).unwrap();
    }

    #[test]
    fn no_runs_still_make_a_report() {
        let dir = folder("none");
        let written = write_all(&dir, &[], &[]).unwrap();
        assert!(fs::read_to_string(&written.report).unwrap().contains("no runs"));
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn figures_of_an_earlier_report_go_and_nothing_else_does() {
        let dir = folder("larger");
        let mine = ["tradeoff-1.svg", "tradeoff-02.svg", "outputs-r3.png", "recovery.pdf", "x.svg"];
        let old = ["tradeoff-2.svg", "tradeoff-r3-13.png", "outputs.png", "timeline-7.svg"];
        fs::create_dir_all(dir.join("recovery-9.svg")).unwrap();
        for name in mine.iter().chain(&old) {
            fs::write(dir.join(name), "of before").unwrap();
        }
        let written = write_all(&dir, &[], &[]).unwrap();
        assert!(written.plots.iter().all(|plot| plot.is_file()));
        assert!(mine.iter().all(|name| dir.join(name).is_file()), "not a figure's name");
        assert!(old.iter().all(|name| !dir.join(name).exists()));
        assert!(dir.join("recovery-9.svg").is_dir());
        let (records, cases) = (sample::three_strategies(), sample::three_strategies_cases());
        let larger = write_all(&dir, &records, &cases).unwrap();
        let named = |plot: &PathBuf| plot.file_name().unwrap().to_str().unwrap().to_owned();
        assert!(larger.plots.iter().map(named).all(|name| figures::is_file_name(&name)));
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn errors_name_the_file_and_leave_nothing_behind() {
        let dir = folder("taken");
        fs::create_dir_all(dir.join("summary.csv").join("full")).unwrap();
        let error = write_all(&dir, &[], &[]).unwrap_err().to_string();
        assert!(error.contains("summary.csv: cannot be replaced: "), "{error}");
        let left: Vec<_> = fs::read_dir(&dir).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert!(left.iter().all(|n| !n.to_string_lossy().ends_with(".tmp")), "{left:?}");
        fs::remove_dir_all(&dir).unwrap();
        fs::write(&dir, "a file").unwrap();
        let error = write_all(&dir, &[], &[]).unwrap_err().to_string();
        assert!(error.contains("the folder cannot be made: "), "{error}");
        fs::remove_file(dir).unwrap();
    }
}
