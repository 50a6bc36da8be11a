//! NEXMark's q3, local item suggestion: a join whose state goes back to the start.

use super::fork::fork;
use super::line::Stage;
use super::{InputSchema, Pipeline, Topology};
use crate::nexmark::PERSON;
use crate::operators::{Filter, Predicate, SellerJoin};
use crate::options::Options;
use crate::plan::Partitioning;
use crate::protocol::SemanticId;

/// source -> people and auctions -> join -> format -> sink.
pub(super) const PIPELINE: Pipeline = Pipeline {
    name: "nexmark-q3",
    summary: "NEXMark q3: what people of Oregon, Idaho and California sell in category 10",
    input: InputSchema::Nexmark,
    options: &[],
    build,
    describe,
};

fn build(_options: &Options) -> Topology {
    let by_person = Partitioning::Keyed { column: PERSON };
    fork(
        Stage::forward("people", Filter::new(Predicate::LocalPerson)),
        Stage::forward("auctions", Filter::new(Predicate::AuctionOfCategoryTen)),
        Stage { name: "join", operator: Box::new(SellerJoin::default()), fed: by_person },
    )
}

fn describe(id: &SemanticId, _symbols: &[String]) -> String {
    format!("person {}, auction {}", id.key, id.index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_have_names_for_people() {
        let id = SemanticId { kind: SellerJoin::OFFER, key: 1_007, index: 2_000 };
        assert_eq!(describe(&id, &[]), "person 1007, auction 2000");
    }
}
