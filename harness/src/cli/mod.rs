//! The command line. Results go to stdout, everything else to stderr.

mod args;
mod campaign;
mod check;
mod choose;
mod completions;
mod exit;
mod failures;
mod folder;
mod help;
mod interrupt;
mod list;
mod output;
mod progress;
mod replay;
mod report;
mod run;
mod schema;
mod search;
mod selection;
mod shrink;
mod sweep;
mod values;

pub use exit::Exit;

use aftermath_systems::strategies::Registry;
use args::{Args, Command, SchemaArgs};
use clap::Parser;
use std::process::ExitCode;

/// Runs the command line with these strategies.
pub fn main(registry: &Registry) -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are not errors.
            if error.use_stderr() {
                let _ = error.print();
                return Exit::Usage.into();
            }
            return help(&error).into();
        }
    };
    let exit = match args.command {
        Command::Run(args) => run::run(&args, registry),
        Command::Check(args) => check::check(&args, registry),
        Command::Campaign(args) => campaign::campaign(&args, registry),
        Command::Search(args) => search::search(&args, registry),
        Command::Replay(args) => replay::replay(&args, registry),
        Command::Sweep(args) => sweep::sweep(&args, registry),
        Command::Shrink(args) => shrink::shrink(&args, registry),
        Command::Report(args) => report::report(&args),
        Command::List(args) => list::list(&args, registry),
        Command::Schema(SchemaArgs {}) => schema::schema(registry),
        Command::Completions(args) => completions::completions(&args),
    };
    exit.into()
}

/// Prints help, which clap would colour and print itself, but without a word if it cannot.
fn help(error: &clap::Error) -> Exit {
    let text = error.render();
    let colour = output::colour();
    output::print_all(&if colour { text.ansi().to_string() } else { text.to_string() })
}
