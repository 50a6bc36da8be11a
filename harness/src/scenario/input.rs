//! The section about input.

use super::diagnostic::Diagnostic;
use super::item::Item;
use super::kept;
use super::keys::sections::input as keys;
use super::pipeline::Dataflow;
use super::recording::{self, ReadError};
use super::table::Table;
use crate::config::{InputConfig, Kept, Recording};
use aftermath_systems::pipelines::{Column, InputSchema};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where the tuples come from: one of these keys.
const KINDS: [&str; 3] = [keys::RECORDED.name, keys::GENERATED.name, keys::NEXMARK.name];
const RECORDED: usize = 0;
const GENERATED: usize = 1;
const NEXMARK: usize = 2;

/// File, first rows, pipeline whose columns it was read with.
type ReadAs = (PathBuf, Option<u64>, &'static str);

/// Recorded streams, each read once however many cases use it.
pub struct Recordings<'a> {
    base_dir: &'a Path,
    read: RefCell<BTreeMap<ReadAs, Result<Arc<Recording>, String>>>,
}

impl<'a> Recordings<'a> {
    /// Files relative to this directory.
    pub fn new(base_dir: &'a Path) -> Self {
        Recordings { base_dir, read: RefCell::default() }
    }

    /// Takes all rows that were read into a hash, but not where they were read from.
    pub fn hash(&self, hasher: &mut impl Hasher) {
        for ((_, take, pipeline), recording) in self.read.borrow().iter() {
            let read = recording.as_ref().map(|read| (&read.rows, &read.symbols));
            (take, pipeline, read.ok()).hash(hasher);
        }
    }

    /// The stream, or why it cannot be had.
    fn get(
        &self,
        file: &str,
        columns: &[Column],
        take: Option<u64>,
        pipeline: &'static str,
        elsewhere: impl FnOnce(Vec<Diagnostic>),
    ) -> Result<Arc<Recording>, String> {
        let path = self.base_dir.join(file);
        let mut read = self.read.borrow_mut();
        let entry = read.entry((path.clone(), take, pipeline)).or_insert_with(|| {
            let recorded = recording::read(&path, columns, take);
            let named = |read| Arc::new(Recording { file: path.clone(), ..read });
            recorded.map(named).map_err(|error| match error {
                ReadError::Data(list) => {
                    let n = list.len();
                    elsewhere(list);
                    let mistakes = if n == 1 { "a mistake" } else { "mistakes" };
                    format!("the recorded stream `{file}` has {mistakes}")
                }
                ReadError::File(why) => format!("cannot read `{file}`: {why}"),
            })
        });
        entry.clone()
    }
}

/// Reads `[input]`: what the source emits, which tuples of it are kept, and tuples a second.
pub fn input(
    root: &Table,
    flow: Option<&Dataflow>,
    recordings: &Recordings,
) -> (Option<InputConfig>, Kept, u64) {
    let table = root.table("input");
    let rate =
        table.require(&keys::RATE_PER_S, "rate_per_s = 2500", |i| i.number(&keys::RATE_PER_S));
    let found = table.one_of(&KINDS);
    let take = table.get(keys::TAKE.name);
    let rows = take.as_ref().and_then(|item| item.number(&keys::TAKE));
    let only = table.get(keys::ONLY.name);
    table.finish();
    if let (Some(take), Some((kind, item))) = (&take, &found)
        && *kind != RECORDED
        && !take.overrides
        && !item.overrides
    {
        let count = if *kind == GENERATED { "tuples" } else { "events" };
        take.key_error("`take` is for recorded streams", Some(format!("write `{count}`")));
    }
    // What is in it may be wrong, whatever the pipeline is.
    let made = found.as_ref().and_then(|(kind, item)| match *kind {
        GENERATED => generate(item),
        NEXMARK => nexmark(item),
        _ => None,
    });
    // Which kind it must be is not known without a pipeline.
    let config = flow.and_then(|flow| {
        let name = flow.pipeline.name;
        let (wanted, what, help) = wanted(flow.pipeline.input);
        let message = format!("pipeline `{name}` reads {what}");
        match (&found, flow.pipeline.input) {
            (Some((RECORDED, file)), InputSchema::Recorded(columns)) => {
                recorded(file, columns, (rows, take.as_ref()), name, (recordings, &table))
            }
            (Some((kind, _)), _) if *kind == wanted => made,
            (Some((_, item)), _) => {
                item.key_error(message, Some(help));
                None
            }
            (None, _) => {
                table.error(message, Some(help));
                None
            }
        }
    });
    let tuples = config.as_ref().map(InputConfig::tuples);
    let kept = only.and_then(|item| kept::read(&item, tuples)).unwrap_or_default();
    (config, kept, rate.unwrap_or(1))
}

/// Which of [`KINDS`] a pipeline reads, in words, and what to write.
fn wanted(schema: InputSchema) -> (usize, &'static str, String) {
    match schema {
        InputSchema::Recorded(columns) => {
            let names: Vec<_> = columns.iter().map(|column| column.name).collect();
            let names = names.join(",");
            let help = format!("write recorded = \"FILE.csv\"; its columns are {names}");
            (RECORDED, "a recorded stream", help)
        }
        InputSchema::Generated => {
            let help = "write generated = { tuples = 20000, keys = 1000 }";
            (GENERATED, "generated tuples", help.to_string())
        }
        InputSchema::Nexmark => {
            (NEXMARK, "events of NEXMark", "write nexmark = { events = 20000 }".to_string())
        }
    }
}

/// Reads the file, with the columns of the pipeline of this name: so many rows, as `take` says.
fn recorded(
    file: &Item,
    columns: &'static [Column],
    (rows, take): (Option<u64>, Option<&Item>),
    pipeline: &'static str,
    (recordings, table): (&Recordings, &Table),
) -> Option<InputConfig> {
    let elsewhere = |list| table.reading.errors.elsewhere(list);
    match recordings.get(file.text()?, columns, rows, pipeline, elsewhere) {
        Ok(recording) => {
            enough(&recording, rows, take);
            Some(InputConfig::Recorded(recording))
        }
        Err(why) => {
            let place = "a path is relative to the scenario's directory";
            let help = why.starts_with("cannot").then(|| place.to_string());
            file.error(why, help);
            None
        }
    }
}

fn nexmark(item: &Item) -> Option<InputConfig> {
    let table = item.table()?;
    let events = table.require(&keys::EVENTS, "events = 20000", |i| i.number(&keys::EVENTS));
    table.finish();
    Some(InputConfig::Nexmark { events: events? })
}

fn generate(item: &Item) -> Option<InputConfig> {
    let table = item.table()?;
    let tuples = table.require(&keys::TUPLES, "tuples = 20000", |i| i.number(&keys::TUPLES));
    let keys = table.require(&keys::KEYS, "keys = 1000", |i| i.number(&keys::KEYS));
    table.finish();
    Some(InputConfig::Generated { tuples: tuples?, keys: u32::try_from(keys?).ok()? })
}

fn enough(recording: &Recording, rows: Option<u64>, take: Option<&Item>) {
    let there = recording.rows.len() as u64;
    if let (Some(rows), Some(take)) = (rows, take)
        && rows > there
    {
        take.error(format!("the recorded stream has only {there} rows"), None);
    }
}
