//! The report as Markdown: what GitHub shows as the summary of a step, and what can be pasted into
//! an issue.

use crate::grid::clean;
use crate::record::{Record, Status};
use crate::setting::Setting;
use crate::summary::{BaselineCheck, Report, Row, by_scenario};
use crate::words::{
    self, claimed, guarantee, mean_count, mean_ms, percent, plural, run_name, statuses,
};

/// GitHub refuses the summary of a step that is larger than 1 MiB, and adds up what several
/// commands of a step write.
const BYTES_MAX: usize = 900_000;

/// Reasons and pieces of evidence that are shown of each run, of each kind.
const EVIDENCE: usize = 3;

/// The tables, expectations that failed, and broken runs with the commands that repeat them.
pub fn render(report: &Report) -> String {
    let mut page = Page::default();
    page.add(&format!("## aftermath: {}\n\n", headline(report)));
    if let Some(missing) = words::missing(report) {
        page.add(&format!("{}\n\n", escaped(&missing)));
    }
    if let Some(check) = &report.baseline {
        page.add(&against(check));
    }
    for rows in by_scenario(&report.rows) {
        page.add(&scenario(report, rows));
    }
    let checks = checks(report);
    if !checks.is_empty() {
        page.add("### Expectations that failed\n\n");
        checks.iter().for_each(|check| page.add(check));
        page.add("\n");
    }
    if report.broken.count() > 0 {
        page.add(&format!("### {}\n\n", plural(report.broken.count(), "broken run")));
        report.broken.shown().for_each(|record| page.add(&broken(record)));
        if report.broken.left_out() > 0 {
            page.add(&format!("and {} more, see records.jsonl\n\n", report.broken.left_out()));
        }
    }
    // Last, for it may be long.
    by_scenario(&report.rows).into_iter().for_each(|rows| page.add(&setting(rows)));
    page.finish()
}

/// What came of holding the runs against a baseline.
fn against(check: &BaselineCheck) -> String {
    let list = |lines: &[String]| -> String {
        lines.iter().map(|line| format!("- {}\n", escaped(line))).collect()
    };
    let mut text = String::new();
    if !check.wrong.is_empty() {
        text += &format!("### ❌ Broken or over budget\n\n{}\n", list(&check.wrong));
    }
    let told = list(&check.changed);
    text += &match (check.fails, told.is_empty()) {
        (true, _) => format!("### ❌ Another than in the baseline\n\n{told}\n"),
        (false, true) => "Nothing is another than in the baseline.\n\n".to_string(),
        (false, false) => format!("### In words, beside the baseline\n\n{told}\n"),
    };
    text
}

/// A text that takes no more once it is full.
#[derive(Default)]
struct Page {
    text: String,
    full: bool,
}

impl Page {
    /// Adds a part, all of it or nothing: half a table or code block would swallow what follows.
    fn add(&mut self, part: &str) {
        self.full |= self.text.len() + part.len() > BYTES_MAX;
        if !self.full {
            self.text += part;
        }
    }

    fn finish(self) -> String {
        let mut text = self.text;
        if self.full {
            text += "\nThe rest does not fit in here; it is in `report.html`.\n";
        }
        text.truncate(text.trim_end().len());
        text + "\n"
    }
}

/// "100 runs; 4 cases held, 1 broken".
fn headline(report: &Report) -> String {
    if report.runs == 0 {
        return "no runs".to_owned();
    }
    let verdicts = [Status::Broken, Status::Inconclusive, Status::NotCovered, Status::Held];
    let count =
        |status| report.rows.iter().filter(|row| report.verdict_of(row) == status).count() as u64;
    let said = verdicts.into_iter().map(|status| (status, count(status)));
    let said = said.filter(|(_, count)| *count > 0);
    let said: Vec<_> =
        said.map(|(status, count)| format!("{count} {}", words::status(status))).collect();
    format!("{} of {}: {}", plural(report.runs, "run"), strategies(report), said.join(", "))
}

/// "3 cases and strategies": rows of the tables.
fn strategies(report: &Report) -> String {
    match report.rows.len() {
        1 => "1 case and strategy".to_owned(),
        n => format!("{n} cases and strategies"),
    }
}

/// The table of one scenario and the notes below it.
fn scenario(report: &Report, rows: &[Row]) -> String {
    let runs = rows.iter().map(|row| row.runs).sum();
    let mut text = format!("### {} ({})\n\n", escaped(&rows[0].scenario), plural(runs, "run"));
    let titles = [
        "",
        "case",
        "strategy",
        "claimed",
        "observed",
        "status",
        "lost",
        "dupl.",
        "wrong",
        "R2 ms",
        "R3 ms",
        "silence ms",
        "overhead per hop",
    ];
    text += &line(titles.iter().map(|title| (*title).to_owned()));
    text += "|---|---|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|\n";
    for row in rows {
        let mark = match report.verdict_of(row) {
            Status::Broken => "❌",
            Status::Held => "✅",
            Status::NotCovered | Status::Inconclusive => "⚪",
        };
        let cells = [
            mark.to_owned(),
            row.case.clone(),
            row.label(),
            claimed(row),
            guarantee(&row.observed),
            statuses(row),
            mean_count(&row.lost),
            mean_count(&row.duplicates),
            mean_count(&row.wrong),
            mean_ms(&row.r2),
            mean_ms(&row.r3),
            mean_ms(&row.silence),
            row.per_hop_ppm.mean().map_or_else(|| "-".to_owned(), percent),
        ];
        text += &line(cells.iter().map(|cell| escaped(cell)));
    }
    text += "\n";
    for row in rows {
        for note in words::notes(row) {
            text += &format!("- {}\n", escaped(&format!("{} / {}: {note}", row.case, row.label())));
        }
    }
    text.truncate(text.trim_end().len());
    text + "\n\n"
}

