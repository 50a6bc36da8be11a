//! The story of a shrunk run, as a comment: what is run, what was claimed, what befell whom, what
//! came of it, and how it was found. Nothing but what the run's own log and record say.

use super::Size;
use crate::config::{Case, Expect, InputConfig};
use crate::machine::Strike;
use crate::run::RunLog;
use crate::scenario::write_expect;
use aftermath_reports::record::{Claimed, Fault, Record, Status, Time};
use aftermath_reports::words::{self, plural};
use aftermath_systems::planted_bugs;
use aftermath_systems::protocol::{MILLISECOND, Nanos, NodeId};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Most reached points that are told.
const POINTS_MAX: usize = 16;
/// Columns of a comment.
const COLUMNS: usize = 100;
/// Characters of a headline.
const HEADLINE_MAX: usize = 200;

/// How a run was found.
pub struct Found<'a> {
    /// What is expected of the run of the file.
    pub expect: &'a Expect,
    /// The record of the run that was shrunk.
    pub by: &'a Record,
    /// Its size.
    pub before: Size,
    /// The size of what is left of it.
    pub after: Size,
    /// Runs that it took.
    pub evaluations: u32,
    /// Whether nothing more could be left out.
    pub is_smallest: bool,
}

/// What is wrong, in one line.
pub fn headline(record: &Record) -> String {
    record.reasons.join("; ").chars().take(HEADLINE_MAX).collect()
}

/// The story, each line a comment.
pub fn story(found: &Found, case: &Case, record: &Record, log: &RunLog) -> String {
    let mut text = String::new();
    let mut paragraph = |sentences: Vec<String>| {
        if !sentences.is_empty() {
            let gap = if text.is_empty() { "" } else { "#\n" };
            text += gap;
            sentences.iter().for_each(|sentence| text += &comment(sentence));
        }
    };
    let wrong = record.reasons.iter().map(|reason| format!("{}.", capital(reason)));
    paragraph(wrong.collect());
    paragraph(setting(case, log, record));
    paragraph(events(record, log));
    paragraph(outcome(record));
    paragraph(origin(found));
    // What is expected already stays: there is one such line in a file.
    let place = match write_expect(found.expect) {
        Some(_) => "this line says so in place of the other",
        None => "this line says so",
    };
    let mended = Expect { status: Some(Status::Held), ..found.expect.clone() };
    let line = write_expect(&mended).unwrap_or_default();
    let end = format!("Once it is mended, {place}, and the file can be a regression:");
    text += &format!("#\n{}# {line}\n", comment(&end));
    text
}

/// A sentence in lines that are not too long; those that follow are indented.
fn comment(sentence: &str) -> String {
    let mut text = String::new();
    let mut line = "#".to_string();
    // A recorded stream may have characters that no comment can have.
    let sentence = sentence.replace(char::is_control, " ");
    for word in sentence.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > COLUMNS && line.len() > 3 {
            let _ = writeln!(text, "{line}");
            line = "#  ".to_string();
        }
        let _ = write!(line, " {word}");
    }
    let _ = writeln!(text, "{line}");
    text
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().collect::<String>());
    first.unwrap_or_default() + chars.as_str()
}

/// A time as people read it: to the microsecond, where it is not whole milliseconds.
fn milliseconds(ns: Nanos) -> String {
    if ns < 1_000 {
        return format!("{ns} ns");
    }
    let (whole, us) = (ns / MILLISECOND, ns % MILLISECOND / 1_000);
    if us == 0 { format!("{whole} ms") } else { format!("{whole}.{us:03} ms") }
}

