//! The plan: topology, contracts and settings that every node may read. Built once for a run,
//! constant while it lasts. Network latencies, faults and randomness are the world's own and are
//! not here.

use crate::operator::Operator;
use crate::planted_bugs::Bug;
use crate::protocol::{
    ChannelId, EdgeId, InstanceId, Nanos, NodeId, OperatorId, Payload, SemanticId, StreamId,
};
use serde::{Deserialize, Serialize};

/// How a receiver deals with tuples it has seen before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dedup {
    /// It takes everything.
    Off,
    /// It drops what lies before the next wanted position of the stream. Needs FIFO channels.
    Receiver,
    /// As `Receiver`, and a new primary asks it for that position before it sends anything, so that
    /// no duplicate is even sent.
    Handshake,
}

/// Which replicas of the receiver an edge feeds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Feed {
    /// Only the one that leads.
    Primary,
    /// All of them.
    AllReplicas,
}

/// What the strategies of both ends of an edge agreed on at planning time. Sources and sinks
/// belong to no strategy: they honour contracts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EdgeContract {
    /// Who is fed.
    pub feed: Feed,
    /// Whether the sender keeps what it sent until it is trimmed.
    pub retain: bool,
    /// Whether the receiver acknowledges (and, if retained, trims), and how often.
    pub ack_every: Option<Nanos>,
    /// First instant of the acknowledgement grid.
    pub ack_phase: Nanos,
    /// Deduplication at the receiver.
    pub dedup: Dedup,
}

/// How an edge distributes tuples over the receiver's instances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Partitioning {
    /// Instance i feeds instance i; both sides have the same parallelism, or one side has one.
    Forward,
    /// By a hash of the key in this column.
    Keyed {
        /// Column of a record; ignored for pairs.
        column: usize,
    },
    /// Every instance gets every tuple.
    Broadcast,
}

/// A connection of the dataflow.
#[derive(Clone, Debug)]
pub struct EdgePlan {
    /// Sending operator.
    pub from: OperatorId,
    /// Receiving operator.
    pub to: OperatorId,
    /// How tuples are distributed.
    pub partitioning: Partitioning,
    /// What both ends agreed on.
    pub contract: EdgeContract,
    /// Modelled size of a tuple on this edge, bytes.
    pub tuple_bytes: u64,
}

/// What kind of vertex an operator is.
pub enum OperatorRole {
    /// A durable, replayable log with offsets: survives everything.
    Source,
    /// An operator; the box is its empty state.
    Task(Box<dyn Operator>),
    /// The outside world: records delivery and deduplication position in one durable step.
    Sink,
    /// Runs the protocol of a region; no data passes it.
    Coordinator,
}

/// A vertex of the dataflow.
pub struct OperatorPlan {
    /// Its name in scenarios.
    pub name: String,
    /// What it is.
    pub role: OperatorRole,
    /// CPU time of one tuple, ns (0: infinitely fast).
    pub service_ns: Nanos,
    /// Whether the scenario's strategy protects it (the others run plain and alone).
    pub protected: bool,
    /// Its instances.
    pub instances: Vec<InstanceId>,
    /// Edges into it.
    pub inputs: Vec<EdgeId>,
    /// Edges out of it.
    pub outputs: Vec<EdgeId>,
}

impl OperatorPlan {
    /// The empty operator of a task.
    pub fn operator(&self) -> Option<&dyn Operator> {
        match &self.role {
            OperatorRole::Task(operator) => Some(operator.as_ref()),
            _ => None,
        }
    }
}

/// One parallel instance.
#[derive(Clone, Debug)]
pub struct InstancePlan {
    /// Whose.
    pub operator: OperatorId,
    /// Which, from 0.
    pub index: u16,
    /// Its nodes; the first leads at the start.
    pub replicas: Vec<NodeId>,
    /// Channels into it.
    pub inputs: Vec<ChannelId>,
    /// Channels out of it.
    pub outputs: Vec<ChannelId>,
    /// (stream of an input, stream that its outputs have), sorted; for a source one (s, s).
    pub streams: Vec<(StreamId, StreamId)>,
    /// First instant of the instance's checkpoint grid.
    pub checkpoint_phase: Nanos,
    /// The region it belongs to, by number.
    pub region: Option<usize>,
}

/// (edge, sender instance, receiver instance).
#[derive(Clone, Debug)]
pub struct ChannelPlan {
    /// Of which edge.
    pub edge: EdgeId,
    /// Sender.
    pub from: InstanceId,
    /// Receiver.
    pub to: InstanceId,
    /// The streams that travel on it.
    pub streams: Vec<StreamId>,
}

/// A maximal connected set of operators that are checkpointed and rolled back together.
#[derive(Clone, Debug)]
pub struct RegionPlan {
    /// Who runs the protocol.
    pub coordinator: NodeId,
    /// The instances, upstream first.
    pub instances: Vec<InstanceId>,
}

/// One process on one machine.
#[derive(Clone, Debug)]
pub struct NodePlan {
    /// Its name: `count`, `count/0/1` (instance 0, replica 1).
    pub name: String,
    /// Replica of which instance.
    pub instance: InstanceId,
    /// Which replica, from 0.
    pub replica: u16,
    /// First instant of its heartbeat grid.
    pub heartbeat_phase: Nanos,
}

