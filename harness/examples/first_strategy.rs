//! The strategy of the tutorial (TUTORIAL.md), in two variants: one keeps what it claims, the other
//! has a deliberate bug. With the whole command line around them.
//!
//! ```sh
//! cargo run --release --example first_strategy -- run scenarios/flights.toml --strategy resend-all
//! ```

use aftermath_harness::{Registry, cli};
use aftermath_systems::blocks::{Change, Membership, Task};
use aftermath_systems::claim::{Answer, Claim, Situation};
use aftermath_systems::context::Cx;
use aftermath_systems::node::Node;
use aftermath_systems::operator::OperatorClass;
use aftermath_systems::plan::{Feed, Plan};
use aftermath_systems::points::PAIR_COMPLETE;
use aftermath_systems::protocol::{Effects, Event, NodeId, Resend};
use aftermath_systems::strategies::{Demand, Entry, Strategy};
use std::process::ExitCode;

/// Keeps what it claims, in memory that grows with the stream.
pub const RESEND_ALL: Entry = Entry {
    name: "resend-all",
    summary: "upstream keeps all it ever sent; a spare starts empty and has it sent again",
    options: &[],
    points: &[Membership::POINTS, PAIR_COMPLETE],
    build: |_| Box::new(ResendAll { forgets: false }),
};

/// Claims the same, in bounded memory, and is wrong.
pub const RESEND_AND_FORGET: Entry = Entry {
    name: "resend-and-forget",
    summary: "deliberately wrong: as resend-all, but upstream forgets what has been received",
    options: &[],
    points: &[Membership::POINTS, PAIR_COMPLETE],
    build: |_| Box::new(ResendAll { forgets: true }),
};

fn main() -> ExitCode {
    let registry = Registry::built_in().with(RESEND_ALL).with(RESEND_AND_FORGET);
    cli::main(&registry.called("cargo run --release --example first_strategy --"))
}

#[derive(Clone, Copy)]
struct ResendAll {
    forgets: bool,
}

impl Strategy for ResendAll {
    fn input_demand(&self) -> Demand {
        Demand { feed: Feed::Primary, retain: true, ack: true, ack_phase: None }
    }

    fn output_demand(&self) -> Demand {
        Demand::NONE
    }

    fn node(&self, plan: &Plan, me: NodeId) -> Box<dyn Node> {
        let cx = Cx { now: 0, me, plan };
        Box::new(Replica {
            member: Membership::new(&cx),
            task: Task::new(&cx),
            forgets: self.forgets,
        })
    }

    fn spares_min(&self) -> u16 {
        1
    }

    fn log_survives(&self) -> bool {
        false
    }

    fn claim(&self, situation: &Situation) -> Answer {
        let repair = &situation.under_repair;
        if repair.own_pair || !situation.spare_left {
            return Answer::NotCovered("there was no spare");
        }
        if repair.upstream || repair.upstream_forgot || repair.downstream {
            return Answer::NotCovered("what a neighbour had kept is gone");
        }
        if situation.class == OperatorClass::Arbitrary {
            return Answer::NotCovered("computed again, it may come out differently");
        }
        let memory_bounded = self.forgets;
        Answer::Claim(Claim { memory_bounded, ..Claim::repeating(situation) })
    }
}

#[derive(Clone)]
struct Replica {
    member: Membership,
    task: Task,
    forgets: bool,
}

impl Node for Replica {
    fn on(&mut self, cx: &Cx, event: Event, fx: &mut Effects) {
        match self.member.on(cx, &event, fx) {
            Change::Leads => self.task.ports.inbox.start_acks(cx, fx),
            Change::TookOver(term) => self.task.take_over(cx, term, |_, _| Resend::All, fx),
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
            Event::Timer(timer) => {
                if let Some(mine) = leads
                    && let Some(edge) = self.task.on_timer(cx, mine, timer, fx, |_, _| {})
                    && self.forgets
                {
                    // The bug: received is not safe. It dies with this machine.
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
