//! From a pipeline and parallelism to operators, instances, nodes, channels and streams.

use super::{Assignment, contracts};
use crate::config::RunConfig;
use crate::regions::{coordinator_name, regions};
use crate::seed::Seed;
use crate::transfer::transfer;
use aftermath_systems::pipelines::{self, Connection, Topology, VertexRole};
use aftermath_systems::plan::{
    ChannelPlan, EdgePlan, InstancePlan, NodePlan, OperatorPlan, OperatorRole, Partitioning, Plan,
    RegionPlan, Settings,
};
use aftermath_systems::protocol::{
    ChannelId, EdgeId, InstanceId, Nanos, NodeId, OperatorId, StreamId,
};
use std::collections::BTreeMap;

/// Builds what nodes may know.
pub(super) fn build(config: &RunConfig, assigned: &Assignment, seed: Seed) -> Plan {
    let pipeline = pipelines::find(config.pipeline).expect("the scenario reader checked the name");
    let topology = (pipeline.build)(&config.pipeline_options);
    let mut plan = Plan {
        pipeline: pipeline.name,
        operators: Vec::new(),
        edges: Vec::new(),
        instances: Vec::new(),
        channels: Vec::new(),
        nodes: Vec::new(),
        regions: Vec::new(),
        settings: settings(config),
        workload: super::workload::build(config, seed),
        bug: config.plant,
        describe: pipeline.describe,
    };
    let coordinated = |name: &str| {
        config.protect.iter().any(|protected| protected == name)
            && assigned.of(name).is_coordinated()
    };
    let coordinated: Vec<bool> = topology.vertices.iter().map(|v| coordinated(v.name)).collect();
    let regions = regions(&topology, &coordinated);
    let connections = add_operators(&mut plan, topology, config, seed);
    add_regions(&mut plan, &regions, config, seed);
    add_edges(&mut plan, &connections, config, assigned, seed);
    add_streams(&mut plan);
    plan
}

fn settings(config: &RunConfig) -> Settings {
    let network = &config.network;
    let longest = |edges: &BTreeMap<_, Nanos>, others: Nanos| {
        edges.values().copied().fold(others, Nanos::max)
    };
    let jitter = longest(&network.edge_jitter_ns, network.jitter_ns);
    Settings {
        heartbeat_every: config.timing.heartbeat_ns,
        heartbeat_misses: config.timing.misses,
        redirect: config.timing.redirect_ns,
        heartbeat_delay: longest(&network.edge_latency_ns, network.latency_ns)
            + jitter
            + transfer(config.sizes.heartbeat, network.bandwidth_bytes_per_s),
        heartbeat_jitter: jitter,
        interval: config.timing.interval_ns,
        ack_bytes: config.sizes.ack,
        heartbeat_bytes: config.sizes.heartbeat,
        control_bytes: config.sizes.control,
        entry_bytes: config.sizes.entry,
        duplicates_free: config.duplicates_free,
    }
}

fn add_operators(
    plan: &mut Plan,
    topology: Topology,
    config: &RunConfig,
    seed: Seed,
) -> Vec<Connection> {
    for (number, vertex) in topology.vertices.into_iter().enumerate() {
        let name = vertex.name;
        let protected = config.protect.iter().any(|protected| protected == name);
        let parallelism = config.parallelism.get(name).copied().unwrap_or(1);
        let replicas = if protected { 1 + config.spares } else { 1 };
        let mut instances = Vec::new();
        for index in 0..parallelism {
            let instance = InstanceId(plan.instances.len() as u16);
            instances.push(instance);
            let mut nodes = Vec::new();
            for replica in 0..replicas {
                nodes.push(NodeId(plan.nodes.len() as u16));
                let name = if parallelism == 1 && replicas == 1 {
                    name.to_string()
                } else {
                    format!("{name}/{index}/{replica}")
                };
                let pinned = config.timing.heartbeat_phase_ns;
                let period = config.timing.heartbeat_ns;
                let heartbeat_phase = seed.phase(&format!("heartbeat/{name}"), period, pinned);
                plan.nodes.push(NodePlan { name, instance, replica, heartbeat_phase });
            }
            let pinned = config.timing.checkpoint_phase_ns;
            let period = config.timing.interval_ns;
            plan.instances.push(InstancePlan {
                operator: OperatorId(number as u16),
                index,
                replicas: nodes,
                inputs: Vec::new(),
                outputs: Vec::new(),
                streams: Vec::new(),
                checkpoint_phase: seed.phase(&format!("checkpoint/{name}/{index}"), period, pinned),
                region: None,
            });
        }
        plan.operators.push(OperatorPlan {
            name: name.to_string(),
            role: match vertex.role {
                VertexRole::Source => OperatorRole::Source,
                VertexRole::Task(operator) => OperatorRole::Task(operator),
                VertexRole::Sink => OperatorRole::Sink,
            },
            service_ns: config.service_ns.get(name).copied().unwrap_or(0),
            protected,
            instances,
            inputs: Vec::new(),
            outputs: Vec::new(),
        });
    }
    topology.connections
}

