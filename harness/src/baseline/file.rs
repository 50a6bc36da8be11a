//! The file of a baseline: above a line, what people write, their budgets and comments; below it,
//! what was measured, one line a quantity, sorted, so that a difference can be read in a review.

use super::budget::Budget;
use super::value::{HASHES, Value, rank, shown};
use super::{Name, Row, Rows};
use aftermath_reports::files::write_whole;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::Path;

/// Raised whenever what is measured is written or means something else.
const FORMAT: i64 = 1;

/// The line between what people write and what is measured.
pub const MARKER: &str =
    "# ---- Measured: `aftermath check --bless` writes what follows, and nothing above. ----";

/// What stands above that line in a new file.
const HEAD: &str = "\
# A baseline of `aftermath check`. Budgets go here, by \"SCENARIO / CASE / STRATEGY\"; `*` stands for
# anything:
#
# [budget]
# \"* / passive-standby\" = [\"recovery.r2.p99 <= 1s\", \"lost <= 0\"]

";

/// A baseline.
#[derive(Clone, PartialEq, Debug)]
pub struct Baseline {
    /// What people have written, to be kept as it is.
    head: String,
    /// What they want to be kept to.
    pub budgets: Vec<Budget>,
    /// What was measured.
    pub rows: Rows,
}

impl Default for Baseline {
    fn default() -> Baseline {
        Baseline { head: HEAD.to_string(), budgets: Vec::new(), rows: Rows::new() }
    }
}

impl Baseline {
    /// Reads a file; `None`: there is none.
    ///
    /// # Errors
    /// A file that cannot be read or is no baseline, with what is the matter.
    pub fn read(path: &Path) -> Result<Option<Baseline>, String> {
        let told = |what: String| format!("{}: {what}", path.display());
        // A device may have no end, and a pipe no beginning.
        if path.metadata().is_ok_and(|there| !there.is_file()) {
            return Err(told("cannot be read: it is no regular file".to_string()));
        }
        match std::fs::read_to_string(path) {
            Ok(text) => Baseline::parse(&text).map(Some).map_err(told),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(told(format!("cannot be read: {error}"))),
        }
    }

    /// Reads the text of one.
    ///
    /// # Errors
    /// What is the matter with it.
    pub fn parse(text: &str) -> Result<Baseline, String> {
        let table: toml::Table = text.parse().map_err(|e| mistake(text, &e))?;
        let known = ["budget", "baseline", "measured"];
        if let Some(key) = table.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(format!(
                "unknown key `{key}`; a baseline has `[budget]`, and what `--bless` writes below it"
            ));
        }
        let marker = marker(text);
        let measured = table.contains_key("baseline") || table.contains_key("measured");
        if measured != marker.is_some() {
            return Err(format!(
                "what is measured begins with this line, and only that:\n{MARKER}\nput it back \
                 below your budgets, or remove what is measured and give --bless"
            ));
        }
        let mut head = text.to_string();
        if let Some(at) = marker {
            head.truncate(at);
            let format = table.get("baseline").and_then(|baseline| baseline.get("format"));
            if format.and_then(toml::Value::as_integer) != Some(FORMAT) {
                return Err(format!(
                    "another version of aftermath wrote it: its format is {}, and not {FORMAT}; \
                     remove what is measured and give --bless",
                    format.map_or("missing".to_string(), ToString::to_string)
                ));
            }
            let above: toml::Table = head.parse().map_err(|e| mistake(&head, &e))?;
            let others = above.keys().any(|key| key != "budget");
            if others || above.get("budget") != table.get("budget") {
                return Err(format!(
                    "only budgets stand above this line, and all of them do: what is below it is \
                     written anew by --bless\n{MARKER}"
                ));
            }
        } else if !head.is_empty() && !head.ends_with("\n\n") {
            head += if head.ends_with('\n') { "\n" } else { "\n\n" };
        }
        let budgets = table.get("budget").map_or(Ok(Vec::new()), budgets)?;
        let rows = table.get("measured").map_or(Ok(Rows::new()), rows)?;
        Ok(Baseline { head, budgets, rows })
    }

    /// Writes it, whole or not at all, into a folder that is there.
    ///
    /// # Errors
    /// When it cannot be written; what was there is there still.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        write_whole(path, &self.text())
    }

    /// Its text.
    pub fn text(&self) -> String {
        let mut text = format!("{}{MARKER}\n[baseline]\nformat = {FORMAT}\n", self.head);
        for (name, row) in &self.rows {
            let keys = [&name.scenario, &name.case, &name.strategy].map(|name| key(name));
            text += &format!("\n[measured.{}]\n", keys.join("."));
            text += &format!("seeds = \"{}..{}\"\n", row.seeds.start, row.seeds.end);
            if let Some(strata) = row.strata {
                text += &format!("strata = {strata}\n");
            }
            for (name, values) in &row.values {
                text += &line(name, values);
            }
        }
        text
    }
}

