//! What the worlds do when a rule is broken on purpose ([`Mutation`]).

use super::Machines;
use crate::machine::Act;
use crate::plan::Mutation;
use aftermath_systems::protocol::Nanos;

impl Machines {
    /// What a broken rule carries out while the tick is still being run.
    pub(crate) fn cross_early(&mut self, tick_end: Nanos) {
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
    pub(crate) fn stops_early(&self, now: Nanos) -> bool {
        let healed = self.healed_at.is_some_and(|healed_at| now >= healed_at);
        self.plan.breaks(Mutation::StopsAtDrained) && healed && self.settled()
    }
}
