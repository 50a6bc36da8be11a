//! **Checkpoint-rollback** (aligned barriers, global restart of a region).
//!
//! Source: Chandy and Lamport, TOCS 1985; Carbone et al., "Lightweight Asynchronous Snapshots for
//! Distributed Dataflows", 2015 (arXiv:1506.08603), and "State Management in Apache Flink",
//! VLDB 2017.
//!
//! Idea: a coordinator triggers a checkpoint every M at the tasks where a region begins. Each task
//! cuts its state when the barrier has come on all its inputs, saves it to a shared store and
//! passes the barrier on. When every part is durable the checkpoint is *complete* and upstream may
//! forget what it covers. When a task dies, the whole region goes back to the last complete
//! checkpoint, onto spares where machines are dead, and only when every task has restored is
//! upstream asked to send again.
//!
//! Claims: exactly once with deduplication behind the region, repeating duplicates without, for
//! every deterministic operator; any number of failures within the region, and of its
//! coordinator; nothing for arbitrary operators, whose re-computation may differ.
//!
//! Costs: the state per M, all of it or what changed (`snapshots`); barriers; input retained
//! until completion. A failure sets back every task of the region.
//!
//! A part, or the coordinator's pointer, that the store refuses is never taken: the checkpoint is
//! given up and the next one is whole.
//!
//! Cannot survive: a neighbour upstream that has lost what it sent (a source never has); outputs
//! that are still in the queue of a link when the successor takes over; a store that loses what it
//! reported durable.

mod coordinator;
mod worker;

use super::{Demand, Entry, Strategy};
use crate::blocks::InboxState;
use crate::claim::{Answer, Claim, Situation};
use crate::context::Cx;
use crate::node::Node;
use crate::operator::{OperatorClass, State};
use crate::options::{OptionDoc, OptionKind};
use crate::plan::{Feed, Plan};
use crate::points::{PAIR_COMPLETE, REFUSED};
use crate::protocol::{Cause, ChannelId, Effects, InstanceId, NodeId, Term, Tuple};
use coordinator::Coordinator;
use serde::{Deserialize, Serialize};
use worker::Worker;

/// The strategy's line in the list.
pub const ENTRY: Entry = Entry {
    name: "checkpoint-rollback",
    summary: "a region is checkpointed by aligned barriers and rolled back as a whole",
    options: &[OptionDoc {
        name: "snapshots",
        kind: OptionKind::Choice(&["full", "incremental"]),
        default: "full",
        doc: "whether a checkpoint writes the whole state or the entries that changed",
    }],
    points: &[worker::POINTS, coordinator::POINTS, PAIR_COMPLETE, REFUSED],
    build: |options| {
        Box::new(CheckpointRollback { incremental: options.choice("snapshots") == "incremental" })
    },
};

#[derive(Clone, Copy)]
struct CheckpointRollback {
    incremental: bool,
}

impl Strategy for CheckpointRollback {
    fn input_demand(&self) -> Demand {
        Demand { feed: Feed::Primary, retain: true, ack: true, ack_phase: None }
    }

    fn output_demand(&self) -> Demand {
        Demand::NONE
    }

    fn node(&self, plan: &Plan, me: NodeId) -> Box<dyn Node> {
        Box::new(Worker::new(&Cx { now: 0, me, plan }, self.incremental))
    }

    fn is_coordinated(&self) -> bool {
        true
    }

    fn coordinator(&self, plan: &Plan, me: NodeId) -> Option<Box<dyn Node>> {
        Some(Box::new(Coordinator::new(&Cx { now: 0, me, plan })))
    }

    fn log_survives(&self) -> bool {
        true
    }

    fn trims_follow_saves(&self) -> bool {
        true
    }

    fn claim(&self, situation: &Situation) -> Answer {
        if situation.fault.loses_saves() {
            return Answer::NotCovered("the storage had lost what it reported durable");
        }
        if situation.under_repair.upstream {
            return Answer::NotCovered("the neighbour upstream had lost what it had sent");
        }
        if situation.overtaken {
            return Answer::NotCovered("outputs on their way were overtaken by the successor");
        }
        if situation.class == OperatorClass::Arbitrary {
            return Answer::NotCovered("an arbitrary operator may re-compute differently");
        }
        Answer::Claim(Claim::repeating(situation))
    }
}

/// What the coordinator and the tasks of a region say to each other.
#[derive(Clone, Serialize, Deserialize)]
enum Message {
    /// To tasks at the region's beginning, in this term: cut, and send barriers.
    Trigger { term: Term, number: u64 },
    /// From a task: my part is durable.
    Stored { number: u64 },
    /// To all: the checkpoint is complete.
    Complete { number: u64 },
    /// To all: forget everything, restore this checkpoint (0: the beginning) for this term.
    Restart { term: Term, number: u64 },
    /// To a task that was replaced before this term.
    Retire { term: Term },
    /// From a task: I have restored for this term.
    Restored { term: Term },
    /// To all, when all have restored: go on in this term; who runs what.
    Go { term: Term, deployment: Vec<(InstanceId, NodeId)> },
    /// To a host that came back in this incarnation: you are a spare now.
    Registered { incarnation: u32 },
    /// From a task: my part was refused, the checkpoint will never be complete.
    Refused { number: u64 },
}

/// One task's part of a checkpoint.
#[derive(Serialize, Deserialize)]
struct Part {
    state: State,
    inbox: InboxState,
    /// What neighbours behind the region may still ask for.
    log: Vec<(ChannelId, Tuple)>,
}

/// What a coordinator that comes back must know.
#[derive(Clone, Serialize, Deserialize)]
struct Pointer {
    /// The last complete checkpoint; 0: none.
    complete: u64,
    deployment: Vec<(InstanceId, NodeId)>,
}

/// The slot of an instance's part in the shared store.
fn slot(instance: InstanceId) -> u32 {
    u32::from(instance.0)
}

fn say(cx: &Cx, to: NodeId, message: &Message, fx: &mut Effects) {
    let settings = &cx.plan.settings;
    let cost = match message {
        Message::Trigger { .. } => (Cause::Marker, settings.control_bytes),
        Message::Stored { .. } | Message::Complete { .. } | Message::Refused { .. } => {
            (Cause::Ack, settings.ack_bytes)
        }
        _ => (Cause::Control, settings.control_bytes),
    };
    fx.send(to, message, vec![cost]);
}
