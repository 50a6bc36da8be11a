//! Faults at protocol points and at addresses: they strike just there, once, in both worlds alike.

mod support;

use aftermath_harness::Registry;
use aftermath_harness::agreement::differences;
use aftermath_harness::machine::{Strike, TraceEvent};
use aftermath_harness::run::{RunLog, run_in};
use aftermath_harness::world::World;
use aftermath_reports::record::Status;
use aftermath_systems::points::By;
use aftermath_systems::protocol::NodeId;
use std::collections::BTreeSet;
use support::{
    LINK_FAULTS, NODE_FAULTS, SMALL, Scratch, aftermath, judge, judge_logs, parse, plan, run_one,
    twin_of,
};

/// The tick of [`SMALL`], ns.
const TICK_NS: u64 = 1_000_000;

/// [`SMALL`] under one strategy with these faults.
fn text(strategy: &str, faults: &str) -> String {
    format!("strategies = [\"{strategy}\"]\n{SMALL}\n{faults}")
}

/// One fault.
fn fault(what: &str, at: &str, length: &str) -> String {
    format!("[[fault]]\n{what}\nat = {at}\nfor = \"{length}\"\n")
}

/// A traced run in the event world.
fn run(strategy: &str, faults: &str) -> RunLog {
    let scenario = parse(&text(strategy, faults), "scenarios/points.toml");
    run_one(&scenario.cases[0].config, 0, true)
}

/// The node of that name.
fn node(log: &RunLog, name: &str) -> NodeId {
    let index = log.plan.systems.nodes.iter().position(|node| node.name == name);
    NodeId(index.expect("there is such a node") as u16)
}

/// Everything that a machine handled.
fn trace<'a>(log: &'a RunLog, name: &str) -> &'a [TraceEvent] {
    log.nodes[node(log, name).index()].log.trace.as_ref().expect("the run is traced")
}

/// The only strike of a fault that waited, with the name of the node.
#[track_caller]
fn struck(log: &RunLog) -> (String, Strike) {
    let faults = &log.plan.faults;
    let strikes = log.strikes();
    let mut waited = strikes.iter().filter(|(_, strike)| faults[strike.fault].trigger.is_some());
    let (node, strike) = waited.next().expect("the point is reached");
    assert!(waited.next().is_none(), "a fault strikes once");
    (log.plan.systems.node(*node).name.clone(), (*strike).clone())
}

/// When a machine reached a point, ns.
fn marks(log: &RunLog, name: &str, mark: &str) -> Vec<u64> {
    let marks = log.nodes[node(log, name).index()].log.marks.iter();
    marks.filter(|found| found.name == mark).map(|found| found.at).collect()
}

/// A leader that dies and comes back, one that lives on and is replaced, and both.
const DISTURBED: [&str; 4] = [
    "[[fault]]\nprocess-crash = { node = \"count\" }\nat = \"90ms\"\nfor = \"25ms\"\n",
    "[[fault]]\npause = { node = \"count\" }\nat = \"90ms\"\nfor = \"60ms\"\n",
    "[[fault]]\nprocess-crash = { node = \"count\" }\nat = \"60ms\"\nfor = \"25ms\"\n\
     [[fault]]\npause = { node = \"count\" }\nat = \"160ms\"\nfor = \"60ms\"\n",
    "[[fault]]\nstorage-refuse = { node = [\"count/0/0\", \"count/0/1\"] }\nat = \"50ms\"\nfor = \"60ms\"\n",
];

/// A coordinator that dies and comes back.
const DISTURBED_COORDINATOR: &str =
    "[[fault]]\nprocess-crash = { node = \"coordinator\" }\nat = \"90ms\"\nfor = \"25ms\"\n";

/// Strategies with each of their points and who reaches it: places that faults can wait for.
fn points() -> Vec<(&'static str, &'static str, By)> {
    let registry = Registry::built_in();
    let of = |entry: &aftermath_systems::strategies::Entry| {
        let name = entry.name;
        entry.points().map(move |point| (name, point.name, point.by)).collect::<Vec<_>>()
    };
    registry.iter().flat_map(of).collect()
}

/// The faults before one at a point, so that it is reached.
fn disturbed(strategy: &str) -> Vec<&'static str> {
    let coordinator = (strategy == "checkpoint-rollback").then_some(DISTURBED_COORDINATOR);
    DISTURBED.into_iter().chain(coordinator).collect()
}

