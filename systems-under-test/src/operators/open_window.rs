//! One window that is open at a time: what it holds by key, and from where inputs must come again
//! for it. Shared by operators whose windows lie side by side.

use super::keyed::{Keyed, Value};
use crate::operator::{State, mix};
use crate::protocol::{Positions, Tuple};
use serde::{Serialize, de::DeserializeOwned};

/// The window that is open, if one is, and its content.
#[derive(Clone, Debug)]
pub(super) struct OpenWindow<V> {
    /// Its number.
    index: Option<u64>,
    /// The first input in it, for each stream that has one.
    firsts: Positions,
    contents: Keyed<V>,
}

impl<V> Default for OpenWindow<V> {
    fn default() -> Self {
        OpenWindow { index: None, firsts: Positions::default(), contents: Keyed::default() }
    }
}

impl<V: Value + Serialize + DeserializeOwned> OpenWindow<V> {
    /// Which window is open.
    pub(super) fn index(&self) -> Option<u64> {
        self.index
    }

    /// Counts an input in the window that is open, or in window `index`, which it opens.
    pub(super) fn add(
        &mut self,
        index: u64,
        key: u32,
        input: &Tuple,
        change: impl FnOnce(Option<V>) -> V,
    ) {
        self.index.get_or_insert(index);
        self.contents.update(key, change);
        let stream = input.id.stream;
        if self.firsts.iter().all(|(known, _)| known != stream) {
            self.firsts.set(stream, input.id.position);
        }
    }

    /// Closes it: its number and its content in the order of keys, if one is open.
    pub(super) fn close(&mut self) -> Option<(u64, impl Iterator<Item = (u32, V)> + use<V>)> {
        let index = self.index.take()?;
        self.firsts = Positions::default();
        Some((index, self.contents.drain()))
    }

    pub(super) fn snapshot(&mut self) -> State {
        let entries = self.contents.len();
        State::encode(&(self.index, &self.firsts, self.contents.snapshot()), entries)
    }

    pub(super) fn restore(&mut self, state: &State) {
        let contents;
        (self.index, self.firsts, contents) = state.decode();
        self.contents.restore(contents);
    }

    pub(super) fn delta(&mut self) -> State {
        let changes = self.contents.delta();
        State::encode(&(self.index, &self.firsts, &changes), changes.len())
    }

    pub(super) fn apply_delta(&mut self, delta: &State) {
        let changes;
        (self.index, self.firsts, changes) = delta.decode();
        self.contents.apply(changes);
    }

    /// What outputs still to come depend on: the inputs of the window that is open.
    pub(super) fn needs(&self, received: &Positions) -> Positions {
        let mut needs = received.clone();
        for (stream, first) in self.firsts.iter() {
            needs.set(stream, first);
        }
        needs
    }

    /// Without the first positions: they decide what upstream keeps, never what is put out.
    pub(super) fn digest(&self) -> u64 {
        mix(self.contents.digest(), self.index.map_or(0, |index| index + 1))
    }
}