/// What is no TOML, and where; the line itself may be long, or steer a terminal.
fn mistake(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or("");
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    let message = error.message().escape_debug();
    format!("no TOML at line {line}, column {column}: {message}")
}

/// Where the line begins above which people write.
fn marker(text: &str) -> Option<usize> {
    let is_line = |at: &usize| {
        let (before, after) = (&text[..*at], &text[at + MARKER.len()..]);
        (before.is_empty() || before.ends_with('\n'))
            && (after.is_empty() || after.starts_with(['\n', '\r']))
    };
    text.match_indices(MARKER).map(|(at, _)| at).find(is_line)
}

/// The line of a quantity: one value if it is the same in all runs, else all of them and, for
/// people, what they come to.
fn line(name: &str, values: &[Value]) -> String {
    // Names of quantities are made of words and dots.
    match values {
        [first, rest @ ..] if rest.iter().all(|value| value == first) => {
            format!("{name} = {}\n", written(first))
        }
        _ => {
            let list: Vec<String> = values.iter().map(written).collect();
            let about = about(name, values).map_or(String::new(), |about| format!(" # {about}"));
            format!("{name} = [{}]{about}\n", list.join(", "))
        }
    }
}

fn written(value: &Value) -> String {
    match value.toml() {
        toml::Value::String(text) => quoted(&text),
        other => other.to_string(),
    }
}

/// What numbers come to.
fn about(name: &str, values: &[Value]) -> Option<String> {
    if HASHES.contains(&name) {
        return None;
    }
    let mut sorted: Vec<u64> = values.iter().filter_map(Value::number).collect();
    sorted.sort_unstable();
    let (first, last) = (*sorted.first()?, *sorted.last()?);
    let sum: u128 = sorted.iter().map(|value| u128::from(*value)).sum();
    let mean = (sum / sorted.len() as u128) as u64;
    let at = |percent| sorted[rank(sorted.len(), percent)];
    let [mean, first, half, most, last] =
        [mean, first, at(50), at(99), last].map(|number| shown(name, number));
    Some(format!("sum {}, mean {mean}, min {first}, p50 {half}, p99 {most}, max {last}", {
        u64::try_from(sum).map_or("more".to_string(), |sum| shown(name, sum))
    }))
}

/// A key of TOML.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.chars().all(bare) { name.to_string() } else { quoted(name) }
}

