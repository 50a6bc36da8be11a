//! The shape of a diamond: source -> left and right -> meeting -> format -> sink.

use super::line::Stage;
use super::{Connection, Topology, Vertex, VertexRole};
use crate::operator::Operator;
use crate::operators::Map;
use crate::plan::Partitioning;

/// Every tuple goes down both branches, and `meeting` has two input streams: that of `left` comes
/// first in the order of ranks, because streams are numbered in the order of vertices.
pub(super) fn fork(left: Box<dyn Operator>, right: Box<dyn Operator>, meeting: Stage) -> Topology {
    let Stage { name, operator, fed } = meeting;
    let edge = |from, to, partitioning| Connection { from, to, partitioning };
    let connections = vec![
        edge("source", "left", Partitioning::Forward),
        edge("source", "right", Partitioning::Forward),
        edge("left", name, fed),
        edge("right", name, fed),
        edge(name, "format", Partitioning::Forward),
        edge("format", "sink", Partitioning::Forward),
    ];
    let task = |name, operator| Vertex { name, role: VertexRole::Task(operator) };
    let vertices = vec![
        Vertex { name: "source", role: VertexRole::Source },
        task("left", left),
        task("right", right),
        task(name, operator),
        task("format", Box::new(Map)),
        Vertex { name: "sink", role: VertexRole::Sink },
    ];
    Topology { vertices, connections }
}
