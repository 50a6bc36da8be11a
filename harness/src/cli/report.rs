//! `aftermath report`: the report again, from records alone.

use super::args::ReportArgs;
use super::exit::Exit;
use super::output::{Output, colour, usage};
use crate::joined::Joined;
use crate::journal::is_of_campaign;
use aftermath_reports::write::RECORDS;
use aftermath_reports::{table, write};
use std::path::{Path, PathBuf};

/// Why the report may not be written there: its records are those of all files, and would stand
/// where those of one were.
fn replaces(args: &ReportArgs) -> Option<String> {
    let place = |path: &Path| path.canonicalize().ok();
    let written = place(&args.out.join(RECORDS));
    let own = |path: &&PathBuf| written.is_some() && place(path) == written;
    let read = args.records.iter().find(own);
    let message = match read {
        Some(_) if args.records.len() == 1 => return None,
        Some(read) => format!("{} is one of the files to read", read.display()),
        None if is_of_campaign(&args.out) => {
            format!("{} is the folder of a campaign", args.out.display())
        }
        None => return None,
    };
    Some(format!("error: {message}, whose records this would replace; give another --out\n"))
}

/// Reads records of any number of files; prints the tables and writes the report.
pub fn report(args: &ReportArgs) -> Exit {
    let joined = match Joined::read(&args.records) {
        Ok(joined) => joined,
        Err(message) => return usage(&format!("error: {message}\n")),
    };
    if joined.runs() == 0 {
        return usage("error: there are no records in these files\n");
    }
    let told = match joined.tell() {
        Ok(told) => told,
        Err(message) => return usage(&format!("error: {message}\n")),
    };
    if let Some(message) = replaces(args) {
        return usage(&message);
    }
    let mut output = Output::default();
    output.print(&table::render(&told.report, colour()));
    match write::write_report(&args.out, &told.report, |file| joined.write(file)) {
        Ok(written) => output.print(&format!("\nreport: {}\n", written.report.display())),
        Err(error) => return usage(&format!("error: {error}\n")),
    }
    output.exit(Exit::Held)
}
