//! Windows that a clock closes: the answer depends on when tuples arrive.

use super::line::{Stage, line};
use super::{InputSchema, Pipeline, Topology};
use crate::operators::{Map, TimeoutWindow};
use crate::options::{OptionDoc, OptionKind, Options};
use crate::plan::Partitioning;
use crate::protocol::SemanticId;

/// source -> timeout -> format -> sink.
pub(super) const PIPELINE: Pipeline = Pipeline {
    name: "time-out",
    summary: "counts and sums per key in windows of processing time, then a stateless map",
    input: InputSchema::Generated,
    options: &[OptionDoc {
        name: "timeout",
        kind: OptionKind::Duration,
        default: "100ms",
        doc: "How long after its first tuple a window closes.",
    }],
    build,
    describe,
};

fn build(options: &Options) -> Topology {
    let timeout = options.duration("timeout").expect("it has a default");
    let window = TimeoutWindow::new(timeout);
    let by_key = Partitioning::Keyed { column: 0 };
    line(
        Stage { name: "timeout", operator: Box::new(window), fed: by_key },
        // Windows of several numbers pass through unchanged.
        Stage { name: "format", operator: Box::new(Map), fed: Partitioning::Forward },
    )
}

fn describe(id: &SemanticId, _symbols: &[String]) -> String {
    format!("key {}, window {} by the clock", id.key, id.index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_have_names_for_people() {
        let id = SemanticId { kind: TimeoutWindow::CLOSED_WINDOW, key: 3, index: 7 };
        assert_eq!(describe(&id, &[]), "key 3, window 7 by the clock");
    }
}
