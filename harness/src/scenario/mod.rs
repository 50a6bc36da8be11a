//! Scenarios: TOML files that say what runs, what befalls it and what is expected.
//!
//! Spans of time are strings (`"250ms"`, `"1.5s"`), everything else is a whole number. All keys,
//! with their defaults:
//!
//! ```toml
//! name = "flights"                # default: the file's name
//! about = "what it shows"         # default: empty
//! seeds = "0..20"                 # from 0 up to but not including 20; default "0..1"
//! strategies = ["amnesia"]        # default: all
//! world = "events"                # or "turmoil", or "both": both are run and must agree
//! drain_within = "30s"            # after everything healed nothing stands still for so long
//! plant = "trim-on-receipt"       # a deliberately wrong variant; default: none
//! expect = { lost = 0 }           # of cases that have no `expect` of their own
//!
//! [pipeline]
//! name = "flights"                # required
//! protect = ["delays"]            # operators that the strategy protects; default: all
//! parallelism = { delays = 2 }    # 1..=16; default 1. Needs a keyed or broadcasting edge
//! service = { clean = "10us" }    # CPU time of a tuple, default 0, or else
//! capacity_per_s = { delays = 7500 }  # tuples a second
//! options = { span = "1s" }       # of the pipeline: see `aftermath list`
//!
//! [input]
//! rate_per_s = 2500               # tuples a second, required, 1..=1_000_000
//! generated = { tuples = 20000, keys = 1000 }  # for most pipelines, or else
//! recorded = "data/flights.csv"   # for pipelines of recorded streams; relative to the scenario
//! take = 5000                     # only so many rows; default: all
//! only = ["3..17", "40"]          # of these, tuples 3 to 16 and 40, counted from 0. They keep
//!                                 # their instants, keys and values, and the stream its end;
//!                                 # formulas speak of the whole stream
//!
//! [protection]
//! spares = 1                      # additional replicas of protected operators, 0 or 1
//! dedup = "receiver"              # or "off", or "handshake": a new primary asks what is wanted
//! duplicate_cost = "free"         # or "service": dropping a duplicate costs CPU time
//!
//! [network]
//! tick = "1ms"                    # whole milliseconds: nothing between nodes is faster
//! latency = "1ms"                 # one way, of every link; at least one tick
//! jitter = "0ms"                  # each frame takes up to so much longer, drawn from the seed
//! edges = { "source -> count" = "5ms" }  # latency of the links of one edge, or to one replica of
//!                                 # its receiver: "source -> count/0/1"; or else
//!                                 # { latency = "5ms", jitter = "2ms" }, both optional
//! bandwidth_bytes_per_s = 0       # of each link; 0: unlimited
//! retransmit = "20ms"             # when a session sends again what a fault took; at least a tick
//!
//! [timing]
//! heartbeat = "100ms"             # H
//! misses = 3                      # K
//! redirect = "50ms"               # R
//! interval = "1s"                 # M: checkpoints to a standby, acknowledgements, trims
//! phases = { heartbeat = "0ms", ack = "0ms", checkpoint = "0ms", tuple = "0ms" }
//!                                 # of the grids, less than the period; default: drawn
//!
//! [storage]
//! latency = "100ms"               # of a save
//! bandwidth_bytes_per_s = 0       # of writing; 0: unlimited
//! restore_bytes_per_s = 0         # of loading at a restart; 0: unlimited
//!
//! [sizes]                         # modelled, bytes
//! tuple = 100
//! ack = 32
//! heartbeat = 32
//! control = 32
//! entry = 64                      # of a keyed entry of operator state
//!
//! [strategy]                      # options for each strategy that knows them
//! store_at = "primary"
//! [strategy.passive-standby]      # options for one
//! ack_phase = "0ms"
//!
//! [mixture]                       # protected operators with a strategy of their own
//! delays = "upstream-backup"
//!
//! [[fault]]                       # in any number
//! machine-loss = { node = "delays", wire = "live" }  # wire: frames of the dead "live" or "die"
//! # process-crash = { node = ["clean/0/0", "delays/0/1"] }  # several at once, each named once
//! # process-crash = { node = "delays/0/1" }          # instance 0, replica 1
//! # process-crash = { node = "coordinator" }         # where a strategy has one
//! # pause = { node = "delays" }                      # stands still, and goes on
//! # slow-node = { node = "delays", times = 4 }       # services take so many times as long
//! # partition = { between = ["delays/0/0", "delays/0/1"], in_flight = "dropped" }  # or "held"
//! # slow-link = { from = "clean", to = "delays", by = "20ms", jitter = "5ms" }  # one way; a
//! #                                    # name alone: all machines of it, sources and sinks too
//! # message-loss = { between = ["clean", "delays"], probability = "5%" }
//! # heartbeat-loss = { between = ["delays", "delays"], probability = "50%" }
//! # connection-reset = { between = ["clean", "delays"], told = "both" }  # or "nobody"
//! # duplicate = { between = ["clean", "delays"], probability = "5%", after = "1ms" }
//! # reorder = { between = ["clean", "delays"], probability = "5%", by = "5ms" }
//! # redelivery = { between = ["clean", "delays"], probability = "5%", within = "100ms" }
//! # storage-slow = { node = "delays", by = "100ms" }  # saves take so much longer
//! # storage-refuse = { node = "delays", probability = "100%" }  # saves fail; the process is told
//! # storage-lose = { node = "delays", probability = "100%" }  # reported durable, and not there
//! # storage-tear = { node = "delays" }               # a kill destroys what is being overwritten
//! at = "2s"                       # or { between = ["1.5s", "3.5s"] }, drawn from the seed;
//!                                 # or { strata = 20, start = "3s", span = "1s" }, 20 runs;
//!                                 # or { after = "8s" }, from the start of the fault before;
//!                                 # or { point = "took-over", node = "count/0/1", nth = 3 }: when
//!                                 # a machine of that place (default: of the operator that the
//!                                 # fault befalls) gets there so often (default 1); the points
//!                                 # are in `aftermath list points`;
//!                                 # or { node = "count/0/0", incarnation = 1, handler = 57,
//!                                 # effect = 2 }: just before an effect, see `replay --trace`
//! for = "2s"                      # default: until everything heals; of links: until the last
//!                                 # tuple is due at the source
//! draws = 0                       # the number that its chance is drawn from: what it loses, how
//!                                 # long it delays, `between`. Default: its place in the schedule,
//!                                 # so that without the faults before it other frames are lost
//!
//! [faults.swarm]                  # instead of [[fault]]: each seed draws a schedule of its own
//! kinds = ["machine-loss", "pause"]  # default: all; each seed draws a part of them
//! most = 4                        # faults of a schedule, at most 1,000
//! from = "500ms"                  # the first may start; default: at the first tick
//! until = "3s"                    # they start before; default: the end of the stream
//! beyond_claims = false           # true: whatever befalls, promised or not; a broken promise is
//!                                 # told then and is no failure
//!
//! [[case]]                        # default: one, called "base"
//! name = "short interval"         # unique; required if there are several
//! strategies = ["passive-standby"]  # default: the file's
//! set = { "timing.interval" = "250ms", "strategy.store_at" = "secondary", "fault.0.at" = "3s" }
//! matrix = { "timing.heartbeat" = ["50ms", "100ms"] }  # multiplies the case
//! plant = "never-trims"
//! fault = []                      # replaces the file's; or [[case.fault]]; or
//! # faults = { swarm = { most = 2 } }
//! expect = { observed = "exactly", status = "held", lost = 0, "recovery.r2" = { max = "2s" } }
//! # each quantity: a value, { min, max } or { of = "FORMULA", within = ["1%", "2 tuples"] }, with
//! # `times = 2` if there are two failures to count;
//! # mean, min and max = { ... } within `expect` judge all runs of the case together, and so do
//! # delivery = "none", "gap", "duplicates" or "both", value = "same", "converges" or "diverges"
//! # (the worst of the runs), memory = "bounded" or "grows";
//! # a table called like a strategy ([case.expect.upstream-backup]) is for that strategy
//! ```
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
mod item;
mod kept;
pub mod parameter;
mod pipeline;
mod reading;
pub mod recording;
mod sections;
mod strategy;
mod table;
#[cfg(test)]
mod tests;
mod tree;
mod write;

