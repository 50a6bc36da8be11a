//! NEXMark's q8, monitor new users: two inputs and a window in the time of events.

use super::fork::fork;
use super::line::Stage;
use super::{InputSchema, Pipeline, Topology};
use crate::nexmark::PERSON;
use crate::operators::{Filter, NewSellers, Predicate};
use crate::options::{OptionDoc, OptionKind, Options};
use crate::plan::Partitioning;
use crate::protocol::SemanticId;

/// source -> people and auctions -> join -> format -> sink.
pub(super) const PIPELINE: Pipeline = Pipeline {
    name: "nexmark-q8",
    summary: "NEXMark q8: who registers and opens an auction within one window",
    input: InputSchema::Nexmark,
    options: &[OptionDoc {
        name: "window",
        kind: OptionKind::Duration,
        default: "10s",
        doc: "Length of the windows, which lie side by side in the time of the schedule.",
    }],
    build,
    describe,
};

fn build(options: &Options) -> Topology {
    let window = options.duration("window").expect("it has a default");
    let by_person = Partitioning::Keyed { column: PERSON };
    fork(
        Stage::forward("people", Filter::new(Predicate::Person)),
        Stage::forward("auctions", Filter::new(Predicate::Auction)),
        Stage { name: "join", operator: Box::new(NewSellers::new(window)), fed: by_person },
    )
}

fn describe(id: &SemanticId, _symbols: &[String]) -> String {
    format!("person {}, window {}", id.key, id.index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_have_names_for_people() {
        let id = SemanticId { kind: NewSellers::NEW_SELLER, key: 1_007, index: 3 };
        assert_eq!(describe(&id, &[]), "person 1007, window 3");
    }
}
