//! The shared store: slow, remote, never dying.

use aftermath_systems::protocol::{Blob, Nanos, NodeId, SaveKey, Stored};
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
}

#[derive(Clone)]
struct Question {
    node: NodeId,
    incarnation: u32,
    at: Nanos,
    slot: u32,
}

/// Versions by slot, with the instant since when each is durable. A question is answered after
/// its tick, when every save of that tick is known, with what was durable when it was asked.
#[derive(Clone, Default)]
pub struct SharedStore {
    versions: BTreeMap<u32, Vec<(Nanos, SaveKey, Blob)>>,
    questions: Vec<Question>,
}

impl SharedStore {
    /// A save has become durable.
    pub fn add(&mut self, at: Nanos, key: SaveKey, blob: Blob) {
        self.versions.entry(key.slot).or_default().push((at, key, blob));
    }

    /// Somebody asks for the newest version of a slot.
    pub fn ask(&mut self, node: NodeId, incarnation: u32, at: Nanos, slot: u32) {
        self.questions.push(Question { node, incarnation, at, slot });
    }

    /// Answers all questions of the tick, and drops versions that nobody can ask for any more.
    pub fn answer(&mut self, tick_end: Nanos) -> Vec<Answer> {
        let questions = std::mem::take(&mut self.questions);
        let newest = |question: &Question| {
            let versions = self.versions.get(&question.slot)?;
            let durable = versions.iter().filter(|(at, _, _)| *at <= question.at);
            durable.max_by_key(|(_, key, _)| key.number).map(|(_, key, blob)| (*key, blob.clone()))
        };
        let answer = |question: &Question| Answer {
            node: question.node,
            incarnation: question.incarnation,
            at: question.at,
            found: Stored(newest(question).into_iter().collect()),
        };
        let answers = questions.iter().map(answer).collect();
        for versions in self.versions.values_mut() {
            let newest = versions.iter().map(|(_, key, _)| key.number).max();
            versions.retain(|(at, key, _)| *at > tick_end || Some(key.number) == newest);
        }
        answers
    }
}
