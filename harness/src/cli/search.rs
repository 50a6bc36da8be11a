//! `aftermath search`.

use super::args::{Format, SearchArgs};
use super::exit::Exit;
use super::interrupt;
use super::output::{Output, complain, usage};
use super::run::{jobs, known};
use crate::config::Quantity;
use crate::scenario::parameter::Amount;
use crate::search::{Curve, Failed, Search, Seen, Until};
use aftermath_reports::figures::search::{self, Words};
use aftermath_reports::files::{jsonl, write_files};
use aftermath_reports::table;
use aftermath_systems::options::format_duration;
use aftermath_systems::strategies::Registry;
use serde::Serialize;
use std::io;
use std::mem::discriminant;

/// What one line of `search.jsonl` says.
#[derive(Serialize)]
struct Line {
    case: String,
    strategy: String,
    parameter: String,
    until: String,
    /// Whether it is there at the first value.
    found_at_first: bool,
    /// The two values of the border.
    last_before: Option<String>,
    first_after: Option<String>,
    crossings: usize,
    points: Vec<Point>,
}

/// What was seen at one value.
#[derive(Serialize)]
struct Point {
    value: String,
    runs: u64,
    found: u64,
    /// Runs that have the number, and its mean over them, in ns, tuples or ppm.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<f64>,
}

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
    let curves = match search.run(registry, interrupt::listen()) {
        Ok(curves) => curves,
        Err(Failed::Usage(message)) => return usage(&format!("error: {message}\n")),
        Err(Failed::Interrupted) => {
            complain("interrupted; nothing is written\n");
            return Exit::Interrupted;
        }
    };
    if curves.iter().all(|curve| curve.seen.values().all(|seen| seen.runs == 0)) {
        complain("nothing ran: no run is left by the seeds, strategies and case asked for\n");
        return Exit::NothingRan;
    }
    let lines: Vec<Line> = curves.iter().map(|curve| line(args, curve)).collect();
    let mut output = Output::default();
    match args.format {
        Format::Human => output.print(&told(args, &lines)),
        Format::Json => output.print(&jsonl(&lines)),
    }
    if let Err(message) = write(args, &curves, &lines) {
        return usage(&format!("error: {message}\n"));
    }
    if args.format == Format::Human {
        output.print(&format!("\ncurves: {}\n", args.out.join("search.svg").display()));
    }
    output.exit(Exit::Held)
}

fn line(args: &SearchArgs, curve: &Curve) -> Line {
    let shown = |units: u64| args.from.with(units).to_string();
    let point = |(units, seen): (&u64, &Seen)| Point {
        value: shown(*units),
        runs: seen.runs,
        found: seen.found,
        measured: args.until.quantity().map(|_| seen.number.n),
        mean: seen.number.mean(),
    };
    Line {
        case: curve.name.0.clone(),
        strategy: curve.name.1.clone(),
        parameter: args.parameter.clone(),
        until: until(&args.until),
        found_at_first: curve.seen.values().next().is_some_and(Seen::any),
        last_before: curve.border.map(|(before, _)| shown(before)),
        first_after: curve.border.map(|(_, after)| shown(after)),
        crossings: curve.crossings,
        points: curve.seen.iter().map(point).collect(),
    }
}

/// What is looked for, as it can be written.
fn until(until: &Until) -> String {
    match until {
        Until::Broken => "broken".to_string(),
        Until::Beyond { quantity, above, limit } => {
            let sign = if *above { '>' } else { '<' };
            let limit = match quantity.is_time() {
                true => format_duration(*limit),
                false => limit.to_string(),
            };
            format!("{} {sign} {limit}", quantity.name())
        }
    }
}

fn told(args: &SearchArgs, lines: &[Line]) -> String {
    let (from, to, looked_for) = (args.from, args.to, until(&args.until));
    let mut text = format!("{} from {from} to {to}, until {looked_for}\n", args.parameter);
    let titles = ["case", "strategy", "at the first", "last before", "first after"];
    let mut cells = Vec::new();
    for line in lines {
        let first = if line.found_at_first { "found" } else { "not found" };
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_string());
        let (before, after) = (value(&line.last_before), value(&line.first_after));
        let row = [line.case.clone(), line.strategy.clone(), first.to_string(), before, after];
        cells.push(row.to_vec());
    }
    text += &table::plain(&titles, &cells);
    for line in lines {
        let name = format!("{} / {}", line.case, line.strategy);
        match (line.crossings, &line.first_after) {
            (0, _) => {
                let same = if line.found_at_first { "found" } else { "not found" };
                text += &format!("  {name}: no border inside, {same} at all values tried\n");
            }
            (1, _) | (_, None) => {}
            (crossings, Some(first)) => {
                text += &format!(
                    "  {name}: crosses {crossings} times on the grid; the first crossing is at \
                     {first}\n"
                );
            }
        }
    }
    text
}

