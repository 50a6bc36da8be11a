//! A strategy of somebody else's crate: written from the documentation alone, registered beside the
//! built-in ones, run by a scenario, judged. So that the README's promise is kept by a test.

mod support;

use aftermath_harness::campaign::{Campaign, Outcome};
use aftermath_harness::{Registry, formulas, scenario};
use aftermath_reports::record::{Record, Status, Time, ValueClass};
use aftermath_systems::blocks::{Change, Inbox, InboxState, Membership, Task};
use aftermath_systems::claim::{Answer, Claim, Situation};
use aftermath_systems::context::Cx;
use aftermath_systems::node::Node;
use aftermath_systems::operator::{OperatorClass, State};
use aftermath_systems::plan::{Feed, Plan};
use aftermath_systems::points::PAIR_COMPLETE;
use aftermath_systems::protocol::{
    Blob, Effects, Event, NodeId, Positions, Resend, RestartFrom, SaveKey, Scope, Stored, Term,
    TimerId, decode,
};
use aftermath_systems::strategies::{Demand, Entry, Strategy};
use std::collections::{BTreeMap, BTreeSet};
use support::root;

/// The primary writes checkpoints to the shared store and lets upstream forget what a durable one
/// covers. Its spare keeps nothing: when it takes over, it first restarts itself from the newest
/// checkpoint, and then has everything sent again that came after it.
///
/// Claims: exactly once, where duplicates are dropped. Costs: state on the network every M, and a
/// recovery with two redirects and two time-outs. Cannot survive: a neighbour's loss at the same
/// time, for what was sent is in no checkpoint.
const ENTRY: Entry = Entry {
    name: "shared-standby",
    summary: "a primary saves checkpoints to the shared store; its spare restarts from there",
    options: &[],
    points: &[Membership::POINTS, PAIR_COMPLETE],
    build: |_| Box::new(SharedStandby { mistake: Mistake::None }),
};

/// As above, but upstream may forget as soon as a save was asked for.
const TRIMS_EARLY: Entry = Entry {
    name: "shared-standby-trims-early",
    summary: "deliberately wrong: trims when it saves, not when the save is durable",
    options: &[],
    points: &[Membership::POINTS, PAIR_COMPLETE],
    build: |_| Box::new(SharedStandby { mistake: Mistake::TrimsEarly }),
};

/// As above, but the spare takes over without looking into the store.
const NEVER_LOADS: Entry = Entry {
    name: "shared-standby-never-loads",
    summary: "deliberately wrong: the spare takes over as empty as it is",
    options: &[],
    points: &[Membership::POINTS, PAIR_COMPLETE],
    build: |_| Box::new(SharedStandby { mistake: Mistake::NeverLoads }),
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mistake {
    None,
    TrimsEarly,
    NeverLoads,
}

/// The next checkpoint is due.
const CHECKPOINT: TimerId = TimerId(1);

/// What a checkpoint is made of.
type Checkpoint = (State, InboxState);

struct SharedStandby {
    mistake: Mistake,
}

impl Strategy for SharedStandby {
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
            mistake: self.mistake,
            loaded: false,
            number: 0,
            under_way: BTreeMap::new(),
        })
    }

    fn log_survives(&self) -> bool {
        false
    }

    fn trims_follow_saves(&self) -> bool {
        true
    }

    fn claim(&self, situation: &Situation) -> Answer {
        if situation.class == OperatorClass::Arbitrary {
            return Answer::NotCovered("what is computed again may differ from what was sent");
        }
        if situation.fault.loses_saves() {
            return Answer::NotCovered("the store does not hold what it said it did");
        }
        if situation.under_repair.upstream {
            return Answer::NotCovered("what is to be sent again went down with the sender");
        }
        if situation.under_repair.downstream {
            return Answer::NotCovered("the log of what was sent is in no checkpoint");
        }
        Answer::Claim(Claim::repeating(situation))
    }
}

