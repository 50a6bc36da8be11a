//! Values: the same, wrong for a while, or wrong for ever.
//!
//! Speaks when an output carries another value than in the twin, in any of its copies. *Wrong for
//! ever* means: still wrong after the last fault's R3 and the span of the operators have passed;
//! where the stream ends before that, still wrong in its last tenth.

use super::Case;
use crate::metrics::recovery::span_ns;
use aftermath_reports::record::ValueClass;

/// What became of values.
pub fn classify(case: &Case) -> ValueClass {
    let Some(last_wrong) = case.ledger.wrong_at().max() else { return ValueClass::Same };
    let systems = &case.run.plan.systems;
    let end = systems.workload.end_at;
    let recovered = case.recoveries.list.iter().filter_map(|from| from.recovered_at());
    let settled = recovered.max().map(|at| at + span_ns(systems)).filter(|at| *at < end);
    let limit = settled.unwrap_or(end - end / 10);
    if last_wrong > limit { ValueClass::Diverges } else { ValueClass::Converges }
}
