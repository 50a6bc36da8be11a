//! Files that are written whole or not at all.

use serde::Serialize;
use std::fmt;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Which file could not be written, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WriteError {
    /// The file or folder.
    pub file: PathBuf,
    /// What is the matter.
    pub what: String,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.what)
    }
}

impl std::error::Error for WriteError {}

/// Values as JSON, one a line.
pub fn jsonl<T: Serialize>(values: &[T]) -> String {
    let mut text = String::new();
    for value in values {
        text.push_str(&serde_json::to_string(value).expect("records have only string keys"));
        text.push('\n');
    }
    text
}

/// Makes a folder, and those that it is in, if it is missing.
///
/// # Errors
///
/// When it cannot be made.
pub fn make_folder(dir: &Path) -> Result<(), WriteError> {
    fs::create_dir_all(dir).map_err(|e| WriteError {
        file: dir.to_owned(),
        what: format!("the folder cannot be made: {e}"),
    })
}

/// Whether files can be written into a folder that is there. Nothing is left of the trial.
///
/// # Errors
///
/// When they cannot.
pub fn can_write(dir: &Path) -> Result<(), WriteError> {
    let failed = |e: io::Error| WriteError {
        file: dir.to_owned(),
        what: format!("no file can be written into it: {e}"),
    };
    let trial = beside(dir, "trial");
    fs::File::create(&trial).map_err(failed)?;
    fs::remove_file(trial).map_err(failed)
}

/// Writes a file whole or not at all. What is no file, say a device, is written into: it must not
/// be replaced by one.
///
/// # Errors
///
/// When it cannot be written.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    if path.metadata().is_ok_and(|there| !there.is_file()) {
        return fs::write(path, text);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = beside(path.parent().unwrap_or(Path::new("")), &name);
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// The name that a file is to have once it is whole, if it is not yet: `summary.csv` of
/// `.summary.csv.4711.tmp`.
pub fn torn_of(name: &str) -> Option<&str> {
    let inner = name.strip_prefix('.')?.strip_suffix(".tmp")?;
    let (whole, process) = inner.rsplit_once('.')?;
    process.parse::<u32>().is_ok().then_some(whole)
}

/// Under which name a file is written before it is whole.
fn beside(dir: &Path, name: &str) -> PathBuf {
    dir.join(format!(".{name}.{}.tmp", std::process::id()))
}

/// Writes these files, by name, into a folder that is there: all under other names, then renames
/// all.
///
/// # Errors
///
/// When one cannot be written; it and those after it are then as they were before.
pub fn write_files(dir: &Path, files: &[(String, Vec<u8>)]) -> Result<(), WriteError> {
    write_with(dir, None, files)
}

/// A file that is written line by line, by name.
pub(crate) type Streamed<'a> = (&'a str, &'a mut dyn FnMut(&mut dyn Write) -> io::Result<()>);

/// The same, after one that is too large to be held.
pub(crate) fn write_with(
    dir: &Path,
    first: Option<Streamed>,
    files: &[(String, Vec<u8>)],
) -> Result<(), WriteError> {
    let beside = |name: &str| beside(dir, name);
    let first_name = first.as_ref().map(|(name, _)| *name);
    let names = || first_name.into_iter().chain(files.iter().map(|(name, _)| &**name));
    let written = |name| move |e: io::Error| (name, format!("cannot be written: {e}"));
    let stream = |(name, lines): Streamed| {
        let write = |file| {
            let mut file = BufWriter::new(file);
            lines(&mut file)?;
            file.flush()
        };
        fs::File::create(beside(name)).and_then(write)
    };
    let result = first
        .map_or(Ok(()), stream)
        .map_err(written(first_name.unwrap_or_default()))
        .and_then(|()| {
            files
                .iter()
                .try_for_each(|(name, bytes)| fs::write(beside(name), bytes).map_err(written(name)))
        })
        .and_then(|()| {
            names().try_for_each(|name| {
                fs::rename(beside(name), dir.join(name))
                    .map_err(|e| (name, format!("cannot be replaced: {e}")))
            })
        });
    result.map_err(|(name, what)| {
        for name in names() {
            // What cannot be removed either is left: the first error is the one to report.
            let _ = fs::remove_file(beside(name));
        }
        WriteError { file: dir.join(name), what }
    })
}
