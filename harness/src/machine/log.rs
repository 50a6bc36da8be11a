//! What one machine records for the judge.

use super::frame::{Body, HandlerId};
use super::steps::Step;
use crate::plan::Met;
use aftermath_systems::protocol::{Cause, ChannelId, Nanos, Payload, Positions, SemanticId};
use std::collections::BTreeMap;

/// One output that reached the outside world.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// When, ns.
    pub at: Nanos,
    /// What it is, for the judge.
    pub semantic: SemanticId,
    /// Source schedule of the latest input that contributes, ns.
    pub scheduled: Nanos,
    /// Latest activation or restart among its ancestors, ns; 0: none.
    pub lineage: Nanos,
    /// Its value.
    pub payload: Payload,
}

/// A named protocol point that was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    /// When, ns.
    pub at: Nanos,
    /// Its name.
    pub name: &'static str,
}

/// Traffic counted in messages and modelled bytes, for each cause.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    messages: [u64; Cause::ALL.len()],
    bytes: [u64; Cause::ALL.len()],
}

impl Counters {
    /// Counts messages and bytes of one cause.
    pub fn add(&mut self, cause: Cause, messages: u64, bytes: u64) {
        self.messages[cause as usize] += messages;
        self.bytes[cause as usize] += bytes;
    }

    /// Messages of one cause.
    pub fn messages(&self, cause: Cause) -> u64 {
        self.messages[cause as usize]
    }

    /// Bytes of one cause.
    pub fn bytes(&self, cause: Cause) -> u64 {
        self.bytes[cause as usize]
    }

    /// Adds another machine's counters.
    pub fn merge(&mut self, other: &Counters) {
        for cause in Cause::ALL {
            self.add(cause, other.messages(cause), other.bytes(cause));
        }
    }
}

/// What became of a fault on this machine.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Strike {
    /// Number in the schedule.
    pub fault: usize,
    /// When it struck, ns.
    pub at: Nanos,
    /// When the machine was to be up again; `None`: until everything heals.
    pub healed: Option<Nanos>,
    /// The process was already down.
    pub already_down: bool,
    /// It led its instance.
    pub was_primary: bool,
    /// Items that were queued or in service.
    pub queued: u64,
    /// A save was under way.
    pub unsaved: bool,
    /// When the last item that it had sent would have left, had it gone as fast as its link's
    /// latency, ns: later than the strike if items waited for the link or jittered.
    pub items_leave_until: Nanos,
    /// Items had not left for good: they waited for a link or to be sent again, and die with the
    /// machine if that is lost.
    pub unsent: bool,
    /// Services that took longer.
    pub stretched: u64,
    /// Items and messages that waited while it was paused, heartbeats not counted.
    pub waited: u64,
    /// What was lost or delayed, of a fault on links.
    pub touched: Touched,
    /// Items that arrived while it was down.
    pub items_lost: u64,
    /// Private messages that arrived while it was down.
    pub messages_lost: u64,
    /// Saves that were changed, of a fault of storage.
    pub saves: SavesHit,
}

/// Saves that a fault of storage has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SavesHit {
    /// They took longer.
    pub delayed: u64,
    /// They failed, and the process was told.
    pub refused: u64,
    /// They were reported durable, and lost.
    pub lost: u64,
    /// Versions on the own disk that were destroyed while they were overwritten.
    pub torn: u64,
}

/// Somebody has read a store, and what had been reported durable was not there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Misread {
    /// When it was asked for, ns.
    pub at: Nanos,
    /// The fault that lost it, by its number in the schedule.
    pub fault: usize,
}

/// One handler, for people: written only when a run is traced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceEvent {
    /// When, ns.
    pub at: Nanos,
    /// Which handler.
    pub handler: HandlerId,
    /// Which handler caused the event (number 0: the world).
    pub cause: HandlerId,
    /// The event.
    pub event: String,
    /// Its effects.
    pub effects: Vec<String>,
    /// The node's running hash after it.
    pub hash: u64,
    /// How many of the effects were carried out before the process died or restarted itself.
    pub done: usize,
}

/// What a fault on links has lost or delayed: transmissions, by what they carried.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Touched {
    /// Items of the dataflow.
    pub items: u64,
    /// Messages, heartbeats not counted.
    pub messages: u64,
    /// Heartbeats.
    pub heartbeats: u64,
    /// Transmissions about which a draw decided.
    pub exposed: u64,
    /// Frames that were held up and really came over after one that was sent later.
    pub overtaken: u64,
}

impl Touched {
    /// Transmissions that were changed.
    pub fn changed(&self) -> u64 {
        self.items + self.messages + self.heartbeats
    }

