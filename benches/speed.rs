//! What the event world costs, in wall time: `cargo bench --bench speed`.
//!
//! 1. Each strategy on golden's job, beside a bare `BinaryHeap` loop that moves messages of the
//!    size of our frames over as many hops. A hop is a data frame sent, copies for standbys too.
//!    Measured is what a campaign does for one run more: the world and the judge's ledger. Fails
//!    above [`RATIO_MAX`].
//! 2. A minute, 100,000 tuples, 6 hosts, one crash, beside the same loop.
//! 3. Chains side by side in one plan: what an event costs with up to 1,002 nodes. Fails above
//!    [`GROWTH_MAX`] times what it costs with 6.
//! 4. An hour in which nothing comes but signs of life, acknowledgements and checkpoints.
//! 5. Forking a run, by its age.
//! 6. Where the time of a campaign's run goes.
//!
//! What is compared is run turn by turn in one process, and the fastest turns are compared: what
//! else a computer does can make a turn slower, and never faster.

use aftermath_harness::Registry;
use aftermath_harness::config::{Case, InputConfig, RunConfig, Scenario};
use aftermath_harness::ledger::Ledger;
use aftermath_harness::machine::{Counters, Frame};
use aftermath_harness::plan::RunPlan;
use aftermath_harness::record::{Context, RunId, record};
use aftermath_harness::run::{RunLog, run};
use aftermath_harness::seed::Seed;
use aftermath_harness::world::EventWorld;
use aftermath_harness::{formulas, scenario};
use aftermath_systems::protocol::{Cause, MILLISECOND, Nanos, SECOND};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

/// Turns of each program; the fastest is taken.
const TURNS: usize = 25;
/// Most that a hop may cost, as a multiple of one through the bare heap.
const RATIO_MAX: f64 = 5.0;
/// Most that an event may cost among many nodes, as a multiple of its cost among 6.
const GROWTH_MAX: f64 = 2.0;
/// The cases of golden that are measured: one for each strategy.
const CASES: [&str; 5] = [
    "amnesia",
    "passive, the secondary stores",
    "upstream, stateless",
    "active, the next operator fast",
    "checkpoint, full snapshots",
];

fn main() -> ExitCode {
    let golden = golden();
    let fine = [hops(&golden), minute(&golden), nodes(&golden)];
    idle_hour(&golden);
    forks(&golden);
    parts(&golden);
    if fine.iter().all(|fine| *fine) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Seconds that something takes.
#[expect(clippy::disallowed_types, clippy::disallowed_methods, reason = "a benchmark measures")]
fn seconds(work: impl FnOnce()) -> f64 {
    let start = std::time::Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

/// What is measured.
type Program<'a> = Box<dyn Fn() + 'a>;

/// Seconds of several programs in their fastest turns, measured turn by turn.
fn compare(programs: &[Program]) -> Vec<f64> {
    let mut fastest = vec![f64::INFINITY; programs.len()];
    for _ in 0..TURNS {
        for (program, fastest) in programs.iter().zip(&mut fastest) {
            *fastest = fastest.min(seconds(program));
        }
    }
    fastest
}

fn golden() -> Scenario {
    let path = Path::new("scenarios/golden.toml");
    scenario::load(path, &Registry::built_in(), &formulas::names()).expect("the scenario is right")
}

fn case<'a>(golden: &'a Scenario, name: &str) -> &'a Case {
    golden.cases.iter().find(|case| case.name == name).expect("golden has it")
}

fn plan(config: &RunConfig) -> Rc<RunPlan> {
    Rc::new(RunPlan::build(config, &Registry::built_in(), Seed(0), 0))
}

fn twin(config: &RunConfig) -> RunLog {
    run(&Rc::new(RunPlan::twin(config, &Registry::built_in(), Seed(0))), false)
}

/// A run and its ledger: what a campaign does but for the twin and the words.
fn judged(plan: &Rc<RunPlan>, twin: &RunLog) {
    let log = run(plan, false);
    black_box(Ledger::new(&log, twin).counts());
}