fn write(args: &SearchArgs, curves: &[Curve], lines: &[Line]) -> Result<(), String> {
    let failed = |e: io::Error| format!("cannot write to {}: {e}", args.out.display());
    let figure = search::search(&words(args), &figure(args, curves));
    let files = [
        ("search.csv".to_string(), csv(args, lines).map_err(|e| e.to_string())?),
        ("search.jsonl".to_string(), jsonl(lines).into_bytes()),
        ("search.svg".to_string(), figure.svg()?.into_bytes()),
        ("search.png".to_string(), figure.png()?),
    ];
    std::fs::create_dir_all(&args.out).map_err(failed)?;
    write_files(&args.out, &files).map_err(|e| e.to_string())
}

fn csv(args: &SearchArgs, lines: &[Line]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mean = match args.until.quantity() {
        Some(quantity) => format!("mean_{}{}", quantity.name(), unit(quantity).1),
        None => "mean".to_string(),
    };
    writer.write_record([
        "case",
        "strategy",
        &args.parameter,
        "runs",
        "found",
        "measured",
        &mean,
    ])?;
    for line in lines {
        for point in &line.points {
            let scale = args.until.quantity().map_or(1.0, |quantity| unit(quantity).0);
            let (runs, found) = (point.runs.to_string(), point.found.to_string());
            let measured = point.measured.map_or(String::new(), |n| n.to_string());
            let mean = point.mean.map_or(String::new(), |mean| format!("{}", mean / scale));
            let fields =
                [&line.case, &line.strategy, &point.value, &runs, &found, &measured, &mean];
            writer.write_record(fields)?;
        }
    }
    writer.into_inner().map_err(|e| csv::Error::from(io::Error::other(e.to_string())))
}

/// How many of its own unit are one of the unit that is shown, and that unit.
fn unit(quantity: Quantity) -> (f64, &'static str) {
    match quantity {
        _ if quantity.is_time() => (1e6, "_ms"),
        Quantity::BytesPerHopPpm => (1e4, "_percent"),
        _ => (1.0, ""),
    }
}

fn words(args: &SearchArgs) -> Words {
    let suffix = match args.from {
        Amount::Number(_) => "",
        Amount::Duration(_) => ", ms",
        Amount::Percent(_) => ", %",
    };
    let number = args.until.quantity().map_or(String::new(), |quantity| {
        let unit = unit(quantity).1.replace('_', ", ").replace("percent", "%");
        format!("mean {}{unit}", quantity.name())
    });
    let found = until(&args.until);
    Words {
        title: format!("{} from {} to {}, until {found}", args.parameter, args.from, args.to),
        setting: format!("{}{suffix}", args.parameter),
        found,
        number,
    }
}

fn figure(args: &SearchArgs, curves: &[Curve]) -> Vec<search::Curve> {
    let scale = match args.from {
        Amount::Number(_) => 1.0,
        Amount::Duration(_) => 1e6,
        Amount::Percent(_) => 1e4,
    };
    let number = args.until.quantity().map_or(1.0, |quantity| unit(quantity).0);
    let several = curves.iter().any(|curve| curve.name.0 != curves[0].name.0);
    let point = |(at, seen): (&u64, &Seen)| search::Point {
        at: *at as f64 / scale,
        found: 100.0 * seen.found as f64 / seen.runs.max(1) as f64,
        number: seen.number.mean().map(|mean| mean / number),
    };
    let curve = |curve: &Curve| search::Curve {
        name: match several {
            true => format!("{} / {}", curve.name.0, curve.name.1),
            false => curve.name.1.clone(),
        },
        points: curve.seen.iter().map(point).collect(),
        border: curve.border.map(|(a, b)| (a as f64 / scale, b as f64 / scale)),
    };
    curves.iter().map(curve).collect()
}
