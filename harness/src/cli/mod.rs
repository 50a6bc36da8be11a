//! The command line. Results go to stdout, everything else to stderr.

mod args;
mod exit;
mod list;
mod replay;
mod run;

pub use exit::Exit;

use aftermath_systems::strategies::Registry;
use args::{Args, Command};
use clap::Parser;
use std::process::ExitCode;

/// Runs the command line with these strategies.
pub fn main(registry: &Registry) -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let failed = error.print().is_err();
            // Help and version are not errors.
            let usage = error.use_stderr() || failed;
            return if usage { Exit::Usage } else { Exit::Held }.into();
        }
    };
    let exit = match args.command {
        Command::Run(args) => run::run(&args, registry),
        Command::Replay(args) => replay::replay(&args, registry),
        Command::List(args) => list::list(&args, registry),
    };
    exit.into()
}
