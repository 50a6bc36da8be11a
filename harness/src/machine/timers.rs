//! The timers of a process: a handful, so a scan beats a search.

use aftermath_systems::protocol::TimerId;

/// Timers that are set, with the generation of each: setting one again voids what was scheduled.
#[derive(Clone, Debug, Default)]
pub struct Timers(Vec<(TimerId, u64)>);

impl Timers {
    /// Sets a timer, or sets it again.
    pub fn set(&mut self, id: TimerId, generation: u64) {
        match self.0.iter_mut().find(|(set, _)| *set == id) {
            Some((_, current)) => *current = generation,
            None => self.0.push((id, generation)),
        }
    }

    /// Whether this generation is still the current one. If so, the timer is set no longer.
    pub fn ring(&mut self, id: TimerId, generation: u64) -> bool {
        let found = self.0.iter().position(|timer| *timer == (id, generation));
        found.map(|index| self.0.swap_remove(index)).is_some()
    }

    /// The process has ended.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}
