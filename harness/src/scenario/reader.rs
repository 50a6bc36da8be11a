//! Reading a tree with types: every mistake is noted at its place and reading goes on with a
//! default, so that all mistakes come at once. A case's overrides lie over the file here.

use super::diagnostic::{Diagnostic, Source, nearest, suggest};
use super::item::Item;
use super::keys::{Key, top};
use super::tree::{Entry, Value};
use aftermath_systems::protocol::Nanos;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A file that is wrong in more places is not a scenario.
const MISTAKES_MAX: usize = 1_000;

/// Span, message and help of a mistake: what makes it the same mistake in two cases.
type Mistake = (usize, usize, String, Option<String>);

/// The mistakes so far.
#[derive(Default)]
pub struct Errors {
    /// With the readings in which each was found.
    mistakes: RefCell<BTreeMap<Mistake, BTreeSet<usize>>>,
    /// Mistakes in other files.
    elsewhere: RefCell<Vec<Diagnostic>>,
    /// What each reading is of ("case \"base\" under amnesia").
    readings: RefCell<Vec<String>>,
}

impl Errors {
    /// Everything from here on is about this case and strategy.
    pub fn reading(&self, label: String) {
        self.readings.borrow_mut().push(label);
    }

    /// Notes mistakes in another file.
    pub fn elsewhere(&self, list: Vec<Diagnostic>) {
        self.elsewhere.borrow_mut().extend(list);
    }

    fn note(&self, mistake: Mistake) {
        let reading = self.readings.borrow().len();
        self.mistakes.borrow_mut().entry(mistake).or_default().insert(reading);
    }

    /// All of them. One that only some cases have names the first of these, unless its place is
    /// in a case anyway.
    pub fn into_list(self, source: &Source, cases: &[Range<usize>]) -> Vec<Diagnostic> {
        let readings = self.readings.into_inner();
        let mut list = self.elsewhere.into_inner();
        for ((start, end, message, help), found) in
            self.mistakes.into_inner().into_iter().take(MISTAKES_MAX)
        {
            let mut diagnostic = source.at(start..end, message);
            let first = found.first().copied().unwrap_or(0);
            let inside = cases.iter().any(|case| case.contains(&start));
            if first > 0 && found.len() < readings.len() && !inside {
                let others = match found.len() - 1 {
                    0 => String::new(),
                    n => format!(" and {n} more"),
                };
                diagnostic.notes.push(format!("in {}{others}", readings[first - 1]));
            }
            diagnostic.help = help;
            list.push(diagnostic);
        }
        list
    }
}

/// A value that a case sets.
pub struct Override<'t> {
    /// The setting, dotted.
    pub path: String,
    /// The place of its key.
    pub key_span: Range<usize>,
    /// The value.
    pub value: &'t Value,
    /// Whether a reader asked for it.
    pub used: Cell<bool>,
}

/// One reading of the file: the mistakes, and what lies over the file.
pub struct Reading<'t, 'e> {
    /// Where mistakes go.
    pub errors: &'e Errors,
    /// What a case sets.
    pub overrides: Vec<Override<'t>>,
    /// What readers asked for, to suggest from.
    asked: RefCell<BTreeSet<String>>,
}

impl<'t, 'e> Reading<'t, 'e> {
    /// A reading with these overrides.
    pub fn new(errors: &'e Errors, overrides: Vec<Override<'t>>) -> Self {
        Reading { errors, overrides, asked: RefCell::default() }
    }

