//! `aftermath report`: the report again, from records alone.

use super::args::ReportArgs;
use super::exit::Exit;
use super::output::{Output, usage};
use super::run::colour;
use crate::joined::Joined;
use aftermath_reports::{table, write};

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
    let mut output = Output::default();
    output.print(&table::render(&told.report, colour()));
    match write::write_report(&args.out, &told.report, |file| joined.write(file)) {
        Ok(written) => output.print(&format!("\nreport: {}\n", written.report.display())),
        Err(error) => return usage(&format!("error: {error}\n")),
    }
    output.exit(Exit::Held)
}