/// Data frames that machines have sent to each other.
fn hops_of(log: &RunLog) -> u64 {
    let data = [Cause::Tuple, Cause::Copy, Cause::Resend, Cause::Marker];
    let of_node =
        |traffic: &Counters| -> u64 { data.iter().map(|cause| traffic.messages(*cause)).sum() };
    log.nodes.iter().map(|node| of_node(&node.log.traffic)).sum()
}

/// Words of a message that are neither its order nor its hop.
const WORDS: usize = size_of::<Frame>() / 8 - 3;

/// A message in the bare heap, of the size of our frames.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Message {
    due: Nanos,
    count: u64,
    hop: u64,
    content: [u64; WORDS],
}

/// Moves messages through a heap, over three hops of a tick each: as few are under way at any time
/// as in the run. Returns how many hops that were.
fn bare(tuples: u64, spacing: Nanos) -> u64 {
    let mut heap = BinaryHeap::new();
    let (mut sent, mut count, mut hops) = (0, 0, 0);
    let mut send = |heap: &mut BinaryHeap<_>, due| {
        if sent < tuples {
            sent += 1;
            heap.push(Reverse(Message { due, count: sent, hop: 0, content: [sent; WORDS] }));
        }
    };
    send(&mut heap, spacing);
    while let Some(Reverse(mut message)) = heap.pop() {
        if message.hop == 0 {
            send(&mut heap, message.due + spacing);
        }
        message.content[0] += message.count;
        let mut message = black_box(message);
        hops += 1;
        message.hop += 1;
        if message.hop < 3 {
            count += 1;
            (message.due, message.count) = (message.due + MILLISECOND, count);
            heap.push(Reverse(message));
        }
    }
    hops
}

fn hops(golden: &Scenario) -> bool {
    println!("hop: world and ledger beside a bare heap, messages of {} bytes", size_of::<Frame>());
    let configs = CASES.map(|name| case(golden, name).config.clone());
    beside_bare(&configs)
}

/// Measures runs beside the bare heap, all of them turn by turn, and prints a line for each.
fn beside_bare(configs: &[RunConfig]) -> bool {
    let runs: Vec<_> = configs.iter().map(|config| (plan(config), twin(config))).collect();
    let worlds = runs.iter().map(|(plan, twin)| -> Program { Box::new(|| judged(plan, twin)) });
    let loops = runs.iter().zip(configs).map(|((plan, _), config)| -> Program {
        let spacing = SECOND / config.rate_per_s;
        Box::new(move || _ = black_box(bare(tuples_of(plan), spacing)))
    });
    // Each beside its own.
    let programs: Vec<Program> = worlds.zip(loops).flat_map(<[Program; 2]>::from).collect();
    let took = compare(&programs);
    let mut all = true;
    for ((config, (plan, _)), took) in configs.iter().zip(&runs).zip(took.chunks(2)) {
        let log = run(plan, false);
        let (hops, tuples) = (hops_of(&log), tuples_of(plan));
        let (of_world, of_heap) = (took[0] / hops as f64, took[1] / (3 * tuples) as f64);
        let ratio = of_world / of_heap;
        let fine = ratio <= RATIO_MAX;
        all &= fine;
        println!(
            "  {:<20} {} hosts, {tuples} tuples, {hops} hops, {} events: {:.1} ms, {:.0} ns a hop, \
             bare {:.1} ns, ratio {ratio:.2}, at most {RATIO_MAX}: {fine}",
            config.label(),
            plan.systems.nodes.len(),
            log.handlers(),
            took[0] * 1e3,
            of_world * 1e9,
            of_heap * 1e9,
        );
    }
    all
}

fn tuples_of(plan: &RunPlan) -> u64 {
    plan.systems.workload.inputs.len() as u64
}

/// The case of golden under amnesia with other inputs.
fn chain(golden: &Scenario, tuples: u64, rate_per_s: u64) -> RunConfig {
    let mut config = case(golden, "amnesia").config.clone();
    config.input = InputConfig::Generated { tuples, keys: 1000 };
    config.rate_per_s = rate_per_s;
    config.service_ns.insert("map".into(), SECOND / (2 * rate_per_s.max(1)));
    config.protect = vec!["map".into(), "format".into()];
    config
}

