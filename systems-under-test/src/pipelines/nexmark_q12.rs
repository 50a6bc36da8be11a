//! NEXMark's q12, bids in windows of processing time: the answer depends on when bids arrive.

use super::line::{Stage, line};
use super::{InputSchema, Pipeline, Topology};
use crate::nexmark::PERSON;
use crate::operators::{ClockWindow, Filter, Predicate};
use crate::options::{OptionDoc, OptionKind, Options};
use crate::plan::Partitioning;
use crate::protocol::SemanticId;

/// source -> bids -> count -> sink.
pub(super) const PIPELINE: Pipeline = Pipeline {
    name: "nexmark-q12",
    summary: "NEXMark q12: bids per bidder in windows of processing time",
    input: InputSchema::Nexmark,
    options: &[OptionDoc {
        name: "window",
        kind: OptionKind::Duration,
        default: "10s",
        doc: "Length of the windows, which lie side by side in the time of the clock.",
    }],
    build,
    describe,
};

fn build(options: &Options) -> Topology {
    let window = options.duration("window").expect("it has a default");
    let by_bidder = Partitioning::Keyed { column: PERSON };
    line(
        Stage::forward("bids", Filter::new(Predicate::Bid)),
        Stage { name: "count", operator: Box::new(ClockWindow::new(window)), fed: by_bidder },
    )
}

fn describe(id: &SemanticId, _symbols: &[String]) -> String {
    format!("bidder {}, window {} by the clock", id.key, id.index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_have_names_for_people() {
        let id = SemanticId { kind: ClockWindow::CLOSED_WINDOW, key: 1_007, index: 3 };
        assert_eq!(describe(&id, &[]), "bidder 1007, window 3 by the clock");
    }
}
