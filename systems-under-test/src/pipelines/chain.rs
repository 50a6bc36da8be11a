//! Two stateless operators: what remains to go wrong is delivery alone.

use super::line::{Stage, describe_generated, line};
use super::{InputSchema, Pipeline, Topology};
use crate::operators::Map;
use crate::options::Options;
use crate::plan::Partitioning;

/// source -> map -> format -> sink.
pub(super) const PIPELINE: Pipeline = Pipeline {
    name: "chain",
    summary: "two stateless maps in a row",
    input: InputSchema::Generated,
    options: &[],
    build,
    describe: describe_generated,
};

fn build(_options: &Options) -> Topology {
    line(
        Stage { name: "map", operator: Box::new(Map), fed: Partitioning::Forward },
        Stage { name: "format", operator: Box::new(Map), fed: Partitioning::Forward },
    )
}