fn minute(golden: &Scenario) -> bool {
    println!("60 simulated seconds, one crash");
    beside_bare(&[chain(golden, 100_000, 1_667)])
}

/// Seconds for an event with so many chains of 6 nodes in one plan.
fn nodes(golden: &Scenario) -> bool {
    println!("event: chains of 6 nodes side by side");
    let plans = [1, 17, 167].map(|chains: u16| {
        let tuples = 200_000 / u64::from(chains);
        let mut config = chain(golden, tuples, 1_000);
        config.faults.clear();
        config.timing.heartbeat_phase_ns = None;
        for operator in ["source", "map", "format", "sink"] {
            config.parallelism.insert(operator.into(), chains);
        }
        plan(&config)
    });
    let events = [0, 1, 2].map(|index| run(&plans[index], false).handlers() as f64);
    let of = |index: usize| drop(black_box(EventWorld::new(&plans[index], false).finish()));
    let took = compare(&[0, 1, 2].map(|index| -> Program { Box::new(move || of(index)) }));
    let mut fine = true;
    for index in 0..plans.len() {
        let each = |index: usize| took[index] / events[index];
        let growth = each(index) / each(0);
        fine &= growth <= GROWTH_MAX;
        println!(
            "  {:>5} nodes, {} events: {:.0} ns an event, {growth:.2} times that of 6 nodes, at \
             most {GROWTH_MAX}: {}",
            plans[index].systems.nodes.len(),
            events[index],
            each(index) * 1e9,
            growth <= GROWTH_MAX,
        );
    }
    fine
}

fn idle_hour(golden: &Scenario) {
    println!("an idle hour");
    for name in CASES {
        let mut config = case(golden, name).config.clone();
        config.faults.clear();
        config.input = InputConfig::Generated { tuples: 2, keys: 1 };
        config.timing.tuple_phase_ns = Some(0);
        let mut plan = RunPlan::build(&config, &Registry::built_in(), Seed(0), 0);
        plan.systems.workload.inputs[1].scheduled = 3_600 * SECOND;
        plan.systems.workload.end_at = 3_600 * SECOND + MILLISECOND;
        let plan = Rc::new(plan);
        let events = run(&plan, false).handlers();
        let alone = || drop(black_box(EventWorld::new(&plan, false).finish()));
        let took = compare(&[Box::new(alone)]);
        println!("  {:<20} {events} events: {:.1} ms", config.label(), took[0] * 1e3);
    }
}

fn forks(golden: &Scenario) {
    println!("forking a run");
    for name in CASES {
        let config = &case(golden, name).config;
        let mut world = EventWorld::new(&plan(config), false);
        let ages = [1, 4, 9, 20].map(|age| {
            while world.now() < age * SECOND {
                assert_eq!(world.step(), None, "the run is longer");
            }
            let often = || (0..50).for_each(|_| drop(black_box(world.clone())));
            let took = compare(&[Box::new(often)]);
            format!("{:.1} us at {age} s", took[0] / 50.0 * 1e6)
        });
        println!("  {:<20} {}", config.label(), ages.join(", "));
    }
}

/// What becomes of the time of one run of a campaign.
fn parts(golden: &Scenario) {
    println!("a campaign's run, ms: plan, world, ledger, record");
    for name in CASES {
        let case = case(golden, name);
        let (plan, twin) = (plan(&case.config), twin(&case.config));
        let log = run(&plan, false);
        let context = Context { scenario: golden, case, worlds: golden.worlds };
        let id = RunId { seed: 0, stratum: Some(0) };
        let registry = Registry::built_in();
        let took = compare(&[
            Box::new(|| drop(black_box(RunPlan::build(&case.config, &registry, Seed(0), 0)))),
            Box::new(|| drop(black_box(EventWorld::new(&plan, false).finish()))),
            Box::new(|| drop(black_box(Ledger::new(&log, &twin)))),
            Box::new(|| drop(black_box(record(&context, id, &log, &twin, false)))),
        ]);
        let took: Vec<_> = took.iter().map(|seconds| format!("{:.2}", seconds * 1e3)).collect();
        println!("  {:<20} {}", case.config.label(), took.join(", "));
    }
}