/// What the runs of one scenario were run with.
fn setting(rows: &[Row]) -> String {
    let setting = Setting::of(rows);
    if setting.is_empty() {
        return String::new();
    }
    let mut text = format!("### What was run in {}\n\n", escaped(&rows[0].scenario));
    for (section, keys) in &setting.shared {
        text += &format!("- {}\n", escaped(&format!("{section}: {keys}")));
    }
    if !setting.own.is_empty() {
        text += "\n<details><summary>What cases have of their own</summary>\n\n";
        for (case, sections) in &setting.own {
            let sections = sections.iter().map(|(section, keys)| format!("{section}: {keys}"));
            let sections: Vec<_> = sections.collect();
            text += &format!("- {}\n", escaped(&format!("{case}: {}", sections.join("; "))));
        }
        text += "\n</details>\n";
    }
    text + "\n"
}

/// A line of a table.
fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

/// The expectations over all runs of a case that did not hold, one line each.
fn checks(report: &Report) -> Vec<String> {
    let each = report.cases.iter().flat_map(|case| case.checks.iter().map(move |c| (case, c)));
    let failed = each.filter(|(_, check)| !check.held);
    let line = failed.map(|(case, check)| {
        let name = format!("{}: {} / {}", case.scenario, case.case, case.strategy);
        let (what, expected) = (&check.what, &check.expected);
        let said = format!("{what}: expected {expected}; measured {}", check.measured);
        format!("- {}: {}\n", escaped(&name), escaped(&said))
    });
    line.collect()
}

/// A broken run, its evidence, and the command that repeats it.
fn broken(record: &Record) -> String {
    let name = format!("{}: {}", record.scenario, run_name(record));
    let mut text = format!("**{}**\n\n", escaped(&name));
    for reason in record.reasons.iter().take(EVIDENCE) {
        text += &format!("- {}\n", escaped(reason));
    }
    for witness in record.witnesses.iter().take(EVIDENCE) {
        text += &format!("- {}\n", escaped(&words::witness(witness)));
    }
    let replay = clean(&record.replay);
    // A fence is longer than any that is in what it holds.
    let mut fence = "```".to_owned();
    while replay.contains(&fence) {
        fence.push('`');
    }
    text + &format!("\n{fence}sh\n{replay}\n{fence}\n\n")
}

/// A text in which nothing means anything to Markdown or HTML, in one line.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in clean(text).replace('\u{a0}', " ").chars() {
        if "\\`*_{}[]<>|#~&$@".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn the_whole_page() {
        let report = Report::of(&sample::three_strategies(), &sample::three_strategies_cases());
        let text = render(&report);
        println!("{text}");
        assert_eq!(text, include_str!("../tests/summary.md"));
    }

    #[test]
    fn names_cannot_break_a_table_or_open_a_block() {
        let mut record = sample::record("a|b", "`c`\n| d", "<x> *y* [z](w)", 1);
        record.status = Status::Broken;
        record.replay = "aftermath replay '```.toml'".to_owned();
        let text = render(&Report::of(&[record], &[]));
        let row = text.lines().find(|line| line.starts_with("| ❌")).expect("a row");
        let bars = row.replace("\\|", "").matches('|').count();
        assert_eq!(bars, 14, "{row}");
        assert!(row.contains(r"\`c\` \| d | \<x\> \*y\* \[z\](w)"), "{row}");
        assert!(text.contains("\n````sh\naftermath replay '```.toml'\n````\n"), "{text}");
    }

    #[test]
    fn it_is_never_larger_than_what_may_be_shown() {
        let case = |nth: usize| sample::record("s", &format!("{nth}{}", "x".repeat(400)), "a", 1);
        let records: Vec<_> = (0..3000).map(case).collect();
        let mut small = sample::record("t", "small", "a", 1);
        small.status = Status::Broken;
        let both = [records, vec![small]].concat();
        let text = render(&Report::of(&both, &[]));
        assert!(text.len() < 1 << 20, "{}", text.len());
        assert!(text.contains("does not fit"), "{}", &text[..200]);
    }

    #[test]
    fn what_was_run_comes_last_and_gives_way_to_everything_else() {
        let case = |nth: usize| {
            let mut record = sample::record("s", &format!("{nth}"), "a", 1);
            record.setting.insert("fault".to_owned(), vec![format!("{nth}{}", "x".repeat(300))]);
            record
        };
        let mut records: Vec<_> = (0..3000).map(case).collect();
        records[0].status = Status::Broken;
        let text = render(&Report::of(&records, &[]));
        assert!(text.contains("### 1 broken run") && text.contains("| 2999 |"));
        assert!(!text.contains("What was run") && text.contains("does not fit"));
        let text = render(&Report::of(&records[1..3], &[]));
        let own = format!("- 2: fault: 2{}\n", "x".repeat(300));
        assert!(text.contains("What cases have of their own") && text.contains(&own), "{text}");
        assert!(text.contains("- timing: heartbeat = \"100ms\", misses = 2\n"), "{text}");
    }

    #[test]
    fn no_runs_are_said_to_be_none() {
        assert_eq!(render(&Report::of(&[], &[])), "## aftermath: no runs\n");
    }
}