#[test]
fn strategies_mark_what_they_list_and_list_what_they_mark() {
    let listed: BTreeSet<_> = points().into_iter().map(|(s, p, by)| (s, p, by as u8)).collect();
    let mut marked = BTreeSet::new();
    for entry in Registry::built_in().iter() {
        let node_faults = NODE_FAULTS.map(|(name, options)| {
            fault(&format!("{name} = {{ node = \"count\"{options} }}"), "\"100ms\"", "60ms")
        });
        let link_faults = LINK_FAULTS.map(|(name, options)| {
            let what = format!("{name} = {{ between = [\"count\", \"count\"]{options} }}");
            fault(&what, "\"100ms\"", "60ms")
        });
        let more = disturbed(entry.name).into_iter().map(str::to_string);
        for faults in node_faults.into_iter().chain(link_faults).chain(more) {
            let scenario = parse(&text(entry.name, &faults), "scenarios/points.toml");
            for seed in 0..5 {
                let log = run_one(&scenario.cases[0].config, seed, false);
                for (node, of) in log.plan.systems.nodes.iter().zip(&log.nodes) {
                    let by = match node.name.as_str() {
                        "coordinator" => By::Coordinator,
                        _ => By::Replicas,
                    };
                    let own = node.name.starts_with("count") || by == By::Coordinator;
                    let marks = of.log.marks.iter().filter(|_| own);
                    marked.extend(marks.map(|mark| (entry.name, mark.name, by as u8)));
                }
            }
        }
    }
    assert_eq!(marked, listed);
}

#[test]
fn both_worlds_hit_every_point_of_every_strategy_at_the_same_instant() {
    let mut hit = BTreeSet::new();
    for (strategy, point, by) in points() {
        let by = if by == By::Coordinator { "coordinator" } else { "count" };
        let at = format!("{{ point = \"{point}\", node = \"{by}\" }}");
        for what in [
            format!("process-crash = {{ node = \"{by}\" }}"),
            "machine-loss = { node = \"count/0/0\", wire = \"die\" }".to_string(),
            "pause = { node = \"count\" }".to_string(),
            "partition = { between = [\"source\", \"count\"] }".to_string(),
        ] {
            for before in disturbed(strategy).into_iter().chain([""]) {
                let faults = format!("{before}{}", fault(&what, &at, "30ms"));
                let scenario = parse(&text(strategy, &faults), "scenarios/points.toml");
                let plan = plan(&scenario.cases[0].config, 0, 0);
                let [events, turmoil] =
                    [World::Events, World::Turmoil].map(|world| run_in(world, &plan, false));
                let told = differences(&events, &turmoil);
                assert_eq!(told, None, "{what} at {point} of {by} under {strategy}, {before}");
                if events.unreached().is_empty() {
                    let (_, strike) = struck(&events);
                    assert_eq!(strike, struck(&turmoil).1);
                    hit.insert((strategy, point, by, what.clone()));
                }
            }
        }
    }
    assert_eq!(hit.len(), 4 * points().len(), "some points were never reached");
}

#[test]
fn a_crash_before_an_effect_leaves_exactly_those_before_it_done() {
    let calm = run("passive-standby", "");
    let wanted = |event: &&TraceEvent| event.effects.len() >= 3;
    let event = trace(&calm, "count/0/0").iter().filter(wanted).nth(3).expect("it is busy");
    let (number, count) = (event.handler.number, event.effects.len());
    let mut sent = BTreeSet::new();
    for effect in 0..=count + 1 {
        let at = format!(
            "{{ node = \"count/0/0\", incarnation = 1, handler = {number}, effect = {effect} }}"
        );
        let log =
            run("passive-standby", &fault("process-crash = { node = \"count\" }", &at, "40ms"));
        if effect > count {
            assert_eq!(log.unreached(), [0], "it has {count} effects only");
            assert_eq!(log.hash, calm.hash);
            continue;
        }
        let (name, strike) = struck(&log);
        assert_eq!((name.as_str(), strike.at), ("count/0/0", event.at));
        let own = trace(&log, "count/0/0");
        let hit = own.iter().find(|event| event.handler.number == number).expect("it is handled");
        assert_eq!((hit.done, &hit.effects), (effect, &event.effects));
        assert_eq!(own.iter().filter(|e| e.handler.incarnation == 1).count() as u64, number);
        sent.insert((effect, log.nodes[node(&log, "count/0/0").index()].log.frames_sent));
    }
    assert_eq!(sent.len(), count + 1);
}