/// Periods and sizes that all strategies share.
#[derive(Clone, Debug)]
pub struct Settings {
    /// H: how often a primary shows life, ns.
    pub heartbeat_every: Nanos,
    /// K: how many periods without a sign of life until suspicion.
    pub heartbeat_misses: u64,
    /// R: what redirecting streams or starting a process costs, ns.
    pub redirect: Nanos,
    /// The longest that a heartbeat is under way, ns.
    pub heartbeat_delay: Nanos,
    /// By how much one may be under way longer than another, ns.
    pub heartbeat_jitter: Nanos,
    /// M: period of checkpoints to a standby and of acknowledgements, ns.
    pub interval: Nanos,
    /// Modelled size of an acknowledgement, trim or confirmation, bytes.
    pub ack_bytes: u64,
    /// Modelled size of a heartbeat, bytes.
    pub heartbeat_bytes: u64,
    /// Modelled size of a control message (take-over, hello, welcome) or marker, bytes.
    pub control_bytes: u64,
    /// Modelled size of one keyed entry of operator state, bytes.
    pub entry_bytes: u64,
    /// Whether dropping a duplicate costs no CPU (else it costs a full service).
    pub duplicates_free: bool,
}

impl Settings {
    /// How long a detector waits for a sign of life, ns: signs are as far apart as they were sent,
    /// and jitter.
    pub fn suspect_after(&self) -> Nanos {
        self.heartbeat_every * self.heartbeat_misses + self.heartbeat_jitter
    }

    /// How long a detector waits for the first sign of life of a process that starts with it, ns.
    /// The first must also come over.
    pub fn first_suspect_after(&self) -> Nanos {
        self.suspect_after() + self.heartbeat_delay
    }

    /// How long a host that is back waits for an answer to its hello, ns: a primary that is just
    /// being activated answers only then, and the longest link must be crossed twice.
    pub fn join_after(&self) -> Nanos {
        self.suspect_after() + self.redirect + 2 * self.heartbeat_delay
    }
}

/// One tuple of the input: when the source is to emit it, and what it carries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// Virtual instant, ns.
    pub scheduled: Nanos,
    /// Content.
    pub payload: Payload,
}

/// What the sources emit.
#[derive(Clone, Debug, Default)]
pub struct Workload {
    /// In the order of `scheduled`.
    pub inputs: Vec<Input>,
    /// Text of each symbol.
    pub symbols: Vec<String>,
    /// When the end marker is emitted, ns.
    pub end_at: Nanos,
}

/// The whole plan.
pub struct Plan {
    /// The pipeline's name.
    pub pipeline: &'static str,
    /// Vertices, in the order of the dataflow.
    pub operators: Vec<OperatorPlan>,
    /// Connections.
    pub edges: Vec<EdgePlan>,
    /// Instances of all operators.
    pub instances: Vec<InstancePlan>,
    /// Channels of all edges.
    pub channels: Vec<ChannelPlan>,
    /// Replicas of all instances.
    pub nodes: Vec<NodePlan>,
    /// Regions that a coordinator checkpoints and rolls back.
    pub regions: Vec<RegionPlan>,
    /// Shared settings.
    pub settings: Settings,
    /// The input.
    pub workload: Workload,
    /// A deliberately wrong variant, if the run plants one.
    pub bug: Option<Bug>,
    /// Names an output for people.
    pub describe: fn(&SemanticId, &[String]) -> String,
}

impl Plan {
    /// A vertex.
    pub fn operator(&self, id: OperatorId) -> &OperatorPlan {
        &self.operators[id.index()]
    }
    /// A connection.
    pub fn edge(&self, id: EdgeId) -> &EdgePlan {
        &self.edges[id.index()]
    }
    /// An instance.
    pub fn instance(&self, id: InstanceId) -> &InstancePlan {
        &self.instances[id.index()]
    }
    /// A channel.
    pub fn channel(&self, id: ChannelId) -> &ChannelPlan {
        &self.channels[id.index()]
    }
    /// A node.
    pub fn node(&self, id: NodeId) -> &NodePlan {
        &self.nodes[id.index()]
    }
    /// The contract of a channel's edge.
    pub fn contract(&self, id: ChannelId) -> &EdgeContract {
        &self.edge(self.channel(id).edge).contract
    }
    /// The vertex that a node is a replica of.
    pub fn operator_of(&self, node: NodeId) -> &OperatorPlan {
        self.operator(self.instance(self.node(node).instance).operator)
    }
    /// Whether both ends of a channel belong to one region: barriers pass it, and it is rolled back
    /// at both ends together.
    pub fn is_internal(&self, channel: ChannelId) -> bool {
        let ChannelPlan { from, to, .. } = self.channel(channel);
        let region = self.instance(*from).region;
        region.is_some() && region == self.instance(*to).region
    }
    /// The region that `node` belongs to or coordinates.
    pub fn region_of(&self, node: NodeId) -> Option<&RegionPlan> {
        match self.instance(self.node(node).instance).region {
            Some(region) => self.regions.get(region),
            None => self.regions.iter().find(|region| region.coordinator == node),
        }
    }
    /// The instances at the other ends of `instance`'s channels, each once, in order.
    pub fn neighbours(&self, instance: InstanceId) -> Vec<InstanceId> {
        let plan = self.instance(instance);
        let upstream = plan.inputs.iter().map(|c| self.channel(*c).from);
        let downstream = plan.outputs.iter().map(|c| self.channel(*c).to);
        let mut all: Vec<_> = upstream.chain(downstream).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
    /// The stream of an instance's outputs that are caused by inputs of `stream`.
    pub fn output_stream(&self, instance: InstanceId, stream: StreamId) -> StreamId {
        let streams = &self.instance(instance).streams;
        let found = streams.binary_search_by_key(&stream, |(input, _)| *input);
        streams[found.expect("a tuple arrives on a stream of its channel")].1
    }
}
