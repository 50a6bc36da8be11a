//! A strategy that comes back from its own disk, to see what storage faults do to it: a refused
//! save costs it nothing, a lost or torn one everything, and whoever claims otherwise is found.

mod support;

use aftermath_harness::campaign::{Campaign, Outcome};
use aftermath_harness::{formulas, scenario};
use aftermath_reports::record::Status;
use aftermath_systems::blocks::{Change, Inbox, InboxState, Membership, Task};
use aftermath_systems::claim::{Answer, Claim, Situation};
use aftermath_systems::context::Cx;
use aftermath_systems::node::Node;
use aftermath_systems::operator::State;
use aftermath_systems::plan::{Feed, Plan};
use aftermath_systems::protocol::{
    Blob, Effects, Event, NodeId, Positions, Resend, RestartFrom, SaveKey, Scope, TimerId, decode,
};
use aftermath_systems::strategies::{Demand, Entry, Registry, Strategy};
use std::collections::BTreeMap;
use support::root;

/// Writes its state over itself on its own disk every interval, and lets upstream forget what is
/// durable. Claims: exactly once after a crash, where duplicates are dropped.
const HONEST: Entry = Entry {
    name: "own-disk",
    summary: "a process comes back from its own disk",
    options: &[],
    points: &[],
    build: |_| Box::new(OwnDisk { trusts: false }),
};

/// Claims the same whatever becomes of the disk.
const TRUSTING: Entry = Entry {
    name: "own-disk-trusting",
    summary: "deliberately wrong: claims to survive a disk that lies",
    options: &[],
    points: &[],
    build: |_| Box::new(OwnDisk { trusts: true }),
};

const CHECKPOINT: TimerId = TimerId(1);

struct OwnDisk {
    trusts: bool,
}

impl Strategy for OwnDisk {
    fn input_demand(&self) -> Demand {
        Demand { feed: Feed::Primary, retain: true, ack: true, ack_phase: None }
    }

    fn output_demand(&self) -> Demand {
        Demand::NONE
    }

    fn node(&self, plan: &Plan, me: NodeId) -> Box<dyn Node> {
        let cx = Cx { now: 0, me, plan };
        let (member, task) = (Membership::new(&cx), Task::new(&cx));
        Box::new(Replica { member, task, number: 0, under_way: BTreeMap::new() })
    }

    fn log_survives(&self) -> bool {
        false
    }

    fn trims_follow_saves(&self) -> bool {
        true
    }

    fn claim(&self, situation: &Situation) -> Answer {
        if situation.fault.loses_saves() && !self.trusts {
            return Answer::NotCovered("the disk does not hold what it said it did");
        }
        Answer::Claim(Claim::repeating(situation))
    }
}

#[derive(Clone)]
struct Replica {
    member: Membership,
    task: Task,
    number: u64,
    /// What the saves cover that are not durable yet.
    under_way: BTreeMap<u64, Positions>,
}

impl Replica {
    fn arm(cx: &Cx, fx: &mut Effects) {
        let phase = cx.plan.instance(cx.instance()).checkpoint_phase;
        fx.timer(CHECKPOINT, cx.next_on_grid(cx.plan.settings.interval, phase));
    }

    fn checkpoint(&mut self, cx: &Cx, fx: &mut Effects) {
        let state = self.task.operator.snapshot();
        let inbox = self.task.ports.inbox.state();
        let covers = inbox.wanted.clone();
        let bytes = state.entries * cx.plan.settings.entry_bytes;
        let blob = Blob::encode(&(state, inbox));
        let blob = Blob { modelled_bytes: bytes, restored_bytes: bytes, ..blob };
        self.number += 1;
        self.under_way.insert(self.number, covers.clone());
        fx.save(SaveKey { slot: 0, number: self.number }, blob, Scope::Local, covers);
        Self::arm(cx, fx);
    }
}

impl Node for Replica {
    fn on(&mut self, cx: &Cx, event: Event, fx: &mut Effects) {
        match self.member.on(cx, &event, fx) {
            Change::Leads => {
                self.task.ports.inbox.start_acks(cx, fx);
                Self::arm(cx, fx);
            }
            Change::TookOver(term) => {
                let from = |inbox: &Inbox, channel| {
                    Resend::From(inbox.on_channel(cx, channel, inbox.received()))
                };
                self.task.take_over(cx, term, from, fx);
                Self::arm(cx, fx);
            }
            _ => {}
        }
        let leads = self.member.leads();
        match event {
            Event::Started { stored, from: RestartFrom::Local, .. } => {
                if let Some((key, blob)) = stored.newest(0) {
                    let (state, inbox): (State, InboxState) = decode(&blob.bytes);
                    self.task.operator.restore(&state);
                    self.task.ports.inbox.restore(inbox);
                    self.number = key.number;
                }
            }
            Event::Data { channel, item, .. } => {
                if let Some(mine) = leads {
                    self.task.take(cx, mine, (channel, &item), fx, |_, _| {});
                }
            }
            Event::Timer(CHECKPOINT) if leads.is_some() => self.checkpoint(cx, fx),
            Event::Timer(timer) => {
                if let Some(mine) = leads {
                    self.task.on_timer(cx, mine, timer, fx, |_, _| {});
                }
            }
            Event::Saved(key) => {
                if let Some(covers) = self.under_way.remove(&key.number) {
                    self.task.ports.inbox.trim(cx, None, &covers, fx);
                }
            }
            Event::SaveRefused(key) => {
                self.under_way.remove(&key.number);
            }
            Event::Link { from, link } => self.task.ports.on_link(cx, leads, from, &link, fx),
            _ => {}
        }
    }

