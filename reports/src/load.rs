//! Records and cases read back from their files, one JSON value a line.

use crate::record::{CaseResult, FORMAT_VERSION, Record};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Why a file could not be read: which file, which line, and what about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; `None` when the file as a whole could not be read.
    pub line: Option<usize>,
    /// What is the matter.
    pub what: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.what)
    }
}

impl std::error::Error for LoadError {}

/// The one field that is read before all others.
#[derive(Deserialize)]
struct Version {
    format_version: Option<u64>,
}

/// What the head of a campaign's records begins with: a line that says what was planned, and is no
/// run. It may stand anywhere in the file.
const HEAD: &str = "{\"format_version\":2,\"campaign\":";
const _: () = assert!(FORMAT_VERSION == 2, "the head says it, too");

/// The head of a campaign's records, of what was planned as JSON.
pub fn head(planned: &str) -> String {
    format!("{HEAD}{planned}}}")
}

/// What was planned, if a line is the head of a campaign's records.
pub fn planned(line: &str) -> Option<&str> {
    line.strip_prefix(HEAD)?.strip_suffix('}')
}

/// Reads the records of `records.jsonl`. Empty lines and heads of campaigns are skipped.
///
/// # Errors
///
/// When the file cannot be read, a line is not a whole record, or a record has a format version
/// other than [`FORMAT_VERSION`].
pub fn read_records(path: &Path) -> Result<Vec<Record>, LoadError> {
    let mut records = Vec::new();
    each_line(path, |_, line| {
        if planned(line).is_none() {
            records.push(record(line)?);
        }
        Ok(())
    })?;
    Ok(records)
}

/// Reads one record.
///
/// # Errors
///
/// When the line is not a whole record, or has a format version other than [`FORMAT_VERSION`].
pub fn record(line: &str) -> Result<Record, String> {
    let what = |what: String| format!("not a record: {what}");
    let version: Version = value(line).map_err(what)?;
    match version.format_version {
        Some(v) if v == u64::from(FORMAT_VERSION) => value(line).map_err(what),
        Some(v) => Err(what(format!(
            "format version {v}, but this program reads version {FORMAT_VERSION} only; \
             run the scenario again, or use the version of aftermath that wrote the file"
        ))),
        None => Err(what("`format_version` is missing: not a record of aftermath".to_owned())),
    }
}

/// Reads the case results of `cases.jsonl`. Empty lines are skipped.
///
/// # Errors
///
/// When the file cannot be read or a line is not a whole case result.
pub fn read_cases(path: &Path) -> Result<Vec<CaseResult>, LoadError> {
    let mut cases = Vec::new();
    each_line(path, |_, line| {
        cases.push(value(line).map_err(|what| format!("not a case result: {what}"))?);
        Ok(())
    })?;
    Ok(cases)
}

fn value<T: DeserializeOwned>(line: &str) -> Result<T, String> {
    // serde_json counts lines within the text that it is given, which is one line.
    let one_line = |e: String| e.replace(" at line 1 column ", " at column ");
    serde_json::from_str(line).map_err(|e| one_line(e.to_string()))
}

/// Hands on each line of a file that is not empty, with its offset in bytes. One line is in memory
/// at a time.
///
/// # Errors
///
/// When the file cannot be read, a line is not text, or what `each` says about a line.
pub fn each_line(
    path: &Path,
    mut each: impl FnMut(u64, &str) -> Result<(), String>,
) -> Result<(), LoadError> {
    let error = |line, what| LoadError { file: path.to_owned(), line, what };
    let unreadable = |e: io::Error| error(None, format!("cannot be read: {e}"));
    let mut file = BufReader::new(fs::File::open(path).map_err(unreadable)?);
    let (mut offset, mut number) = (0, 0);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let length = file.read_until(b'\n', &mut bytes).map_err(unreadable)?;
        if length == 0 {
            return Ok(());
        }
        number += 1;
        let fail = |what: String| error(Some(number), what);
        let line = std::str::from_utf8(&bytes).map_err(|e| fail(format!("not text: {e}")))?.trim();
        if !line.is_empty() {
            each(offset, line).map_err(fail)?;
        }
        offset += length as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::jsonl;
    use crate::sample;

    fn file(name: &str, text: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("aftermath-{}-{name}", std::process::id()));
        fs::write(&path, text).unwrap();
        path
    }

    fn error(name: &str, text: &str) -> String {
        let path = file(name, text);
        let error = read_records(&path).unwrap_err();
        fs::remove_file(&path).unwrap();
        error.to_string().replace(&format!("{}", path.display()), "FILE")
    }

    #[test]
    fn what_was_written_comes_back() {
        let records = sample::three_strategies();
        let cases = sample::three_strategies_cases();
        let path = file("back", &format!("\n{}\n", jsonl(&records)));
        assert_eq!(read_records(&path).unwrap(), records);
        fs::write(&path, jsonl(&cases)).unwrap();
        assert_eq!(read_cases(&path).unwrap(), cases);
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn the_head_of_a_campaign_is_no_record() {
        let line = head("{\"program\":\"1\"}");
        assert_eq!(planned(&line), Some("{\"program\":\"1\"}"));
        assert!(line.contains(&format!("\"format_version\":{FORMAT_VERSION},")));
        let records = sample::three_strategies();
        let path = file("head", &format!("{line}\n{}", jsonl(&records)));
        assert_eq!(read_records(&path).unwrap(), records);
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn errors_name_file_line_and_reason() {
        let good = jsonl(&sample::three_strategies()[..1]);
        let newer = good.replacen("\"format_version\":2", "\"format_version\":7", 1);
        let text = error("newer", &format!("{good}{newer}"));
        assert!(text.starts_with("FILE:2: not a record: format version 7, but"), "{text}");
        let text = error("none", "{\"a\":1}\n");
        assert!(text.starts_with("FILE:1: not a record: `format_version` is missing"), "{text}");
        let text = error("half", &format!("{good}{}", &good[..good.len() / 2]));
        assert!(text.starts_with("FILE:2: not a record: EOF while parsing"), "{text}");
        let text = error("odd", "{\"format_version\":2}");
        assert_eq!(text, "FILE:1: not a record: missing field `scenario` at column 20");
        let text = read_records(Path::new("/nowhere/x.jsonl")).unwrap_err().to_string();
        assert!(text.starts_with("/nowhere/x.jsonl: cannot be read: "), "{text}");
    }
}
