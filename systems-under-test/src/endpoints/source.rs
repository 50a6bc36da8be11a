//! The plain source: a durable, replayable log with offsets that emits the workload on schedule.

use crate::blocks::Ports;
use crate::context::Cx;
use crate::node::Node;
use crate::protocol::{
    DeliveryId, Effects, Event, Nanos, Payload, Position, SemanticId, StreamId, TimerId, Tuple,
};

const EMIT: TimerId = TimerId(0);
/// A source never fails, so it leads in its first term for ever.
const TERM: u32 = 1;

/// Emits input i at its scheduled instant, keeps it where the contract says so, and sends it
/// again when a new primary asks.
#[derive(Clone)]
pub struct Source {
    ports: Ports,
    stream: StreamId,
    next: usize,
    done: bool,
}

impl Source {
    /// The source at `me`.
    pub fn new(cx: &Cx) -> Source {
        let (stream, _) = cx.plan.instance(cx.instance()).streams[0];
        Source { ports: Ports::new(cx), stream, next: 0, done: false }
    }

    fn due(&self, cx: &Cx) -> Option<Nanos> {
        let workload = &cx.plan.workload;
        let end = (!self.done).then_some(workload.end_at);
        workload.inputs.get(self.next).map(|input| input.scheduled).or(end)
    }

    fn emit(&mut self, cx: &Cx, fx: &mut Effects) {
        while self.due(cx).is_some_and(|due| due <= cx.now) {
            let sequence = self.next as u64;
            let (scheduled, payload) = match cx.plan.workload.inputs.get(self.next) {
                Some(input) => (input.scheduled, input.payload.clone()),
                None => (cx.plan.workload.end_at, Payload::End),
            };
            self.done = payload == Payload::End;
            self.next += usize::from(!self.done);
            let tuple = Tuple {
                id: DeliveryId { stream: self.stream, position: Position::of(sequence) },
                semantic: SemanticId { kind: 0, key: 0, index: sequence },
                scheduled,
                payload,
            };
            self.ports.outbox.emit(cx, TERM, &tuple, fx, |_| {});
        }
        if let Some(due) = self.due(cx) {
            fx.timer(EMIT, due);
        }
    }
}

impl Node for Source {
    fn on(&mut self, cx: &Cx, event: Event, fx: &mut Effects) {
        match event {
            Event::Started { .. } | Event::Timer(EMIT) => self.emit(cx, fx),
            Event::Link { from, link } => self.ports.on_link(cx, Some(TERM), from, &link, fx),
            _ => {}
        }
    }

    fn is_primary(&self) -> bool {
        true
    }

    fn retained(&self) -> u64 {
        self.ports.outbox.retained()
    }

    fn settled(&self) -> bool {
        self.done
    }
}
