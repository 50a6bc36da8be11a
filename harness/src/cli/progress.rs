//! How far work is: a bar where somebody watches; of a campaign also a line now and then where a
//! file does.

use super::output::complain;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Seconds between two lines.
const EVERY_S: u64 = 10;

/// A bar of so many runs.
pub fn bar(runs: u64) -> ProgressBar {
    shown(ProgressBar::new(runs), "{bar:40} {pos}/{len} runs, {per_sec}, {eta} left")
}

/// A bar of so many runs, of which not all may be needed.
pub fn bar_at_most(runs: u64) -> ProgressBar {
    shown(ProgressBar::new(runs), "{bar:40} {pos} of at most {len} runs, {per_sec}")
}

/// Counts runs of which nobody knows how many there will be.
pub fn count() -> ProgressBar {
    shown(ProgressBar::new_spinner(), "{spinner} {pos} runs, {per_sec}")
}

/// In this style, if there is a terminal.
fn shown(bar: ProgressBar, style: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(style);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// The progress of a campaign, and its clock: wall time is in no record, and ends campaigns.
pub struct Progress {
    bar: ProgressBar,
    watched: bool,
    /// Runs to do.
    runs: u64,
    done: AtomicU64,
    failures: AtomicU64,
    /// When the next line is due, seconds.
    due_s: AtomicU64,
}

impl Progress {
    /// Of so many runs.
    pub fn new(runs: u64) -> Progress {
        let watched = std::io::stderr().is_terminal();
        let style = "{bar:40} {pos}/{len} runs, {per_sec}, {msg}, {eta} left";
        let bar = shown(ProgressBar::new(runs), style);
        bar.set_message("0 failures");
        let (done, failures) = (AtomicU64::new(0), AtomicU64::new(0));
        Progress { bar, watched, runs, done, failures, due_s: AtomicU64::new(EVERY_S) }
    }

    /// So many more runs are done, and so many of them fail.
    pub fn add(&self, runs: u64, failures: u64) {
        let done = self.done.fetch_add(runs, Ordering::Relaxed) + runs;
        let failing = self.failures.fetch_add(failures, Ordering::Relaxed) + failures;
        if self.watched {
            self.bar.inc(runs);
            if failures > 0 {
                self.bar.set_message(format!("{failing} failures"));
            }
            return;
        }
        let now_s = self.elapsed().as_secs();
        let due_s = self.due_s.load(Ordering::Relaxed);
        let next = now_s + EVERY_S;
        let order = Ordering::Relaxed;
        if now_s >= due_s && self.due_s.compare_exchange(due_s, next, order, order).is_ok() {
            let rate = self.rate();
            let left_s = (self.runs.saturating_sub(done) as f64 / rate.max(1e-9)).round();
            complain(&format!(
                "{done}/{} runs, {rate:.0}/s, {failing} failures, {left_s:.0} s left\n",
                self.runs
            ));
        }
    }

    /// Runs that are done.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Since the beginning.
    pub fn elapsed(&self) -> Duration {
        self.bar.elapsed()
    }

    /// Runs a second since the beginning.
    pub fn rate(&self) -> f64 {
        self.done() as f64 / self.elapsed().as_secs_f64().max(1e-6)
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
