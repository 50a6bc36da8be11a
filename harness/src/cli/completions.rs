//! `aftermath completions`: what a shell must know to complete our command line.

use super::args::{Args, CompletionsArgs};
use super::exit::Exit;
use super::output::print_all;
use clap::CommandFactory;

/// Prints the completion script of a shell.
pub fn completions(args: &CompletionsArgs) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "aftermath", &mut script);
    print_all(&String::from_utf8_lossy(&script))
}
