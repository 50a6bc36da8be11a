//! The judge: pure functions of a run's log and its twin's. One file a checker; each says what
//! makes it speak. Adding one is that file and its line in [`judge`].

pub(crate) mod claims;
mod delivery;
mod durability;
mod memory;
mod met;
mod pair;
mod reference;
mod state;
mod value;

pub use delivery::Ledger;
pub use met::met;

use crate::metrics::recovery::Recoveries;
use crate::run::RunLog;
use crate::world::Ended;
use aftermath_reports::record::{Claimed, Counts, Guarantee, Status, Witness};
use aftermath_reports::words::guarantee;

/// What is judged.
pub struct Case<'a> {
    /// The run.
    pub run: &'a RunLog,
    /// The same plan without faults.
    pub twin: &'a RunLog,
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
    let mut reasons = case.ledger.broken_identities();
    let mut witnesses = Vec::from_iter(reference::check(case.twin));
    witnesses.extend(durability::check(case));
    witnesses.extend(pair::check(case));
    reasons.extend(witnesses.iter().map(|w| format!("{}: {}", w.checker, w.subject)));

    let broken_promises = match &claimed {
        Claimed::Guarantee(promise) => claims::violations(promise, &observed),
        Claimed::NotCovered(_) => Vec::new(),
    };
    let told = !broken_promises.is_empty();
    if told {
        witnesses.extend(case.ledger.witnesses(WITNESSES_MAX));
        witnesses.extend(state.into_iter().take(WITNESSES_MAX));
        witnesses.extend(memory.witness);
        if !drained {
            witnesses.push(stuck(case.run));
        }
    }
    // Where nobody promised that the schedule is one to be judged by, it is told and no failure.
    let drawn = case.run.plan.drawn.as_ref();
    let beyond = told && drawn.is_some_and(|drawn| drawn.beyond_claims);
    if !beyond {
        reasons.extend_from_slice(&broken_promises);
    }

    let planned = drawn.is_some() || !case.run.plan.faults.is_empty();
    let conclusive = !planned || !met::all_idle(case.run);
    let status = if !reasons.is_empty() {
        Status::Broken
    } else if beyond {
        let seen = guarantee(&observed);
        let broken = broken_promises.iter();
        reasons.extend(broken.map(|what| format!("beyond claims: {what}; observed: {seen}")));
        Status::NotCovered
    } else if !conclusive {
        reasons.push("no fault met anything".into());
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
