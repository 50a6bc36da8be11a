//! The shape that most pipelines have: source -> first -> second -> sink.

use super::{Connection, Topology, Vertex, VertexRole};
use crate::operator::Operator;
use crate::plan::Partitioning;
use crate::protocol::SemanticId;

/// An operator of the line.
pub(super) struct Stage {
    /// Its name in scenarios.
    pub(super) name: &'static str,
    /// What it computes.
    pub(super) operator: Box<dyn Operator>,
    /// How the edge into it distributes tuples.
    pub(super) fed: Partitioning,
}

impl Stage {
    /// An operator that is fed whatever the one before it puts out.
    pub(super) fn forward(name: &'static str, operator: impl Operator + 'static) -> Stage {
        Stage { name, operator: Box::new(operator), fed: Partitioning::Forward }
    }
}

/// Connects two operators with a source and a sink. The edge into the sink, which has one
/// instance, is a plain one.
pub(super) fn line(first: Stage, second: Stage) -> Topology {
    let connections = vec![
        Connection { from: "source", to: first.name, partitioning: first.fed },
        Connection { from: first.name, to: second.name, partitioning: second.fed },
        Connection { from: second.name, to: "sink", partitioning: Partitioning::Forward },
    ];
    let task = |stage: Stage| Vertex { name: stage.name, role: VertexRole::Task(stage.operator) };
    let vertices = vec![
        Vertex { name: "source", role: VertexRole::Source },
        task(first),
        task(second),
        Vertex { name: "sink", role: VertexRole::Sink },
    ];
    Topology { vertices, connections }
}

/// Names an output that has the semantic id of the generated tuple that caused it.
pub(super) fn describe_generated(id: &SemanticId, _symbols: &[String]) -> String {
    format!("tuple {}", id.index)
}
