//! Records and cases read back from their files, one JSON value a line.

use crate::record::{CaseResult, FORMAT_VERSION, Record};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::fs;
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

/// Reads the records of `records.jsonl`. Empty lines are skipped.
///
/// # Errors
///
/// When the file cannot be read, a line is not a whole record, or a record has a format version
/// other than [`FORMAT_VERSION`].
pub fn read_records(path: &Path) -> Result<Vec<Record>, LoadError> {
    read_lines(path, "record", |line| {
        let version: Version = serde_json::from_str(line).map_err(|e| e.to_string())?;
        match version.format_version {
            Some(v) if v == u64::from(FORMAT_VERSION) => Ok(()),
            Some(v) => Err(format!(
                "format version {v}, but this program reads version {FORMAT_VERSION} only; \
                 run the scenario again, or use the version of aftermath that wrote the file"
            )),
            None => Err("`format_version` is missing: not a record of aftermath".to_owned()),
        }
    })
}

/// Reads the case results of `cases.jsonl`. Empty lines are skipped.
///
/// # Errors
///
/// When the file cannot be read or a line is not a whole case result.
pub fn read_cases(path: &Path) -> Result<Vec<CaseResult>, LoadError> {
    read_lines(path, "case result", |_| Ok(()))
}

fn read_lines<T: DeserializeOwned>(
    path: &Path,
    kind: &str,
    admit: impl Fn(&str) -> Result<(), String>,
) -> Result<Vec<T>, LoadError> {
    let error = |line, what| LoadError { file: path.to_owned(), line, what };
    let bytes = fs::read(path).map_err(|e| error(None, format!("cannot be read: {e}")))?;
    let mut values = Vec::new();
    for (index, line) in bytes.split(|&b| b == b'\n').enumerate() {
        let fail = |what: String| error(Some(index + 1), format!("not a {kind}: {what}"));
        let line = std::str::from_utf8(line).map_err(|e| fail(e.to_string()))?.trim();
        if line.is_empty() {
            continue;
        }
        admit(line).map_err(&fail)?;
        // serde_json counts lines within the text that it is given, which is one line.
        values.push(
            serde_json::from_str(line)
                .map_err(|e| fail(e.to_string().replace(" at line 1 column ", " at column ")))?,
        );
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::write::jsonl;

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
