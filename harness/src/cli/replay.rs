//! `aftermath replay`: one run, twice, with its full trace.

use super::args::{Format, ReplayArgs};
use super::choose::choose;
use super::exit::Exit;
use super::output::{Output, complain, disagree, usage};
use super::selection::load;
use crate::agreement;
use crate::campaign::{Disagreement, too_large};
use crate::config::Worlds;
use crate::narrator::narrated;
use crate::plan::RunPlan;
use crate::record::{Context, mark_different, record};
use crate::run::RunLog;
use crate::seed::Seed;
use crate::trace;
use aftermath_reports::record::{Claimed, Record, Status, Time};
use aftermath_reports::{table, words};
use aftermath_systems::options::format_duration;
use aftermath_systems::strategies::Registry;
use std::fmt::Write;
use std::rc::Rc;

/// Runs one run again and tells what happened.
pub fn replay(args: &ReplayArgs, registry: &Registry) -> Exit {
    if args.trace.is_some() && args.format == Format::Json {
        return usage("error: a trace is for people: give --trace without --format json\n");
    }
    let scenarios = match load(std::slice::from_ref(&args.run.scenario), registry) {
        Ok(scenarios) => scenarios,
        Err(message) => return usage(&message),
    };
    let scenario = &scenarios[0];
    let (case, id) = match choose(scenario, &args.run) {
        Ok(chosen) => chosen,
        Err(message) => return usage(&format!("error: {message}\n")),
    };
    let worlds = args.world.unwrap_or(scenario.worlds);
    let refused = (worlds != Worlds::Events).then(|| too_large(case, registry)).flatten();
    if let Some(message) = refused {
        return usage(&format!("error: {message}\n"));
    }
    let plan =
        || Rc::new(RunPlan::build(&case.config, registry, Seed(id.seed), id.stratum.unwrap_or(0)));
    let colour = anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
    // A story is told once: the first time in one world only.
    let one = if worlds == Worlds::Both { Worlds::Events } else { worlds };
    let first = match narrated(colour, || agreement::run(one, &plan(), true)) {
        Ok((first, _)) => first,
        Err(message) => return usage(&format!("error: {message}\n")),
    };
    let (second, differs) = agreement::run(worlds, &plan(), true);
    if let Some(difference) = trace::first_difference(&first, &second) {
        let told = differs.map_or(String::new(), |told| format!("the two worlds differ:\n{told}"));
        complain(&format!(
            "the same seed ran differently, which is a bug of aftermath:\n{difference}\n{told}"
        ));
        return Exit::Bug;
    }
    let twin = Rc::new(RunPlan::twin(&case.config, registry, Seed(id.seed)));
    let (twin, twin_differs) = agreement::run(worlds, &twin, false);
    let mut record = record(&Context { scenario, case, worlds }, id, &first, &twin, true);
    if differs.is_some() || twin_differs.is_some() {
        mark_different(&mut record);
    }
    let mut output = Output::default();
    match args.format {
        Format::Json => {
            output.print(&aftermath_reports::files::jsonl(std::slice::from_ref(&record)))
        }
        Format::Human => {
            if let Some(instants) = &args.trace {
                output.print(&trace::render(&first, instants));
            }
            output.print(&account(&record, &first));
        }
    }
    let both = [(differs, false), (twin_differs, true)];
    if let Some((told, twin)) = both.into_iter().find_map(|(told, twin)| Some((told?, twin))) {
        return disagree(&Disagreement { replay: record.replay, twin, told }, 1);
    }
    output.exit(match record.status {
        Status::Held | Status::NotCovered => Exit::Held,
        Status::Inconclusive => Exit::Inconclusive,
        Status::Broken => Exit::Broken,
    })
}

/// The run, told to a person.
pub fn account(record: &Record, run: &RunLog) -> String {
    let mut text = String::new();
    let mut line = |words: String| {
        let _ = writeln!(text, "{words}");
    };
    line(format!(
        "{}, case {}, {}, seed {}",
        record.scenario, record.case, record.strategy, record.seed
    ));
    if record.schedule.is_some() {
        line(table::schedule(record, 2).trim_end().to_string());
    }
    for fault in &record.faults {
        let met = if fault.met.is_empty() { "nothing".into() } else { fault.met.join(", ") };
        line(format!(
            "  {} of {} at {}{} until {}, met: {met}",
            fault.kind,
            fault.node,
            format_duration(fault.at_ns),
            fault.point.as_ref().map_or(String::new(), |point| format!(" ({point})")),
            format_duration(fault.healed_ns)
        ));
        if let Some(r) = &fault.recovery {
            let time = |time: Time| match time {
                Time::Ns(ns) => format!("{:.3} ms", ns as f64 / 1e6),
                Time::MoreThanNs(ns) => format!("more than {:.3} ms", ns as f64 / 1e6),
                Time::None => "none".into(),
            };
            line(format!(
                "    R1 {}, R2 {}, R3 {}, silence {}",
                time(r.r1),
                time(r.r2),
                time(r.r3),
                time(Time::Ns(r.silence_ns))
            ));
            let phases = [
                ("down", r.down),
                ("detect", r.detect),
                ("redirect", r.redirect),
                ("restore", r.restore),
                ("replay", r.replay),
                ("catch up", r.catch_up),
            ];
            let there = phases.iter().filter(|(_, phase)| *phase != Time::None);
            let words: Vec<_> = there.map(|(name, at)| format!("{name} {}", time(*at))).collect();
            if !words.is_empty() {
                line(format!("    {}", words.join(", ")));
            }
        }
    }
    for fault in &record.unreached {
        line(format!("  {}", words::unreached(fault)));
    }
    let c = &record.counts;
    line(format!(
        "  expected {}, delivered {}, lost {}, duplicates {}, wrong {}, unexpected {}",
        c.expected, c.delivered, c.lost, c.duplicates, c.wrong, c.unexpected
    ));
    let claimed = match &record.claimed {
        Claimed::Guarantee(guarantee) => words::guarantee(guarantee),
        Claimed::NotCovered(why) => format!("not covered ({why})"),
    };
    line(format!("  claimed:  {claimed}"));
    line(format!("  observed: {}", words::guarantee(&record.observed)));
    line(format!("  {}", words::status(record.status)));
    for reason in &record.reasons {
        line(format!("    {reason}"));
    }
    for witness in &record.witnesses {
        line(format!("    {}", words::witness(witness)));
    }
    line(format!(
        "  trace hash {}, the same twice; {} events in {} of virtual time",
        record.trace_hash,
        run.handlers(),
        format_duration(run.length_ns)
    ));
    text
}