/// What is run, and what is claimed for what befell.
fn setting(case: &Case, log: &RunLog, record: &Record) -> Vec<String> {
    let (config, systems) = (&case.config, &log.plan.systems);
    let name = |operator: usize| systems.operators[operator].name.as_str();
    let edges = systems.edges.iter().map(|edge| (edge.from.index(), edge.to.index()));
    let edges: Vec<(usize, usize)> = edges.collect();
    let is_line = edges.windows(2).all(|pair| pair[0].1 == pair[1].0);
    let flow = match (is_line, edges.first()) {
        (true, Some((first, _))) => {
            let rest = edges.iter().map(|(_, to)| format!(" -> {}", name(*to)));
            format!("{}{}", name(*first), rest.collect::<String>())
        }
        _ => {
            let each = edges.iter().map(|(from, to)| format!("{} -> {}", name(*from), name(*to)));
            each.collect::<Vec<_>>().join(", ")
        }
    };
    let mut by_strategy: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for operator in &config.protect {
        by_strategy.entry(config.strategy_of(operator).0).or_default().push(operator);
    }
    let protected = by_strategy.iter();
    let protected = protected.map(|(name, of)| format!("{name} protects {}", of.join(" and ")));
    let protected: Vec<_> = protected.collect();
    let protected = match (protected.is_empty(), config.spares) {
        (true, _) => "nothing is protected".to_string(),
        (false, 0) => format!("{}, without spares", protected.join(", ")),
        (false, _) => format!("{}, with a spare each", protected.join(", ")),
    };
    let mut lines = vec![format!("The pipeline is {flow}; {protected}.")];
    let tuples = plural(systems.workload.inputs.len() as u64, "tuple");
    let drawn = match &config.input {
        InputConfig::Generated { tuples, keys } => {
            format!("of {tuples}, over {}", plural(u64::from(*keys), "key"))
        }
        InputConfig::Recorded(recording) => format!("of {} recorded rows", recording.rows.len()),
        InputConfig::Nexmark { events } => format!("of {events} events of NEXMark"),
    };
    lines.push(format!(
        "The source emits {tuples} {drawn}, at a rate of {} a second.",
        config.rate_per_s
    ));
    let planted = planted_bugs::ALL.iter().find(|entry| Some(entry.bug) == config.plant);
    lines.extend(planted.map(|bug| format!("Planted is {}: {}.", bug.name, bug.summary)));
    let claimed = match &record.claimed {
        Claimed::Guarantee(guarantee) => words::guarantee(guarantee),
        Claimed::NotCovered(why) => format!("nothing ({why})"),
    };
    let observed = words::guarantee(&record.observed);
    lines.push(format!("Claimed for what befell: {claimed}. Observed: {observed}."));
    lines
}

/// What befell whom, and what was reached from then on, by time.
fn events(record: &Record, log: &RunLog) -> Vec<String> {
    let strikes = log.strikes();
    let befallen = record.faults.iter().zip(&strikes);
    let befallen = befallen.map(|(f, (node, strike))| (f.at_ns, befell(f, *node, strike, log)));
    let first = strikes.iter().map(|(_, strike)| strike.at).min();
    let mut reached: Vec<(Nanos, String)> = Vec::new();
    for (index, node) in log.nodes.iter().enumerate() {
        let name = &log.plan.systems.nodes[index].name;
        let mut before: Vec<&str> = Vec::new();
        for mark in node.log.marks.iter().filter(|mark| first.is_some_and(|at| mark.at >= at)) {
            // Most points are reached again and again: the first time tells.
            if !before.contains(&mark.name) {
                before.push(mark.name);
                reached.push((mark.at, format!("{name} reaches `{}`", mark.name)));
            }
        }
        let activations = node.log.activations.iter().filter(|at| first.is_some_and(|f| **at > f));
        reached.extend(activations.map(|at| (*at, format!("{name} has been activated"))));
    }
    // Stable: a machine's own points stay in their order.
    reached.sort_by_key(|(at, _)| *at);
    let left_out = reached.len().saturating_sub(POINTS_MAX);
    reached.truncate(POINTS_MAX);
    // What is reached at the instant of a fault came before it.
    let mut events: Vec<_> = reached.into_iter().chain(befallen).collect();
    events.sort_by_key(|(at, _)| *at);
    let told = events.iter().map(|(at, what)| format!("At {} {what}.", milliseconds(*at)));
    let mut told: Vec<String> = told.collect();
    if left_out > 0 {
        told.push(format!("{} later are left out.", plural(left_out as u64, "point")));
    }
    if strikes.is_empty() {
        told.push("No fault strikes.".to_string());
    }
    let never = record.unreached.iter().map(|fault| format!("{}.", words::unreached(fault)));
    told.extend(never);
    told
}

