//! A strategy that changes by one little thing, and what is reported of it.

use crate::LOSS;
use crate::support::{SMALL, root};
use aftermath_harness::baseline::{Compared, Rows, compare, rows};
use aftermath_harness::campaign::Campaign;
use aftermath_harness::{Registry, formulas, scenario};
use aftermath_systems::claim::{Answer, Situation};
use aftermath_systems::context::Cx;
use aftermath_systems::node::Node;
use aftermath_systems::operator::Digest;
use aftermath_systems::options::Options;
use aftermath_systems::plan::Plan;
use aftermath_systems::protocol::{
    Cause, ChannelId, Effect, Effects, Event, Item, Link, Nanos, NodeId, Stamp,
};
use aftermath_systems::strategies::passive_standby;
use aftermath_systems::strategies::{Demand, Entry, Strategy};

/// Passive standby, and on top of it at most one little thing that it does not do.
struct Tweaked {
    inner: Box<dyn Strategy>,
    tweak: Tweak,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tweak {
    None,
    /// The first output after a take-over is sent twice.
    OneMoreDuplicate,
    /// What allows upstream to forget is said once more, once a checkpoint.
    OneMoreMessage,
    /// It stalls for a millisecond after it.
    OneMillisecondMore,
}

const fn entry(build: fn(&Options) -> Box<dyn Strategy>) -> Entry {
    Entry { name: "tweaked", build, ..passive_standby::ENTRY }
}

fn build(options: &Options, tweak: Tweak) -> Box<dyn Strategy> {
    Box::new(Tweaked { inner: (passive_standby::ENTRY.build)(options), tweak })
}

impl Strategy for Tweaked {
    fn input_demand(&self) -> Demand {
        self.inner.input_demand()
    }

    fn output_demand(&self) -> Demand {
        self.inner.output_demand()
    }

    fn node(&self, plan: &Plan, node: NodeId) -> Box<dyn Node> {
        let inner = self.inner.node(plan, node);
        Box::new(Shell { inner, tweak: self.tweak, took_over: false })
    }

    fn log_survives(&self) -> bool {
        self.inner.log_survives()
    }

    fn spares_min(&self) -> u16 {
        self.inner.spares_min()
    }

    fn trims_follow_saves(&self) -> bool {
        self.inner.trims_follow_saves()
    }

    fn claim(&self, situation: &Situation) -> Answer {
        self.inner.claim(situation)
    }
}

/// A replica, seen from outside.
struct Shell {
    inner: Box<dyn Node>,
    tweak: Tweak,
    /// It has taken over, and sent nothing since.
    took_over: bool,
}

impl Clone for Shell {
    fn clone(&self) -> Shell {
        Shell { inner: self.inner.fork(), ..*self }
    }
}

impl Node for Shell {
    fn on(&mut self, cx: &Cx, event: Event, fx: &mut Effects) {
        self.took_over |= matches!(event, Event::Activated);
        self.inner.on(cx, event, fx);
        let trim = fx
            .list
            .iter()
            .rev()
            .find(|effect| matches!(effect, Effect::Link { link: Link::Trim { .. }, .. }));
        if self.tweak == Tweak::OneMoreMessage {
            let again = trim.cloned();
            fx.list.extend(again);
        }
        let output = fx.list.iter().find_map(|effect| match effect.clone() {
            Effect::Emit { to, channel, stamp, item: item @ Item::Tuple(_), .. } => {
                Some(Effect::Emit { to, channel, stamp, item, cause: Cause::Resend })
            }
            _ => None,
        });
        // The first output after a take-over is one that has been sent before.
        if let Some(output) = output.filter(|_| std::mem::take(&mut self.took_over)) {
            match self.tweak {
                Tweak::OneMoreDuplicate => fx.list.push(output),
                Tweak::OneMillisecondMore => fx.busy(1_000_000),
                Tweak::None | Tweak::OneMoreMessage => {}
            }
        }
    }

    fn admits(&self, cx: &Cx, stamp: Stamp, channel: ChannelId) -> bool {
        self.inner.admits(cx, stamp, channel)
    }

    fn cost(&self, cx: &Cx, channel: ChannelId, item: &Item) -> Nanos {
        self.inner.cost(cx, channel, item)
    }

    fn is_primary(&self) -> bool {
        self.inner.is_primary()
    }

    fn digest(&self) -> Option<Digest> {
        self.inner.digest()
    }

    fn retained(&self) -> u64 {
        self.inner.retained()
    }

    fn settled(&self) -> bool {
        self.inner.settled()
    }
}

/// The rows of a scenario under such a strategy.
fn measured(entry: Entry) -> Rows {
    let registry = Registry::built_in().with(entry);
    let head = "strategies = [\"tweaked\"]\nseeds = \"0..3\"\n";
    let text = format!("{head}{SMALL}{LOSS}[protection]\ndedup = \"off\"\n");
    let scenario = scenario::parse(&text, "tweaked.toml", root(), &registry, &formulas::names())
        .unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let campaign =
        Campaign { scenarios: &[scenario], seeds: None, strategies: vec![], jobs: 2, worlds: None };
    let outcome = campaign.run(&registry, &|_| {});
    rows(&campaign.blocks(), &outcome.records)
}

/// What a check of the tweaked strategy reports.
fn reported(entry: Entry) -> Vec<String> {
    let before = measured(self::entry(|options| build(options, Tweak::None)));
    let now = measured(entry);
    let changes = compare(&Compared { before: &before, now: &now, asked: &|_| true });
    changes.into_iter().map(|change| change.text).collect()
}

#[track_caller]
fn names(changes: &[String], words: &str) {
    let found = changes.iter().any(|change| change.contains(words));
    assert!(found, "`{words}` is missing in\n{}", changes.join("\n"));
}

#[test]
fn the_same_strategy_changes_nothing() {
    let none: [String; 0] = [];
    assert_eq!(reported(entry(|options| build(options, Tweak::None))), none);
}

#[test]
fn one_more_duplicate_is_reported_by_name() {
    let changes = reported(entry(|options| build(options, Tweak::OneMoreDuplicate)));
    println!("{}", changes.join("\n"));
    names(&changes, "tweaked / base / tweaked: duplicates +1 in all 3 runs (seed 0: ");
    assert!(!changes.iter().any(|change| change.contains("lost")), "{changes:?}");
}

#[test]
fn one_more_message_per_checkpoint_is_reported_by_name() {
    let changes = reported(entry(|options| build(options, Tweak::OneMoreMessage)));
    println!("{}", changes.join("\n"));
    names(&changes, "tweaked / base / tweaked: overhead.messages_per_checkpoint ");
    names(&changes, "tweaked / base / tweaked: overhead.messages.trim ");
    assert!(!changes.iter().any(|change| change.contains(": recovery")), "{changes:?}");
}

#[test]
fn one_millisecond_more_of_recovery_is_reported_by_name() {
    let changes = reported(entry(|options| build(options, Tweak::OneMillisecondMore)));
    println!("{}", changes.join("\n"));
    names(&changes, "tweaked / base / tweaked: recovery.r2 +1ms in all 3 runs (seed 0: ");
    assert!(!changes.iter().any(|change| change.contains("duplicates")), "{changes:?}");
}
