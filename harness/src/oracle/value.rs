//! Values: the same, wrong for a while, or wrong for ever.
//!
//! Speaks when an output carries another value than in the twin, in any of its copies. *Wrong for
//! ever* means: still wrong after the last fault's R3 and the span of the operators have passed;
//! where there is no R3, still wrong in the last tenth of the stream.

use super::Case;
use crate::metrics::recovery::span_ns;
use aftermath_reports::record::ValueClass;

/// What became of values.
pub fn classify(case: &Case) -> ValueClass {
    let Some(last_wrong) = case.ledger.wrong_at().max() else { return ValueClass::Same };
    let systems = &case.run.plan.systems;
    let end = systems.workload.end_at;
    let recoveries = &case.recoveries.list;
    let recovered: Option<Vec<_>> = recoveries.iter().map(|from| from.recovered_at()).collect();
    let limit = match recovered.and_then(|instants| instants.into_iter().max()) {
        // If that lies behind the end, nothing says that it would not have converged.
        Some(at) => at + span_ns(systems),
        None => end - end / 10,
    };
    if last_wrong > limit { ValueClass::Diverges } else { ValueClass::Converges }
}
