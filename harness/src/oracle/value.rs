//! Values: the same, wrong for a while, or wrong for ever.
//!
//! Speaks when an output carries another value than in the twin, in any of its copies. *Wrong for
//! ever* means: wrong after the last fault's R3 and the span of the operators have passed (after R2
//! if the stream ends before there is an R3: values must be right whatever the lag is), and before
//! somebody takes over once more, because a host has come back or a leader that lives is
//! suspected. Where there is not even an R2, nothing says that it would not have converged; nor
//! where somebody who led has died and nobody has taken over.

use super::Case;
use crate::faults::{Effect, Weather};
use crate::machine::{Delivery, Strike};
use crate::met::telling;
use crate::plan::reach::span_ns;
use crate::run::RunLog;
use aftermath_reports::record::ValueClass;
use aftermath_systems::protocol::Nanos;

/// What became of values.
pub fn classify(case: &Case) -> ValueClass {
    if case.ledger.wrong().next().is_none() {
        return ValueClass::Same;
    }
    let Some(last) = case.recoveries.list.iter().max_by_key(|from| from.at) else {
        // Wrong without a fault that met anything.
        return ValueClass::Diverges;
    };
    let new_output = last.recovery.r2.ns().map(|r2| last.at + r2);
    let Some(recovered) = last.recovered_at().or(new_output) else {
        return ValueClass::Converges;
    };
    let strikes = telling(case.run);
    // Another fault may have come before the successor of a leader that had died.
    let mut stopped = case.recoveries.list.iter().filter(|from| {
        let led = |(_, strike): &(_, &Strike)| strike.fault == from.fault && strike.was_primary;
        case.run.kind(from.fault).kills() && strikes.iter().any(led)
    });
    let back = stopped.try_fold(0, |latest, from| Some(from.back_at?.max(latest)));
    let Some(back) = back else { return ValueClass::Converges };
    let recovered = led_on(case, recovered.max(back));
    // As long as old inputs come again they spoil what is new.
    let old_inputs = strikes.iter().map(|(_, strike)| old_inputs_until(case.run, strike));
    let limit = old_inputs.fold(recovered, Nanos::max) + span_ns(&case.run.plan.systems);
    // Somebody has come back since, or a fault that lets leaders live is still on.
    let explained = |from: Nanos, to: Nanos| {
        strikes.iter().any(|(_, strike)| {
            let healed = strike.healed.unwrap_or(Nanos::MAX);
            let lives = !case.run.kind(strike.fault).kills();
            (healed > from && healed <= to) || (lives && strike.at <= to && healed > from)
        })
    };
    let marks = case.run.nodes.iter().flat_map(|node| &node.log.marks);
    let since = marks.filter(|mark| mark.name == "took-over" && mark.at > recovered);
    let again = since.filter(|mark| explained(recovered, mark.at));
    let again = again.map(|mark| mark.at).min().unwrap_or(Nanos::MAX);
    let for_ever = |wrong: &Delivery| wrong.scheduled > limit && wrong.at < again;
    if case.ledger.wrong().any(for_ever) { ValueClass::Diverges } else { ValueClass::Converges }
}

/// Recovery may have been read off outputs that were on their way from a leader that had been
/// replaced already: until the first new output of whoever had taken over by then, ns.
fn led_on(case: &Case, recovered: Nanos) -> Nanos {
    let marks = case.run.nodes.iter().flat_map(|node| &node.log.marks);
    let before = marks.filter(|mark| mark.name == "took-over" && mark.at <= recovered);
    let new = case.ledger.new_outputs();
    let led = before.filter_map(|mark| new.iter().find(|d| d.lineage >= mark.at).map(|d| d.at));
    led.fold(recovered, Nanos::max)
}

/// Until when a fault may hand on old inputs, ns; 0 if it does not.
fn old_inputs_until(run: &RunLog, strike: &Strike) -> Nanos {
    match run.plan.faults[strike.fault].effect {
        Effect::Link(Weather::Again { within_ns, .. }) => {
            strike.healed.unwrap_or(run.length_ns).saturating_add(within_ns)
        }
        _ => 0,
    }
}