/// Gives each region a coordinator.
fn add_regions(plan: &mut Plan, regions: &[Vec<usize>], config: &RunConfig, seed: Seed) {
    for (number, of_region) in regions.iter().enumerate() {
        let instances = of_region.iter().flat_map(|vertex| &plan.operators[*vertex].instances);
        let instances: Vec<InstanceId> = instances.copied().collect();
        for instance in &instances {
            plan.instances[instance.index()].region = Some(number);
        }
        let name = coordinator_name(number);
        let instance = InstanceId(plan.instances.len() as u16);
        let node = NodeId(plan.nodes.len() as u16);
        let pinned = &config.timing;
        let heartbeat = seed.phase(
            &format!("heartbeat/{name}"),
            pinned.heartbeat_ns,
            pinned.heartbeat_phase_ns,
        );
        plan.nodes.push(NodePlan {
            name: name.clone(),
            instance,
            replica: 0,
            heartbeat_phase: heartbeat,
        });
        plan.instances.push(InstancePlan {
            operator: OperatorId(plan.operators.len() as u16),
            index: 0,
            replicas: vec![node],
            inputs: Vec::new(),
            outputs: Vec::new(),
            streams: Vec::new(),
            checkpoint_phase: seed.phase(
                &format!("checkpoint/{name}"),
                pinned.interval_ns,
                pinned.checkpoint_phase_ns,
            ),
            region: None,
        });
        plan.operators.push(OperatorPlan {
            name,
            role: OperatorRole::Coordinator,
            service_ns: 0,
            protected: false,
            instances: vec![instance],
            inputs: Vec::new(),
            outputs: Vec::new(),
        });
        plan.regions.push(RegionPlan { coordinator: node, instances });
    }
}

fn add_edges(
    plan: &mut Plan,
    connections: &[Connection],
    config: &RunConfig,
    assigned: &Assignment,
    seed: Seed,
) {
    for connection in connections {
        let find = |name: &str| {
            let found = plan.operators.iter().position(|operator| operator.name == name);
            OperatorId(found.expect("connections name vertices") as u16)
        };
        let (from, to) = (find(connection.from), find(connection.to));
        let edge = EdgeId(plan.edges.len() as u16);
        let contract = contracts::agree(plan, from, to, config, assigned, seed);
        plan.edges.push(EdgePlan {
            from,
            to,
            partitioning: connection.partitioning,
            contract,
            tuple_bytes: config.sizes.tuple,
        });
        plan.operators[from.index()].outputs.push(edge);
        plan.operators[to.index()].inputs.push(edge);
        let senders = plan.operator(from).instances.clone();
        let receivers = plan.operator(to).instances.clone();
        for (i, sender) in senders.iter().enumerate() {
            for (j, receiver) in receivers.iter().enumerate() {
                let pairs = senders.len() > 1 && receivers.len() > 1;
                if connection.partitioning == Partitioning::Forward && pairs && i != j {
                    continue;
                }
                let channel = ChannelId(plan.channels.len() as u16);
                let (from, to) = (*sender, *receiver);
                plan.channels.push(ChannelPlan { edge, from, to, streams: Vec::new() });
                plan.instances[sender.index()].outputs.push(channel);
                plan.instances[receiver.index()].inputs.push(channel);
            }
        }
    }
}

/// Every path of instances from a source is a stream of its own: only along one path do tuples
/// keep the order of their source, which positions rely on.
fn add_streams(plan: &mut Plan) {
    let mut next = 0;
    for index in 0..plan.instances.len() {
        let mut fresh = || {
            next += 1;
            StreamId(next - 1)
        };
        let mut streams: Vec<(StreamId, StreamId)> = Vec::new();
        let operator = plan.instances[index].operator;
        if matches!(plan.operator(operator).role, OperatorRole::Source) {
            let own = fresh();
            streams.push((own, own));
        }
        for channel in &plan.instances[index].inputs {
            for stream in &plan.channel(*channel).streams {
                streams.push((*stream, fresh()));
            }
        }
        streams.sort_unstable();
        for channel in plan.instances[index].outputs.clone() {
            plan.channels[channel.index()].streams = streams.iter().map(|(_, out)| *out).collect();
        }
        plan.instances[index].streams = streams;
    }
}

/// A span of time for every pair of nodes, such as a latency: that of the edge between their
/// operators, or the default. One given for one replica of the receiver is stronger than that of
/// the whole edge.
pub fn by_pair(
    plan: &Plan,
    default: Nanos,
    edges: &BTreeMap<(String, String), Nanos>,
) -> Vec<Nanos> {
    let count = plan.nodes.len();
    let mut spans = vec![default; count * count];
    let named = |name: &str| -> Vec<NodeId> {
        let nodes = (0..count as u16).map(NodeId);
        let is =
            |node: &NodeId| plan.node(*node).name == name || plan.operator_of(*node).name == name;
        nodes.filter(is).collect()
    };
    let mut given: Vec<_> = edges.iter().collect();
    given.sort_by_key(|((_, to), _)| to.contains('/'));
    for ((from, to), span) in given {
        for a in named(from) {
            for b in named(to) {
                spans[a.index() * count + b.index()] = *span;
                spans[b.index() * count + a.index()] = *span;
            }
        }
    }
    spans
}
