//! What the judge says of a fork, and the window that it is shown: what came before the fork is the
//! twin's, and so is what follows once the fork has rejoined it. The rules are the judge's own.

use super::rejoin::Cut;
use super::twin::Twin;
use crate::ledger::Ledger;
use crate::machine::Stripped;
use crate::metrics::recovery::recoveries;
use crate::oracle;
use crate::plan::RunPlan;
use crate::run::RunLog;
use crate::world::{Ended, EventWorld, Finished};
use aftermath_reports::record::{Claimed, Guarantee, Status, ValueClass};
use aftermath_reports::sweep::Seen;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What the judge says of one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The judgement.
    pub status: Status,
    /// Whether anything was promised.
    pub covered: bool,
    /// What was seen.
    pub observed: Guarantee,
    /// Outputs that never came.
    pub lost: u64,
    /// Outputs that came again.
    pub duplicates: u64,
    /// Outputs with a wrong value.
    pub wrong: u64,
    /// Outputs that the twin has not.
    pub unexpected: u64,
    /// Hash of everything that was handled, if that was all.
    pub trace_hash: Option<u64>,
    /// Why it is not held.
    pub reasons: Vec<String>,
}

impl Verdict {
    /// How another verdict of the same run differs, for people.
    pub fn differs(&self, other: &Verdict) -> Option<String> {
        let numbers = |v: &Verdict| {
            format!(
                "{:?}, {:?}, lost {}, duplicates {}, wrong {}, unexpected {}, hash {:x?} ({})",
                v.status,
                v.observed,
                v.lost,
                v.duplicates,
                v.wrong,
                v.unexpected,
                v.trace_hash,
                v.reasons.join("; ")
            )
        };
        let whole = self.trace_hash.is_some() && other.trace_hash.is_some();
        let trace_hash = |v: &Verdict| v.trace_hash.filter(|_| whole);
        let said =
            |v: &Verdict| Verdict { reasons: Vec::new(), trace_hash: trace_hash(v), ..v.clone() };
        (said(self) != said(other))
            .then(|| format!("forked: {}\nwhole:  {}", numbers(self), numbers(other)))
    }

    /// What was seen, the worst of it.
    pub fn seen(&self) -> Seen {
        let g = &self.observed;
        let wrong = g.value != ValueClass::Same || !g.state_same || self.unexpected > 0;
        if !g.settles {
            Seen::Stuck
        } else if wrong {
            Seen::Wrong
        } else if g.gap {
            Seen::Lost
        } else if g.duplicates {
            Seen::Duplicated
        } else {
            Seen::Nothing
        }
    }
}

/// Judges a log against what the twin's window shows.
pub fn judge(run: &RunLog, twin: &Twin) -> Verdict {
    let ledger = Ledger::new(run, &twin.log);
    let recoveries = recoveries(run, twin.standard.lag_normal_ns, &ledger);
    let judgement = oracle::judge(&oracle::Case {
        run,
        twin: &twin.log,
        standard: &twin.standard,
        ledger: &ledger,
        recoveries: &recoveries,
    });
    Verdict {
        status: judgement.status,
        covered: matches!(judgement.claimed, Claimed::Guarantee(_)),
        observed: judgement.observed,
        lost: judgement.counts.lost,
        duplicates: judgement.counts.duplicates,
        wrong: judgement.counts.wrong,
        unexpected: judgement.counts.unexpected,
        trace_hash: Some(run.hash),
        reasons: judgement.reasons,
    }
}

/// How a fork ended.
pub enum End {
    /// As any run.
    Whole(Ended),
    /// It had rejoined its twin.
    Rejoined(Cut),
}

/// Judges a fork. `stripped`: what its logs lack, which is the twin's.
pub fn judge_fork(
    plan: &Rc<RunPlan>,
    twin: &mut Twin,
    stripped: &[Stripped],
    world: EventWorld,
    end: End,
) -> Verdict {
    let now = world.now();
    let mut machines = world.into_machines();
    let all = || twin.outputs.iter().map(Vec::len).collect();
    let (ended, length_ns, cut): (_, _, Cut) = match &end {
        End::Whole(ended) => (*ended, now, all()),
        End::Rejoined(cut) => (twin.log.ended, now.max(twin.length_ns), cut.clone()),
    };
    // What was delivered before the fork and has come again.
    let mut again = BTreeSet::new();
    for (node, machine) in machines.iter_mut().enumerate() {
        let outputs = &mut machine.log.deliveries;
        outputs.retain(|output| match twin.find(&output.semantic) {
            Some((at, nth)) if at == node => {
                if nth < stripped[node].outputs {
                    again.insert((node, nth));
                }
                nth < cut[node]
            }
            _ => true,
        });
    }
    let others = twin.open(stripped, &cut, again.into_iter());
    let mut run = RunLog::of(plan, Finished { ended, at: length_ns, machines });
    run.deliveries.extend(others);
    run.deliveries.sort_by_key(|output| output.at);
    let before = stripped.first().map_or(0, |stripped| stripped.samples);
    run.retained.splice(0..0, twin.log.retained[..before].iter().copied());
    run.waiting.splice(0..0, twin.log.waiting[..before].iter().copied());
    let rejoined = matches!(end, End::Rejoined(_));
    if rejoined {
        let samples = run.retained.len();
        run.retained.extend(twin.log.retained.iter().skip(samples));
        run.waiting.extend(twin.log.waiting.iter().skip(samples));
        end_as_the_twin(&mut run, twin);
    }
    let verdict = judge(&run, twin);
    Verdict { trace_hash: verdict.trace_hash.filter(|_| !rejoined), ..verdict }
}

/// Whoever leads ends with the state that the twin's leader has in the end.
fn end_as_the_twin(run: &mut RunLog, twin: &Twin) {
    for instance in &run.plan.systems.instances {
        let replicas = || instance.replicas.iter().map(|node| node.index());
        let theirs = replicas().find(|node| twin.log.nodes[*node].is_primary);
        let digest = theirs.and_then(|node| twin.log.nodes[node].digest.clone());
        for node in replicas() {
            if run.nodes[node].is_primary {
                run.nodes[node].digest = digest.clone();
            }
        }
    }
}
