//! Results to stdout, everything else to stderr. Neither may be there, and that is no panic.

use super::exit::Exit;
use crate::campaign::Disagreement;
use std::io::{self, ErrorKind, Write};

/// Standard output, and what became of it.
#[derive(Default)]
pub struct Output {
    /// Nobody reads any more, or it cannot be written.
    gone: bool,
    /// It could not be written, and the user has been told.
    failed: bool,
}

impl Output {
    /// Prints a result. A reader that has closed its end of the pipe wants no more, which is fine;
    /// anything else, say a full disk, is told once.
    pub fn print(&mut self, text: &str) {
        if self.gone {
            return;
        }
        let mut stdout = io::stdout().lock();
        if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            self.gone = true;
            if error.kind() != ErrorKind::BrokenPipe {
                self.failed = true;
                complain(&format!("error: cannot write to standard output: {error}\n"));
            }
        }
    }

    /// How the program ends: as it would have, unless results have been lost.
    pub fn exit(&self, otherwise: Exit) -> Exit {
        if self.failed { Exit::Usage } else { otherwise }
    }
}

/// Prints one result and ends well, if it could be printed.
pub fn print_all(text: &str) -> Exit {
    let mut output = Output::default();
    output.print(text);
    output.exit(Exit::Held)
}

/// A text of several lines as it is, but for characters that would steer a terminal.
pub fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && c != '\n' {
            shown.extend(c.escape_debug());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Says something to the user; if there is no stderr, to nobody.
pub fn complain(message: &str) {
    let _ = io::stderr().write_all(message.as_bytes());
}

/// Says what the user must mend.
pub fn usage(message: &str) -> Exit {
    complain(message);
    Exit::Usage
}

/// Whether stdout is to be coloured: it is a terminal, and `NO_COLOR`, `CLICOLOR` and
/// `CLICOLOR_FORCE` agree.
pub fn colour() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}

/// Shows a run in which two worlds differ, and how many there are.
pub fn disagree(first: &Disagreement, count: u64) -> Exit {
    let Disagreement { replay, twin, told } = first;
    let which = if *twin { "the twin of one" } else { "one of them" };
    complain(&format!(
        "the two worlds differ in {count} runs, which is a bug of aftermath; {which}:\n\
         {replay}\n{told}"
    ));
    Exit::Bug
}