#[test]
fn a_crash_at_an_address_is_the_crash_at_the_point_that_is_there() {
    let point = "{ point = \"checkpoint-cut\", node = \"count/0/0\", nth = 3 }";
    let what = "process-crash = { node = \"count\" }";
    let by_point = run("passive-standby", &fault(what, point, "40ms"));
    let at = struck(&by_point).1.at;
    let own = trace(&by_point, "count/0/0").iter().rev();
    let hit = own.filter(|event| event.at == at).find(|event| event.done < event.effects.len());
    let hit = hit.expect("something was not carried out");
    assert_eq!(hit.effects[hit.done - 1], "Mark(\"checkpoint-cut\")");
    let address = |incarnation: u32| {
        format!(
            "{{ node = \"count/0/0\", incarnation = {incarnation}, handler = {}, effect = {} }}",
            hit.handler.number, hit.done
        )
    };
    let by_address = run("passive-standby", &fault(what, &address(1), "40ms"));
    assert_eq!(differences(&by_point, &by_address), None);
    // The incarnation is a check.
    assert_eq!(run("passive-standby", &fault(what, &address(2), "40ms")).unreached(), [0]);
}

#[test]
fn another_machine_is_hit_exactly_one_tick_later() {
    let at = "{ point = \"checkpoint-applied\", node = \"count/0/1\", nth = 2 }";
    for what in ["process-crash", "machine-loss", "pause", "slow-node"] {
        let leader = ["count", "count/0/0"].map(|whom| (whom, "count/0/0"));
        for (whom, hit) in leader.into_iter().chain([("format", "format")]) {
            let what = format!("{what} = {{ node = \"{whom}\" }}");
            let log = run("passive-standby", &fault(&what, at, "40ms"));
            let (name, strike) = struck(&log);
            let reached = marks(&log, "count/0/1", "checkpoint-applied")[1];
            assert_eq!(strike.at, reached + TICK_NS, "{what}");
            assert_eq!(name, hit, "{what}");
        }
    }
}

#[test]
fn the_machine_itself_is_hit_at_once() {
    let crash = |node: &str| format!("process-crash = {{ node = \"{node}\" }}");
    for (whom, point, by, before) in [
        ("count", "checkpoint-cut", "count/0/0", ""),
        ("count/0/1", "checkpoint-applied", "count/0/1", ""),
        ("count/0/1", "suspected", "count/0/1", DISTURBED[0]),
        // Who is about to lead is as good as who leads.
        ("count", "suspected", "count/0/1", DISTURBED[0]),
        ("count", "took-over", "count/0/1", DISTURBED[0]),
    ] {
        let at = format!("{{ point = \"{point}\" }}");
        let log = run("passive-standby", &format!("{before}{}", fault(&crash(whom), &at, "40ms")));
        let (name, strike) = struck(&log);
        assert_eq!((name.as_str(), strike.at), (by, marks(&log, by, point)[0]), "{whom}: {point}");
    }
    for (whom, point) in [("count", "restored"), ("count", "took-over"), ("coordinator", "restart")]
    {
        let at = format!("{{ point = \"{point}\" }}");
        let faults = format!("{}{}", DISTURBED[0], fault(&crash(whom), &at, "40ms"));
        let log = run("checkpoint-rollback", &faults);
        let (name, strike) = struck(&log);
        assert_eq!(marks(&log, &name, point).first(), Some(&strike.at), "{point}");
    }
}

