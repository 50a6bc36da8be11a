//! The shared store: slow, remote, never dying.

use aftermath_systems::protocol::{Blob, Nanos, NodeId, RestartFrom, SaveKey, Stored};
use std::collections::BTreeMap;

/// A question, answered.
pub struct Answer {
    /// Who asked.
    pub node: NodeId,
    /// In which incarnation.
    pub incarnation: u32,
    /// When, ns.
    pub at: Nanos,
    /// What was durable at that instant.
    pub found: Stored,
    /// The fault that has lost a newer one which had been reported durable, or the one asked for.
    pub missed: Option<usize>,
    /// What was asked for.
    pub from: RestartFrom,
}

#[derive(Clone)]
struct Question {
    node: NodeId,
    incarnation: u32,
    at: Nanos,
    slot: u32,
    number: Option<u64>,
    attempt: u32,
}

#[derive(Clone)]
struct Version {
    /// Since when it is durable, ns.
    at: Nanos,
    key: SaveKey,
    blob: Blob,
    /// It was reported durable only, and this fault has lost it.
    lost_by: Option<usize>,
}

/// Versions by slot, with the instant since when each is durable. A question is answered after
/// its tick, when every save of that tick is known, with what was durable when it was asked.
#[derive(Clone, Default)]
pub struct SharedStore {
    versions: BTreeMap<u32, Vec<Version>>,
    questions: Vec<Question>,
}

impl SharedStore {
    /// A save has become durable, or was reported so and was lost by a fault.
    pub fn add(&mut self, at: Nanos, key: SaveKey, blob: Blob, lost_by: Option<usize>) {
        let version = Version { at, key, blob, lost_by };
        self.versions.entry(key.slot).or_default().push(version);
    }

    /// Somebody asks for a version of a slot, the newest if no number is given; what
    /// its next life must know is handed on.
    pub fn ask(
        &mut self,
        node: NodeId,
        incarnation: u32,
        at: Nanos,
        (slot, number, attempt): (u32, Option<u64>, u32),
    ) {
        self.questions.push(Question { node, incarnation, at, slot, number, attempt });
    }

    /// Nobody will ask for versions of `slot` before `number` any more.
    pub fn discard(&mut self, slot: u32, number: u64) {
        if let Some(versions) = self.versions.get_mut(&slot) {
            versions.retain(|version| version.key.number >= number);
        }
    }

    /// Answers all questions of the tick.
    pub fn answer(&mut self) -> Vec<Answer> {
        let questions = std::mem::take(&mut self.questions);
        questions.iter().map(|question| self.answer_one(question)).collect()
    }

    fn answer_one(&self, question: &Question) -> Answer {
        let versions = self.versions.get(&question.slot).into_iter().flatten();
        let wanted = |number| question.number.is_none_or(|wanted| wanted == number);
        let durable =
            versions.filter(|version| version.at <= question.at && wanted(version.key.number));
        let (lost, there): (Vec<_>, Vec<_>) =
            durable.partition(|version: &&Version| version.lost_by.is_some());
        let newest = |versions: Vec<&Version>| {
            versions.into_iter().max_by_key(|version| version.key.number).cloned()
        };
        let found = newest(there);
        let number = found.as_ref().map(|version| version.key.number);
        let missed = newest(lost).filter(|version| Some(version.key.number) > number);
        Answer {
            node: question.node,
            incarnation: question.incarnation,
            at: question.at,
            found: Stored(found.map(|version| (version.key, version.blob)).into_iter().collect()),
            missed: missed.and_then(|version| version.lost_by),
            from: RestartFrom::Shared {
                slot: question.slot,
                number: question.number,
                attempt: question.attempt,
            },
        }
    }
}
