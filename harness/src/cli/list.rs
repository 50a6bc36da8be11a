//! `aftermath list`: everything that can be named in a scenario, from the lists themselves.

use super::args::{ListArgs, What};
use super::exit::Exit;
use super::output::{print_all, usage};
use crate::baseline;
use crate::config::Quantity;
use crate::scenario::keys::told::{self, Told};
use crate::{faults, formulas};
use aftermath_systems::options::{OptionDoc, OptionKind};
use aftermath_systems::points::{By, Point};
use aftermath_systems::strategies::{Entry, Registry};
use aftermath_systems::{pipelines, planted_bugs};

/// Prints the lists.
pub fn list(args: &ListArgs, registry: &Registry) -> Exit {
    if let Some(wanted) = &args.key {
        if args.what != Some(What::Keys) {
            return usage("error: only keys are listed one by one: `aftermath list keys KEY`\n");
        }
        return match told::find(wanted, registry) {
            Ok(found) => print_all(&lines(&found)),
            Err(why) => usage(&format!("error: {why}\n")),
        };
    }
    let mut text = String::new();
    let mut section = |what: What, title: &str, lines: Vec<String>| {
        if args.what.is_none_or(|wanted| wanted == what) {
            text += &format!("{title}\n{}\n\n", lines.join("\n"));
        }
    };
    let strategies =
        registry.iter().flat_map(|entry| described(entry.name, entry.summary, entry.options));
    section(What::Strategies, "Strategies", strategies.collect());
    let pipelines = pipelines::ALL.iter();
    let pipelines = pipelines.flat_map(|entry| described(entry.name, entry.summary, entry.options));
    section(What::Pipelines, "Pipelines", pipelines.collect());
    let faults = faults::ALL.iter();
    let faults = faults.flat_map(|entry| described(entry.name, entry.summary, entry.options));
    section(What::Faults, "Faults", faults.collect());
    let quantities = Quantity::ALL.iter().map(|(name, _)| format!("  {name}"));
    section(What::Quantities, "Quantities that expectations may name", quantities.collect());
    let of_budgets = baseline::names();
    let more = of_budgets.iter().filter(|name| Quantity::named(name).is_none());
    let more = more.map(|name| format!("  {name}")).collect();
    section(What::Quantities, "More quantities that budgets may name", more);
    let formulas = formulas::ALL.iter().map(|formula| line(formula.name, formula.doc));
    section(What::Formulas, "Formulas that expectations may compare with", formulas.collect());
    let symbols = formulas::SYMBOLS.iter().map(|(symbol, doc)| line(symbol, doc));
    section(What::Formulas, "What their symbols stand for", symbols.collect());
    let bugs = planted_bugs::ALL.iter().map(|bug| line(bug.name, bug.summary));
    section(What::PlantedBugs, "Deliberately wrong variants", bugs.collect());
    let points = registry.iter().flat_map(points);
    section(What::Points, "Protocol points at which a fault can strike", points.collect());
    let keys = told::all(registry).into_iter().filter(|told| !told.again);
    let title = "Keys of a scenario: N is a number, other capitals are names";
    section(What::Keys, title, keys.map(|told| told.to_string()).collect());
    print_all(&format!("{}\n", text.trim_end()))
}

fn lines(told: &[Told]) -> String {
    told.iter().map(|told| format!("{told}\n")).collect()
}

/// The points of a strategy.
fn points(entry: &Entry) -> Vec<String> {
    let point = |point: &Point| {
        let by = match point.by {
            By::Replicas => "",
            By::Coordinator => " (coordinator)",
        };
        format!("    {:<26} {}{by}", point.name, point.summary)
    };
    [format!("  {}", entry.name)].into_iter().chain(entry.points().map(point)).collect()
}

fn line(name: &str, summary: &str) -> String {
    format!("  {name:<28} {summary}")
}

fn described(name: &str, summary: &str, options: &[OptionDoc]) -> Vec<String> {
    let option = |doc: &OptionDoc| {
        let values = match doc.kind {
            OptionKind::Choice(words) => words.join(" | "),
            OptionKind::Duration => "a span of time".into(),
            OptionKind::Number(least, most) => format!("{least} to {most}"),
            OptionKind::Percent => "a share such as 2.5%".into(),
        };
        let default = if doc.default.is_empty() { "not set" } else { doc.default };
        format!("      {} = {values} (default {default}): {}", doc.name, doc.doc)
    };
    [line(name, summary)].into_iter().chain(options.iter().map(option)).collect()
}
