//! Exit codes.

use std::process::ExitCode;

/// How the program ends. A panic, our own bug as well, exits with 101 by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Every promise and expectation held.
    Held,
    /// At least one was broken.
    Broken,
    /// The command line, a scenario or a file is wrong.
    Usage,
    /// Nothing was broken, and some (scenario, strategy) has no conclusive run.
    Inconclusive,
    /// Nothing ran.
    NothingRan,
    /// Two worlds differ.
    Bug,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Held => 0,
            Exit::Broken => 1,
            Exit::Usage => 2,
            Exit::Inconclusive => 3,
            Exit::NothingRan => 4,
            Exit::Bug => 101,
        })
    }
}
