//! Values: the same, wrong for a while, or wrong for ever.
//!
//! Speaks when an output carries another value than in the twin, in any of its copies. *Wrong for
//! ever* means: wrong after the last fault's R3 and the span of the operators have passed, and
//! before somebody takes over once more, as happens when hosts come back in the end. Where the
//! stream ends before there is an R3, nothing says that it would not have converged.

use super::Case;
use crate::machine::Delivery;
use crate::metrics::recovery::span_ns;
use aftermath_reports::record::ValueClass;
use aftermath_systems::protocol::Nanos;

/// What became of values.
pub fn classify(case: &Case) -> ValueClass {
    if case.ledger.wrong().next().is_none() {
        return ValueClass::Same;
    }
    let last = case.recoveries.list.iter().max_by_key(|from| from.at);
    let Some(recovered) = last.and_then(|from| from.recovered_at()) else {
        return ValueClass::Converges;
    };
    let limit = recovered + span_ns(&case.run.plan.systems);
    let marks = case.run.nodes.iter().flat_map(|node| &node.log.marks);
    let again = marks.filter(|mark| mark.name == "took-over" && mark.at > recovered);
    let again = again.map(|mark| mark.at).min().unwrap_or(Nanos::MAX);
    let for_ever = |wrong: &Delivery| wrong.scheduled > limit && wrong.at < again;
    if case.ledger.wrong().any(for_ever) { ValueClass::Diverges } else { ValueClass::Converges }
}