/// One fault, at which point it struck, and what it met.
fn befell(fault: &Fault, node: NodeId, strike: &Strike, log: &RunLog) -> String {
    let mut text = format!("{} befalls {}", fault.kind, fault.node);
    let of_node = log.plan.systems.node(node).name == fault.node;
    if of_node && strike.was_primary {
        text += ", which leads,";
    }
    if fault.healed_ns < log.length_ns {
        let _ = write!(text, " for {}", milliseconds(fault.healed_ns - fault.at_ns));
    } else {
        text += " until the end";
    }
    if let Some(point) = &fault.point {
        let _ = write!(text, ", at the {point}");
    } else if of_node {
        let mut marks = log.nodes[node.index()].log.marks.iter().rev();
        let last = marks.find(|mark| mark.at <= strike.at);
        if let Some(mark) = last {
            let ago = milliseconds(strike.at - mark.at);
            let _ = write!(text, ", {ago} after its `{}`", mark.name);
        }
    }
    let met = if fault.met.is_empty() { "nothing".to_string() } else { fault.met.join(", ") };
    let _ = write!(text, "; it met: {met}");
    text
}

/// What was delivered, lost, repeated or wrong, and when it was over.
fn outcome(record: &Record) -> Vec<String> {
    let c = &record.counts;
    let arrive = if c.unique == 1 { "arrives" } else { "arrive" };
    let mut counts = vec![format!("{} of {} {arrive}", c.unique, plural(c.expected, "output"))];
    let others = [
        (c.lost, "never"),
        (c.duplicates, "once more"),
        (c.wrong, "with another value"),
        (c.unexpected, "that nobody expects"),
    ];
    let others = others.iter().filter(|(count, _)| *count > 0);
    counts.extend(others.map(|(count, how)| format!("{count} {how}")));
    let mut lines = vec![format!("{}.", counts.join(", "))];
    lines.extend(record.witnesses.iter().map(|witness| format!("- {}", words::witness(witness))));
    for fault in &record.faults {
        let Some(recovery) = fault.recovery else { continue };
        let what = format!("{} of {}", fault.kind, fault.node);
        lines.push(match recovery.r3 {
            Time::Ns(ns) => format!(
                "Recovery from {what} is over {} after it, at {}.",
                milliseconds(ns),
                milliseconds(fault.at_ns.saturating_add(ns))
            ),
            Time::MoreThanNs(_) => format!("The stream ends before recovery from {what}."),
            Time::None => format!("There is no recovery from {what}."),
        });
    }
    lines
}

/// How it was found, and what is left of it.
fn origin(found: &Found) -> Vec<String> {
    let Found { by, before, after, evaluations, is_smallest, .. } = found;
    let stratum = by.stratum.map_or(String::new(), |stratum| format!(", stratum {stratum}"));
    let size = |size: &Size| {
        format!("{} and {}", plural(size.faults, "fault"), plural(size.tuples, "tuple"))
    };
    let end = match is_smallest {
        true => "Nothing more can be left out.",
        false => "More may be left out: it was stopped, or has used up its budget.",
    };
    vec![format!(
        "Found by seed {}{stratum} of scenario {}, case {}, under {}, with {}; shrunk to {} in {}. \
         {end}",
        by.seed,
        by.scenario,
        by.case,
        by.strategy,
        size(before),
        size(after),
        plural(u64::from(*evaluations), "run"),
    )]
}