/// A string of TOML, in one line whatever is in it.
fn quoted(text: &str) -> String {
    let mut quoted = "\"".to_string();
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted += &format!("\\u{:04x}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

fn budgets(value: &toml::Value) -> Result<Vec<Budget>, String> {
    let table = value.as_table().ok_or("`budget` is not a table")?;
    let mut list = Vec::new();
    for (pattern, budgets) in table {
        let one = |budget: &toml::Value| match budget {
            toml::Value::String(text) => Budget::parse(pattern, text),
            other => Err(format!("the budget of \"{pattern}\" is {other}, which is no text")),
        };
        match budgets {
            toml::Value::Array(several) => {
                several
                    .iter()
                    .try_for_each(|budget| one(budget).map(|budget| list.push(budget)))?;
            }
            single => list.push(one(single)?),
        }
    }
    Ok(list)
}

fn rows(value: &toml::Value) -> Result<Rows, String> {
    let mut rows = Rows::new();
    for (scenario, cases) in table(value, "measured")? {
        for (case, strategies) in table(cases, scenario)? {
            for (strategy, measured) in table(strategies, case)? {
                let (scenario, case) = (scenario.clone(), case.clone());
                let name = Name { scenario, case, strategy: strategy.clone() };
                let row = row(table(measured, strategy)?).map_err(|e| format!("{name}: {e}"))?;
                rows.insert(name, row);
            }
        }
    }
    Ok(rows)
}

fn table<'a>(value: &'a toml::Value, name: &str) -> Result<&'a toml::Table, String> {
    value.as_table().ok_or_else(|| format!("`{name}` is not a table"))
}

fn row(measured: &toml::Table) -> Result<Row, String> {
    let seeds = measured.get("seeds").and_then(toml::Value::as_str).and_then(range);
    let seeds = seeds.ok_or("`seeds` is missing or not like \"0..4\"")?;
    let strata = match measured.get("strata") {
        None => None,
        Some(strata) => {
            let strata = strata.as_integer().and_then(|n| u32::try_from(n).ok());
            Some(strata.ok_or("`strata` is not a number")?)
        }
    };
    let mut row = Row { seeds, strata, values: BTreeMap::new() };
    let mut flat = Vec::new();
    for (key, value) in measured.iter().filter(|(key, _)| !["seeds", "strata"].contains(&&***key)) {
        flatten(key, value, &mut flat);
    }
    // What is written once may be of very many runs, but of no more than can be run.
    let runs = usize::try_from(row.len()).ok().filter(|runs| *runs <= RUNS_MAX);
    let runs = runs.ok_or("there are too many runs")?;
    // A few lines must not ask for more memory than there is.
    if runs.saturating_mul(flat.len()) > VALUES_MAX {
        return Err(format!("{} quantities of {runs} runs are too many", flat.len()));
    }
    for (name, value) in flat {
        let values = match value {
            toml::Value::Array(list) => {
                list.iter().map(|value| Value::read(&name, value)).collect::<Result<Vec<_>, _>>()?
            }
            single => vec![Value::read(&name, single)?; runs],
        };
        if values.len() != runs {
            return Err(format!("`{name}` has {} values for {runs} runs", values.len()));
        }
        row.values.insert(name, values);
    }
    Ok(row)
}

/// Most values of a row: one for each quantity and run.
const VALUES_MAX: usize = 20_000_000;
/// Most runs that a baseline holds.
pub const RUNS_MAX: usize = 100_000;

fn range(text: &str) -> Option<Range<u64>> {
    let (from, to) = text.split_once("..")?;
    let (from, to) = (from.parse().ok()?, to.parse().ok()?);
    (from <= to).then_some(from..to)
}