#[derive(Clone)]
struct Replica {
    member: Membership,
    task: Task,
    mistake: Mistake,
    /// Whether the task has been restored from the newest checkpoint, or leads from the start.
    loaded: bool,
    /// Number of the last checkpoint.
    number: u64,
    /// What the checkpoints cover that are not durable yet.
    under_way: BTreeMap<u64, Positions>,
}

impl Replica {
    /// Every instance has a slot of its own.
    fn slot(cx: &Cx) -> u32 {
        u32::from(cx.instance().0)
    }

    fn next_checkpoint(cx: &Cx, fx: &mut Effects) {
        let phase = cx.plan.instance(cx.instance()).checkpoint_phase;
        fx.timer(CHECKPOINT, cx.next_on_grid(cx.plan.settings.interval, phase));
    }

    fn checkpoint(&mut self, cx: &Cx, fx: &mut Effects) {
        let state = self.task.operator.snapshot();
        let inbox = self.task.ports.inbox.state();
        let covers = inbox.wanted.clone();
        let bytes = state.entries * cx.plan.settings.entry_bytes;
        let checkpoint: Checkpoint = (state, inbox);
        let blob =
            Blob { modelled_bytes: bytes, restored_bytes: bytes, ..Blob::encode(&checkpoint) };
        self.number += 1;
        let key = SaveKey { slot: Self::slot(cx), number: self.number };
        fx.save(key, blob, Scope::Shared, covers.clone());
        if self.mistake == Mistake::TrimsEarly {
            self.task.ports.inbox.trim(cx, None, &covers, fx);
        }
        self.under_way.insert(self.number, covers);
        Self::next_checkpoint(cx, fx);
    }

    /// This checkpoint and all before it are durable: nothing before it will be needed again.
    fn durable(&mut self, cx: &Cx, key: SaveKey, fx: &mut Effects) {
        let later = self.under_way.split_off(&(key.number + 1));
        let done = std::mem::replace(&mut self.under_way, later);
        if let Some(covers) = done.get(&key.number) {
            self.task.ports.inbox.trim(cx, None, covers, fx);
            fx.discard(key.slot, key.number);
        }
    }

    fn load(&mut self, cx: &Cx, stored: &Stored) {
        if let Some((key, blob)) = stored.newest(Self::slot(cx)) {
            let (state, inbox): Checkpoint = decode(&blob.bytes);
            self.task.operator.restore(&state);
            self.task.ports.inbox.restore(inbox);
            self.number = key.number;
        }
        self.loaded = true;
    }

    fn take_over(&mut self, cx: &Cx, term: Term, fx: &mut Effects) {
        if !self.loaded && self.mistake != Mistake::NeverLoads {
            fx.restart(RestartFrom::Shared { slot: Self::slot(cx), number: None, attempt: 0 });
            return;
        }
        let from =
            |inbox: &Inbox, channel| Resend::From(inbox.on_channel(cx, channel, inbox.received()));
        self.task.take_over(cx, term, from, fx);
        Self::next_checkpoint(cx, fx);
    }
}

