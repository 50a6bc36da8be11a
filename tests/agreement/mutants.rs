//! A rule of the worlds broken on purpose, and plans in which the comparison notices.

use super::support::{SMALL, judge, parse, plan};
use aftermath_harness::agreement::{self, differences};
use aftermath_harness::config::{Case, Worlds};
use aftermath_harness::faults::Effect;
use aftermath_harness::judgement::Expected;
use aftermath_harness::machine::TraceEvent;
use aftermath_harness::plan::{Mutation, PlannedFault, PlannedPlace, RunPlan};
use aftermath_harness::record::mark_different;
use aftermath_harness::run::run_in;
use aftermath_harness::world::World;
use aftermath_reports::record::Status;
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

/// Less than a tuple a tick, and links so long that what is done some ticks late is still sent in
/// time: no assertion of a world can notice.
const PATIENT: &str = "\n[network]\nlatency = \"20.3ms\"\n";

/// What comes of a plan in which a rule is broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Noticed {
    /// The comparison finds a difference.
    Differs,
    /// An assertion of a world fails before anything can be compared.
    Panics,
    /// Nothing at all.
    Nothing,
}

/// One plan to try a broken rule on.
struct Trial {
    case: Case,
    seed: u64,
    /// One fault more than the scenario has.
    extra: Option<PlannedFault>,
}

/// Every strategy under four seeds: a service time, a rate, and what follows [`SMALL`].
fn trials_of(service: &str, rate: &str, more: &str) -> Vec<Trial> {
    let text = SMALL.replace("500us", service).replace("rate_per_s = 1000", rate);
    let cases = parse(&format!("{text}{more}"), "scenarios/mutants.toml").cases;
    let of = |case: Case| (0..4).map(move |seed| Trial { case: case.clone(), seed, extra: None });
    cases.into_iter().flat_map(of).collect()
}

fn trials() -> Vec<Trial> {
    trials_of("300us", "rate_per_s = 2500", BUSY)
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
    fn notices(&self, rule: Mutation, worlds: &[World]) -> Noticed {
        let run = |world: World| {
            run_in(world, &self.plan(worlds.contains(&world).then_some(rule)), false)
        };
        let differ = || differences(&run(World::Events), &run(World::Turmoil)).is_some();
        match catch_unwind(AssertUnwindSafe(differ)) {
            Ok(true) => Noticed::Differs,
            Ok(false) => Noticed::Nothing,
            Err(_) => Noticed::Panics,
        }
    }
}

/// Asserts that in at least one of the plans the comparison notices when the rule is broken in
/// these worlds.
#[track_caller]
fn noticed(rule: Mutation, worlds: &[World], trials: &[Trial]) {
    noticed_so(Noticed::Differs, rule, worlds, trials);
}

/// Asserts that at least one of the plans ends so when the rule is broken in these worlds.
#[track_caller]
fn noticed_so(how: Noticed, rule: Mutation, worlds: &[World], trials: &[Trial]) {
    let found: Vec<_> = trials.iter().map(|trial| trial.notices(rule, worlds)).collect();
    let of = |how| found.iter().filter(|noticed| **noticed == how).count();
    let (differ, panic) = (of(Noticed::Differs), of(Noticed::Panics));
    let told = format!("{rule:?} in {worlds:?}: {differ} differ, {panic} panic of {}", found.len());
    println!("{told}");
    assert!(of(how) > 0, "{told}");
    let honest = trials.iter().all(|trial| trial.notices(rule, &[]) == Noticed::Nothing);
    assert!(honest, "the plans differ even if no rule is broken");
}

const BOTH: [World; 2] = [World::Events, World::Turmoil];

#[test]
fn a_sorted_batch_in_place_of_a_heap() {
    let patient = trials_of("300us", "rate_per_s = 400", PATIENT);
    noticed(Mutation::SortedBatch, &[World::Turmoil], &patient);
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
    // A frame that is late is caught where it arrives.
    noticed_so(Noticed::Panics, Mutation::LinkTooLong, &[World::Turmoil], &trials());
}

/// A run in which the worlds differ is broken, and a surprise, whatever its case expects.
#[test]
fn a_record_of_a_run_that_differs_never_holds() {
    let scenario = parse(SMALL, "scenarios/mutants.toml");
    let mut case = scenario.cases[0].clone();
    let mut record = judge(&scenario, &case, 0);
    assert!(record.status == Status::Held && Expected::of(&case).as_expected(&record));
    mark_different(&mut record);
    assert_eq!(record.status, Status::Broken);
    assert_eq!(record.reasons, ["the two worlds differ"]);
    for expected in [None, Some(Status::Held), Some(Status::Broken)] {
        case.expect.status = expected;
        assert!(!Expected::of(&case).as_expected(&record), "{expected:?}");
    }
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
            draws: None,
            kind: FaultKind::ProcessCrash,
            effect: Effect::Crash { closes_connections: true, loses_disk: false, wire_dies: false },
            place: PlannedPlace::Node { instance: node.instance, replica: Some(node.replica) },
            at: asker.at + log.plan.tick_ns / 2,
            for_ns: Some(1),
            trigger: None,
        });
    }
    noticed(Mutation::AnswersAnybody, &[World::Turmoil], &trials);
}
