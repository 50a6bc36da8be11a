//! Ctrl-C, and SIGTERM, by which machines end programs: the first one stops starting runs, so that
//! what is done is written; the second one ends the program at once. SIGHUP is left alone, for
//! `nohup`.

use super::exit::Exit;
use super::output::complain;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

static STOPPED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// From now on Ctrl-C sets what is returned.
pub fn listen() -> &'static AtomicBool {
    // Without a handler a signal ends the program at once, which is all that can be done then.
    let _ = ctrlc::set_handler(|| {
        if STOPPED.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Interrupted.code());
        }
        complain("\ninterrupted: no run is started any more; again to give up at once\n");
    });
    #[cfg(unix)]
    {
        use signal_hook::consts::SIGTERM;
        use signal_hook::flag::{register, register_conditional_shutdown};
        let _ = register_conditional_shutdown(SIGTERM, Exit::Interrupted.code(), STOPPED.clone());
        let _ = register(SIGTERM, STOPPED.clone());
    }
    &STOPPED
}
