//! The turmoil world: every machine is a host of a turmoil simulation, which runs all hosts once a
//! tick, and frames are datagrams. The driver here owns machines, sockets and frames; a host's
//! task ([`host`]) has no state of its own. So when a process dies, its task is dropped and
//! started again, and nothing is lost with it: what a crash does is the machine's business.

mod host;
mod wire;

use super::{Ended, Finished, Machines};
use crate::plan::{Mutation, RunPlan};
use aftermath_systems::protocol::{Nanos, NodeId};
use std::cell::{Cell, RefCell};
use std::net::IpAddr;
use std::rc::Rc;
use std::time::{Duration, UNIX_EPOCH};
use tokio::task::JoinError;
use turmoil::net::UdpSocket;
use turmoil::{Builder, Sim};
use wire::Wire;

/// The largest plan, in machines: the time of a tick grows with their cube.
pub const HOSTS_MAX: usize = 20;

/// What the driver and the tasks of all hosts share. Tasks only ever run one at a time, and never
/// while the driver does.
struct Shared {
    tick_ns: Nanos,
    /// By node.
    addresses: Vec<IpAddr>,
    machines: RefCell<Machines>,
    /// By node. They outlive the tasks: a datagram that arrives while no socket is bound would be
    /// thrown away.
    sockets: RefCell<Vec<Option<Rc<UdpSocket>>>>,
    wire: RefCell<Wire>,
    /// How often hosts have worked in the tick that is being run.
    polls: Cell<usize>,
}

/// A run on turmoil.
pub struct TurmoilWorld {
    sim: Sim<'static>,
    shared: Rc<Shared>,
    /// The incarnations that the tasks were started for, by node.
    incarnations: Vec<u32>,
    /// The end of the tick that is run next, ns.
    next_tick_end: Nanos,
}

impl TurmoilWorld {
    /// A run that is about to start.
    ///
    /// # Panics
    /// When the plan has more than [`HOSTS_MAX`] machines.
    pub fn new(plan: &Rc<RunPlan>, traced: bool) -> TurmoilWorld {
        let count = plan.systems.nodes.len();
        assert!(count <= HOSTS_MAX, "{count} machines, turmoil carries {HOSTS_MAX}");
        let tick = Duration::from_nanos(plan.tick_ns);
        // One tick on every link: frames may be early, the rest of their way they wait in the
        // receiver's agenda. Turmoil neither loses nor delays anything by chance, so its seed does
        // not matter, and neither does its wall clock.
        let link = if plan.breaks(Mutation::LinkTooLong) { 2 * tick } else { tick };
        let mut sim = Builder::new()
            .tick_duration(tick)
            .min_message_latency(link)
            .max_message_latency(link)
            .simulation_duration(Duration::MAX)
            .epoch(UNIX_EPOCH)
            .rng_seed(0)
            .build();
        let machines = Machines::new(plan, traced);
        let incarnations = machines.list.iter().map(|machine| machine.incarnation()).collect();
        let shared = Rc::new(Shared {
            tick_ns: plan.tick_ns,
            addresses: (0..count).map(|index| sim.lookup(name(index))).collect(),
            machines: RefCell::new(machines),
            sockets: RefCell::new(vec![None; count]),
            wire: RefCell::new(Wire::new(count)),
            polls: Cell::new(0),
        });
        // In the opposite order of the event world: it must not matter.
        for index in (0..count).rev() {
            let shared = Rc::clone(&shared);
            let me = NodeId(index as u16);
            sim.host(shared.addresses[index], move || host::run(Rc::clone(&shared), me));
        }
        TurmoilWorld { sim, shared, incarnations, next_tick_end: 0 }
    }

    /// Runs one tick; returns how the run ended if it did.
    fn step(&mut self) -> Option<Ended> {
        let tick_end = self.next_tick_end;
        self.next_tick_end += self.shared.tick_ns;
        assert_eq!(self.sim.elapsed(), Duration::from_nanos(tick_end), "a step is a tick");
        if let Err(error) = self.sim.step() {
            match error.downcast::<JoinError>().map(|error| error.try_into_panic()) {
                // A machine has panicked inside its task: let it.
                Ok(Ok(panic)) => std::panic::resume_unwind(panic),
                Ok(Err(error)) => panic!("a task was cancelled: {error}"),
                Err(error) => panic!("turmoil failed: {error}"),
            }
        }
        let (polls, hosts) = (self.shared.polls.take(), self.shared.addresses.len());
        assert_eq!(polls, hosts, "every host works once a tick, at {tick_end} ns");
        let mut machines = self.shared.machines.borrow_mut();
        machines.cross(tick_end);
        let ended = machines.ended(tick_end);
        let now = machines.list.iter().map(|machine| machine.incarnation());
        for (index, (incarnation, started)) in now.zip(&mut self.incarnations).enumerate() {
            if incarnation != *started {
                *started = incarnation;
                self.sim.crash(self.shared.addresses[index]);
                self.sim.bounce(self.shared.addresses[index]);
            }
        }
        ended
    }

    /// Runs to the end.
    ///
    /// # Panics
    /// When turmoil has lost a frame, a frame was late, or a host was not run in a tick.
    pub fn finish(mut self) -> Finished {
        let ended = loop {
            if let Some(ended) = self.step() {
                break ended;
            }
        };
        // Tasks hold what the driver shares with them.
        drop(self.sim);
        let shared = Rc::into_inner(self.shared).expect("the tasks are gone");
        let machines = shared.machines.into_inner().list;
        let sent = machines.iter().map(|machine| machine.log.frames_sent).sum();
        shared.wire.into_inner().check(sent);
        Finished { ended, at: self.next_tick_end - shared.tick_ns, machines }
    }
}

fn name(index: usize) -> String {
    format!("node-{index}")
}
