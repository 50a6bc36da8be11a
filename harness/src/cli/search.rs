//! `aftermath search`.

use super::args::{Format, SearchArgs};
use super::exit::Exit;
use super::folder::Folder;
use super::interrupt;
use super::output::{Output, complain, disagree, usage};
use super::selection::{jobs, known};
use crate::config::Quantity;
use crate::scenario::parameter::Amount;
use crate::search::{Curve, Found, Search, Seen};
use aftermath_reports::search::{self as reported, Unit, Value, jsonl, table};
use aftermath_reports::write::write_search;
use aftermath_systems::strategies::Registry;
use std::mem::discriminant;

/// Searches, prints the borders and writes the curves.
pub fn search(args: &SearchArgs, registry: &Registry) -> Exit {
    let selection = &args.selection;
    if let Err(message) = known(&selection.strategy, registry) {
        return usage(&message);
    }
    if discriminant(&args.from) != discriminant(&args.to) || args.from.units() >= args.to.units() {
        return usage(&format!(
            "error: --from {} and --to {} must be of one kind, and the second one larger\n",
            args.from, args.to
        ));
    }
    let search = Search {
        path: &args.scenario,
        parameter: args.parameter.clone(),
        from: args.from,
        to: args.to,
        parts: args.steps,
        until: args.until.clone(),
        seeds: selection.seeds.clone(),
        strategies: selection.strategy.clone(),
        case: args.case.clone(),
        jobs: jobs(selection.jobs),
        worlds: selection.world,
    };
    let stop = interrupt::listen();
    let _folder = match Folder::make(&args.out) {
        Ok(folder) => folder,
        Err(message) => return usage(&message),
    };
    let found = search.run(registry, stop);
    let ran = |curve: &Curve| curve.seen.values().any(|seen| seen.runs > 0);
    let Found { curves, interrupted, disagreements } = match found {
        Ok(found) => found,
        Err(message) => return usage(&format!("error: {message}\n")),
    };
    if !curves.iter().any(ran) {
        if interrupted {
            complain("interrupted before a first value was done; nothing is written\n");
            return Exit::Interrupted;
        }
        complain("nothing ran: no run is left by the seeds, strategies and case asked for\n");
        return Exit::NothingRan;
    }
    let searched = searched(args, &curves);
    let mut output = Output::default();
    match args.format {
        Format::Human => output.print(&table(&searched)),
        Format::Json => output.print(&jsonl(&searched)),
    }
    if let Err(error) = write_search(&args.out, &searched) {
        return usage(&format!("error: {error}\n"));
    }
    if args.format == Format::Human {
        output.print(&format!("\ncurves: {}\n", args.out.join("search.svg").display()));
    }
    if let Some(first) = disagreements.first() {
        return disagree(first, disagreements.len() as u64);
    }
    if interrupted {
        complain(
            "interrupted: what is done is written; values are missing, and a border may be wider \
             than it could be\n",
        );
        return Exit::Interrupted;
    }
    output.exit(Exit::Held)
}

/// What was searched, as it is reported.
fn searched(args: &SearchArgs, curves: &[Curve]) -> reported::Search {
    let value = |units: u64| Value { units, text: args.from.with(units).to_string() };
    let quantity = args.until.quantity();
    let point = |(units, seen): (&u64, &Seen)| reported::Point {
        value: value(*units),
        runs: seen.runs,
        found: seen.found,
        measured: quantity.map(|_| seen.number.n),
        mean: seen.number.mean(),
    };
    let curve = |curve: &Curve| reported::Curve {
        case: curve.name.0.clone(),
        strategy: curve.name.1.clone(),
        border: curve.border.map(|(before, after)| (value(before), value(after))),
        crossings: curve.crossings,
        points: curve.seen.iter().map(point).collect(),
    };
    reported::Search {
        parameter: args.parameter.clone(),
        unit: match args.from {
            Amount::Number(_) => Unit::One,
            Amount::Duration(_) => Unit::Nanoseconds,
            Amount::Percent(_) => Unit::Millionths,
        },
        from: args.from.to_string(),
        to: args.to.to_string(),
        until: args.until.to_string(),
        quantity: quantity.map(|quantity| (quantity.name().to_string(), unit(quantity))),
        curves: curves.iter().map(curve).collect(),
    }
}

/// In what a quantity is counted.
fn unit(quantity: Quantity) -> Unit {
    match quantity {
        _ if quantity.is_time() => Unit::Nanoseconds,
        Quantity::BytesPerHopPpm => Unit::Millionths,
        _ => Unit::One,
    }
}
