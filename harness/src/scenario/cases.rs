//! Cases: what each sets over the file, matrices multiplied out, one configuration for each
//! strategy.

use super::input::{self, Recordings};
use super::item::Item;
use super::keys::top;
use super::reading::{Errors, Override, Reading};
use super::sections;
use super::table::Table;
use super::tree::{Entry as TreeEntry, Kind, Value};
use super::{expect, faults, length, pipeline, strategy};
use crate::config::{Case, Expect, FaultAt, FaultConfig, RunConfig};
use aftermath_systems::options::format_duration;
use aftermath_systems::planted_bugs;
use aftermath_systems::protocol::{Nanos, SECOND};
use aftermath_systems::strategies::{Entry, Registry};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Range;

/// Most cases of a scenario, matrices multiplied out, for all strategies together.
const CASES_MAX: usize = 10_000;

/// A fault may last until so long after the stream, ns.
const AFTER_END_MAX: Nanos = 600 * SECOND;

/// Most settings of one case.
const SETTINGS_MAX: usize = 1_000;

/// What all cases share.
pub struct Context<'a> {
    /// The text, to name values as they are written.
    pub text: &'a str,
    /// The whole file.
    pub tree: &'a [TreeEntry],
    /// Where mistakes go.
    pub errors: &'a Errors,
    /// Known strategies.
    pub registry: &'a Registry,
    /// Known formulas.
    pub formulas: &'a [&'a str],
    /// Recorded streams.
    pub recordings: Recordings<'a>,
}

/// A setting and where it is set.
type Setting<'t> = (String, Range<usize>, &'t Value);

/// A case as it is written.
struct Draft<'t> {
    name: String,
    /// Where the case is named, or begins.
    span: Range<usize>,
    strategies: Vec<Entry>,
    set: Vec<Setting<'t>>,
    /// Each with its values.
    matrix: Vec<(Setting<'t>, &'t [Value])>,
    expect: Expect,
}

/// Reads all cases; `root` is the file without overrides, `strategies` those of the file.
pub fn read(context: &Context, root: &Table, strategies: &[Entry]) -> Vec<Case> {
    let shared =
        root.read(&top::EXPECT, |item| expect::read(item, context.formulas, context.registry));
    let shared = shared.unwrap_or_default();
    let drafts = match root.get(top::CASE.name) {
        None => Vec::new(),
        Some(item) if matches!(item.value.kind, Kind::Table(_)) => {
            let help = "every case has a table of its own: write [[case]]".to_string();
            item.error("`case` must be an array of tables, not a table", Some(help));
            Vec::new()
        }
        Some(item) => {
            let items = item.list().unwrap_or_default();
            let single = items.len() == 1;
            let drafts = items.iter().filter_map(|item| item.table());
            drafts.map(|table| draft(context, &table, single, strategies, &shared)).collect()
        }
    };
    let mut drafts: Vec<Draft> = drafts;
    if drafts.is_empty() {
        // Even if the cases are unreadable, the file's own settings are checked.
        drafts.push(Draft {
            name: "base".to_string(),
            span: 0..0,
            strategies: strategies.to_vec(),
            set: Vec::new(),
            matrix: Vec::new(),
            expect: shared,
        });
    }
    let mut names = BTreeSet::new();
    let mut cases = Vec::new();
    let mut total = 0usize;
    for draft in &drafts {
        let points = draft.matrix.iter().fold(1usize, |n, (_, v)| n.saturating_mul(v.len()));
        total = total.saturating_add(points.saturating_mul(draft.strategies.len().max(1)));
        if total > CASES_MAX {
            let span = draft.matrix.first().map_or(&draft.span, |(setting, _)| &setting.1);
            let message = format!("more than {CASES_MAX} cases, for all strategies together");
            root.reading.error(span, message, None);
            break;
        }
        for point in 0..points {
            let (name, overrides) = at_point(context, draft, point);
            // One that could not be read has been reported.
            if !draft.name.is_empty() && !names.insert(name.clone()) {
                let message = format!("two cases are called \"{name}\"");
                root.reading.error(&draft.span, message, None);
            }
            let found = case(context, draft, &name, &overrides);
            cases.extend(found);
        }
    }
    cases
}

/// One point of a case's matrix, under each strategy.
fn case(context: &Context, draft: &Draft, name: &str, set: &[Setting]) -> Vec<Case> {
    // Without any valid strategy the settings are checked all the same.
    let mut entries: Vec<Option<&Entry>> = draft.strategies.iter().map(Some).collect();
    if entries.is_empty() {
        entries.push(None);
    }
    let mut cases = Vec::new();
    for entry in entries {
        let under = entry.map_or(String::new(), |entry| format!(" under {}", entry.name));
        context.errors.reading(format!("case \"{name}\"{under}"));
        let overrides = set.iter().map(|(path, key_span, value)| Override {
            path: path.clone(),
            key_span: key_span.clone(),
            value,
            used: Cell::new(false),
        });
        let reading = Reading::new(context.errors, overrides.collect());
        let config = config(context, &Table::root(&reading, context.tree), entry);
        reading.finish(entry.map(|entry| entry.name));
        let expect = draft.expect.under(entry.map_or("", |entry| entry.name));
        let Some(config) = config else { continue };
        // Where a mixture names the strategy of every operator, it is one case and not several.
        if cases.iter().all(|other: &Case| other.config.label() != config.label()) {
            cases.push(Case { name: name.to_string(), config, expect });
        }
    }
    cases
}

