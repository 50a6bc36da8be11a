//! `aftermath report`: the report again, from records alone.

use super::args::ReportArgs;
use super::exit::Exit;
use super::output::{Output, usage};
use super::run::colour;
use aftermath_reports::{load, table, write};

/// Reads records, and the results of cases where they lie beside them; prints the tables and writes
/// the report.
pub fn report(args: &ReportArgs) -> Exit {
    let (mut records, mut cases) = (Vec::new(), Vec::new());
    for path in &args.records {
        match load::read_records(path) {
            Ok(more) => records.extend(more),
            Err(error) => return usage(&format!("error: {error}\n")),
        }
        let beside = path.with_file_name("cases.jsonl");
        if beside.is_file() {
            match load::read_cases(&beside) {
                Ok(more) => cases.extend(more),
                Err(error) => return usage(&format!("error: {error}\n")),
            }
        }
    }
    if records.is_empty() {
        return usage("error: there are no records in these files\n");
    }
    let mut output = Output::default();
    output.print(&table::render(&records, &cases, colour()));
    match write::write_all(&args.out, &records, &cases) {
        Ok(written) => output.print(&format!("\nreport: {}\n", written.report.display())),
        Err(error) => return usage(&format!("error: {error}\n")),
    }
    output.exit(Exit::Held)
}