    /// Counts one transmission.
    pub fn add(&mut self, body: &Body) {
        if body.is_heartbeat() {
            self.heartbeats += 1;
        } else if body.is_data() {
            self.items += 1;
        } else {
            self.messages += 1;
        }
    }

    /// Adds what another machine has counted.
    pub fn merge(&mut self, other: Touched) {
        self.items += other.items;
        self.messages += other.messages;
        self.heartbeats += other.heartbeats;
        self.exposed += other.exposed;
        self.overtaken += other.overtaken;
    }
}

/// Most outputs for which there is room from the beginning; what is not used costs no memory.
const OUTPUTS_MAX: usize = 1 << 17;

impl MachineLog {
    /// An empty one, with room for so many outputs.
    pub fn new(outputs: usize, traced: bool) -> MachineLog {
        let deliveries = Vec::with_capacity(outputs.min(OUTPUTS_MAX));
        MachineLog { deliveries, trace: traced.then(Vec::new), ..MachineLog::default() }
    }

    /// Notes what a fault on links has to do with a frame.
    pub fn note(&mut self, fault: usize, met: Met, body: &Body) {
        let touched = self.touched.entry(fault).or_default();
        match met {
            Met::Exposed => touched.exposed += 1,
            Met::Changed => touched.add(body),
        }
    }

    /// Drops what has been recorded of outputs and samples, but for the last output; returns how
    /// much that was. For forks of a run whose beginning is known.
    pub fn strip(&mut self) -> Stripped {
        let outputs = self.deliveries.len().saturating_sub(1);
        self.deliveries.drain(..outputs);
        let samples = self.retained.len();
        self.retained.clear();
        self.waiting.clear();
        Stripped { outputs, samples }
    }

    /// Notes that a frame was overtaken on the wire, held up by a fault or by jitter.
    pub fn overtaken(&mut self, fault: Option<usize>) {
        if let Some(fault) = fault {
            self.touched.entry(fault).or_default().overtaken += 1;
        }
    }
}

/// How much of a log was dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stripped {
    /// Outputs.
    pub outputs: usize,
    /// Samples of retained memory, and of waiting.
    pub samples: usize,
}

/// Everything one machine recorded.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MachineLog {
    /// Outputs (sinks only), in the order of arrival.
    pub deliveries: Vec<Delivery>,
    /// Named points.
    pub marks: Vec<Mark>,
    /// Instants at which an activation or a restart was over.
    pub activations: Vec<Nanos>,
    /// Traffic sent.
    pub traffic: Counters,
    /// The part of it that belongs to the hops into protected operators.
    pub hop_traffic: Counters,
    /// Saves asked for.
    pub saves: u64,
    /// CPU time served, ns.
    pub cpu_ns: Nanos,
    /// Retained tuples at the sampling instants.
    pub retained: Vec<u64>,
    /// How long what is sent or saved would wait for its link or device, the longest of them, at
    /// the sampling instants, ns.
    pub waiting: Vec<Nanos>,
    /// The largest message or save, bytes.
    pub largest_bytes: u64,
    /// Trims sent: when, on which channel, up to where.
    pub trims: Vec<(Nanos, ChannelId, Positions)>,
    /// Input positions reported durable: when and up to where.
    pub durable: Vec<(Nanos, Positions)>,
    /// Faults that struck here.
    pub strikes: Vec<Strike>,
    /// Frames sent to other machines.
    pub frames_sent: u64,
    /// Items that were not admitted: their sender had been replaced, or they were sent before what
    /// was asked for.
    pub frames_fenced: u64,
    /// Transmissions that a fault took and the session made again.
    pub retransmissions: u64,
    /// What faults on links have lost or delayed here, by number of the fault.
    pub touched: BTreeMap<usize, Touched>,
    /// Faults on links that had waited: from when on they hold, ns, by number of the fault.
    pub begun: BTreeMap<usize, Nanos>,
    /// Where a fault may let a replaced leader live: intervals from the sending of items to when
    /// they would have left, had they gone as fast as their link's latency, where that is later.
    pub late: Vec<(Nanos, Nanos)>,
    /// Copies made by the network that the session dropped.
    pub copies_dropped: u64,
    /// Frames that found the process down or were cut.
    pub frames_lost: u64,
    /// What was read here and was not as it had been reported.
    pub misreads: Vec<Misread>,
    /// Handlers by their kinds, if they are to be swept.
    pub steps: Option<Vec<Step>>,
    /// Handlers, if traced.
    pub trace: Option<Vec<TraceEvent>>,
}
