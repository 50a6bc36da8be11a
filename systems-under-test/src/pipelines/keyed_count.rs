//! State that goes back to the start: what is lost or repeated once is wrong for ever.

use super::line::{Stage, describe_generated, line};
use super::{InputSchema, Pipeline, Topology};
use crate::operators::{Map, Running, RunningKind};
use crate::options::Options;
use crate::plan::Partitioning;

/// source -> count -> format -> sink.
pub(super) const PIPELINE: Pipeline = Pipeline {
    name: "keyed-count",
    summary: "a running count per key, then a stateless map",
    input: InputSchema::Generated,
    options: &[],
    build,
    describe: describe_generated,
};

fn build(_options: &Options) -> Topology {
    let count = Running::new(RunningKind::Count);
    line(
        Stage { name: "count", operator: Box::new(count), fed: Partitioning::Keyed { column: 0 } },
        Stage { name: "format", operator: Box::new(Map), fed: Partitioning::Forward },
    )
}