#[test]
fn points_are_counted_on_each_machine() {
    // The new leader's third cut is the fifth of the two together.
    let at = "{ point = \"checkpoint-cut\", nth = 3 }";
    let faults =
        format!("{}{}", DISTURBED[0], fault("slow-node = { node = \"count\" }", at, "9ms"));
    let log = run("passive-standby", &faults);
    let (old, new) = ("count/0/0", "count/0/1");
    let (before, after) = (marks(&log, old, "checkpoint-cut"), marks(&log, new, "checkpoint-cut"));
    assert!(!before.is_empty() && before.len() < 3 && after.len() >= 3, "{before:?} {after:?}");
    assert_eq!(struck(&log).1.at, after[2]);
    // Over all its incarnations.
    let at = format!("{{ point = \"pair-complete\", node = \"{new}\", nth = 1 }}");
    let faults = format!("{}{}", DISTURBED[0], fault("pause = { node = \"count\" }", &at, "9ms"));
    let log = run("passive-standby", &faults);
    assert_eq!(struck(&log).1.at, marks(&log, new, "pair-complete")[0]);
}

#[test]
fn a_pause_lets_its_handler_finish_and_nothing_else() {
    let at = "{ point = \"checkpoint-cut\", nth = 3 }";
    let log = run("passive-standby", &fault("pause = { node = \"count\" }", at, "80ms"));
    let (name, strike) = struck(&log);
    let own = trace(&log, &name);
    let hit = own.iter().rposition(|event| event.at == strike.at).expect("it was handling");
    assert_eq!(own[hit].done, own[hit].effects.len());
    assert!(own[hit].effects.last().is_some_and(|effect| effect.starts_with("Send")));
    assert_eq!(own[hit + 1].at, strike.at + 80_000_000, "{:?}", own[hit + 1]);
    assert_eq!(marks(&log, "count/0/1", "took-over").len(), 1);
}

/// Items queue while services take longer; the one that is served last before the pause is followed
/// by the next of the queue at its end, not before.
#[test]
fn a_pause_between_two_services_leaves_the_queue_standing() {
    let slow = fault("slow-node = { node = \"count\", times = 7 }", "\"60ms\"", "30ms");
    let calm = run("amnesia", &slow);
    let served = |event: &&TraceEvent| event.at > 80_000_000 && event.event.starts_with("Data");
    let event = trace(&calm, "count/0/0").iter().find(served).expect("it works");
    let number = event.handler.number;
    let at = format!("{{ node = \"count/0/0\", incarnation = 1, handler = {number}, effect = 0 }}");
    let pause = fault("pause = { node = \"count/0/0\" }", &at, "10ms");
    let log = run("amnesia", &format!("{slow}{pause}"));
    let (_, strike) = struck(&log);
    assert_eq!(strike.at, event.at);
    assert!(strike.queued > 0 && strike.waited > 0, "{strike:?}");
    let end = strike.at + 10_000_000;
    let own = trace(&log, "count/0/0").iter();
    let next: Vec<_> = own.skip_while(|event| event.handler.number <= number).collect();
    assert!(next[0].at >= end, "{:?}", next[0]);
    let next = next.iter().find(|event| event.event.starts_with("Data")).expect("it goes on");
    // A service takes 500 us, seven times that while the fault lasts.
    assert_eq!(next.at, end + 500_000, "{next:?}");
    assert_eq!(log.deliveries.len(), calm.deliveries.len());
}

#[test]
fn a_pause_outlives_a_restart_in_the_same_handler() {
    let at = "{ point = \"deposed\" }";
    let faults =
        format!("{}{}", DISTURBED[1], fault("pause = { node = \"count/0/0\" }", at, "40ms"));
    let log = run("passive-standby", &faults);
    let (name, strike) = struck(&log);
    let later = trace(&log, &name).iter().find(|event| event.at > strike.at);
    assert!(later.expect("it starts again").at >= strike.at + 40_000_000);
}

