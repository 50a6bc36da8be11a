//! Recorded streams: CSV files whose header and every field are checked.

use super::diagnostic::{Diagnostic, Source, utf8, whole};
use super::keys::sections::TUPLES_MAX;
use crate::config::Recording;
use aftermath_systems::pipelines::{Column, ColumnType};
use aftermath_systems::protocol::{Field, Symbol};
use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

/// A wrong file is wrong in every row: the first mistakes say it.
const MISTAKES_MAX: usize = 10;
/// Larger files are refused: everything is held in memory.
const FILE_MAX: u64 = 256 << 20;

/// Why a recorded stream cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The file cannot be opened or read.
    File(String),
    /// What is in it is wrong.
    Data(Vec<Diagnostic>),
}

/// Reads the first `take` rows, or all.
///
/// # Errors
/// The first mistakes in the file, each with line and column.
pub fn read(path: &Path, columns: &[Column], take: Option<u64>) -> Result<Recording, ReadError> {
    let bytes = read_file(path, FILE_MAX).map_err(ReadError::File)?;
    let file = path.display().to_string();
    let text = utf8(&file, &bytes).map_err(ReadError::Data)?;
    parse(&file, text, columns, take).map_err(ReadError::Data)
}

/// The content of a file that is not too large.
pub fn read_file(path: &Path, max: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| {
        if file.metadata()?.is_dir() {
            return Err(std::io::Error::other("it is a directory"));
        }
        // The length that the system names may be wrong (pipes, devices), so it is not asked.
        file.take(max + 1).read_to_end(&mut bytes)
    });
    match read {
        Ok(_) if bytes.len() as u64 > max => Err(format!("it is larger than {} MiB", max >> 20)),
        Ok(_) => Ok(bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err("there is no such file".to_string())
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Reads rows from text.
fn parse(
    file: &str,
    text: &str,
    columns: &[Column],
    take: Option<u64>,
) -> Result<Recording, Vec<Diagnostic>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let source = Source { file, text };
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    let expected = || format!("the header must be {}", names.join(","));
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut rows = reader.records();
    let record_error = |error: csv::Error| {
        let at = error.position().map_or(0, |p| index(p.byte()));
        source.at(at..at, format!("not CSV: {error}"))
    };
    match rows.next() {
        None => {
            let mut empty = whole(file, "the recorded stream is empty");
            empty.help = Some(expected());
            return Err(vec![empty]);
        }
        Some(Err(error)) => return Err(vec![record_error(error)]),
        Some(Ok(header)) => {
            if let Some(mut wrong) = check_header(&source, &header, &names) {
                wrong.help = Some(expected());
                return Err(vec![wrong]);
            }
        }
    }
    let mut recording = Recording::default();
    let mut symbols = BTreeMap::new();
    let mut mistakes = Vec::new();
    let take = take.map_or(usize::MAX, index);
    for row in rows.take(take) {
        if mistakes.len() >= MISTAKES_MAX {
            break;
        }
        if recording.rows.len() as u64 >= TUPLES_MAX {
            let mut long =
                whole(file, format!("the recorded stream has more than {TUPLES_MAX} rows"));
            long.help = Some(format!("write take = {TUPLES_MAX} or less beside `recorded`"));
            return Err(vec![long]);
        }
        let row = match row {
            Ok(row) => row,
            Err(error) => {
                mistakes.push(record_error(error));
                break;
            }
        };
        if row.len() != columns.len() {
            let spans = fields(text, start(text, &row));
            let span = match spans.get(columns.len()) {
                Some(extra) => extra.clone(),
                None => spans.last().map_or(0..0, |last| last.end..last.end),
            };
            let message = format!("{} columns expected, found {}", columns.len(), row.len());
            mistakes.push(source.at(span, message));
            continue;
        }
        let mut record = Vec::with_capacity(columns.len());
        for (number, (column, value)) in columns.iter().zip(&row).enumerate() {
            match field(column.kind, value, &mut symbols, &mut recording.symbols) {
                Ok(field) => record.push(field),
                Err(why) => {
                    let spans = fields(text, start(text, &row));
                    let span = spans.get(number).cloned().unwrap_or(0..0);
                    mistakes.push(source.at(span, format!("column `{}`: {why}", column.name)));
                }
            }
        }
        recording.rows.push(record);
    }
    mistakes.truncate(MISTAKES_MAX);
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    if recording.rows.is_empty() {
        return Err(vec![whole(file, "the recorded stream has a header but no rows")]);
    }
    Ok(recording)
}

fn check_header(source: &Source, header: &csv::StringRecord, names: &[&str]) -> Option<Diagnostic> {
    let spans = fields(source.text, start(source.text, header));
    let at = |number: usize| match spans.get(number) {
        Some(span) => span.clone(),
        None => spans.last().map_or(0..0, |last| last.end..last.end),
    };
    for (number, name) in names.iter().enumerate() {
        let message = match header.get(number) {
            Some(found) if found == *name => continue,
            Some(found) => format!("column {} must be `{name}`, not `{found}`", number + 1),
            None => format!("column `{name}` is missing"),
        };
        return Some(source.at(at(number), message));
    }
    let extra = header.get(names.len())?;
    Some(source.at(at(names.len()), format!("unknown column `{extra}`")))
}

fn field(
    kind: ColumnType,
    value: &str,
    known: &mut BTreeMap<String, u32>,
    symbols: &mut Vec<String>,
) -> Result<Field, String> {
    match kind {
        ColumnType::Integer => {
            let number = value.parse::<i64>();
            number.map(Field::Integer).map_err(|_| format!("`{value}` is not a whole number"))
        }
        ColumnType::Minute => minute(value)
            .map(Field::Integer)
            .ok_or_else(|| format!("`{value}` is not an instant written YYYY-MM-DDTHH:MM")),
        ColumnType::Text => {
            if let Some(number) = known.get(value) {
                return Ok(Field::Text(Symbol(*number)));
            }
            let number = u32::try_from(symbols.len()).map_err(|_| "too many different texts")?;
            known.insert(value.to_string(), number);
            symbols.push(value.to_string());
            Ok(Field::Text(Symbol(number)))
        }
    }
}

/// Minutes from 1970-01-01T00:00 to an instant `YYYY-MM-DDTHH:MM`, without a zone.
fn minute(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':')];
    if bytes.len() != 16 || separators.iter().any(|(at, sign)| bytes[*at] != *sign) {
        return None;
    }
    let number = |range: Range<usize>| -> Option<i64> {
        let digits = &bytes[range];
        let value = |sum, digit: &u8| sum * 10 + i64::from(digit - b'0');
        digits.iter().all(u8::is_ascii_digit).then(|| digits.iter().fold(0, value))
    };
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute) = (number(11..13)?, number(14..16)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(leap),
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) || hour > 23 || minute > 59 {
        return None;
    }
    // Days of the civil calendar, counted in years that begin in March, so that the leap day is
    // the last of its year; 719,468 days lie between 0000-03-01 and 1970-01-01.
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days =
        year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year
            - 719_468;
    Some((days * 24 + hour) * 60 + minute)
}

/// Where a record starts: the reader's position may be before blank lines that it skips.
fn start(text: &str, row: &csv::StringRecord) -> usize {
    let at = row.position().map_or(0, |p| index(p.byte())).min(text.len());
    let blank = text.as_bytes()[at..].iter().take_while(|b| matches!(b, b'\n' | b'\r')).count();
    at + blank
}

/// The spans of the fields of the record at `start`: only needed to point at a mistake.
fn fields(text: &str, start: usize) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let (mut from, mut quoted) = (start, false);
    for (at, byte) in text.bytes().enumerate().skip(start) {
        match byte {
            // A quote within an unquoted field is a character like any other.
            b'"' if quoted || at == from => quoted = !quoted,
            b',' if !quoted => {
                spans.push(from..at);
                from = at + 1;
            }
            b'\n' | b'\r' if !quoted => {
                spans.push(from..at);
                return spans;
            }
            _ => {}
        }
    }
    spans.push(from.min(text.len())..text.len());
    spans
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
