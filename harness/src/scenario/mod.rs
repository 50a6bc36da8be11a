//! Scenarios: TOML files that say what runs, what befalls it and what is expected.
//!
//! Spans of time are strings (`"250ms"`, `"1.5s"`), everything else is a whole number. All keys, with
//! what they take, their limits and defaults, are in `keys/`; `aftermath list keys` prints them.
//!
//! A fault at a point or address strikes once: the machine that it befalls at once if that is the
//! one that got there, between its effects. A crash leaves the effects that follow undone; a pause
//! or a slow node takes hold, and the handler carries out the rest. Every other machine is hit a
//! tick later, and so are links: what was sent by then gets through. Where it names who leads
//! (`node = "count"`), that is who led, or was about to, at the end of the tick before. The machines
//! count for themselves; the first one counts, and within one tick one that is hit itself comes
//! first. Nothing waits for a point: when everything heals, what was not reached will not strike.
//!
//! A value in `set` replaces what the file has at that place, a table as a whole; so do the keys
//! of `matrix`. All mistakes of a file are reported at once.

mod cases;
pub mod diagnostic;
mod expect;
mod faults;
mod input;
mod item;
mod kept;
pub(crate) mod keys;
mod length;
pub mod parameter;
mod pipeline;
mod reading;
pub mod recording;
mod sections;
mod setting;
mod strategy;
mod table;
#[cfg(test)]
mod tests;
mod tree;
mod write;

pub use diagnostic::{Diagnostic, Diagnostics};
pub use faults::write::faults as write_faults;
pub use setting::setting;
pub use write::{Heading, expect as write_expect, scenario as write};

use crate::config::{Scenario, Worlds};
use crate::hash::TraceHash;
use aftermath_systems::strategies::{Entry, Registry};
use diagnostic::{Source, turns_text, utf8, whole};
use item::Item;
use keys::top;
use parameter::Setting;
use reading::{Errors, Reading};
use std::hash::Hasher;
use std::ops::Range;
use std::path::Path;
use table::Table;
use tree::{Kind, Value};

/// The JSON schema of scenarios with these strategies, as text.
pub fn schema(registry: &Registry) -> String {
    format!("{:#}\n", keys::schema::schema(registry))
}

/// The keys of scenarios with these strategies, as a table of Markdown.
pub fn table_of_keys(registry: &Registry) -> String {
    keys::tables::keys(registry)
}

/// The faults, as a table of Markdown.
pub fn table_of_faults() -> String {
    keys::tables::faults()
}

/// Larger scenarios are refused: nobody wrote them.
const FILE_MAX: u64 = 4 << 20;
/// Most seeds of a scenario, or of a command.
pub const SEEDS_MAX: u64 = 1_000_000;

/// Reads a scenario file. `formulas` are the names that expectations may refer to.
///
/// # Errors
/// All mistakes in the file and in the recorded streams that it names.
pub fn load(path: &Path, registry: &Registry, formulas: &[&str]) -> Result<Scenario, Diagnostics> {
    load_with(path, registry, formulas, None)
}

/// Reads a scenario file, with a setting laid over its cases.
///
/// # Errors
/// Those of [`load`], and a setting that there is not or that cannot have such a value.
pub fn load_with(
    path: &Path,
    registry: &Registry,
    formulas: &[&str],
    setting: Option<&Setting>,
) -> Result<Scenario, Diagnostics> {
    let name = path.display().to_string();
    let bytes = recording::read_file(path, FILE_MAX)
        .map_err(|why| whole(&name, format!("cannot read the scenario: {why}")))?;
    let source = utf8(&name, &bytes).map_err(Diagnostics::new)?;
    let base_dir = path.parent().unwrap_or(Path::new(""));
    parse_with(source, &name, base_dir, registry, formulas, setting)
}

/// The paths of all settings in a scenario file, or of one case, of which there is a more and a
/// less.
///
/// # Errors
/// A file that cannot be read or is not TOML.
pub fn parameters(path: &Path, case: Option<&str>) -> Result<Vec<String>, Diagnostics> {
    let name = path.display().to_string();
    let bytes = recording::read_file(path, FILE_MAX)
        .map_err(|why| whole(&name, format!("cannot read the scenario: {why}")))?;
    let text = utf8(&name, &bytes).map_err(Diagnostics::new)?;
    let tree = tree::parse(&Source { file: &name, text }).map_err(Diagnostics::new)?;
    Ok(parameter::paths(&tree, case))
}

