//! One world that goes from tick to tick and is forked before each tick that holds a place at which
//! a machine is to fail. Only the fork fails.

use super::failure::{Failure, KINDS, Lengths, extra_faults};
use super::points::{Point, Points, points, victims};
use super::rejoin::{Cut, foreseeable, outputs_until, quiet_from, rejoined, scenario_over};
use super::twin::Twin;
use super::verdict::{End, Verdict, judge_fork};
use crate::config::RunConfig;
use crate::machine::{Step, Stripped};
use crate::plan::RunPlan;
use crate::seed::Seed;
use crate::world::EventWorld;
use aftermath_systems::protocol::{Nanos, NodeId};
use aftermath_systems::strategies::Registry;
use std::rc::Rc;

/// A case under one strategy, and everything that its forks have in common.
pub struct Ground {
    /// The scenario's plan with one fault more for each machine that may fail and each kind of
    /// failure, twice: for single and second failures, and for first ones. They wait for nothing
    /// until they are armed.
    pub plan: Rc<RunPlan>,
    /// How many faults are the scenario's own.
    own: usize,
    /// Who may fail.
    pub victims: Vec<NodeId>,
    /// The run without faults.
    pub twin: Twin,
    /// The places of the trunk.
    pub points: Points,
    /// When the scenario's own faults are over, if forks may stop before the end at all.
    over: Option<Nanos>,
}

/// How far a fork is that comes back to its twin.
enum Back {
    /// It has not.
    NotYet,
    /// It has, since this instant, ns.
    Since(Nanos),
    /// The same; and at a later instant, ns, the twin's outputs were cut off.
    Cut(Nanos, Nanos, Cut),
}

/// What became of a fork.
pub struct Forked {
    /// What the judge says; `None`: the machine never got to where it was to fail.
    pub verdict: Option<Verdict>,
    /// Whether it stopped where it had rejoined its twin.
    pub early: bool,
    /// When it had, or ended, ns.
    pub until: Nanos,
    /// What its machines did, if that was to be kept.
    pub steps: Vec<Step>,
}

impl Ground {
    /// Runs twin and trunk once.
    pub fn new(config: &RunConfig, registry: &Registry, seed: u64, lengths: Lengths) -> Ground {
        let twin = Twin::run(&Rc::new(RunPlan::twin(config, registry, Seed(seed))));
        let victims = victims(&twin.log.plan.systems);
        let mut config = config.clone();
        let extra = |for_ns| extra_faults(&twin.log.plan.systems, &victims, for_ns);
        let extra = [extra(lengths.last_ns), extra(lengths.first_ns)].concat();
        config.faults.extend(extra.iter().cloned());
        let mut plan = RunPlan::build(&config, registry, Seed(seed), 0);
        let own = plan.faults.len() - extra.len();
        let armed_later = plan.faults[own..].iter_mut().filter_map(|fault| fault.trigger.as_mut());
        armed_later.for_each(|trigger| trigger.nodes.clear());
        let plan = Rc::new(plan);
        let mut trunk = EventWorld::new(&plan, false);
        record_steps(&mut trunk, &victims);
        let machines = trunk.finish().machines;
        let steps = machines.iter().flat_map(|machine| machine.log.steps.iter().flatten());
        let points = points(&plan, steps);
        let over = scenario_over(&plan, own).filter(|_| foreseeable(&plan, &twin));
        Ground { plan, own, victims, twin, points, over }
    }

    /// A trunk that is about to start.
    pub fn trunk(&self) -> Trunk {
        let world = EventWorld::new(&self.plan, false);
        Trunk { stripped: vec![Stripped::default(); world.machines().len()], world }
    }

    /// The number of the fault in the schedule.
    fn fault(&self, failure: Failure, first_of_two: bool) -> usize {
        let place = self.victims.binary_search(&failure.address.node);
        let victim = place.expect("only machines that may fail are swept");
        let half = self.victims.len() * KINDS.len();
        self.own + victim * KINDS.len() + failure.kind + if first_of_two { half } else { 0 }
    }

