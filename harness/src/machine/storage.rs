//! Saving and reading, and what faults of the storage device do to it.

use super::device::{Save, SaveFate, Saving};
use super::{Act, Class, HandlerId, Machine, Misread, SavesHit, Work};
use crate::faults::{Effect, Malfunction};
use aftermath_systems::protocol::{Cause, Event, Nanos, Scope, Stored};

impl Machine {
    pub(super) fn save(&mut self, now: Nanos, save: Save) {
        self.log.saves += 1;
        let bytes = save.blob.modelled_bytes;
        let restored_bytes = save.blob.restored_bytes;
        self.log.largest_bytes = self.log.largest_bytes.max(bytes).max(restored_bytes);
        if save.scope == Scope::Shared {
            // The store is remote: what is written there crosses the network.
            let region = self.plan.systems.region_of(self.id);
            let pointer = region.is_some_and(|region| region.coordinator == self.id);
            self.count_traffic(Cause::State, 1, bytes, !pointer);
        }
        let done = self.saved_at(now, bytes);
        if save.scope == Scope::Local {
            self.device.writes(now, done, save.key.slot);
        }
        let fate = self.fate_of_save();
        self.schedule(done, Class::Saved, Work::Saved(Box::new(Saving { save, fate })));
    }

    /// When a save of `bytes` that is asked for now completes, ns. Counts it at every fault that
    /// makes it slower.
    fn saved_at(&mut self, now: Nanos, bytes: u64) -> Nanos {
        let storage = &self.plan.storage;
        let (latency, per_s) = (storage.latency_ns, storage.bandwidth_bytes_per_s);
        let by = |fault: &usize| match self.plan.faults[*fault].effect {
            Effect::Storage(Malfunction::Slow { by_ns }) => by_ns,
            _ => 0,
        };
        let slowed: Vec<(usize, Nanos)> = self.ailing.iter().map(|f| (*f, by(f))).collect();
        let longer = slowed.iter().fold(0, |sum: Nanos, (_, by)| sum.saturating_add(*by));
        let waits_until = self.device.last_done();
        let done = self.device.save(now, bytes, latency.saturating_add(longer), per_s);
        // Behind a slower one it waits anyway.
        let alone = |by: Nanos| done.saturating_sub(by).max(waits_until);
        for (fault, _) in slowed.into_iter().filter(|(_, by)| alone(*by) < done) {
            self.hit_save(fault, |hit| hit.delayed += 1);
        }
        done
    }

    /// What becomes of the save that was counted last.
    fn fate_of_save(&self) -> SaveFate {
        let drawn = |fault: usize, millionths: u32| {
            self.plan.draws_save((self.id, self.log.saves), fault, millionths)
        };
        let mut fate = SaveFate::Kept;
        for fault in self.ailing.iter().copied() {
            match self.plan.faults[fault].effect {
                Effect::Storage(Malfunction::Refuse { millionths }) if drawn(fault, millionths) => {
                    // What has failed cannot get lost.
                    return SaveFate::Refused(fault);
                }
                Effect::Storage(Malfunction::Lose { millionths })
                    if fate == SaveFate::Kept && drawn(fault, millionths) =>
                {
                    fate = SaveFate::Lost(fault);
                }
                _ => {}
            }
        }
        fate
    }

    /// The device is done with a save.
    pub(super) fn saved(&mut self, now: Nanos, saving: Saving) {
        let Saving { save: Save { key, blob, scope, covers }, fate } = saving;
        let lost_by = match fate {
            SaveFate::Refused(fault) => {
                self.hit_save(fault, |hit| hit.refused += 1);
                self.handle(now, Event::SaveRefused(key), 0, HandlerId::default());
                return;
            }
            SaveFate::Lost(fault) => {
                self.hit_save(fault, |hit| hit.lost += 1);
                Some(fault)
            }
            SaveFate::Kept => None,
        };
        match (scope, lost_by) {
            (Scope::Local, None) => self.device.store(key, blob),
            (Scope::Local, Some(fault)) => self.device.lose(key.slot, fault),
            (Scope::Shared, _) => self.acts.push(Act::Store { at: now, key, blob, lost_by }),
        }
        // As it was reported: that the device lies is not the strategy's fault.
        self.log.durable.push((now, covers));
        self.handle(now, Event::Saved(key), 0, HandlerId::default());
    }

    /// The process is killed: saves that are under way destroy what they were to overwrite, if a
    /// fault says so.
    pub(super) fn tear(&mut self, now: Nanos) {
        let tears =
            |fault: &&usize| self.plan.faults[**fault].effect == Effect::Storage(Malfunction::Tear);
        if let Some(fault) = self.ailing.iter().find(tears).copied() {
            let torn = self.device.tear(now, fault);
            self.hit_save(fault, |hit| hit.torn += torn);
        }
    }

    /// Reads the own disk. Notes what should be there and is not.
    pub(super) fn read_disk(&mut self, now: Nanos) -> Stored {
        for fault in self.device.missing() {
            self.log.misreads.push(Misread { at: now, fault });
        }
        self.device.stored()
    }

    fn hit_save(&mut self, fault: usize, count: impl FnOnce(&mut SavesHit)) {
        let strike = self.log.strikes.iter_mut().find(|strike| strike.fault == fault);
        count(&mut strike.expect("what struck is on record").saves);
    }
}