    /// The table of the whole file.
    pub fn root<'r>(&'r self, entries: &'t [Entry]) -> Table<'t, 'r> {
        Table::new(self, String::new(), 0..0, entries)
    }

    /// Notes a mistake.
    pub fn error(&self, span: &Range<usize>, message: impl Into<String>, help: Option<String>) {
        self.errors.note((span.start, span.end, message.into(), help));
    }

    fn find(&self, path: &str) -> Option<&Override<'t>> {
        self.asked.borrow_mut().insert(path.to_string());
        let found = self.overrides.iter().find(|o| o.path == path)?;
        found.used.set(true);
        Some(found)
    }

    /// Reports the overrides that no reader asked for; `strategy` is that of the case.
    pub fn finish(&self, strategy: Option<&str>) {
        let asked = self.asked.borrow();
        for unused in self.overrides.iter().filter(|o| !o.used.get()) {
            let path = &unused.path;
            let near = nearest(path, asked.iter().map(String::as_str));
            let help = match near {
                Some(best) => format!("did you mean `{best}`?"),
                None => "a setting is written as in the file, with its table before a dot: \
                         \"timing.interval\""
                    .to_string(),
            };
            let option = path.strip_prefix("strategy.").filter(|o| !o.contains('.'));
            let (message, help) = match (option, strategy) {
                (Some(option), Some(strategy)) => {
                    let message = format!("strategy `{strategy}` has no option `{option}`");
                    let of = |path: &String| {
                        let (of, name) = path.strip_prefix("strategy.")?.split_once('.')?;
                        (name == option).then(|| format!("`{of}`"))
                    };
                    let others: Vec<String> = asked.iter().filter_map(of).collect();
                    match others.is_empty() {
                        true => (message, help),
                        false => (
                            message,
                            format!(
                                "{} has: name that in the case's `strategies`",
                                others.join(" or ")
                            ),
                        ),
                    }
                }
                _ => (format!("no such setting: `{path}`"), help),
            };
            self.error(&unused.key_span, message, Some(help));
        }
    }
}

/// A table being read: it knows which keys were asked for.
pub struct Table<'t, 'r> {
    /// Of which reading.
    pub reading: &'r Reading<'t, 'r>,
    /// Where to point when something is missing.
    pub span: Range<usize>,
    pub path: String,
    entries: &'t [Entry],
    /// The keys that were asked for.
    taken: RefCell<Vec<String>>,
}

impl<'t, 'r> Table<'t, 'r> {
    /// A table at `path`.
    pub fn new(
        reading: &'r Reading<'t, 'r>,
        path: String,
        span: Range<usize>,
        entries: &'t [Entry],
    ) -> Self {
        Table { reading, path, span, entries, taken: RefCell::default() }
    }

