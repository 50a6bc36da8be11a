//! Two inputs with bounded memory: what is needed of one depends on how far the other is.

use super::fork::fork;
use super::line::Stage;
use super::{InputSchema, Pipeline, Topology};
use crate::operators::{Filter, Predicate, WindowedJoin};
use crate::options::{OptionDoc, OptionKind, Options};
use crate::plan::Partitioning;
use crate::protocol::SemanticId;

/// source -> left and right -> join -> format -> sink.
pub(super) const PIPELINE: Pipeline = Pipeline {
    name: "join",
    summary: "even numbers to the left, odd ones to the right, joined by key within a window",
    input: InputSchema::Generated,
    options: &[OptionDoc {
        name: "window",
        kind: OptionKind::Duration,
        default: "200ms",
        doc: "Tuples meet that are scheduled less than this apart; some twenty keys keep the outputs few.",
    }],
    build,
    describe,
};

fn build(options: &Options) -> Topology {
    let window = options.duration("window").expect("it has a default");
    let join = WindowedJoin::new(window);
    let by_key = Partitioning::Keyed { column: 0 };
    fork(
        Stage::forward("left", Filter::new(Predicate::EvenValue)),
        Stage::forward("right", Filter::new(Predicate::OddValue)),
        Stage { name: "join", operator: Box::new(join), fed: by_key },
    )
}

fn describe(id: &SemanticId, _symbols: &[String]) -> String {
    let (left, right) = WindowedJoin::indexes(id.index);
    format!("key {}, tuples {left} and {right}", id.key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_have_names_for_people() {
        let index = WindowedJoin::index(40, 7, true);
        let id = SemanticId { kind: WindowedJoin::MEETING, key: 3, index };
        assert_eq!(describe(&id, &[]), "key 3, tuples 40 and 7");
    }
}