/// Name and overrides of one point; the first key of a matrix changes slowest.
fn at_point<'t>(
    context: &Context,
    draft: &Draft<'t>,
    mut point: usize,
) -> (String, Vec<Setting<'t>>) {
    let mut chosen = Vec::new();
    for ((path, span, _), values) in draft.matrix.iter().rev() {
        chosen.push((path.clone(), span.clone(), &values[point % values.len()]));
        point /= values.len();
    }
    chosen.reverse();
    let mut name = draft.name.clone();
    for (path, _, value) in &chosen {
        let text = match &value.kind {
            Kind::String(text) => text,
            _ => context.text.get(value.span.clone()).unwrap_or_default(),
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let text: String = words.join(" ").chars().filter(|c| !c.is_control()).collect();
        name += &format!(", {path}={text}");
    }
    (name, draft.set.iter().cloned().chain(chosen).collect())
}

fn draft<'t>(
    context: &Context,
    table: &Table<'t, '_>,
    single: bool,
    strategies: &[Entry],
    shared: &Expect,
) -> Draft<'t> {
    let name_item = table.get(top::CASE_NAME.name);
    let name = match &name_item {
        Some(item) => super::name(item).unwrap_or_default(),
        None => {
            if !single {
                let help = "write name = \"passive, secondary stores\"".to_string();
                table.error("of several cases, each needs a name", Some(help));
            }
            "base"
        }
    };
    let mut set = Vec::new();
    for key in [&top::CASE_FAULT, &top::CASE_FAULTS, &top::CASE_PLANT] {
        if let Some(item) = table.get(key.name) {
            set.push((key.name.to_string(), item.key_span.clone(), item.value));
        }
    }
    if let Some(item) = table.get(top::SET.name) {
        flatten(context, &item, &mut set);
    }
    let mut matrix: Vec<(Setting<'t>, &'t [Value])> = Vec::new();
    if let Some(item) = table.get(top::MATRIX.name) {
        let mut settings = Vec::new();
        flatten(context, &item, &mut settings);
        for setting in settings {
            let (path, span, value) = &setting;
            match &value.kind {
                Kind::Array(values) if values.is_empty() => {
                    item.reading.error(&value.span, "at least one value is needed", None);
                }
                Kind::Array(values) => {
                    if set.iter().any(|(other, ..)| other == path) {
                        let message = format!("`{path}` is set already");
                        item.reading.error(span, message, None);
                    } else {
                        matrix.push((setting, values));
                    }
                }
                _ => item.reading.error(
                    &value.span,
                    format!("`{path}` needs an array of values here"),
                    Some("a single value belongs in `set`".to_string()),
                ),
            }
        }
    }
    let own =
        table.get(top::CASE_STRATEGIES.name).map(|item| strategy::names(&item, context.registry));
    let expect = table.get(top::CASE_EXPECT.name);
    let expect = expect.map(|item| expect::read(&item, context.formulas, context.registry));
    table.finish();
    Draft {
        name: name.to_string(),
        span: name_item.map_or(table.span.clone(), |item| item.value.span.clone()),
        strategies: own.map_or(strategies.to_vec(), Option::unwrap_or_default),
        set,
        matrix,
        expect: expect.map_or(shared.clone(), Option::unwrap_or_default),
    }
}

/// Reads `"timing.interval" = ...`, `timing.interval = ...` and `[case.set.timing]` alike. A table
/// in braces is a value and replaces the file's.
fn flatten<'t>(context: &Context, item: &Item<'t, '_>, list: &mut Vec<Setting<'t>>) {
    let Some(table) = item.table() else { return };
    enter(context, &table, "", list);
}

fn enter<'t>(context: &Context, table: &Table<'t, '_>, prefix: &str, list: &mut Vec<Setting<'t>>) {
    for (key, item) in table.items() {
        let path = format!("{prefix}{key}");
        if list.len() >= SETTINGS_MAX {
            item.key_error(format!("more than {SETTINGS_MAX} settings"), None);
            return;
        }
        let braces = context.text.as_bytes().get(item.value.span.start) == Some(&b'{');
        if let (Kind::Table(_), false) = (&item.value.kind, braces) {
            if let Some(table) = item.table() {
                enter(context, &table, &format!("{path}."), list);
            }
            continue;
        }
        if path == "fault" {
            let help = "a case's own faults replace the file's: write [[case.fault]]".to_string();
            item.key_error("`fault` cannot be set", Some(help));
        } else if top::NOT_OF_A_RUN.iter().any(|key| key.name == path) {
            let help = match top::OF_CASE.iter().any(|key| key.name == path) {
                true => format!("a case has `{path}` of its own, beside `set`"),
                false => "it is of the file as a whole and stands at its top".to_string(),
            };
            item.key_error(format!("`{path}` is not a setting of a run"), Some(help));
        } else if list.iter().any(|(other, ..)| *other == path) {
            item.key_error(format!("`{path}` is set already"), None);
        } else {
            list.push((path, item.key_span.clone(), item.value));
        }
    }
}

