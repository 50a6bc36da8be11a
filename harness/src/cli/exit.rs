//! Exit codes.

use std::process::ExitCode;

/// How the program ends. A panic, our own bug as well, exits with 101 by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Every promise and expectation held.
    Held,
    /// At least one was broken.
    Broken,
    /// The command line, a scenario or a file is wrong, or something cannot be written.
    Usage,
    /// Nothing was broken, and some (scenario, strategy) has no conclusive run.
    Inconclusive,
    /// Nothing ran.
    NothingRan,
    /// A bug of aftermath: two worlds differ, or a run that was repeated.
    Bug,
    /// Ctrl-C or SIGTERM; what was done by then is written, but by `check`.
    Interrupted,
}

impl Exit {
    /// The number.
    pub fn code(self) -> i32 {
        match self {
            Exit::Held => 0,
            Exit::Broken => 1,
            Exit::Usage => 2,
            Exit::Inconclusive => 3,
            Exit::NothingRan => 4,
            Exit::Bug => 101,
            Exit::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code() as u8)
    }
}
