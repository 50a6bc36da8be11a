//! Ctrl-C, and the signals by which a machine ends programs (SIGTERM, SIGHUP): the first one stops
//! starting runs, so that what is done is written; the second one ends the program at once.

use super::exit::Exit;
use super::output::complain;
use std::sync::atomic::{AtomicBool, Ordering};

static STOPPED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C sets what is returned.
pub fn listen() -> &'static AtomicBool {
    // Without a handler Ctrl-C ends the program at once, which is all that can be done then.
    let _ = ctrlc::set_handler(|| {
        if STOPPED.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Interrupted.code());
        }
        complain("\ninterrupted: no run is started any more; again to give up at once\n");
    });
    &STOPPED
}

/// Whether Ctrl-C has come.
pub fn has_come() -> bool {
    STOPPED.load(Ordering::Relaxed)
}
