//! Work on several threads at once.

use std::thread;

/// Does the work on so many threads, this one among them, and returns when all have done it. Where
/// the system has no more threads to give, fewer do it: it must be shared out by itself.
pub fn at_once(jobs: usize, work: &(dyn Fn() + Sync)) {
    thread::scope(|scope| {
        for _ in 1..jobs {
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
}