    /// Lets a machine of a world fail. Returns whether it will: what has not struck when everything
    /// heals never strikes.
    pub fn arm(&self, world: &mut EventWorld, failure: Failure, first_of_two: bool) -> bool {
        let awaited = failure.address.awaited();
        world.arm(self.fault(failure, first_of_two), failure.address.node, awaited)
    }

    /// Runs a fork in which so many machines are to fail in this very tick or have failed, until it
    /// has rejoined its twin or ends, and judges it.
    pub fn run(&mut self, fork: Trunk, failures: usize) -> Forked {
        let Trunk { mut world, stripped } = fork;
        let last_input = self.plan.systems.workload.end_at;
        // What is on its way at any instant has come so much later.
        let settles = self.twin.standard.lag_normal_ns + self.plan.tick_ns;
        let mut first = true;
        let mut quiet: Option<Nanos> = None;
        let mut back = Back::NotYet;
        let (end, until) = loop {
            let ended = world.step();
            let now = world.now();
            if std::mem::take(&mut first) {
                if self.struck(&world) < failures {
                    return Forked { verdict: None, early: false, until: now, steps: Vec::new() };
                }
                quiet = self.over.and_then(|over| quiet_from(&self.plan, over, &world));
            }
            if let Some(ended) = ended {
                break (End::Whole(ended), now);
            }
            match &back {
                Back::NotYet if now < last_input && quiet.is_some_and(|quiet| now >= quiet) => {
                    // A machine may have come back later than it was to.
                    quiet = self.over.and_then(|over| quiet_from(&self.plan, over, &world));
                    if quiet.is_some_and(|quiet| now >= quiet)
                        && rejoined(&self.plan, &self.twin, &world, &stripped)
                    {
                        back = Back::Since(now);
                    }
                }
                // What was sent before, and may be wrong, has arrived.
                Back::Since(since) if now >= since + settles => {
                    let since = *since;
                    let cut = outputs_until(&self.twin, &world);
                    back = cut.map_or(Back::NotYet, |cut| Back::Cut(since, now, cut));
                }
                // So has what belongs before the cut.
                Back::Cut(since, at, cut) if now >= at + settles => {
                    break (End::Rejoined(cut.clone()), *since);
                }
                _ => {}
            }
        };
        let early = matches!(end, End::Rejoined(_));
        let logs = world.logs_mut();
        let steps = logs.filter_map(|log| log.steps.take()).flatten().collect();
        let verdict = judge_fork(&self.plan, &mut self.twin, &stripped, world, end);
        Forked { verdict: Some(verdict), early, until, steps }
    }

    /// How many failures have struck.
    fn struck(&self, world: &EventWorld) -> usize {
        let strikes = world.machines().iter().flat_map(|machine| &machine.log.strikes);
        strikes.filter(|strike| strike.fault >= self.own).count()
    }

    /// Whether nothing befalls the trunk, so that it is its twin.
    pub fn trunk_is_twin(&self) -> bool {
        self.own == 0
    }
}

/// A world, and what its logs lack.
#[derive(Clone)]
pub struct Trunk {
    /// The world.
    pub world: EventWorld,
    /// By node.
    stripped: Vec<Stripped>,
}

impl Trunk {
    /// Runs until just before the tick in which a place is reached.
    pub fn advance_to(&mut self, plan: &RunPlan, point: &Point) {
        let tick_end = point.at.div_ceil(plan.tick_ns) * plan.tick_ns;
        while self.world.next_tick_end() < tick_end && self.world.step().is_none() {}
    }

    /// Drops what has been recorded of outputs and samples: it is the twin's.
    pub fn strip(&mut self) {
        for (log, stripped) in self.world.logs_mut().zip(&mut self.stripped) {
            let more = log.strip();
            stripped.outputs += more.outputs;
            stripped.samples += more.samples;
        }
    }
}

/// Lets these machines record what they do.
pub fn record_steps(world: &mut EventWorld, victims: &[NodeId]) {
    for (node, log) in world.logs_mut().enumerate() {
        if victims.contains(&NodeId(node as u16)) {
            log.steps = Some(Vec::new());
        }
    }
}
