//! A value per key that knows what changed since the last cut and its digest at any time.

use crate::operator::mix;
use crate::protocol::{Field, Payload};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::ops::RangeInclusive;

/// Not a key and not 0, so that no entry hashes to what an absent one does.
const SEED: u64 = u64::MAX;

/// What values are kept by.
pub(super) trait Key: Copy + Ord + Serialize + DeserializeOwned {
    /// Mixes the key into a digest.
    fn mix_into(self, hash: u64) -> u64;
}

impl Key for u32 {
    fn mix_into(self, hash: u64) -> u64 {
        mix(hash, u64::from(self))
    }
}

impl Key for (u32, u32) {
    fn mix_into(self, hash: u64) -> u64 {
        self.1.mix_into(self.0.mix_into(hash))
    }
}

/// What is kept per key.
pub(super) trait Value: Copy + Serialize + DeserializeOwned {
    /// Mixes the value into a digest.
    fn mix_into(self, hash: u64) -> u64;
}

/// Of a set.
impl Value for () {
    fn mix_into(self, hash: u64) -> u64 {
        hash
    }
}

impl Value for i64 {
    fn mix_into(self, hash: u64) -> u64 {
        mix(hash, self as u64)
    }
}

/// What a window holds of one key. A mean is sum and count: no float.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct CountAndSum {
    count: i64,
    sum: i64,
}

impl CountAndSum {
    /// One value more.
    pub(super) fn with(old: Option<CountAndSum>, value: i64) -> CountAndSum {
        let CountAndSum { count, sum } = old.unwrap_or_default();
        CountAndSum { count: count + 1, sum: sum + value }
    }

    /// As an output.
    pub(super) fn record(self) -> Payload {
        Payload::Record([Field::Integer(self.count), Field::Integer(self.sum)].into())
    }
}

impl Value for CountAndSum {
    fn mix_into(self, hash: u64) -> u64 {
        mix(mix(hash, self.count as u64), self.sum as u64)
    }
}

/// What happened to a table since the last cut.
#[derive(Serialize, Deserialize)]
pub(super) struct Changes<V, K = u32> {
    /// Everything that the table held at the cut is gone.
    emptied: bool,
    /// Entries that are new or differ.
    updated: Vec<(K, V)>,
}

impl<V, K> Changes<V, K> {
    /// How many entries have to be shipped.
    pub(super) fn len(&self) -> usize {
        self.updated.len()
    }
}

/// A value, and whether it is new or another since the last cut. It is encoded as the value alone.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Entry<V> {
    value: V,
    #[serde(skip)]
    dirty: bool,
}

/// A table of keyed values.
#[derive(Clone, Debug)]
pub(super) struct Keyed<V, K = u32> {
    entries: BTreeMap<K, Entry<V>>,
    /// The keys of the entries that are dirty, in any order: a flag beside the value costs an
    /// update less than a search in a set of keys.
    dirty: Vec<K>,
    emptied: bool,
    /// The sum of the entries' hashes: an update costs one subtraction and one addition, and the
    /// order of updates leaves no trace.
    digest: u64,
}

// By hand: a derived one would ask for a default value.
impl<V, K> Default for Keyed<V, K> {
    fn default() -> Self {
        Keyed { entries: BTreeMap::new(), dirty: Vec::new(), emptied: false, digest: 0 }
    }
}

impl<V: Value, K: Key> Keyed<V, K> {
    /// Replaces the value of `key`, computed from the old one if there is one; returns the new one.
    pub(super) fn update(&mut self, key: K, change: impl FnOnce(Option<V>) -> V) -> V {
        let Some(entry) = self.entries.get_mut(&key) else {
            let value = change(None);
            self.dirty.push(key);
            self.digest = self.digest.wrapping_add(hash(key, value));
            self.entries.insert(key, Entry { value, dirty: true });
            return value;
        };
        if !std::mem::replace(&mut entry.dirty, true) {
            self.dirty.push(key);
        }
        let value = change(Some(entry.value));
        let old = std::mem::replace(&mut entry.value, value);
        self.digest = self.digest.wrapping_sub(hash(key, old)).wrapping_add(hash(key, value));
        value
    }

    /// The value of `key`.
    pub(super) fn get(&self, key: K) -> Option<V> {
        self.entries.get(&key).map(|entry| entry.value)
    }

    /// The keys in `range` that have a value, ascending.
    pub(super) fn keys_in(&self, range: RangeInclusive<K>) -> impl Iterator<Item = K> {
        self.entries.range(range).map(|(key, _)| *key)
    }

    /// Takes everything out, in the order of keys.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (K, V)> + use<V, K> {
        self.dirty.clear();
        self.emptied = true;
        self.digest = 0;
        std::mem::take(&mut self.entries).into_iter().map(|(key, entry)| (key, entry.value))
    }

    /// How many keys there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Equal for equal entries, whatever path led there.
    pub(super) fn digest(&self) -> u64 {
        self.digest
    }

    /// Everything; later changes are relative to this cut.
    pub(super) fn snapshot(&mut self) -> &BTreeMap<K, Entry<V>> {
        self.dirty.clear();
        self.emptied = false;
        self.entries.values_mut().for_each(|entry| entry.dirty = false);
        &self.entries
    }

    /// What changed since the last cut, which is here now.
    pub(super) fn delta(&mut self) -> Changes<V, K> {
        self.dirty.sort_unstable();
        let clean = |key| {
            let entry = self.entries.get_mut(&key).expect("what is dirty is there");
            entry.dirty = false;
            (key, entry.value)
        };
        let updated = self.dirty.drain(..).map(clean).collect();
        Changes { emptied: std::mem::take(&mut self.emptied), updated }
    }

    /// Starts again from a snapshot, which is a cut as well.
    pub(super) fn restore(&mut self, entries: BTreeMap<K, V>) {
        *self = Keyed::default();
        for (key, value) in entries {
            self.put(key, value);
        }
    }

    /// Follows one delta; the cut moves along, so nothing becomes dirty.
    pub(super) fn apply(&mut self, changes: Changes<V, K>) {
        if changes.emptied {
            self.entries.clear();
            self.dirty.clear();
            self.digest = 0;
        }
        for (key, value) in changes.updated {
            self.put(key, value);
        }
    }

    fn put(&mut self, key: K, value: V) {
        match self.entries.entry(key) {
            Slot::Vacant(slot) => {
                slot.insert(Entry { value, dirty: false });
            }
            Slot::Occupied(mut slot) => {
                let old = std::mem::replace(&mut slot.get_mut().value, value);
                self.digest = self.digest.wrapping_sub(hash(key, old));
            }
        }
        self.digest = self.digest.wrapping_add(hash(key, value));
    }
}

/// What an entry adds to the digest.
fn hash(key: impl Key, value: impl Value) -> u64 {
    value.mix_into(key.mix_into(SEED))
}
