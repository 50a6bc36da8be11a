//! The phases between a fault and the moment at which somebody computes again.
//!
//! Either a spare suspects the failure and takes over, or the machine itself is back first. Then
//! streams are redirected, which takes as long as the scenario says. What an activation or restart
//! takes beyond that is restoring: asking for state, reading and loading it, and waiting for the
//! other members of a region. A standby that has its state already has no such phase.

use crate::machine::Strike;
use crate::run::RunLog;
use aftermath_reports::record::Time;
use aftermath_systems::protocol::{InstanceId, Nanos};

/// Phases up to the first input that is processed again.
pub struct Phases {
    /// Until the machine itself was back.
    pub down: Time,
    /// Until a spare suspected the failure.
    pub detect: Time,
    /// Until streams were redirected.
    pub redirect: Time,
    /// Until state was restored.
    pub restore: Time,
    /// When all this was over, ns.
    pub over: Option<Nanos>,
}

/// Measures the phases after a strike on `instance` and before `until`, with its first activation
/// and its first new output after that.
pub fn phases(
    run: &RunLog,
    instance: InstanceId,
    strike: &Strike,
    until: Nanos,
    activation: Option<Nanos>,
    first_new: Option<Nanos>,
) -> Phases {
    let from = strike.at;
    let before = |limit: Option<Nanos>, at: &Nanos| limit.is_none_or(|limit| *at <= limit);
    let suspected = run.mark_after(instance, "suspected", from);
    let suspected = suspected.filter(|at| *at < until && before(activation, at));
    // Who was not killed does not come back.
    let back = strike.healed.filter(|_| run.kind(strike.fault).kills());
    let healed = back.filter(|at| suspected.is_none() && before(activation, at));
    let healed = healed.filter(|_| activation.is_some());
    let redirected = activation.and_then(|activation| {
        let begun = suspected.or(healed)?;
        Some(activation.min(begun + run.plan.systems.settings.redirect))
    });
    let took_over = activation.and_then(|at| run.first_mark(instance, "took-over", at));
    let took_over = took_over.filter(|at| first_new.is_some_and(|first| *at <= first));
    let over = took_over.or(activation);
    let since = |a: Option<Nanos>, b: Option<Nanos>| match (a, b) {
        (Some(a), Some(b)) => Time::Ns(b.saturating_sub(a)),
        _ => Time::None,
    };
    let restore = match since(redirected, over) {
        Time::Ns(0) => Time::None,
        time => time,
    };
    Phases {
        down: since(healed.and(Some(from)), healed),
        detect: since(suspected.and(Some(from)), suspected),
        redirect: since(suspected.or(healed), redirected),
        restore,
        over,
    }
}