impl Node for Replica {
    fn on(&mut self, cx: &Cx, event: Event, fx: &mut Effects) {
        match self.member.on(cx, &event, fx) {
            Change::Leads => {
                self.loaded = true;
                self.task.ports.inbox.start_acks(cx, fx);
                Self::next_checkpoint(cx, fx);
            }
            Change::TookOver(term) => self.take_over(cx, term, fx),
            Change::Follows(_) => self.loaded = false,
            Change::Joined(_) => fx.mark("pair-complete"),
            Change::None => {}
        }
        let leads = self.member.leads();
        match event {
            Event::Started { stored, from: RestartFrom::Shared { .. }, .. } => {
                self.load(cx, &stored);
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
            Event::Saved(key) if leads.is_some() => self.durable(cx, key, fx),
            Event::Link { from, link } => self.task.ports.on_link(cx, leads, from, &link, fx),
            _ => {}
        }
    }

    fn parts(&self) -> Option<(&Membership, &Task)> {
        Some((&self.member, &self.task))
    }
}

/// A running count whose machine is lost, once or twice, at instants drawn from the seed.
const SCENARIO: &str = r#"
seeds = "0..10"
strategies = ["shared-standby"]

[pipeline]
name = "keyed-count"
protect = ["count"]
service = { count = "500us" }

[input]
generated = { tuples = 2500, keys = 100 }
rate_per_s = 1000

[timing]
heartbeat = "10ms"
redirect = "5ms"
interval = "100ms"

[storage]
latency = "10ms"

[[fault]]
machine-loss = { node = "count" }
at = { between = ["300ms", "700ms"] }
for = "200ms"

[[case]]
name = "loss"

[[case]]
name = "two losses, duplicates never sent"
set = { "protection.dedup" = "handshake" }
[[case.fault]]
machine-loss = { node = "count" }
at = { between = ["300ms", "700ms"] }
for = "200ms"
[[case.fault]]
machine-loss = { node = "count" }
at = { between = ["1400ms", "1800ms"] }
for = "200ms"

[[case]]
name = "restart in place"
[[case.fault]]
process-crash = { node = "count" }
at = { between = ["300ms", "700ms"] }
for = "10ms"

[[case]]
name = "no spare"
set = { "protection.spares" = 0 }

[[case]]
name = "duplicates let through"
set = { "protection.dedup" = "off" }
"#;

/// Runs the scenario with `entry` in the place of `shared-standby`.
fn run(entry: Entry) -> Outcome {
    let registry = Registry::built_in().with(entry).called("my-engine");
    let text = SCENARIO.replace(ENTRY.name, entry.name);
    let scenario = scenario::parse(&text, "foreign.toml", root(), &registry, &formulas::names())
        .unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let campaign =
        Campaign { scenarios: &[scenario], seeds: None, strategies: vec![], jobs: 2, worlds: None };
    let outcome = campaign.run(&registry, &|_| {});
    let replayed = |record: &Record| record.replay.starts_with("my-engine replay foreign.toml ");
    assert!(outcome.records.iter().all(replayed), "by the program that has the strategy");
    outcome
}

/// Who spoke in the broken runs.
fn checkers(outcome: &Outcome) -> BTreeSet<&str> {
    let broken = |record: &&Record| record.status == Status::Broken;
    let broken = outcome.records.iter().filter(broken);
    broken.flat_map(|record| &record.witnesses).map(|witness| witness.checker.as_str()).collect()
}

#[test]
fn a_strategy_of_another_crate_keeps_its_claims() {
    let outcome = run(ENTRY);
    assert_eq!(outcome.records.len(), 50);
    for record in &outcome.records {
        let Record { case, seed, observed, counts, .. } = record;
        assert_eq!(record.status, Status::Held, "{case}, seed {seed}: {:?}", record.reasons);
        for fault in &record.faults {
            let recovery = fault.recovery.expect("every fault hits who leads");
            assert!(matches!(recovery.r2, Time::Ns(_)), "{case}, seed {seed}: {recovery:?}");
        }
        assert!(record.overhead.traffic["state"].bytes > 0, "checkpoints cross the network");
        let copies = (counts.lost, counts.duplicates, counts.wrong, counts.unexpected);
        if case == "duplicates let through" {
            assert!(counts.duplicates > 0 && counts.lost == 0, "{case}, seed {seed}: {counts:?}");
            continue;
        }
        assert_eq!(copies, (0, 0, 0, 0), "{case}, seed {seed}");
        let once = !observed.gap && !observed.duplicates && observed.value == ValueClass::Same;
        assert!(once && observed.state_same && observed.settles, "{case}, {seed}: {observed:?}");
    }
}

#[test]
fn its_mistakes_are_found() {
    let early = run(TRIMS_EARLY);
    assert!(early.cases.iter().all(|case| case.status == Status::Broken), "{:?}", early.cases);
    assert!(checkers(&early).contains("confirmed-before-durable"), "{:?}", checkers(&early));

    let empty = run(NEVER_LOADS);
    assert!(empty.cases.iter().all(|case| case.status == Status::Broken), "{:?}", empty.cases);
    assert!(checkers(&empty).contains("state"), "{:?}", checkers(&empty));
}
