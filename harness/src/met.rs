//! Whether a fault met anything: one that hit nothing must not look green.

use crate::faults::Effect;
use crate::machine::Strike;
use crate::run::RunLog;
use aftermath_reports::record::Rate;
use aftermath_reports::words;
use aftermath_systems::claim::FaultKind;
use aftermath_systems::protocol::{Nanos, NodeId};

/// What a fault met, for people; empty if nothing.
pub fn met(run: &RunLog, strike: &Strike) -> Vec<String> {
    let kind = run.kind(strike.fault);
    // A device outlives the process that was down when it began to fail.
    if strike.already_down && !kind.is_of_storage() {
        return Vec::new();
    }
    let words = match kind {
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
        FaultKind::StorageSlow => vec![some(strike.saves.delayed, "saves took longer")],
        FaultKind::StorageRefuse => vec![some(strike.saves.refused, "saves were refused")],
        FaultKind::StorageLose => vec![some(strike.saves.lost, "saves were reported and lost")],
        FaultKind::StorageTear => vec![some(strike.saves.torn, "stored versions were torn")],
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
        && (kind == FaultKind::HeartbeatLoss || suspected_during(run, strike))
        || kind == FaultKind::ConnectionReset && suspected_during(run, strike);
    let met = touched.items + touched.messages > 0 || heartbeats;
    let how = match kind {
        FaultKind::Duplicate => "came twice",
        FaultKind::Reorder => "were held up",
        FaultKind::Redelivery => "came again",
        _ => "lost or late",
    };
    met.then(|| {
        format!(
            "{} items, {} messages and {} heartbeats {how}{}",
            touched.items,
            touched.messages,
            touched.heartbeats,
            rate(run, strike).map_or(String::new(), |rate| format!(", {}", words::rate(&rate)))
        )
    })
}

/// The faults that struck and count: those that met something, and those that kill, which say by
/// themselves what they met.
pub fn telling(run: &RunLog) -> Vec<(NodeId, &Strike)> {
    let mut strikes = run.strikes();
    strikes.retain(|(_, strike)| run.kind(strike.fault).kills() || !met(run, strike).is_empty());
    strikes
}

/// How often a fault of chance did something, if it is one.
pub fn rate(run: &RunLog, strike: &Strike) -> Option<Rate> {
    let Effect::Link(weather) = run.plan.faults[strike.fault].effect else { return None };
    let touched = strike.touched;
    Some(Rate {
        configured_ppm: weather.millionths()?,
        of: touched.exposed,
        changed: touched.changed(),
        overtaken: touched.overtaken,
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

/// What a fault met, as it is told: nothing where everything was over. Whoever leads is killed
/// then, too, for which a claim is asked; but nothing is learned from it.
pub fn told(run: &RunLog, strike: &Strike) -> Vec<String> {
    if is_over(run, strike) { Vec::new() } else { met(run, strike) }
}

/// When the sources had ended and everything that came was delivered, ns.
fn delivered_at(run: &RunLog) -> Nanos {
    let last = run.plan.systems.workload.end_at;
    run.deliveries.last().map_or(last, |delivery| delivery.at.max(last))
}

/// Whether a fault struck after that, and no item of the dataflow was on its way.
fn is_over(run: &RunLog, strike: &Strike) -> bool {
    let items = strike.queued + strike.items_lost + strike.touched.items + strike.stretched;
    strike.at > delivered_at(run) && items == 0 && !strike.unsent
}

/// Why nothing was learned from the faults of a run, if nothing was.
pub fn idle(run: &RunLog) -> Option<String> {
    let strikes = run.strikes();
    if strikes.iter().any(|(_, strike)| !told(run, strike).is_empty()) {
        return None;
    }
    let late = strikes.iter().find(|(_, strike)| is_over(run, strike));
    Some(late.map_or("no fault met anything".to_string(), |(_, strike)| {
        format!(
            "no fault met anything: the stream was over at {}, and {} struck at {}",
            words::seconds(delivered_at(run)),
            crate::faults::of(run.kind(strike.fault)).name,
            words::seconds(strike.at)
        )
    }))
}
