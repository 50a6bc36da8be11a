//! Tables of the tree as readers see them: each knows which keys were asked for, and a case's
//! overrides lie over it.

use super::diagnostic::{nearest, suggest};
use super::item::Item;
use super::keys::{Key, top};
use super::reading::Reading;
use super::tree::{Entry, Kind};
use aftermath_systems::protocol::Nanos;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;

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

impl<'t, 'r> Item<'t, 'r> {
    /// A table.
    pub fn table(&self) -> Option<Table<'t, 'r>> {
        let Kind::Table(entries) = &self.value.kind else {
            return self.wrong_type("a table", None);
        };
        Some(Table::new(self.reading, self.path.clone(), self.key_span.clone(), entries))
    }
}

impl<'t, 'r> Table<'t, 'r> {
    /// The table of the whole file.
    pub fn root(reading: &'r Reading<'t, 'r>, entries: &'t [Entry]) -> Self {
        Table::new(reading, String::new(), 0..0, entries)
    }

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
