//! Faults that wait until a machine reaches a protocol point or an address. The machine that gets
//! there is hit at once, between its effects, if it is the one that the fault befalls; whatever
//! befalls others is a matter of the world, a tick later.

use super::{Act, Class, HandlerId, Machine, Phase, Work};
use crate::plan::Awaited;
use aftermath_systems::protocol::Nanos;

/// One fault that waits for this machine.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    /// Its number in the schedule.
    fault: usize,
    /// What it waits for.
    awaited: Awaited,
    /// How often the point has been reached here.
    reached: u64,
    /// Whether it befalls this machine, and so at once.
    here: bool,
}

impl Machine {
    /// From now on a fault waits for what happens here; `here`: it also befalls this machine.
    pub fn watch(&mut self, fault: usize, awaited: Awaited, here: bool) {
        self.watches.push(Watch { fault, awaited, reached: 0, here });
    }

    /// From now on a fault that waits befalls this machine, or another one.
    pub fn aim(&mut self, fault: usize, here: bool) {
        let watch = self.watches.iter_mut().find(|watch| watch.fault == fault);
        watch.into_iter().for_each(|watch| watch.here = here);
    }

    /// A fault waits no longer: it has struck, or everything heals.
    pub fn unwatch(&mut self, fault: usize) {
        self.watches.retain(|watch| watch.fault != fault);
    }

    /// A fault on links that had waited holds for what leaves from `start` on.
    pub fn begin_spell(&mut self, fault: usize, start: Nanos) {
        self.log.begun.insert(fault, start);
        self.spells.extend(self.plan.spell(fault, start));
        for peer in self.plan.severed(fault, self.id) {
            let at = start + self.plan.latency_ns(peer, self.id);
            self.push(at, Class::Fault, 0, Work::Severed { peer });
        }
    }

    /// The places in a handler that faults wait for.
    pub(super) fn spots_in(&self, of: HandlerId) -> Vec<Spot> {
        if self.watches.is_empty() {
            return Vec::new();
        }
        let spot = |watch: &Watch| match watch.awaited {
            Awaited::Address { incarnation, handler, effect }
                if (incarnation, handler) == (of.incarnation, of.number) =>
            {
                Some(Spot { effect, fault: watch.fault })
            }
            _ => None,
        };
        self.watches.iter().filter_map(spot).collect()
    }

    /// The handler is about to carry out this effect, or has carried out all if it is their number.
    pub(super) fn reach_spot(&mut self, now: Nanos, spots: &[Spot], effect: usize) {
        for spot in spots.iter().filter(|spot| spot.effect == effect as u64) {
            self.reached(now, spot.fault);
        }
    }

    /// A protocol point has been reached.
    pub(super) fn reach_point(&mut self, now: Nanos, mark: &'static str) {
        let mut due = Vec::new();
        for watch in &mut self.watches {
            let Awaited::Point { name, nth } = watch.awaited else { continue };
            watch.reached += u64::from(name == mark);
            if name == mark && watch.reached == nth {
                due.push(watch.fault);
            }
        }
        for fault in due {
            self.reached(now, fault);
        }
    }

    fn reached(&mut self, now: Nanos, fault: usize) {
        let Some(index) = self.watches.iter().position(|watch| watch.fault == fault) else {
            return;
        };
        // A fault strikes once.
        let struck = self.watches.remove(index).here;
        self.acts.push(Act::Reached { fault, node: self.id, at: now, struck });
        if struck {
            self.struck(now, fault);
        }
    }

    /// How well this machine fits a fault that names who leads; the least is best. Whoever leads
    /// before whoever is about to.
    pub fn distance_from_lead(&self) -> u8 {
        match self.phase {
            Phase::Down => 4,
            _ if self.is_primary() && self.paused.is_empty() => 0,
            Phase::Activating => 1,
            // It has restored its state, or asks around.
            Phase::Up if self.node.as_ref().is_some_and(|node| !node.settled()) => 2,
            _ => 3,
        }
    }
}

/// A place in a handler.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// Just before this effect.
    effect: u64,
    /// Which fault waits for it.
    fault: usize,
}
