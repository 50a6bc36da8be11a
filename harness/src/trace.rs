//! Full traces, for people and for finding where two runs part.

use crate::machine::TraceEvent;
use crate::run::RunLog;
use aftermath_reports::words::plural;
use aftermath_systems::protocol::{Nanos, NodeId};
use std::fmt::Write;
use std::ops::Range;

/// All instants of a run.
pub const WHOLE: Range<Nanos> = 0..Nanos::MAX;

/// All events of a traced run, by (time, node, handler).
fn events(run: &RunLog) -> Vec<&TraceEvent> {
    let traces = run.nodes.iter().filter_map(|node| node.log.trace.as_ref());
    let mut events: Vec<_> = traces.flatten().collect();
    events.sort_by_key(|event| (event.at, event.handler.node, event.handler.number));
    events
}

/// The first event, by (time, node, handler), in which two traced runs of one plan differ.
pub fn first_difference(a: &RunLog, b: &RunLog) -> Option<String> {
    parting(a, b).map(|(a, b)| format!("{a}\n{b}"))
}

/// The same, as each of the two has it.
pub fn parting(a: &RunLog, b: &RunLog) -> Option<(String, String)> {
    if a.hash == b.hash {
        return None;
    }
    let (left, right) = (events(a), events(b));
    let same = left.iter().zip(&right).take_while(|(a, b)| a == b).count();
    let show = |run: &RunLog, event: Option<&&TraceEvent>| match event {
        Some(event) => one(run, event),
        None => "the run has ended".to_string(),
    };
    Some((show(a, left.get(same)), show(b, right.get(same))))
}

/// Writes all events of these instants, one a line, effects numbered and indented below: node,
/// incarnation, handler and number are the address of an effect. Above them stands what is
/// abbreviated, below how many are left out.
pub fn render(run: &RunLog, instants: &Range<Nanos>) -> String {
    let events = events(run).into_iter().map(|event| (event.at, one(run, event)));
    let mut lines: Vec<_> = events.collect();
    let left_out = lines.iter().filter(|(at, _)| !instants.contains(at)).count() as u64;
    lines.extend(faults(run));
    // Stable: faults are the last of an instant.
    lines.sort_by_key(|(at, _)| *at);
    let shown = lines.iter().filter(|(at, _)| instants.contains(at));
    let mut text = legend(run);
    shown.for_each(|(_, line)| text += &format!("{line}\n"));
    if left_out > 0 {
        let _ = writeln!(text, "{} before or after, not shown", plural(left_out, "event"));
    }
    text
}

/// How to read the lines of an event.
fn legend(run: &RunLog) -> String {
    let nodes = run.plan.systems.nodes.iter().enumerate();
    let nodes: Vec<String> = nodes.map(|(id, node)| format!("n{id} {}", node.name)).collect();
    let mut lines = vec![String::new()];
    for node in nodes {
        let last = lines.last_mut().expect("there is one");
        if last.len() + node.len() > LEGEND_WIDTH {
            lines.push(node);
        } else {
            *last += if last.is_empty() { "" } else { ", " };
            *last += &node;
        }
    }
    format!("{LEGEND}{}\n\n", lines.join(",\n"))
}

/// Names of nodes on a line of the legend.
const LEGEND_WIDTH: usize = 100;
const LEGEND: &str = "\
  instant  node #incarnation.handler  event  <- whose frame it is
             number effect
  instant  == a fault strikes or is over, after the events of the same instant
a tuple is: stream@sequence[.sub] means kind/key/index of the instant its input is due: content
bytes of messages, states and checkpoints are a strategy's own: how many, and a checksum
numbers called `at` are ns
";

/// When faults strike and when they are over.
fn faults(run: &RunLog) -> Vec<(Nanos, String)> {
    let mut lines = Vec::new();
    for (node, strike) in run.strikes() {
        let kind = crate::faults::of(run.kind(strike.fault)).name;
        let place = run.place(node, strike);
        let mut line = |at: Nanos, what: &str| {
            let at_ms = at as f64 / 1e6;
            lines.push((at, format!("{at_ms:>14.6} ms  == {kind} of {place} {what}")));
        };
        line(strike.at, "strikes");
        if let Some(healed) = strike.healed {
            line(healed, "is over");
        }
    }
    lines
}

fn one(run: &RunLog, event: &TraceEvent) -> String {
    let name = |node| &run.plan.systems.node(NodeId(node)).name;
    let mut text = format!(
        "{:>14.6} ms  {} #{}.{}  {}",
        event.at as f64 / 1e6,
        name(event.handler.node),
        event.handler.incarnation,
        event.handler.number,
        event.event
    );
    if event.cause.number > 0 {
        let _ = write!(
            text,
            "  <- {} #{}.{}",
            name(event.cause.node),
            event.cause.incarnation,
            event.cause.number
        );
    }
    for (number, effect) in event.effects.iter().enumerate() {
        let never = if number < event.done { "" } else { "  (not carried out)" };
        let _ = write!(text, "\n                 {number:>3} {effect}{never}");
    }
    text
}
