//! Whether a fault met anything: one that hit nothing must not look green.

use crate::machine::Strike;
use crate::run::RunLog;
use aftermath_systems::claim::FaultKind;

/// What a fault met, for people; empty if nothing.
pub fn met(run: &RunLog, strike: &Strike) -> Vec<String> {
    if strike.already_down {
        return Vec::new();
    }
    let words = match run.kind(strike.fault) {
        FaultKind::ProcessCrash => killed(strike),
        FaultKind::MachineLoss => {
            let unsent = strike.unsent.then(|| "items lost that had not left it".to_string());
            killed(strike).into_iter().chain([unsent]).collect()
        }
        FaultKind::Pause => vec![
            strike.was_primary.then(|| "paused the active replica".to_string()),
            some(strike.waited, "events waited"),
        ],
        FaultKind::SlowNode => vec![some(strike.stretched, "services took longer")],
        kind => vec![over_links(run, strike, kind)],
    };
    words.into_iter().flatten().collect()
}

fn some(count: u64, what: &str) -> Option<String> {
    (count > 0).then(|| format!("{count} {what}"))
}

fn killed(strike: &Strike) -> Vec<Option<String>> {
    vec![
        strike.was_primary.then(|| "stopped the active replica".to_string()),
        some(strike.queued, "queued items lost"),
        strike.unsaved.then(|| "an unsaved write lost".to_string()),
        some(strike.items_lost, "items found nobody"),
        some(strike.messages_lost, "private messages found nobody"),
    ]
}

/// Heartbeats are periodic, and losing some is the detector's daily bread: they count where they
/// are what the fault is about, or if somebody was suspected.
fn over_links(run: &RunLog, strike: &Strike, kind: FaultKind) -> Option<String> {
    let touched = strike.touched;
    let heartbeats = touched.heartbeats > 0
        && (kind == FaultKind::HeartbeatLoss || suspected_during(run, strike));
    let met = touched.items + touched.messages > 0 || heartbeats;
    met.then(|| {
        format!(
            "{} items, {} messages and {} heartbeats lost or late",
            touched.items, touched.messages, touched.heartbeats
        )
    })
}

/// Whether anybody was suspected while a fault lasted, or so soon after it that it is to blame.
fn suspected_during(run: &RunLog, strike: &Strike) -> bool {
    let patience = run.plan.systems.settings.suspect_after() + run.plan.longest_latency_ns();
    let until = strike.healed.unwrap_or(run.length_ns).saturating_add(patience);
    let marks = run.nodes.iter().flat_map(|node| &node.log.marks);
    let mut suspected = marks.filter(|mark| mark.name == "suspected");
    suspected.any(|mark| mark.at > strike.at && mark.at <= until)
}

/// Whether all faults of a run met nothing. A fault that struck after the sources had ended and
/// everything was delivered did not strike at all.
pub fn all_idle(run: &RunLog) -> bool {
    let last = run.plan.systems.workload.end_at;
    let delivered = run.deliveries.last().map_or(last, |delivery| delivery.at.max(last));
    run.strikes().iter().all(|(_, strike)| met(run, strike).is_empty() || strike.at > delivered)
}
