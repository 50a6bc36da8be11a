//! A queue that knows what changed since the last cut and its digest at any time.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::collections::VecDeque;

/// What waits in a queue.
pub(super) trait Item: Clone + Serialize + DeserializeOwned {
    /// Of everything that can change an output still to come.
    fn hash(&self) -> u64;
}

/// What happened to a queue since the last cut.
#[derive(Serialize, Deserialize)]
pub(super) struct Shift<T> {
    /// How many items of the cut have left at the front.
    removed: u64,
    /// What is new at the back.
    appended: Vec<T>,
}

impl<T> Shift<T> {
    /// How many entries have to be shipped.
    pub(super) fn len(&self) -> usize {
        self.appended.len()
    }
}

/// First in, first out.
#[derive(Clone, Debug)]
pub(super) struct Queue<T> {
    items: VecDeque<T>,
    /// The sum of the items' hashes.
    digest: u64,
    /// How many items at the back the last cut did not have.
    appended: usize,
    /// How many of the last cut's items have left at the front.
    removed: u64,
}

// By hand: a derived one would ask for a default item.
impl<T> Default for Queue<T> {
    fn default() -> Self {
        Queue { items: VecDeque::new(), digest: 0, appended: 0, removed: 0 }
    }
}

impl<T: Item> Queue<T> {
    /// Appends at the back.
    pub(super) fn push(&mut self, item: T) {
        self.put(item);
        self.appended += 1;
    }

    /// Removes at the front.
    pub(super) fn pop(&mut self) -> Option<T> {
        let item = self.take()?;
        // What came and went between two cuts never has to be shipped.
        if self.items.len() < self.appended {
            self.appended -= 1;
        } else {
            self.removed += 1;
        }
        Some(item)
    }

    /// The next to leave.
    pub(super) fn front(&self) -> Option<&T> {
        self.items.front()
    }

    /// From front to back.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.items.iter()
    }

    /// How many items there are.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Equal for equal items.
    pub(super) fn digest(&self) -> u64 {
        self.digest
    }

    /// Everything; later changes are relative to this cut.
    pub(super) fn snapshot(&mut self) -> &VecDeque<T> {
        (self.appended, self.removed) = (0, 0);
        &self.items
    }

    /// What changed since the last cut, which is here now.
    pub(super) fn delta(&mut self) -> Shift<T> {
        let kept = self.items.len() - std::mem::take(&mut self.appended);
        let appended = self.items.range(kept..).cloned().collect();
        Shift { removed: std::mem::take(&mut self.removed), appended }
    }

    /// Starts again from a snapshot, which is a cut as well.
    pub(super) fn restore(&mut self, items: Vec<T>) {
        *self = Queue::default();
        items.into_iter().for_each(|item| self.put(item));
    }

    /// Follows one delta; the cut moves along.
    pub(super) fn apply(&mut self, shift: Shift<T>) {
        for _ in 0..shift.removed {
            // A standby that missed a delta may be asked to drop more than it has.
            self.take();
        }
        shift.appended.into_iter().for_each(|item| self.put(item));
    }

    fn put(&mut self, item: T) {
        self.digest = self.digest.wrapping_add(item.hash());
        self.items.push_back(item);
    }

    fn take(&mut self) -> Option<T> {
        let item = self.items.pop_front()?;
        self.digest = self.digest.wrapping_sub(item.hash());
        Some(item)
    }
}
