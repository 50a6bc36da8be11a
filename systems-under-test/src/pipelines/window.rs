//! State of a bounded span: what went wrong passes.

use super::line::{Stage, describe_generated, line};
use super::{InputSchema, Pipeline, Topology};
use crate::operators::{Map, SlidingWindow};
use crate::options::{OptionDoc, OptionKind, Options};
use crate::plan::Partitioning;

/// source -> window -> format -> sink.
pub(super) const PIPELINE: Pipeline = Pipeline {
    name: "window",
    summary: "the sum over a sliding window, then a stateless map",
    input: InputSchema::Generated,
    options: &[OptionDoc {
        name: "span",
        kind: OptionKind::Duration,
        default: "1s",
        doc: "Length of the window that ends at each tuple.",
    }],
    build,
    describe: describe_generated,
};

fn build(options: &Options) -> Topology {
    let span = options.duration("span").expect("it has a default");
    let window = SlidingWindow::new(span);
    line(
        Stage { name: "window", operator: Box::new(window), fed: Partitioning::Forward },
        Stage { name: "format", operator: Box::new(Map), fed: Partitioning::Forward },
    )
}
