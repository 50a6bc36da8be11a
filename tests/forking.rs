//! A run can be forked at any step: the copy goes on exactly as the original does, and neither
//! notices the other.

mod support;

use aftermath_harness::config::RunConfig;
use aftermath_harness::machine::{Delivery, Machine, Strike};
use aftermath_harness::seed::Seed;
use aftermath_harness::world::{Ended, EventWorld};
use support::{SMALL, load, parse, plan};

/// Everything by which the end of a run can be told from another.
#[derive(PartialEq, Debug)]
struct End {
    how: Ended,
    at: u64,
    hashes: Vec<u64>,
    handlers: Vec<u64>,
    states: Vec<Option<u64>>,
    deliveries: Vec<Delivery>,
    retained: Vec<Vec<u64>>,
    frames: Vec<(u64, u64)>,
    strikes: Vec<Strike>,
    durable: Vec<u64>,
}

/// More steps than any run here has: a fork that has lost what would end it must not run for ever.
const STEPS_MAX: u64 = 100_000;

fn end(mut world: EventWorld) -> End {
    let how = (0..STEPS_MAX).find_map(|_| world.step()).expect("a run ends");
    let at = world.now();
    let machines = world.into_machines();
    let of = |machine: &Machine| machine.digest().map(|digest| digest.state);
    let logs = || machines.iter().map(|machine| &machine.log);
    End {
        how,
        at,
        hashes: machines.iter().map(Machine::hash).collect(),
        handlers: machines.iter().map(Machine::handlers).collect(),
        states: machines.iter().map(of).collect(),
        deliveries: logs().flat_map(|log| log.deliveries.clone()).collect(),
        retained: logs().map(|log| log.retained.clone()).collect(),
        frames: logs().map(|log| (log.frames_sent, log.frames_lost)).collect(),
        strikes: logs().flat_map(|log| log.strikes.clone()).collect(),
        durable: logs().flat_map(|log| log.durable.iter().map(|(at, _)| *at)).collect(),
    }
}

/// Runs to the end of step `steps` or of the run.
fn advanced(config: &RunConfig, seed: u64, steps: u64) -> EventWorld {
    let mut world = EventWorld::new(&plan(config, seed, 0), false);
    for _ in 0..steps {
        assert_eq!(world.step(), None, "the run has that many steps");
    }
    world
}

fn steps_of(config: &RunConfig, seed: u64) -> u64 {
    let mut world = EventWorld::new(&plan(config, seed, 0), false);
    let mut steps = 0;
    while world.step().is_none() {
        steps += 1;
    }
    steps
}

#[test]
fn a_fork_ends_as_the_run_that_was_never_forked() {
    let honest = load("scenarios/honest.toml");
    for (number, case) in honest.cases.iter().enumerate() {
        let config = &case.config;
        let seed = number as u64;
        let alone = end(EventWorld::new(&plan(config, seed, 0), false));
        assert!(!alone.deliveries.is_empty());
        let steps = steps_of(config, seed);
        let mut draw = Seed(seed).stream("tests/forking");
        for _ in 0..4 {
            let step = draw.below(steps);
            let context = format!("{}, {}, fork at step {step}", case.name, config.strategy);
            let original = advanced(config, seed, step);
            // The copy runs first: had they anything in common, the original would not be where
            // it was.
            assert_eq!(end(original.clone()), alone, "the copy: {context}");
            assert_eq!(end(original), alone, "the original: {context}");
        }
    }
}

/// Everything that takes time takes some: links and disks have a bandwidth, frames die on the wire,
/// a machine is lost and comes back, its successor crashes.
const SLOW: &str = r#"
bandwidth_bytes_per_s = 40_000

[network]
latency = "4ms"
bandwidth_bytes_per_s = 1_000_000

[[fault]]
machine-loss = { node = "count", wire = "die" }
at = "103ms"
for = "40ms"

[[fault]]
process-crash = { node = "count" }
at = "202ms"
for = "20ms"
"#;

#[test]
fn a_run_can_be_forked_while_anything_is_under_way() {
    // At every step from shortly before the failure until after the last repair: saves, frames,
    // activation, loading, parked frames, cuts.
    let scenario = parse(&format!("{SMALL}{SLOW}"), "scenarios/slow.toml");
    for case in &scenario.cases {
        let config = &case.config;
        let whole = end(EventWorld::new(&plan(config, 1, 0), false));
        assert_eq!(whole.strikes.len(), 2, "{}", config.strategy);
        let mut world = EventWorld::new(&plan(config, 1, 0), false);
        let mut forks = 0;
        while world.step().is_none() {
            if (95_000_000..260_000_000).contains(&world.now()) {
                let context = format!("{}, fork at {} ns", config.strategy, world.now());
                assert_eq!(end(world.clone()), whole, "{context}");
                forks += 1;
            }
        }
        assert!(forks > 100, "{forks} forks");
    }
}

#[test]
fn forks_of_different_steps_are_different_runs_until_they_are_run_on() {
    let honest = load("scenarios/honest.toml");
    let config = &honest.cases[0].config;
    let now = |steps| -> Vec<u64> {
        advanced(config, 0, steps).clone().machines().iter().map(Machine::hash).collect()
    };
    assert_ne!(now(100), now(400));
}
