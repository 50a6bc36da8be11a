//! The `aftermath` command with the built-in strategies.

use std::process::ExitCode;

fn main() -> ExitCode {
    aftermath_harness::cli::main(&aftermath_harness::Registry::built_in())
}