pub use diagnostic::{Diagnostic, Diagnostics};
pub use faults::write::faults as write_faults;
pub use write::{Heading, expect as write_expect, scenario as write};

use crate::config::{Scenario, Worlds};
use crate::hash::TraceHash;
use aftermath_systems::strategies::{Entry, Registry};
use diagnostic::{Source, utf8, whole};
use item::Item;
use parameter::Setting;
use reading::{Errors, Reading};
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::path::Path;
use table::Table;
use tree::{Kind, Value};

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
        recordings: sections::Recordings::new(base_dir),
    };
    // Without overrides: what is about the file and not about a run.
    let reading = Reading::new(&errors, Vec::new());
    let root = Table::root(&reading, &tree);
    let stem = Path::new(path).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let stem = stem.unwrap_or_else(|| "scenario".to_string());
    let all: Vec<Entry> = registry.iter().copied().collect();
    let strategies = match root.get("strategies") {
        Some(item) => strategy::names(&item, registry).unwrap_or_default(),
        None => all,
    };
    let mut scenario = Scenario {
        name: root.read("name", stem, |item| name(item).map(str::to_string)),
        about: root.read("about", String::new(), |item| item.text().map(str::to_string)),
        path: path.to_string(),
        content: String::new(),
        seeds: root.read("seeds", 0..1, seeds),
        worlds: root.read("world", Worlds::default(), worlds),
        cases: cases::read(&context, &root, &strategies),
    };
    let mut hash = TraceHash::default();
    source.text.hash(&mut hash);
    context.recordings.hash(&mut hash);
    scenario.content = format!("{:016x}", hash.finish());
    let extents = match root.get("case").map(|item| &item.value.kind) {
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

/// Whether a character has no shape of its own and changes how others are shown.
fn turns_text(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
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

fn worlds(item: &Item) -> Option<Worlds> {
    let names = Worlds::ALL.iter().map(|(name, _)| *name);
    let name = item.name("world", names)?;
    Worlds::ALL.iter().find(|(known, _)| *known == name).map(|(_, worlds)| *worlds)
}

fn seeds(item: &Item) -> Option<Range<u64>> {
    let text = item.text()?;
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let ends = text.split_once("..").and_then(|(a, b)| Some((number(a)?, number(b)?)));
    let help = Some("\"0..20\" are the seeds 0 to 19".to_string());
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
