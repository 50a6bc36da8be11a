//! What the turmoil world costs, in wall time: `cargo bench --bench turmoil`.
//!
//! 1. One run of the main job under each strategy on turmoil, beside the same run in the event
//!    world plus a bare turmoil program with the same hosts, ticks and datagrams. Side by side in
//!    one process, turn by turn; the median is that of the ratios of all turns, because a computer
//!    that others use too is slower in some turns than in others. Fails if the adapter costs more
//!    than a quarter on top.
//! 2. The main job: 5 strategies, 20 seeds, both worlds, report. Fails above a minute on 2 cores.

use aftermath_harness::Registry;
use aftermath_harness::campaign::Campaign;
use aftermath_harness::config::{Scenario, Worlds};
use aftermath_harness::plan::RunPlan;
use aftermath_harness::run::run_in;
use aftermath_harness::seed::Seed;
use aftermath_harness::world::{Machines, World};
use aftermath_harness::{formulas, scenario};
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, UNIX_EPOCH};
use turmoil::net::UdpSocket;

/// Turns of each program; the median is taken.
const TURNS: usize = 9;
/// Most that the turmoil world may take, as a multiple of its parts.
const RATIO_MAX: f64 = 1.25;
/// Most that the main job may take, on 2 cores.
const MAIN_JOB_MAX: Duration = Duration::from_secs(60);
const PORT: u16 = 1;

/// To whom each host sends a datagram in each tick: by host, by tick.
type Schedule = Vec<Vec<Vec<usize>>>;

fn main() -> ExitCode {
    let adapter = adapter();
    let main_job = main_job();
    if adapter && main_job { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Seconds that something takes.
#[expect(clippy::disallowed_types, clippy::disallowed_methods, reason = "a benchmark measures")]
fn seconds(work: impl FnOnce()) -> f64 {
    let start = std::time::Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn flights() -> Scenario {
    let path = Path::new("scenarios/flights.toml");
    scenario::load(path, &Registry::built_in(), &formulas::names()).expect("the scenario is right")
}

fn adapter() -> bool {
    let scenario = flights();
    let mut ratios = Vec::new();
    for case in &scenario.cases {
        let plan = Rc::new(RunPlan::build(&case.config, &Registry::built_in(), Seed(0), 0));
        let schedule = Rc::new(schedule(&plan));
        let programs: [&dyn Fn(); 3] = [
            &|| drop(run_in(World::Turmoil, &plan, false)),
            &|| drop(run_in(World::Events, &plan, false)),
            &|| bare(&schedule, plan.tick_ns),
        ];
        let mut turns = [const { Vec::new() }; 3];
        for _ in 0..TURNS {
            for (program, turns) in programs.iter().zip(&mut turns) {
                turns.push(seconds(program));
            }
        }
        let of_turn = |turn: usize| turns[0][turn] / (turns[1][turn] + turns[2][turn]);
        let own: Vec<f64> = (0..TURNS).map(of_turn).collect();
        ratios.extend_from_slice(&own);
        let ratio = median(own);
        let [turmoil, events, bare] = turns.map(median);
        let datagrams: usize = schedule.iter().flatten().map(Vec::len).sum();
        println!(
            "{:<20} {} hosts, {} ticks, {datagrams} datagrams: turmoil world {:.1} ms, event world \
             {:.1} ms + bare turmoil {:.1} ms, ratio {ratio:.3}",
            case.config.label(),
            schedule.len(),
            schedule[0].len(),
            turmoil * 1e3,
            events * 1e3,
            bare * 1e3,
        );
    }
    let ratio = median(ratios);
    let fine = ratio <= RATIO_MAX;
    println!("ratio of all turns {ratio:.3}, at most {RATIO_MAX}: {fine}");
    fine
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The datagrams of a run, found out by running its machines tick by tick.
fn schedule(plan: &Rc<RunPlan>) -> Schedule {
    let mut machines = Machines::new(plan, false);
    let mut schedule: Schedule = vec![Vec::new(); machines.list.len()];
    for tick in 0.. {
        let tick_end = tick * plan.tick_ns;
        for (index, ticks) in schedule.iter_mut().enumerate() {
            machines.list[index].run_until(tick_end);
            let outbox = std::mem::take(&mut machines.list[index].outbox);
            let to: BTreeSet<usize> = outbox.iter().map(|frame| frame.to.index()).collect();
            ticks.push(to.into_iter().collect());
            for frame in outbox {
                machines.list[frame.to.index()].deliver(frame);
            }
        }
        machines.cross(tick_end);
        if machines.ended(tick_end).is_some() {
            break;
        }
    }
    schedule
}

/// Hosts that receive, send what the schedule says, and sleep for a tick.
fn bare(schedule: &Rc<Schedule>, tick_ns: u64) {
    let tick = Duration::from_nanos(tick_ns);
    let mut sim = turmoil::Builder::new()
        .tick_duration(tick)
        .min_message_latency(tick)
        .max_message_latency(tick)
        .simulation_duration(Duration::MAX)
        .epoch(UNIX_EPOCH)
        .rng_seed(0)
        .build();
    let hosts = schedule.len();
    let addresses: Vec<IpAddr> =
        (0..hosts).map(|host| sim.lookup(format!("host-{host}"))).collect();
    let addresses = Rc::new(addresses);
    for host in 0..hosts {
        let (schedule, addresses) = (Rc::clone(schedule), Rc::clone(&addresses));
        sim.host(addresses[host], move || {
            let (schedule, addresses) = (Rc::clone(&schedule), Rc::clone(&addresses));
            async move {
                let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, PORT)).await?;
                let mut wake = tokio::time::Instant::now();
                for receivers in &schedule[host] {
                    let mut buffer = [0; 8];
                    while socket.try_recv_from(&mut buffer).is_ok() {}
                    for to in receivers {
                        socket.try_send_to(&buffer, (addresses[*to], PORT))?;
                    }
                    wake += tick;
                    tokio::time::sleep_until(wake).await;
                }
                Ok(())
            }
        });
    }
    for _ in 0..schedule[0].len() {
        sim.step().expect("no host fails");
    }
}

fn main_job() -> bool {
    let mut report = String::new();
    let took = seconds(|| {
        let scenario = flights();
        let campaign = Campaign {
            scenarios: std::slice::from_ref(&scenario),
            seeds: None,
            strategies: Vec::new(),
            jobs: 2,
            worlds: Some(Worlds::Both),
        };
        let outcome = campaign.run(&Registry::built_in(), &|_| ());
        assert_eq!(outcome.disagreements, []);
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-main-job");
        std::fs::create_dir_all(&out).expect("the folder can be made");
        let written = aftermath_reports::write::write_all(&out, &outcome.records, &outcome.cases);
        report = written.expect("it can be written").report.display().to_string();
    });
    let fine = took <= MAIN_JOB_MAX.as_secs_f64();
    println!("main job, both worlds: {took:.1} s, {report}; at most {MAIN_JOB_MAX:?}: {fine}");
    fine
}
