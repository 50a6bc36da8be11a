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
            versions.retain(|(_, key, _)| key.number >= number);
        }
    }

    /// Answers all questions of the tick.
    pub fn answer(&mut self) -> Vec<Answer> {
        let questions = std::mem::take(&mut self.questions);
        let newest = |question: &Question| {
            let versions = self.versions.get(&question.slot)?;
            let wanted = |number| question.number.is_none_or(|wanted| wanted == number);
            let durable =
                versions.iter().filter(|(at, key, _)| *at <= question.at && wanted(key.number));
            durable.max_by_key(|(_, key, _)| key.number).map(|(_, key, blob)| (*key, blob.clone()))
        };
        let answer = |question: &Question| Answer {
            node: question.node,
            incarnation: question.incarnation,
            at: question.at,
            found: Stored(newest(question).into_iter().collect()),
            from: RestartFrom::Shared {
                slot: question.slot,
                number: question.number,
                attempt: question.attempt,
            },
        };
        questions.iter().map(answer).collect()
    }
}
