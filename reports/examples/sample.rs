//! Writes a report of hand-made records into the folder named on the command line, to look at.

use aftermath_reports::files::WriteError;
use aftermath_reports::summary::Report;
use aftermath_reports::{record, table, write};
use std::path::Path;

#[path = "../src/sample.rs"]
mod sample;

fn main() -> Result<(), WriteError> {
    let dir = std::env::args().nth(1).unwrap_or_else(|| "sample-report".to_owned());
    let mut records = sample::three_strategies();
    records.extend(sample::twelve_cases());
    records.extend(sample::long_names());
    records.extend(sample::crowded());
    let cases = sample::three_strategies_cases();
    print!("{}", table::render(&Report::of(&records, &cases), true));
    write::write_all(Path::new(&dir), &records, &cases)?;
    Ok(())
}