/// What befalls a stream long after its end teaches nothing, and heartbeats go on until then.
fn far_away(root: &Table, faults: &[FaultConfig], end: Nanos) {
    let last = |fault: &FaultConfig| {
        let start = match fault.at {
            FaultAt::Instant(at) | FaultAt::Between(_, at) => at,
            FaultAt::Strata { start, span, .. } => start.saturating_add(span),
            FaultAt::After(length) => length,
            FaultAt::Point { .. } | FaultAt::Address { .. } => 0,
        };
        start.saturating_add(fault.for_ns.unwrap_or(0))
    };
    let limit = end.saturating_add(AFTER_END_MAX);
    for (number, fault) in faults.iter().enumerate().filter(|(_, fault)| last(fault) > limit) {
        let message = format!(
            "fault {number} lasts until {}, and the stream ends at {}",
            format_duration(last(fault)),
            format_duration(end)
        );
        let help = "leave `for` out to let it heal when the stream has ended".to_string();
        if let Some(item) = root.get("fault") {
            item.key_error(message, Some(help));
        }
    }
}

/// Everything that determines a run of one case under one strategy.
fn config(context: &Context, root: &Table, entry: Option<&Entry>) -> Option<RunConfig> {
    let flow = pipeline::read(root);
    let flow = flow.as_ref();
    let (input, kept, rate_per_s) = input::input(root, flow, &context.recordings);
    let protection = sections::protection(root);
    let network = sections::network(root, flow);
    let timing = sections::timing(root, network.tick_ns, rate_per_s);
    let storage = sections::storage(root);
    let sizes = sections::sizes(root);
    let (strategy_options, given_options) = strategy::read(root, context.registry, entry);
    let mixture = strategy::mixture(root, context.registry, flow);
    let own = entry.map(|entry| (*entry, &strategy_options));
    let strategies = faults::Strategies { registry: context.registry, own, mixture: &mixture };
    let stream_ns = input.as_ref().map(|input| input.length_ns(rate_per_s));
    let spares = protection.spares;
    let around = faults::Surroundings {
        stream_ns,
        ..faults::Surroundings::new(flow, &strategies, spares, network.tick_ns)
    };
    let (faults, swarm) = faults::read(root, &around);
    if let Some(end) = around.stream_ns {
        far_away(root, &faults, end);
    }
    let drain_within_ns = root.read(&top::DRAIN_WITHIN, |item| item.span(&top::DRAIN_WITHIN, 0));
    let plant = root.read(&top::PLANT, |item| {
        let names = planted_bugs::ALL.iter().map(|bug| bug.name);
        planted_bugs::find(item.name("planted bug", names)?)
    });
    top::NOT_OF_A_RUN.iter().for_each(|key| drop(root.get(key.name)));
    root.finish();
    let entry = entry?;
    let flow = flow?;
    let mixed = mixture.values().filter_map(|mixed| {
        let entry = context.registry.find(mixed.strategy)?;
        Some((entry, &mixed.options))
    });
    let plain = flow.protect.iter().any(|name| !mixture.contains_key(name));
    let used = mixed.chain(plain.then_some((entry, &strategy_options)));
    for (entry, options) in used {
        let spares_min = (entry.build)(options).spares_min();
        if spares_min <= protection.spares {
            continue;
        }
        let message = format!(
            "strategy `{}` needs {spares_min} spare, there are {}",
            entry.name, protection.spares
        );
        let help = Some("set `protection.spares`, or name other `strategies`".to_string());
        match &protection.spares_item {
            Some(item) => item.error(message, help),
            None => root.error(message, help),
        }
    }
    let config = RunConfig {
        pipeline: flow.pipeline.name,
        pipeline_options: flow.options.clone(),
        protect: flow.protect.clone(),
        parallelism: flow.parallelism.clone(),
        service_ns: flow.service_ns.clone(),
        spares: protection.spares,
        strategy: entry.name,
        strategy_options,
        given_options,
        mixture,
        dedup: protection.dedup,
        duplicates_free: protection.duplicates_free,
        input: input?,
        kept,
        rate_per_s,
        network,
        timing,
        storage,
        sizes,
        faults,
        drain_within_ns,
        plant,
        swarm,
    };
    length::check(root, &config);
    Some(config)
}
