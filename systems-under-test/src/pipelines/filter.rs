//! Inputs without an output: what was dropped on purpose must not be held back, nor missed.

use super::line::{Stage, describe_generated, line};
use super::{InputSchema, Pipeline, Topology};
use crate::operators::{Filter, Map, Predicate};
use crate::options::Options;
use crate::plan::Partitioning;

/// source -> filter -> format -> sink.
pub(super) const PIPELINE: Pipeline = Pipeline {
    name: "filter",
    summary: "a filter that drops a fifth of the tuples, then a stateless map",
    input: InputSchema::Generated,
    options: &[],
    build,
    describe: describe_generated,
};

/// Numbers are drawn from 1 to 100: a fifth of them is not below.
const BOUND: i64 = 80;

fn build(_options: &Options) -> Topology {
    let filter = Filter::new(Predicate::EveryValueBelow(BOUND));
    line(
        Stage { name: "filter", operator: Box::new(filter), fed: Partitioning::Forward },
        Stage { name: "format", operator: Box::new(Map), fed: Partitioning::Forward },
    )
}
