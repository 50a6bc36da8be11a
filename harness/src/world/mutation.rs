//! Rules of the worlds, broken on purpose: whatever compares the two worlds must notice.

use super::Machines;
use crate::machine::Act;
use aftermath_systems::protocol::Nanos;

/// A broken rule. Tests set it in a plan ([`crate::plan::RunPlan::mutation`]); nothing else can.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mutation {
    /// A machine sorts what is due once a tick; work that joins the tick waits for the next.
    SortedBatch,
    /// Frames due at one instant are handled in the order of their arrival.
    ArrivalOrder,
    /// What crosses machines is carried out while the tick is still being run.
    ActsAtOnce,
    /// Frames of a dead machine die from the instant of its death on.
    WireCutAtOnce,
    /// The event world stops as soon as everything has drained, in the middle of a tick.
    StopsAtDrained,
    /// The shared store's answer is for whatever process runs by then.
    AnswersAnybody,
    /// Turmoil's links take a tick longer than the shortest frame may.
    LinkTooLong,
}

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
