//! Pipelines: which operators, how connected, fed with what. One file each; adding one is that
//! file and its line in [`ALL`].

use crate::operator::Operator;
use crate::options::{OptionDoc, Options};
use crate::plan::Partitioning;
use crate::protocol::SemanticId;

mod chain;
mod diamond;
mod filter;
mod flights;
mod fork;
mod join;
mod keyed_count;
mod line;
mod nexmark_q1;
mod nexmark_q12;
mod nexmark_q3;
mod nexmark_q8;
mod time_out;
mod window;

/// A vertex before planning.
pub struct Vertex {
    /// Its name in scenarios.
    pub name: &'static str,
    /// What it is.
    pub role: VertexRole,
}

/// What a vertex is.
pub enum VertexRole {
    /// Emits the workload.
    Source,
    /// Runs this operator, given in its empty state.
    Task(Box<dyn Operator>),
    /// Receives the results.
    Sink,
}

/// A connection before planning; names of vertices.
pub struct Connection {
    /// Sender.
    pub from: &'static str,
    /// Receiver.
    pub to: &'static str,
    /// How tuples are distributed over parallel instances.
    pub partitioning: Partitioning,
}

/// A dataflow before planning.
pub struct Topology {
    /// Vertices, upstream first.
    pub vertices: Vec<Vertex>,
    /// Connections.
    pub connections: Vec<Connection>,
}

/// The type of a column of a recorded stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnType {
    /// Text, interned.
    Text,
    /// A whole number.
    Integer,
    /// An instant `YYYY-MM-DDTHH:MM` without a zone, read as minutes since 1970-01-01T00:00.
    Minute,
}

/// One column of a recorded stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its header.
    pub name: &'static str,
    /// Its type.
    pub kind: ColumnType,
}

/// What a pipeline reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputSchema {
    /// Generated pairs of a uniformly drawn key and a small number.
    Generated,
    /// Rows with these columns, in this order.
    Recorded(&'static [Column]),
    /// Events of NEXMark's auction site, see [`crate::nexmark`].
    Nexmark,
}

/// A pipeline of the list.
pub struct Pipeline {
    /// Its name in scenarios.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// What it reads.
    pub input: InputSchema,
    /// Its options.
    pub options: &'static [OptionDoc],
    /// Builds the dataflow.
    pub build: fn(&Options) -> Topology,
    /// Names an output for people, given the workload's symbols.
    pub describe: fn(&SemanticId, &[String]) -> String,
}

/// Every pipeline. Adding one is its file and its line here.
pub const ALL: &[Pipeline] = &[
    chain::PIPELINE,
    filter::PIPELINE,
    keyed_count::PIPELINE,
    window::PIPELINE,
    join::PIPELINE,
    diamond::PIPELINE,
    time_out::PIPELINE,
    flights::PIPELINE,
    nexmark_q1::PIPELINE,
    nexmark_q3::PIPELINE,
    nexmark_q8::PIPELINE,
    nexmark_q12::PIPELINE,
];

/// The pipeline of that name.
pub fn find(name: &str) -> Option<&'static Pipeline> {
    ALL.iter().find(|pipeline| pipeline.name == name)
}
