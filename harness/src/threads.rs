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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn so_many_threads_do_it_and_one_at_least() {
        let times = |jobs| {
            let done = AtomicUsize::new(0);
            at_once(jobs, &|| {
                done.fetch_add(1, Ordering::Relaxed);
            });
            done.into_inner()
        };
        assert_eq!([0, 1, 3].map(times), [1, 1, 3]);
    }
}
