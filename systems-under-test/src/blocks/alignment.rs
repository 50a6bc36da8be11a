//! Barrier alignment: a task with several inputs cuts its state when the barrier has come on all of
//! them, and takes nothing from a channel between its barrier and the last one. What is held was
//! served before: its CPU time is charged on arrival, not on release.

use crate::context::Cx;
use crate::planted_bugs::Bug;
use crate::protocol::{ChannelId, Item};

/// What to do with an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Take it.
    Take,
    /// It waits, or it was a barrier and others are still to come.
    Wait,
    /// It was the last barrier: cut now, then take what [`Alignment::release`] returns.
    Cut(u64),
}

/// The state of alignment of one task.
#[derive(Clone, Debug, Default)]
pub struct Alignment {
    /// The checkpoint being aligned.
    number: u64,
    /// The last checkpoint that was cut, or restored.
    done: u64,
    /// Channels whose barrier has come.
    arrived: Vec<ChannelId>,
    held: Vec<(ChannelId, Item)>,
}

impl Alignment {
    /// Decides about an item of `channel`.
    pub fn step(&mut self, cx: &Cx, channel: ChannelId, item: &Item) -> Step {
        match item {
            Item::Barrier(number) => self.barrier(cx, *number, channel),
            item if self.arrived.contains(&channel) && !cx.planted(Bug::NoAlignment) => {
                self.held.push((channel, item.clone()));
                Step::Wait
            }
            _ => Step::Take,
        }
    }

    /// An alignment after checkpoint `number`: barriers of it and before are old.
    pub fn after(number: u64) -> Alignment {
        Alignment { done: number, ..Alignment::default() }
    }

    fn barrier(&mut self, cx: &Cx, number: u64, channel: ChannelId) -> Step {
        // Old barriers may come again.
        if number <= self.done || number < self.number {
            return Step::Wait;
        }
        if number > self.number {
            self.number = number;
            self.arrived.clear();
            if cx.planted(Bug::CutAtFirstBarrier) {
                return Step::Cut(number);
            }
        } else if cx.planted(Bug::CutAtFirstBarrier) {
            return Step::Wait;
        }
        if !self.arrived.contains(&channel) {
            self.arrived.push(channel);
        }
        let inputs = &cx.plan.instance(cx.instance()).inputs;
        let internal = inputs.iter().filter(|c| cx.plan.is_internal(**c)).count();
        if self.arrived.len() < internal {
            return Step::Wait;
        }
        self.arrived.clear();
        self.done = number;
        Step::Cut(number)
    }

    /// A barrier of this checkpoint has come. If another was being aligned it was given up, and
    /// what it held back came before this barrier: it must be taken first.
    pub fn supersede(&mut self, number: u64) -> Vec<(ChannelId, Item)> {
        if number <= self.number {
            return Vec::new();
        }
        self.arrived.clear();
        std::mem::take(&mut self.held)
    }

    /// What was held back, in the order of arrival, after the cut.
    pub fn release(&mut self) -> Vec<(ChannelId, Item)> {
        std::mem::take(&mut self.held)
    }

    /// Number of items held back.
    pub fn held(&self) -> u64 {
        self.held.len() as u64
    }
}