    fn join(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_string() } else { format!("{}.{key}", self.path) }
    }

    /// The value of a key, a case's before the file's.
    pub fn get(&self, key: &str) -> Option<Item<'t, 'r>> {
        let path = self.join(key);
        let reading = self.reading;
        let file = self.get_from_file(key);
        let Some(o) = reading.find(&path) else { return file };
        let key_span = o.key_span.clone();
        Some(Item { reading, path, key_span, value: o.value, overrides: true })
    }

    /// The file's value of a key, whatever a case sets.
    pub fn get_from_file(&self, key: &str) -> Option<Item<'t, 'r>> {
        self.taken.borrow_mut().push(key.to_string());
        self.entries.iter().find(|entry| entry.key == key).map(|entry| self.item(entry))
    }

    /// Reads a key, if it is there and right.
    pub fn read<T>(&self, key: &Key, read: impl FnOnce(&Item<'t, 'r>) -> Option<T>) -> Option<T> {
        self.get(key.name).and_then(|item| read(&item))
    }

    /// Reads a whole number, or takes the default if it is absent or wrong.
    pub fn number(&self, key: &Key) -> u64 {
        self.read(key, |item| item.number(key)).unwrap_or_else(|| key.default_number())
    }

    /// Reads a span of time, or takes the default if it is absent or wrong.
    pub fn span(&self, key: &Key, tick_ns: Nanos) -> Nanos {
        self.read(key, |item| item.span(key, tick_ns)).unwrap_or_else(|| key.default_ns())
    }

    /// Reads a key that takes one of some words; `what` is what such a word says.
    pub fn word<T: Copy>(&self, key: &Key, what: &str, words: &[(&str, T)]) -> Option<T> {
        let name = self.read(key, |item| item.name(what, words.iter().map(|(name, _)| *name)))?;
        words.iter().find(|(word, _)| *word == name).map(|(_, value)| *value)
    }

    /// Reads a key that must be there.
    pub fn require<T>(
        &self,
        key: &Key,
        example: &str,
        read: impl FnOnce(&Item<'t, 'r>) -> Option<T>,
    ) -> Option<T> {
        let item = self.get(key.name);
        if item.is_none() && !self.misspelt(key.name) {
            // Of a table that is not there its header is told too.
            let header = match self.entries.is_empty() && self.span.is_empty() {
                true => format!("below [{}]: ", self.path),
                false => String::new(),
            };
            let help = Some(format!("write for example {header}{example}"));
            self.error(format!("`{}` is missing", self.join(key.name)), help);
        }
        item.and_then(|item| read(&item))
    }

    /// Whether a key is there that is probably this one: one report of it is enough.
    pub fn misspelt(&self, key: &str) -> bool {
        let taken = self.taken.borrow();
        let mut unknown = self.entries.iter().filter(|entry| !taken.contains(&entry.key));
        unknown.any(|entry| nearest(&entry.key, [key].into_iter()).is_some())
    }

    /// Like [`Self::get`], when two keys exclude each other, see [`Self::one_of`].
    pub fn either(&self, a: &str, b: &str) -> (Option<Item<'t, 'r>>, Option<Item<'t, 'r>>) {
        match self.one_of(&[a, b]) {
            Some((0, item)) => (Some(item), None),
            Some((_, item)) => (None, Some(item)),
            None => (None, None),
        }
    }

    /// The key that is there, of several that exclude each other, and its number: what a case sets
    /// displaces the other keys of the file, two at one level are a mistake.
    pub fn one_of(&self, keys: &[&str]) -> Option<(usize, Item<'t, 'r>)> {
        let found = keys.iter().enumerate().filter_map(|(n, key)| Some((n, self.get(key)?)));
        let mut found: Vec<_> = found.collect();
        if found.iter().any(|(_, item)| item.overrides) {
            found.retain(|(_, item)| item.overrides);
        }
        if let [(a, _), (b, second), ..] = &found[..] {
            let message = format!("`{}` and `{}` exclude each other", keys[*a], keys[*b]);
            second.key_error(message, Some("keep one of them".to_string()));
        }
        found.into_iter().next()
    }

    /// A table within; empty if absent.
    pub fn table(&self, key: &str) -> Table<'t, 'r> {
        let found = self.get(key).and_then(|item| item.table());
        let span = || self.span.clone();
        found.unwrap_or_else(|| Table::new(self.reading, self.join(key), span(), &[]))
    }

    /// What a path is called from here.
    fn below<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(&self.path)?.strip_prefix('.').filter(|_| !self.path.is_empty())
    }

    /// Everything in it, for tables whose keys are names.
    pub fn items(&self) -> Vec<(String, Item<'t, 'r>)> {
        let set = self.reading.overrides.iter().filter_map(|o| self.below(&o.path));
        let set: BTreeSet<&str> = set.collect();
        let file = self.entries.iter().filter(|entry| !set.contains(entry.key.as_str()));
        let file = file.map(|entry| (entry.key.clone(), self.item(entry)));
        let set = set.iter().filter_map(|key| Some((key.to_string(), self.get(key)?)));
        file.chain(set).collect()
    }

    fn item(&self, entry: &'t Entry) -> Item<'t, 'r> {
        let (reading, path) = (self.reading, self.join(&entry.key));
        let key_span = entry.key_span.clone();
        Item { reading, path, key_span, value: &entry.value, overrides: false }
    }

    /// Notes a mistake about the table as a whole.
    pub fn error(&self, message: impl Into<String>, help: Option<String>) {
        self.reading.error(&self.span, message, help);
    }

    /// Reports the keys that nobody asked for.
    pub fn finish(&self) {
        let mut taken = self.taken.borrow().clone();
        taken.sort_unstable();
        taken.dedup();
        for entry in self.entries.iter().filter(|e| !taken.contains(&e.key)) {
            let place = match self.path.as_str() {
                "" => "at the top of a scenario".to_string(),
                path => format!("in `{path}`"),
            };
            let top = top::all().iter().any(|key| key.name == entry.key);
            let help = match top && !self.path.is_empty() {
                // What follows a [table] is in it.
                true => Some("it belongs to the top of the file: before the first [table]".into()),
                false => suggest(&entry.key, taken.iter().map(String::as_str), "known keys"),
            };
            self.reading.error(
                &entry.key_span,
                format!("unknown key `{}` {place}", entry.key),
                help,
            );
        }
    }

    /// Gives up on the table: what it holds cannot be judged after another mistake.
    pub fn ignore(&self) {
        for o in self.reading.overrides.iter().filter(|o| self.below(&o.path).is_some()) {
            o.used.set(true);
        }
    }
}
