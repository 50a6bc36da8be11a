//! Events for people who debug, by `tracing`: to stderr, in `replay` only, where `RUST_LOG` asks
//! for them. Their clock is virtual. Nothing of it is in a record or a hash, and without a listener
//! an event costs one comparison.

use std::cell::Cell;
use std::fmt;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::{FilterExt, filter_fn};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::prelude::*;

thread_local! {
    /// Virtual time of the event being told, ns, and its number.
    static CLOCK: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// Tells an event at a virtual time, if somebody listens: `tell!(INFO, now, "...", ...)`.
macro_rules! tell {
    ($level:ident, $now:expr, $($what:tt)+) => {
        if tracing::enabled!(target: "aftermath", tracing::Level::$level) {
            $crate::narrator::tick($now);
            tracing::event!(target: "aftermath", tracing::Level::$level, $($what)+);
        }
    };
}
pub(crate) use tell;

/// Sets the clock for the next event.
pub(crate) fn tick(now: u64) {
    CLOCK.with(|clock| clock.set((now, clock.get().1 + 1)));
}

/// Milliseconds of virtual time, and a number that tells events of one instant apart.
struct VirtualTime;

impl FormatTime for VirtualTime {
    fn format_time(&self, w: &mut Writer<'_>) -> fmt::Result {
        let (now, number) = CLOCK.get();
        write!(w, "{:>12.6} ms {number:>6}", now as f64 / 1e6)
    }
}

/// Does something, and tells its events if `RUST_LOG` asks for any.
///
/// # Errors
///
/// When `RUST_LOG` is not a list of filters; the text says why.
pub fn narrated<T>(colour: bool, something: impl FnOnce() -> T) -> Result<T, String> {
    let wanted = std::env::var(EnvFilter::DEFAULT_ENV).unwrap_or_default();
    if wanted.is_empty() {
        return Ok(something());
    }
    let filter = EnvFilter::builder().parse(&wanted);
    let filter = filter.map_err(|error| format!("RUST_LOG is `{wanted}`: {error}"))?;
    // Others have no virtual time, and say what is no event of the run.
    let ours = filter_fn(|metadata| metadata.target() == "aftermath");
    let layer = tracing_subscriber::fmt::layer()
        .with_timer(VirtualTime)
        .with_target(false)
        .with_ansi(colour)
        .with_writer(std::io::stderr)
        // A closed stderr would else be complained about there.
        .log_internal_errors(false);
    let subscriber = tracing_subscriber::registry().with(layer.with_filter(filter.and(ours)));
    CLOCK.set((0, 0));
    Ok(tracing::subscriber::with_default(subscriber, something))
}
