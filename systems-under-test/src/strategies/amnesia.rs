//! **Amnesia**, the control: nothing is saved, copied or kept.
//!
//! Source: Hwang et al., "High-Availability Algorithms for Distributed Stream Processing",
//! ICDE 2005.
//!
//! Idea: a spare watches the primary. When the primary stops showing life, the spare starts with
//! an empty operator, has the streams redirected to itself and continues with what comes next.
//! What was sent in between, and all state, is gone.
//!
//! Claims: a gap (at most once), whatever the operator. Values behind the gap are the same for
//! stateless operators, wrong for a span for windows, wrong for ever for running aggregates.
//!
//! Costs: heartbeats.
//!
//! Cannot survive: nothing needs surviving; with no spare left the gap lasts until a machine
//! returns.
//!
//! Operators that a scenario leaves unprotected run as amnesia without a spare.

use super::{Demand, Entry, Strategy};
use crate::blocks::{Change, Membership, Task};
use crate::claim::{Answer, Claim, Delivery, Downstream, Situation};
use crate::context::Cx;
use crate::node::Node;
use crate::plan::Plan;
use crate::points::PAIR_COMPLETE;
use crate::protocol::{Effects, Event, NodeId, Resend};

/// The strategy's line in the list.
pub const ENTRY: Entry = Entry {
    name: "amnesia",
    summary: "no protection: a spare starts empty and continues with what comes next",
    options: &[],
    points: &[Membership::POINTS, PAIR_COMPLETE],
    build: |_| Box::new(Amnesia),
};

struct Amnesia;

impl Strategy for Amnesia {
    fn input_demand(&self) -> Demand {
        Demand::NONE
    }

    fn output_demand(&self) -> Demand {
        Demand::NONE
    }

    fn node(&self, plan: &Plan, me: NodeId) -> Box<dyn Node> {
        let cx = Cx { now: 0, me, plan };
        Box::new(Replica { member: Membership::new(&cx), task: Task::new(&cx) })
    }

    fn log_survives(&self) -> bool {
        false
    }

    fn claim(&self, situation: &Situation) -> Answer {
        let own = Downstream::of(situation.span);
        Answer::Claim(Claim {
            delivery: Delivery::GAP,
            value: own.value().max(situation.downstream.value()),
            state_same: own.max(situation.downstream) == Downstream::Stateless,
            ..Claim::PRECISE
        })
    }
}

/// One replica.
#[derive(Clone)]
struct Replica {
    member: Membership,
    task: Task,
}

impl Node for Replica {
    fn on(&mut self, cx: &Cx, event: Event, fx: &mut Effects) {
        match self.member.on(cx, &event, fx) {
            Change::Leads => self.task.ports.inbox.start_acks(cx, fx),
            Change::TookOver(term) => self.task.take_over(cx, term, |_, _| Resend::Nothing, fx),
            Change::Joined(_) => fx.mark("pair-complete"),
            Change::Follows(_) | Change::None => {}
        }
        let leads = self.member.leads();
        match event {
            Event::Data { channel, item, .. } => {
                if let Some(mine) = leads {
                    self.task.take(cx, mine, (channel, &item), fx, |_, _| {});
                }
            }
            // There is nothing to lose here beyond the process: what is received is as safe as it
            // will ever be.
            Event::Timer(timer) => {
                if let Some(mine) = leads
                    && let Some(edge) = self.task.on_timer(cx, mine, timer, fx, |_, _| {})
                {
                    let inbox = &self.task.ports.inbox;
                    inbox.trim(cx, Some(edge), inbox.received(), fx);
                }
            }
            Event::Link { from, link } => self.task.ports.on_link(cx, leads, from, &link, fx),
            _ => {}
        }
    }

    fn parts(&self) -> Option<(&Membership, &Task)> {
        Some((&self.member, &self.task))
    }
}
