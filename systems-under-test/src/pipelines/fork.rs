//! The shape of a diamond: source -> two branches -> where they meet -> format -> sink.

use super::line::Stage;
use super::{Connection, Topology, Vertex, VertexRole};
use crate::operators::Map;
use crate::plan::Partitioning;

/// Every tuple goes down both branches, and `meeting` has two input streams: that of `left` comes
/// first in the order of ranks, because streams are numbered in the order of vertices.
pub(super) fn fork(left: Stage, right: Stage, meeting: Stage) -> Topology {
    let edge = |from, to, partitioning| Connection { from, to, partitioning };
    let connections = vec![
        edge("source", left.name, left.fed),
        edge("source", right.name, right.fed),
        edge(left.name, meeting.name, meeting.fed),
        edge(right.name, meeting.name, meeting.fed),
        edge(meeting.name, "format", Partitioning::Forward),
        edge("format", "sink", Partitioning::Forward),
    ];
    let task = |name, operator| Vertex { name, role: VertexRole::Task(operator) };
    let vertices = vec![
        Vertex { name: "source", role: VertexRole::Source },
        task(left.name, left.operator),
        task(right.name, right.operator),
        task(meeting.name, meeting.operator),
        task("format", Box::new(Map)),
        Vertex { name: "sink", role: VertexRole::Sink },
    ];
    Topology { vertices, connections }
}