    fn parts(&self) -> Option<(&Membership, &Task)> {
        Some((&self.member, &self.task))
    }
}

/// Saves of 15 ms, one each 20 ms; the process is killed at 200 ms and comes back.
fn run(entry: Entry, fault: &str) -> Outcome {
    let registry = Registry::built_in().with(entry);
    let text = format!(
        "seeds = \"0..20\"\nstrategies = [\"{}\"]\n{}\n[protection]\nspares = 0\n{fault}\n\
         [[fault]]\nprocess-crash = {{ node = \"count\" }}\nat = \"200ms\"\nfor = \"10ms\"\n",
        entry.name,
        support::SMALL.replace("\"50ms\"", "\"20ms\"")
    );
    let text = text.replace("latency = \"5ms\"", "latency = \"15ms\"");
    let scenario = scenario::parse(&text, "own-disk.toml", root(), &registry, &formulas::names())
        .unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let campaign =
        Campaign { scenarios: &[scenario], seeds: None, strategies: vec![], jobs: 2, worlds: None };
    campaign.run(&registry, &|_| {})
}

/// A fault of its device from 60 to 190 ms, or longer.
fn device(name: &str, options: &str, length: &str) -> String {
    format!(
        "[[fault]]\n{name} = {{ node = \"count\"{options} }}\nat = \"60ms\"\nfor = \"{length}\"\n"
    )
}

/// How many runs ended so.
fn count(outcome: &Outcome, status: Status) -> usize {
    outcome.records.iter().filter(|record| record.status == status).count()
}

#[test]
fn a_slow_or_refusing_disk_costs_nothing() {
    for fault in [
        String::new(),
        device("storage-slow", ", by = \"60ms\"", "200ms"),
        device("storage-refuse", "", "200ms"),
        device("storage-refuse", ", probability = \"50%\"", "130ms"),
    ] {
        let outcome = run(HONEST, &fault);
        assert_eq!(outcome.records.len(), 20);
        for record in &outcome.records {
            assert_eq!(record.status, Status::Held, "{fault}: {:?}", record.reasons);
            assert_eq!(record.counts.lost + record.counts.wrong, 0, "{fault}");
        }
    }
}

#[test]
fn a_disk_that_lies_is_not_covered_and_who_claims_to_survive_it_is_broken() {
    let lies = device("storage-lose", "", "200ms");
    let (honest, trusting) = (run(HONEST, &lies), run(TRUSTING, &lies));
    assert_eq!(count(&honest, Status::NotCovered), 20, "{:?}", honest.cases);
    assert_eq!(count(&trusting, Status::Broken), 20, "{:?}", trusting.cases);
    assert!(trusting.records.iter().all(|record| record.counts.wrong > 0));
}

/// The crash falls into a save of 15 ms in three of four runs: all the harm is in those.
#[test]
fn a_torn_write_leaves_nothing_to_come_back_from() {
    let tears = device("storage-tear", "", "200ms");
    let (honest, trusting) = (run(HONEST, &tears), run(TRUSTING, &tears));
    let (held, not_covered) = (count(&honest, Status::Held), count(&honest, Status::NotCovered));
    assert_eq!(held + not_covered, 20, "{:?}", honest.cases);
    assert!((10..20).contains(&not_covered), "{not_covered} torn");
    assert_eq!(count(&trusting, Status::Broken), not_covered, "{:?}", trusting.cases);
    for record in &honest.records {
        let torn = !record.faults[0].met.is_empty();
        assert_eq!(torn, record.status == Status::NotCovered, "{:?}", record.faults);
        assert_eq!(torn, record.counts.wrong > 0, "{:?}", record.counts);
    }
}

/// The fault is over when the process dies: its saves are as atomic as ever.
#[test]
fn a_crash_after_the_fault_tears_nothing() {
    let outcome = run(HONEST, &device("storage-tear", "", "130ms"));
    assert_eq!(count(&outcome, Status::Held), 20, "{:?}", outcome.cases);
    assert!(outcome.records.iter().all(|record| record.faults[0].met.is_empty()));
}
