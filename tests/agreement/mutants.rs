//! A rule of the worlds broken on purpose, and plans in which the comparison notices.

use super::support::{SMALL, parse, plan};
use aftermath_harness::agreement::{self, differences};
use aftermath_harness::config::{Case, Worlds};
use aftermath_harness::faults::Effect;
use aftermath_harness::machine::TraceEvent;
use aftermath_harness::plan::{PlannedFault, PlannedPlace, RunPlan};
use aftermath_harness::run::run_in;
use aftermath_harness::world::{Mutation, World};
use aftermath_systems::claim::FaultKind;
use aftermath_systems::protocol::NodeId;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// Fractions, ties, jitter, and a machine that is lost with what it had on the wire.
const BUSY: &str = r#"
[network]
latency = "1.3ms"
edges = { "source -> count" = "1ms" }

[[fault]]
machine-loss = { node = "count", wire = "die" }
at = { between = ["60ms", "200ms"] }
for = "40ms"
"#;

fn cases() -> Vec<Case> {
    let quick = SMALL.replace("500us", "300us").replace("rate_per_s = 1000", "rate_per_s = 2500");
    parse(&format!("{quick}{BUSY}"), "scenarios/mutants.toml").cases
}

/// One plan to try a broken rule on.
struct Trial {
    case: Case,
    seed: u64,
    /// One fault more than the scenario has.
    extra: Option<PlannedFault>,
}

fn trials() -> Vec<Trial> {
    let of = |case: Case| (0..4).map(move |seed| Trial { case: case.clone(), seed, extra: None });
    cases().into_iter().flat_map(of).collect()
}

impl Trial {
    /// The plan, with this rule broken.
    fn plan(&self, rule: Option<Mutation>) -> Rc<RunPlan> {
        let plan = plan(&self.case.config, self.seed, 0);
        let mut plan = Rc::into_inner(plan).expect("nobody else has it yet");
        plan.mutation = rule;
        plan.faults.extend(self.extra.clone());
        Rc::new(plan)
    }

    /// Whether the worlds differ, or one of them panics.
    fn notices(&self, rule: Mutation, worlds: &[World]) -> bool {
        let run = |world: World| {
            run_in(world, &self.plan(worlds.contains(&world).then_some(rule)), false)
        };
        let differ = || differences(&run(World::Events), &run(World::Turmoil)).is_some();
        catch_unwind(AssertUnwindSafe(differ)).unwrap_or(true)
    }
}

/// Asserts that at least one of the plans notices when the rule is broken in these worlds.
#[track_caller]
fn noticed(rule: Mutation, worlds: &[World], trials: &[Trial]) {
    let found = trials.iter().filter(|trial| trial.notices(rule, worlds)).count();
    println!("{rule:?} in {worlds:?}: noticed in {found} of {} plans", trials.len());
    assert!(found > 0, "{rule:?}: noticed in none of {} plans", trials.len());
    let honest = trials.iter().all(|trial| !trial.notices(rule, &[]));
    assert!(honest, "the plans differ even if no rule is broken");
}

const BOTH: [World; 2] = [World::Events, World::Turmoil];

#[test]
fn a_sorted_batch_in_place_of_a_heap() {
    noticed(Mutation::SortedBatch, &[World::Turmoil], &trials());
}

#[test]
fn arrival_breaks_ties() {
    noticed(Mutation::ArrivalOrder, &BOTH, &trials());
}

#[test]
fn acts_on_others_at_once() {
    noticed(Mutation::ActsAtOnce, &BOTH, &trials());
}

#[test]
fn frames_of_the_dead_die_at_once() {
    noticed(Mutation::WireCutAtOnce, &BOTH, &trials());
}

#[test]
fn the_event_world_stops_when_it_has_drained() {
    noticed(Mutation::StopsAtDrained, &[World::Events], &trials());
}

#[test]
fn links_a_tick_too_long() {
    noticed(Mutation::LinkTooLong, &[World::Turmoil], &trials());
}

#[test]
fn a_difference_is_told_with_the_first_event() {
    let plan = trials()[0].plan(Some(Mutation::ArrivalOrder));
    let (log, told) = agreement::run(Worlds::Both, &plan, false);
    assert_eq!(log.hash, run_in(World::Events, &plan, false).hash);
    let told = told.expect("the worlds differ");
    let (numbers, events) = told.split_once("first event that differs\nevents:\n").expect(&told);
    assert!(numbers.contains("in the event world") && numbers.contains("hash"), "{told}");
    let (left, right) = events.split_once("\nturmoil:\n").expect(&told);
    assert!(left.contains(" ms  ") && right.contains(" ms  ") && left != right.trim(), "{told}");
    let (log, told) = agreement::run(Worlds::Both, &trials()[0].plan(None), false);
    assert_eq!(told, None);
    assert!(!log.deliveries.is_empty());
}

/// The process that has asked the shared store crashes before the answer comes.
#[test]
fn the_answer_of_the_store_is_for_anybody() {
    let mut trials = trials();
    trials.retain(|trial| trial.case.config.strategy == "checkpoint-rollback");
    for trial in &mut trials {
        let log = run_in(World::Events, &trial.plan(None), true);
        let traces = log.nodes.iter().filter_map(|node| node.log.trace.as_ref());
        let asks = |event: &&TraceEvent| {
            event.effects.iter().any(|effect| effect.starts_with("Restart(Shared"))
        };
        let asker = traces.flatten().find(asks).expect("a region restarts from the store");
        let node = log.plan.systems.node(NodeId(asker.handler.node));
        trial.extra = Some(PlannedFault {
            kind: FaultKind::ProcessCrash,
            effect: Effect::Crash { closes_connections: true, loses_disk: false, wire_dies: false },
            place: PlannedPlace::Node { instance: node.instance, replica: Some(node.replica) },
            at: asker.at + log.plan.tick_ns / 2,
            for_ns: Some(1),
        });
    }
    noticed(Mutation::AnswersAnybody, &[World::Turmoil], &trials);
}
