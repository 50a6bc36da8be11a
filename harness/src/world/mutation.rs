//! What the worlds do when a rule is broken on purpose ([`Mutation`]).

use super::Machines;
use crate::machine::Act;
use crate::plan::Mutation;
use aftermath_systems::protocol::Nanos;

impl Machines {
    /// What broken rules do while the tick is still being run; returns whether one ends the run.
    pub(super) fn breaks_early(&mut self, tick_end: Nanos) -> bool {
        if self.plan.mutation.is_none() {
            return false;
        }
        self.cross_early(tick_end);
        self.stops_early(tick_end)
    }

    /// What a broken rule carries out while the tick is still being run.
    pub(super) fn cross_early(&mut self, tick_end: Nanos) {
        if self.plan.breaks(Mutation::ActsAtOnce) {
            self.cross(tick_end);
        }
        if self.plan.breaks(Mutation::WireCutAtOnce) {
            let acts = self.list.iter().flat_map(|machine| machine.acts.clone());
            for act in acts.collect::<Vec<_>>() {
                if let Act::CutWire { from, at } = act {
                    self.list.iter_mut().for_each(|machine| machine.cut_wire(from, at, at));
                }
            }
        }
    }

    /// Whether a broken rule ends the run while the tick is still being run.
    fn stops_early(&self, now: Nanos) -> bool {
        let healed = self.healed_at.is_some_and(|healed_at| now >= healed_at);
        self.plan.breaks(Mutation::StopsAtDrained) && healed && self.settled()
    }
}
