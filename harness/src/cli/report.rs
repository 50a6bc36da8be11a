//! `aftermath report`: the report again, from records alone.

use super::args::ReportArgs;
use super::exit::Exit;
use super::folder::Folder;
use super::output::{Output, colour, usage};
use crate::joined::Joined;
use aftermath_reports::write::RECORDS;
use aftermath_reports::{table, write};
use std::path::{Path, PathBuf};

/// The folder of the report. In that of a file that it reads the records would be replaced, which
/// is right if it is the only one.
fn folder(args: &ReportArgs) -> Result<Folder, String> {
    let place = |path: &Path| path.canonicalize().ok();
    let written = place(&args.out.join(RECORDS));
    let own = |path: &&PathBuf| written.is_some() && place(path) == written;
    match args.records.iter().find(own) {
        Some(_) if args.records.len() == 1 => Folder::make(&args.out),
        Some(read) => Err(format!(
            "error: {} is one of the files to read, whose records this would replace; give another \
             --out\n",
            read.display()
        )),
        None => Folder::of_report(&args.out),
    }
}

/// Reads records of any number of files; prints the tables and writes the report.
pub fn report(args: &ReportArgs) -> Exit {
    let failed = |message: String| usage(&format!("error: {message}\n"));
    let _folder = match folder(args) {
        Ok(folder) => folder,
        Err(message) => return usage(&message),
    };
    let joined = match Joined::read(&args.records) {
        Ok(joined) => joined,
        Err(message) => return failed(message),
    };
    if joined.runs() == 0 {
        return failed("there are no records in these files".to_string());
    }
    let told = match joined.tell() {
        Ok(told) => told,
        Err(message) => return failed(message),
    };
    let mut output = Output::default();
    output.print(&table::render(&told.report, colour()));
    match write::write_report(&args.out, &told.report, |file| joined.write(file)) {
        Ok(written) => output.print(&format!("\nreport: {}\n", written.report.display())),
        Err(error) => return failed(error.to_string()),
    }
    output.exit(Exit::Held)
}
