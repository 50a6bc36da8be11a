//! Values: the same, wrong for a while, or wrong for ever.
//!
//! Speaks when an output carries another value than in the twin, in any of its copies. *Wrong for
//! ever* means: still wrong after the last fault's R3 and the span of the operators have passed.
//! Where the stream ends before there is an R3, nothing says that it would not have converged.

use super::Case;
use crate::metrics::recovery::span_ns;
use aftermath_reports::record::ValueClass;

/// What became of values.
pub fn classify(case: &Case) -> ValueClass {
    let Some(last_wrong) = case.ledger.wrong_at().max() else { return ValueClass::Same };
    let systems = &case.run.plan.systems;
    let last = case.recoveries.list.iter().max_by_key(|from| from.at);
    let Some(recovered) = last.and_then(|from| from.recovered_at()) else {
        return ValueClass::Converges;
    };
    let limit = recovered + span_ns(systems);
    if last_wrong > limit { ValueClass::Diverges } else { ValueClass::Converges }
}
