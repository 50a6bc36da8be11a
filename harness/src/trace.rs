//! Full traces, for people and for finding where two runs part.

use crate::machine::TraceEvent;
use crate::run::RunLog;
use std::fmt::Write;

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

/// Writes all events, one a line, effects numbered and indented below: node, incarnation, handler
/// and number are the address of an effect.
pub fn render(run: &RunLog) -> String {
    events(run).into_iter().map(|event| one(run, event) + "\n").collect()
}

fn one(run: &RunLog, event: &TraceEvent) -> String {
    let name = &run.plan.systems.node(aftermath_systems::protocol::NodeId(event.handler.node)).name;
    let mut text = format!(
        "{:>14.6} ms  {name} #{}.{}  {}",
        event.at as f64 / 1e6,
        event.handler.incarnation,
        event.handler.number,
        event.event
    );
    if event.cause.number > 0 {
        let _ = write!(
            text,
            "  <- n{} #{}.{}",
            event.cause.node, event.cause.incarnation, event.cause.number
        );
    }
    for (number, effect) in event.effects.iter().enumerate() {
        let never = if number < event.done { "" } else { "  (not carried out)" };
        let _ = write!(text, "\n                 {number:>3} {effect}{never}");
    }
    text
}
