//! Two branches that meet again: whether a replica re-computes the same depends on the union.

use super::fork::fork;
use super::line::Stage;
use super::{InputSchema, Pipeline, Topology};
use crate::operator::Operator;
use crate::operators::{ArrivalUnion, Map, SortedUnion};
use crate::options::{OptionDoc, OptionKind, Options};
use crate::plan::Partitioning;
use crate::protocol::SemanticId;

/// source -> left and right -> union -> format -> sink.
pub(super) const PIPELINE: Pipeline = Pipeline {
    name: "diamond",
    summary: "two maps side by side, and a union that folds the order of both into its answers",
    input: InputSchema::Generated,
    options: &[OptionDoc {
        name: "union",
        kind: OptionKind::Choice(&["sorted", "arrival"]),
        default: "sorted",
        doc: "Take both branches in the order of schedule, or as they arrive.",
    }],
    build,
    describe,
};

fn build(options: &Options) -> Topology {
    let union: Box<dyn Operator> = match options.choice("union") {
        "arrival" => Box::new(ArrivalUnion::default()),
        _ => Box::new(SortedUnion::default()),
    };
    let union = Stage { name: "union", operator: union, fed: Partitioning::Forward };
    fork(Stage::forward("left", Map), Stage::forward("right", Map), union)
}

fn describe(id: &SemanticId, _symbols: &[String]) -> String {
    // Both unions number the kinds of their answers alike.
    let side = if id.kind == SortedUnion::FIRST_STREAM { "left" } else { "right" };
    format!("tuple {} of {side}", id.index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_have_names_for_people() {
        let name = |kind| describe(&SemanticId { kind, key: 0, index: 8 }, &[]);
        assert_eq!(ArrivalUnion::FIRST_STREAM, SortedUnion::FIRST_STREAM);
        assert_eq!(name(SortedUnion::FIRST_STREAM), "tuple 8 of left");
        assert_eq!(name(SortedUnion::FIRST_STREAM + 1), "tuple 8 of right");
    }
}