/// Names with dots are tables within tables.
fn flatten<'a>(name: &str, value: &'a toml::Value, list: &mut Vec<(String, &'a toml::Value)>) {
    match value {
        toml::Value::Table(table) => {
            table.iter().for_each(|(key, value)| flatten(&format!("{name}.{key}"), value, list));
        }
        value => list.push((name.to_string(), value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(parts: [&str; 3]) -> Name {
        let [scenario, case, strategy] = parts.map(str::to_string);
        Name { scenario, case, strategy }
    }

    fn sample() -> Baseline {
        let values = BTreeMap::from([
            ("lost".to_string(), vec![Value::Number(0); 2]),
            ("recovery.r2".to_string(), vec![Value::Time(301_200_000), Value::MoreThan(5)]),
            ("hash.run".to_string(), vec![Value::Text("ff".into()), Value::Text("00".into())]),
        ]);
        let row = Row { seeds: 3..5, strata: None, values };
        let odd = "it's \"one\", of $two\n\u{7f} é";
        let rows = [name(["s", "base", "amnesia"]), name([odd, odd, "a + b"])];
        Baseline {
            head: "# mine\n[budget]\n\"*\" = \"lost <= 0\"  # and why\n\n".into(),
            rows: rows.into_iter().map(|name| (name, row.clone())).collect(),
            budgets: vec![Budget::parse("*", "lost <= 0").expect("a budget")],
        }
    }

    #[test]
    fn a_file_comes_back_as_it_was_with_what_people_wrote() {
        let text = sample().text();
        let again = Baseline::parse(&text).expect("our own file");
        assert_eq!(again, sample());
        assert_eq!(again.text(), text);
        let line = "recovery.r2 = [\"301.2ms\", \"> 5ns\"] # sum 301.200005ms, mean 150.600002ms, \
                    min 5ns, p50 5ns, p99 301.2ms, max 301.2ms\n";
        assert!(text.contains(line), "{text}");
        assert!(
            text.contains("[measured.s.base.amnesia]\nseeds = \"3..5\"\nhash.run = "),
            "{text}"
        );
        assert!(text.contains("\nlost = 0\n"), "the same in all runs: {text}");
    }

    #[test]
    fn budgets_may_be_there_before_anything_is_measured() {
        let mentions = format!("# Not {MARKER}\n");
        for head in [mentions.as_str(), "", "[budget]\n\"*\" = [\"lost <= 0\"]", "# no\n", "\n\n"] {
            let mut baseline = Baseline::parse(head).expect("nothing is measured");
            baseline.rows = sample().rows;
            let text = baseline.text();
            assert!(text.starts_with(head), "{text}");
            assert_eq!(Baseline::parse(&text), Ok(baseline));
        }
    }

    #[test]
    fn what_is_no_baseline_is_said_to_be_none() {
        let text = sample().text();
        let budget = "[budget]\n\"*\" = \"lost <= 0\"  # and why\n";
        for (broken, word) in [
            (text.replace("format = 1", "format = 7"), "another version"),
            (text.replace("\n[baseline]\nformat = 1", ""), "another version"),
            (text.replace(MARKER, ""), "begins with this line"),
            (text.replace("lost = 0", "lost = [0]"), "`lost` has 1 values for 2 runs"),
            (text.replace("lost = 0", "lost = -1"), "-1 is no value of `lost`"),
            (text.replace("3..5", "5..3"), "`seeds`"),
            (text.replace("3..5", "0..99999999999"), "too many runs"),
            (text.replace("[budget]", "[budgets]"), "unknown key `budgets`"),
            (text.replace("\"lost <= 0\"", "7"), "which is no text"),
            (text.replace("lost <= 0", "lots <= 0"), "did you mean `lost`?"),
            ("pipeline = ".to_string(), "line 1"),
            (format!("{}\n{budget}", text.replace(budget, "")), "only budgets stand above"),
            (text.replace("# mine", "[measured.a]"), "only budgets stand above"),
        ] {
            let error = Baseline::parse(&broken).expect_err(&broken);
            assert!(error.contains(word), "`{word}` is missing in: {error}\n{broken}");
        }
    }

    #[test]
    fn a_percentile_is_the_smallest_value_that_so_many_do_not_exceed() {
        assert_eq!([1, 2, 4, 100, 101].map(|of| rank(of, 50)), [0, 0, 1, 49, 50]);
        assert_eq!([1, 2, 4, 100, 101].map(|of| rank(of, 99)), [0, 1, 3, 98, 99]);
    }
}
