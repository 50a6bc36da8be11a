//! NEXMark's q1, currency conversion: no state at all.

use super::line::{Stage, line};
use super::{InputSchema, Pipeline, Topology};
use crate::operators::{Currency, Filter, Predicate};
use crate::options::Options;
use crate::protocol::SemanticId;

/// source -> bids -> convert -> sink.
pub(super) const PIPELINE: Pipeline = Pipeline {
    name: "nexmark-q1",
    summary: "NEXMark q1: every bid with its price in euros",
    input: InputSchema::Nexmark,
    options: &[],
    build,
    describe,
};

fn build(_options: &Options) -> Topology {
    line(Stage::forward("bids", Filter::new(Predicate::Bid)), Stage::forward("convert", Currency))
}

fn describe(id: &SemanticId, _symbols: &[String]) -> String {
    format!("bid, event {}", id.index)
}