#[test]
fn links_are_hit_a_tick_later_and_what_was_sent_before_gets_through() {
    let what = "partition = { from = \"source\", to = \"count\" }";
    let at = "{ point = \"checkpoint-cut\", nth = 3 }";
    let log = run("passive-standby", &fault(what, at, "50ms"));
    let reached = marks(&log, "count/0/0", "checkpoint-cut")[2];
    let (_, strike) = struck(&log);
    let start = reached + TICK_NS;
    assert_eq!((strike.at, strike.healed), (start, Some(start + 50_000_000)));
    // A tuple takes 1 ms: what left before the start comes over while it lasts.
    let data = |event: &&TraceEvent| event.event.starts_with("Data");
    let own = trace(&log, "count/0/0").iter().filter(data).map(|event| event.at);
    let served: Vec<u64> = own.filter(|at| (start..start + 50_000_000).contains(at)).collect();
    let last = served.last().expect("what was on its way");
    assert!((1..=3).contains(&served.len()) && *last < start + 3 * TICK_NS, "{served:?}");
    let record = parse(&text("passive-standby", &fault(what, at, "50ms")), "scenarios/points.toml");
    let record = judge(&record, &record.cases[0], 0);
    assert_eq!(record.status, Status::Held, "{:?}", record.reasons);
    assert_eq!(record.faults[0].point.as_deref(), Some("3rd checkpoint-cut of count"));
    assert_eq!(record.faults[0].at_ns, start);
    // Without a length until the last tuple is due.
    let log = run("passive-standby", &format!("[[fault]]\n{what}\nat = {at}\n"));
    assert_eq!(struck(&log).1.healed, Some(log.plan.systems.workload.end_at));
}

#[test]
fn nothing_waits_for_a_point_that_is_never_reached() {
    let what = "machine-loss = { node = \"count\" }";
    for at in [
        "{ point = \"took-over\" }",
        "{ point = \"checkpoint-cut\", nth = 1000 }",
        "{ node = \"count/0/1\", incarnation = 9, handler = 3, effect = 0 }",
    ] {
        let text = text("passive-standby", &fault(what, at, "40ms"));
        let scenario = parse(&text, "scenarios/points.toml");
        let case = &scenario.cases[0];
        let (run, twin) = (run_one(&case.config, 0, false), twin_of(&case.config, 0, false));
        assert_eq!((run.hash, run.length_ns), (twin.hash, twin.length_ns));
        let record = judge_logs(&scenario, case, 0, &run, &twin);
        assert_eq!((record.status, record.faults.len()), (Status::Inconclusive, 0));
        let [never] = &record.unreached[..] else { panic!("{:?}", record.unreached) };
        assert_eq!((never.kind.as_str(), never.node.as_str()), ("machine-loss", "count"));
        assert!(record.reasons.iter().any(|reason| reason.contains("its point was never reached")));
    }
}

#[test]
fn a_point_reached_after_everything_heals_does_not_count() {
    // Both are down until everything heals; only then does one lead again.
    let lost =
        |node: &str| format!("[[fault]]\nmachine-loss = {{ node = \"{node}\" }}\nat = \"250ms\"\n");
    let waits = fault("pause = { node = \"count\" }", "{ point = \"took-over\" }", "40ms");
    let log = run("amnesia", &format!("{}{}{waits}", lost("count/0/0"), lost("count/0/1")));
    assert!(!marks(&log, "count/0/0", "took-over").is_empty());
    assert_eq!((log.unreached(), log.strikes().len()), (vec![2], 2));
}

#[test]
fn the_program_says_what_was_never_reached_and_shows_addresses() {
    let scratch = Scratch::new("points");
    let faults = fault("pause = { node = \"count\" }", "{ point = \"took-over\" }", "40ms");
    let path = scratch.write("never.toml", text("amnesia", &faults));
    let never = "pause of count: its point was never reached (1st took-over of count)";
    let told = aftermath(&["replay", &path]).exits(3);
    assert!(told.stdout.contains(never), "{}", told.stdout);
    let told = aftermath(&["run", &path, "--out", &scratch.at("out")]).exits(3);
    let note = "a fault's point was never reached in 1 of 1 run";
    assert!(told.stdout.contains(note), "{}", told.stdout);
    let at = "{ point = \"checkpoint-cut\", nth = 3 }";
    let crash = fault("process-crash = { node = \"count\" }", at, "40ms");
    let path = scratch.write("cut.toml", text("passive-standby", &crash));
    let told = aftermath(&["replay", &path, "--trace"]).exits(0).stdout;
    assert!(told.contains("(3rd checkpoint-cut of count)"), "{told}");
    assert!(told.contains("  1 Mark(\"checkpoint-cut\")\n"), "{told}");
    assert_eq!(told.matches("  (not carried out)\n").count(), 1);
    let listed = aftermath(&["list", "points"]).exits(0).stdout;
    for (strategy, point, _) in points() {
        assert!(listed.contains(&format!("  {strategy}\n")), "{strategy}");
        assert!(listed.contains(&format!("    {point} ")), "{point}");
    }
}
