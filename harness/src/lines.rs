//! Lines of several files, found again in any order.

use aftermath_reports::load;
use aftermath_reports::record::Record;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::PathBuf;

/// Files that are open at once.
const OPEN_MAX: usize = 64;

/// Where a run's line is: the number of its file, and the offset in it, bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line(u64);

impl Line {
    const OFFSET_BITS: u32 = 44;

    /// That of a file.
    pub fn new(file: usize, offset: u64) -> Line {
        Line((file as u64) << Line::OFFSET_BITS | offset)
    }

    fn file(self) -> usize {
        (self.0 >> Line::OFFSET_BITS) as usize
    }

    fn offset(self) -> u64 {
        self.0 & ((1 << Line::OFFSET_BITS) - 1)
    }
}

/// Reads lines of several files in any order.
pub struct Reader<'a> {
    paths: &'a [PathBuf],
    /// Open files and where they stand, by number.
    open: BTreeMap<usize, (BufReader<File>, u64)>,
}

impl Reader<'_> {
    /// Of these files.
    pub fn new(paths: &[PathBuf]) -> Reader<'_> {
        Reader { paths, open: BTreeMap::new() }
    }

    /// The line, as it stands there.
    ///
    /// # Errors
    /// A file that cannot be read any more.
    pub fn line(&mut self, line: Line) -> io::Result<String> {
        let number = line.file();
        if !self.open.contains_key(&number) {
            if self.open.len() >= OPEN_MAX {
                self.open.clear();
            }
            self.open.insert(number, (BufReader::new(File::open(&self.paths[number])?), 0));
        }
        let (file, at) = self.open.get_mut(&number).expect("it was opened just now");
        if *at != line.offset() {
            file.seek(SeekFrom::Start(line.offset()))?;
        }
        let mut text = String::new();
        *at = line.offset() + file.read_line(&mut text)? as u64;
        Ok(text)
    }

    /// The record of the line.
    ///
    /// # Errors
    /// A file that cannot be read any more, or has another line there now.
    pub fn record(&mut self, line: Line) -> Result<Record, String> {
        let text = self.line(line).map_err(|e| e.to_string());
        let record = text.and_then(|text| load::record(text.trim()));
        record.map_err(|what| format!("{}: {what}", self.place(line)))
    }

    /// The file and the number of the line, for people.
    pub fn place(&self, line: Line) -> String {
        let path = &self.paths[line.file()];
        let (mut number, mut found) = (0, 0);
        // What cannot be counted is told without its number.
        let _ = load::each_line(path, |offset, _| {
            number += 1;
            if offset == line.offset() {
                found = number;
            }
            Ok(())
        });
        format!("{}:{found}", path.display())
    }
}
