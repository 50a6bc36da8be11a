//! Every pipeline of the list can be built and is connected.

use aftermath_systems::options::Options;
use aftermath_systems::pipelines::{ALL, VertexRole, find};
use aftermath_systems::plan::Partitioning;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn every_pipeline_runs_from_one_source_to_one_sink() {
    for pipeline in ALL {
        let name = pipeline.name;
        let options = Options::resolve(pipeline.options, &BTreeMap::new());
        let topology = (pipeline.build)(&options.expect("the defaults are right"));
        let order: Vec<_> = topology.vertices.iter().map(|vertex| vertex.name).collect();
        assert_eq!(
            order.iter().collect::<BTreeSet<_>>().len(),
            order.len(),
            "{name}: one name each"
        );
        let position = |vertex| order.iter().position(|name| *name == vertex);
        for edge in &topology.connections {
            let (from, to) = (position(edge.from), position(edge.to));
            assert!(from.is_some() && from < to, "{name}: {} -> {}", edge.from, edge.to);
        }
        for vertex in &topology.vertices {
            let fed = topology.connections.iter().any(|edge| edge.to == vertex.name);
            let feeds = topology.connections.iter().any(|edge| edge.from == vertex.name);
            let ends = match vertex.role {
                VertexRole::Source => (false, true),
                VertexRole::Task(_) => (true, true),
                VertexRole::Sink => (true, false),
            };
            assert_eq!((fed, feeds), ends, "{name}: {}", vertex.name);
        }
    }
}

#[test]
fn state_per_key_is_fed_by_key() {
    for (pipeline, stateful) in [
        ("keyed-count", "count"),
        ("flights", "delays"),
        ("nexmark-q3", "join"),
        ("nexmark-q8", "join"),
        ("nexmark-q12", "count"),
    ] {
        let pipeline = find(pipeline).expect("it is in the list");
        let options = Options::resolve(pipeline.options, &BTreeMap::new());
        let topology = (pipeline.build)(&options.expect("the defaults are right"));
        let edge = topology.connections.iter().find(|edge| edge.to == stateful);
        let partitioning = edge.expect("it is fed").partitioning;
        assert!(matches!(partitioning, Partitioning::Keyed { .. }), "{}", pipeline.name);
    }
}