/// Reads a scenario's text. `path` is its name in messages, recorded streams are relative to
/// `base_dir`.
///
/// # Errors
/// All mistakes in the text and in the recorded streams that it names.
pub fn parse(
    source: &str,
    path: &str,
    base_dir: &Path,
    registry: &Registry,
    formulas: &[&str],
) -> Result<Scenario, Diagnostics> {
    parse_with(source, path, base_dir, registry, formulas, None)
}

fn parse_with(
    source: &str,
    path: &str,
    base_dir: &Path,
    registry: &Registry,
    formulas: &[&str],
    setting: Option<&Setting>,
) -> Result<Scenario, Diagnostics> {
    let source = Source { file: path, text: source };
    let mut tree = tree::parse(&source).map_err(Diagnostics::new)?;
    if let Some(setting) = setting {
        parameter::lay_over(&mut tree, setting);
    }
    let errors = Errors::default();
    let context = cases::Context {
        text: source.text,
        tree: &tree,
        errors: &errors,
        registry,
        formulas,
        recordings: input::Recordings::new(base_dir),
    };
    // Without overrides: what is about the file and not about a run.
    let reading = Reading::new(&errors, Vec::new());
    let root = Table::root(&reading, &tree);
    let stem = Path::new(path).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let stem = stem.unwrap_or_else(|| "scenario".to_string());
    let all: Vec<Entry> = registry.iter().copied().collect();
    let strategies = match root.get(top::STRATEGIES_OF_ALL.name) {
        Some(item) => strategy::names(&item, registry).unwrap_or_default(),
        None => all,
    };
    let mut scenario = Scenario {
        name: root.read(&top::NAME, name).map_or(stem, str::to_string),
        about: root.read(&top::ABOUT, Item::text).unwrap_or_default().to_string(),
        path: path.to_string(),
        program: registry.program(),
        content: String::new(),
        seeds: root.read(&top::SEEDS, seeds).unwrap_or(0..1),
        worlds: root.word(&top::WORLD, "world", Worlds::ALL).unwrap_or_default(),
        cases: cases::read(&context, &root, &strategies),
    };
    let mut hash = TraceHash::default();
    tree::hash(&tree, source.text, &mut hash);
    context.recordings.hash(&mut hash);
    scenario.content = format!("{:016x}", hash.finish());
    let extents = match root.get(top::CASE.name).map(|item| &item.value.kind) {
        Some(Kind::Array(values)) => values.iter().map(extent).collect(),
        _ => Vec::new(),
    };
    drop(context);
    let mistakes = errors.into_list(&source, &extents);
    if mistakes.is_empty() { Ok(scenario) } else { Err(Diagnostics::new(mistakes)) }
}

/// The bytes from the beginning of a value to the end of the last that is in it.
fn extent(value: &Value) -> Range<usize> {
    let end = |values: &mut dyn Iterator<Item = &Value>| values.map(|v| extent(v).end).max();
    let inner = match &value.kind {
        Kind::Array(values) => end(&mut values.iter()),
        Kind::Table(entries) => end(&mut entries.iter().map(|entry| &entry.value)),
        _ => None,
    };
    value.span.start..inner.unwrap_or(0).max(value.span.end)
}

/// A name that is shown in tables and records.
fn name<'t>(item: &Item<'t, '_>) -> Option<&'t str> {
    let name = item.text()?;
    let wrong = if name.trim().is_empty() {
        "a name cannot be empty"
    } else if name.chars().any(turns_text) {
        "a name has no characters that turn the direction of the text"
    } else if name.chars().any(char::is_control) {
        "a name has no control characters and no line breaks"
    } else if name.chars().count() > 100 {
        "a name has at most 100 characters"
    } else {
        return Some(name);
    };
    item.error(wrong, None);
    None
}

fn seeds(item: &Item) -> Option<Range<u64>> {
    let help = Some("\"0..20\" are the seeds 0 to 19".to_string());
    let Kind::String(text) = &item.value.kind else {
        item.error(format!("`seeds` must be a string, not {}", item.value.kind.name()), help);
        return None;
    };
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let ends = text.split_once("..").and_then(|(a, b)| Some((number(a)?, number(b)?)));
    match ends {
        None => item.error(format!("\"{text}\" is no range of seeds"), help),
        Some((from, to)) if from >= to => item.error("no seed is in that range", help),
        Some((from, to)) if to - from > SEEDS_MAX => {
            item.error(format!("more than {SEEDS_MAX} seeds"), None);
        }
        Some((from, to)) => return Some(from..to),
    }
    None
}
