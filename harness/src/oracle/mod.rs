//! The judge: pure functions of a run's log and its twin's. One file a checker; each says what
//! makes it speak. Adding one is that file and its line in [`judge`].

mod claims;
mod durability;
mod leader;
mod memory;
mod pair;
mod reference;
mod state;
mod value;

pub use memory::shortest_stretch;

use crate::ledger::Ledger;
use crate::met;
use crate::metrics::load::is_overloaded;
use crate::metrics::recovery::{LAG_MARGIN, Recoveries, worst_lag};
use crate::run::RunLog;
use crate::signature::worse;
use crate::world::Ended;
use aftermath_reports::record::{Claimed, Counts, Guarantee, Status, Witness};
use aftermath_reports::words::guarantee;
use aftermath_systems::protocol::Nanos;

/// What a twin says of itself: the same for all runs that are compared with it.
pub struct Standard {
    /// Lag up to which a run is back to normal, ns.
    pub lag_normal_ns: Nanos,
    /// Whether more comes in than is worked off.
    pub overloaded: bool,
    /// Where it is not what the input says it must be.
    wrong: Option<Witness>,
    /// Its memory over the whole stream, if that is long enough.
    memory: Option<memory::Stretch>,
}

impl Standard {
    /// Of a twin.
    pub fn of(twin: &RunLog) -> Standard {
        Standard {
            lag_normal_ns: worst_lag(&twin.deliveries) + LAG_MARGIN,
            overloaded: is_overloaded(twin),
            wrong: reference::check(twin),
            memory: memory::stretch(twin, 0, twin.plan.systems.workload.end_at),
        }
    }
}

/// What is judged.
pub struct Case<'a> {
    /// The run.
    pub run: &'a RunLog,
    /// The same plan without faults.
    pub twin: &'a RunLog,
    /// What it says of itself.
    pub standard: &'a Standard,
    /// Outputs counted against the twin.
    pub ledger: &'a Ledger<'a>,
    /// Recovery times, by fault.
    pub recoveries: &'a Recoveries,
}

/// The judge's answer.
pub struct Judgement {
    /// The judgement.
    pub status: Status,
    /// Why it is not "held".
    pub reasons: Vec<String>,
    /// What was promised.
    pub claimed: Claimed,
    /// What was seen.
    pub observed: Guarantee,
    /// Outputs counted.
    pub counts: Counts,
    /// Evidence.
    pub witnesses: Vec<Witness>,
    /// Largest retained memory while a pair was incomplete.
    pub retained_unpaired: u64,
}

/// Most pieces of evidence of one kind.
const WITNESSES_MAX: usize = 3;

/// Judges a run.
pub fn judge(case: &Case) -> Judgement {
    let counts = case.ledger.counts();
    let memory = memory::check(case);
    let state = state::check(case);
    let drained = case.run.ended == Ended::Drained;
    let observed = Guarantee {
        gap: counts.lost > 0,
        duplicates: counts.duplicates > 0,
        value: value::classify(case),
        state_same: state.is_empty(),
        memory_bounded: memory.bounded,
        settles: drained,
    };
    let claimed = claims::claimed(case);

    // What holds whatever was promised: breaking it is a bug of the strategy's bookkeeping or ours.
    let drawn = case.run.plan.drawn.as_ref();
    let beyond = drawn.is_some_and(|drawn| drawn.beyond_claims);
    let mut reasons = case.ledger.broken_identities();
    let mut witnesses = Vec::from_iter(case.standard.wrong.clone());
    let said = |w: &Witness| format!("{}: {}", w.checker, w.subject);
    reasons.extend(witnesses.iter().map(said));
    let mut unkept = durability::check(case);
    unkept.extend(pair::check(case));
    unkept.extend(leader::check(case));
    // Beyond claims what a strategy does not keep is told, and is no failure.
    let mut told: Vec<String> = unkept.iter().map(said).collect();
    witnesses.extend(unkept);

    let broken_promises = match &claimed {
        Claimed::Guarantee(promise) => {
            worse(promise, &observed).into_iter().map(|(_, told)| told.to_string()).collect()
        }
        Claimed::NotCovered(_) => Vec::new(),
    };
    if !broken_promises.is_empty() {
        witnesses.extend(case.ledger.witnesses(WITNESSES_MAX));
        witnesses.extend(state.into_iter().take(WITNESSES_MAX));
        witnesses.extend(memory.witness);
        if !drained {
            witnesses.push(stuck(case.run));
        }
        told.extend(broken_promises);
    }
    if !beyond {
        reasons.append(&mut told);
    }

    let planned = drawn.is_some() || !case.run.plan.faults.is_empty();
    let idle = planned.then(|| met::idle(case.run)).flatten();
    let status = if !reasons.is_empty() {
        Status::Broken
    } else if !told.is_empty() {
        let seen = guarantee(&observed);
        let told = told.iter().map(|what| format!("beyond claims: {what}; observed: {seen}"));
        reasons.extend(told);
        Status::NotCovered
    } else if let Some(why) = idle {
        reasons.push(why);
        Status::Inconclusive
    } else if let Claimed::NotCovered(why) = &claimed {
        reasons.push(why.clone());
        Status::NotCovered
    } else {
        Status::Held
    };
    witnesses.truncate(10);
    let retained_unpaired = memory.unpaired_max;
    Judgement { status, reasons, claimed, observed, counts, witnesses, retained_unpaired }
}

fn stuck(run: &RunLog) -> Witness {
    let observed = match run.ended {
        Ended::Livelock => "a node handles event after event at one instant",
        Ended::Stuck | Ended::Drained => "output is still under way, or a node has not settled",
    };
    Witness {
        checker: "stuck".into(),
        subject: "the stream".into(),
        expected: "drained after everything healed".into(),
        observed: observed.into(),
        at_ns: Some(run.length_ns),
    }
}
