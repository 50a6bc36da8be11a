//! Whether a fault met anything: one that hit nothing must not look green.

use crate::machine::Strike;
use crate::run::RunLog;

/// What a fault met, for people; empty if nothing.
pub fn met(strike: &Strike) -> Vec<String> {
    let mut met = Vec::new();
    if strike.already_down {
        return met;
    }
    if strike.was_primary {
        met.push("stopped the active replica".to_string());
    }
    if strike.queued > 0 {
        met.push(format!("{} queued items lost", strike.queued));
    }
    if strike.unsaved {
        met.push("an unsaved write lost".to_string());
    }
    if strike.items_lost > 0 {
        met.push(format!("{} items found nobody", strike.items_lost));
    }
    if strike.messages_lost > 0 {
        met.push(format!("{} private messages found nobody", strike.messages_lost));
    }
    met
}

/// Whether all faults of a run met nothing. A fault that struck after the sources had ended and
/// everything was delivered did not strike at all.
pub fn all_idle(run: &RunLog) -> bool {
    let last = run.plan.systems.workload.end_at;
    let delivered = run.deliveries.last().map_or(last, |delivery| delivery.at.max(last));
    run.strikes().iter().all(|(_, strike)| met(strike).is_empty() || strike.at > delivered)
}
