//! Recovery from each fault, measured at the sink in virtual time from the start of the fault.
//!
//! R1 and R2 are causal: the first (new) output that descends from an activation or restart after
//! the fault. What was in flight when the fault struck does not count, however long it queues.
//! R3 is the first new output, from R2 on, after which none lags more than the twin's worst lag
//! and 50 us. Lag is arrival minus the source's schedule of the latest contributing input.

use super::phases::phases;
use crate::ledger::Ledger;
use crate::machine::{Delivery, Strike};
use crate::met::met;
use crate::run::RunLog;
use aftermath_reports::record::{Recovery, Time};
use aftermath_systems::protocol::{InstanceId, Nanos};

/// Tolerance above the twin's worst lag, ns.
pub const LAG_MARGIN: Nanos = 50_000;

/// Recovery from one fault.
pub struct FromFault {
    /// Number of the fault in the schedule.
    pub fault: usize,
    /// When it struck, ns.
    pub at: Nanos,
    /// How the run recovered.
    pub recovery: Recovery,
    /// When the first new output came that descends from an activation after it, whatever else
    /// befell meanwhile, ns.
    pub back_at: Option<Nanos>,
}

impl FromFault {
    /// When the run had recovered (R3), ns.
    pub fn recovered_at(&self) -> Option<Nanos> {
        self.recovery.r3.ns().map(|r3| self.at + r3)
    }
}

/// Recoveries of a run.
pub struct Recoveries {
    /// The recoveries from faults that met something, by start.
    pub list: Vec<FromFault>,
}

/// Measures all recoveries; `lag_normal`: the lag up to which it is back to normal, ns.
pub fn recoveries(run: &RunLog, lag_normal: Nanos, ledger: &Ledger) -> Recoveries {
    let mut strikes = run.strikes();
    // What met nothing neither needs recovery nor ends that from another.
    strikes.retain(|(_, strike)| !met(run, strike).is_empty());
    strikes.sort_by_key(|(_, strike)| (strike.at, strike.fault));
    let mut list = Vec::new();
    for (node, strike) in &strikes {
        let later = strikes.iter().find(|(_, next)| next.at > strike.at);
        let until = later.map_or(Nanos::MAX, |(_, next)| next.at);
        let instance = run.plan.systems.node(*node).instance;
        let window = Window { run, ledger, instance, strike, until, lag_normal };
        let recovery = window.recovery();
        let back_at = Window { until: Nanos::MAX, ..window }.back_at();
        list.push(FromFault { fault: strike.fault, at: strike.at, recovery, back_at });
    }
    Recoveries { list }
}

/// Largest lag of all outputs, ns.
pub fn worst_lag(deliveries: &[Delivery]) -> Nanos {
    deliveries.iter().map(lag).max().unwrap_or(0)
}

/// Arrival minus source schedule, ns.
pub fn lag(delivery: &Delivery) -> Nanos {
    delivery.at.saturating_sub(delivery.scheduled)
}

/// What belongs to one fault: from its start until the next one.
struct Window<'a> {
    run: &'a RunLog,
    ledger: &'a Ledger<'a>,
    instance: InstanceId,
    strike: &'a Strike,
    until: Nanos,
    lag_normal: Nanos,
}

impl Window<'_> {
    fn inside(&self, at: Nanos) -> bool {
        at >= self.strike.at && at < self.until
    }

    /// The first activation that answers the fault, ns.
    fn activation(&self) -> Option<Nanos> {
        let from = self.strike.at;
        let activation = self.run.first_activation(self.instance, from);
        // Whoever was not killed and is not suspected was activated for another reason.
        let answers = |at: &Nanos| {
            let suspected = self.run.mark_after(self.instance, "suspected", from);
            self.run.kind(self.strike.fault).kills() || suspected.is_some_and(|s| s <= *at)
        };
        activation.filter(|at| self.inside(*at)).filter(answers)
    }

    /// When the first new output came that descends from that activation, ns.
    fn back_at(&self) -> Option<Nanos> {
        let activation = self.activation()?;
        let causal = |d: &&&Delivery| self.inside(d.at) && d.lineage >= activation;
        self.ledger.new_outputs().iter().find(causal).map(|delivery| delivery.at)
    }

    fn recovery(&self) -> Recovery {
        let from = self.strike.at;
        let inside = |at: Nanos| self.inside(at);
        let new: Vec<&Delivery> = self.ledger.new_outputs().to_vec();
        let activation = self.activation();
        let causal = |d: &&Delivery| inside(d.at) && activation.is_some_and(|a| d.lineage >= a);
        let r1_at = self.run.deliveries.iter().find(causal).map(|d| d.at);
        let r2_at = self.back_at();
        let r3 = match (self.r3(&new, r2_at.unwrap_or(from)), r2_at) {
            // What was on its way when its leader died says nothing about recovery.
            (Time::Ns(r3), None) if self.stopped() => Time::MoreThanNs(r3),
            (r3, _) => r3,
        };
        let r3_at = r3.ns().map_or(self.until.min(self.run.length_ns), |r3| from + r3);
        let since = |a: Option<Nanos>, b: Option<Nanos>| match (a, b) {
            (Some(a), Some(b)) => Time::Ns(b.saturating_sub(a)),
            _ => Time::None,
        };
        let phases = phases(self.run, self.instance, self.strike, self.until, activation, r2_at);
        let in_recovery = new.iter().filter(|d| d.at >= from && d.at <= r3_at);
        Recovery {
            r1: since(Some(from), r1_at),
            r2: since(Some(from), r2_at),
            r3,
            silence_ns: silence(&new, from, r3_at),
            peak_lag_ns: in_recovery.map(|d| lag(d)).max().unwrap_or(0),
            down: phases.down,
            detect: phases.detect,
            redirect: phases.redirect,
            restore: phases.restore,
            replay: since(phases.over, r2_at),
            catch_up: since(r2_at, r3.ns().map(|r3| from + r3)),
        }
    }

    /// Whether it has stopped whoever led.
    fn stopped(&self) -> bool {
        self.run.kind(self.strike.fault).kills() && self.strike.was_primary
    }

    fn r3(&self, new: &[&Delivery], not_before: Nanos) -> Time {
        let from = self.strike.at;
        let candidates: Vec<_> =
            new.iter().filter(|d| d.at >= not_before && d.at < self.until).collect();
        let late = candidates.iter().rposition(|d| lag(d) > self.lag_normal);
        let first_normal = late.map_or(0, |index| index + 1);
        match (candidates.get(first_normal), candidates.last()) {
            (Some(recovered), _) => Time::Ns(recovered.at - from),
            (None, Some(last)) => Time::MoreThanNs(last.at - from),
            (None, None) => Time::None,
        }
    }
}

/// Longest gap between arrivals of new outputs that overlaps [from, to], ns.
fn silence(new: &[&Delivery], from: Nanos, to: Nanos) -> Nanos {
    let gaps = new.windows(2).filter(|pair| pair[1].at > from && pair[0].at < to);
    gaps.map(|pair| pair[1].at - pair[0].at).max().unwrap_or(0)
}
