//! An operator between its ports: what every strategy wraps.

use super::{Inbox, Ports, Reception};
use crate::node::{Cx, Digest};
use crate::operator::{Operator, Outputs};
use crate::planted_bugs::Bug;
use crate::protocol::{
    ChannelId, DeliveryId, Effects, Item, Nanos, Payload, Position, Resend, Term, Tuple,
};

/// Bits of the sub-index that each fanning-out operator takes.
const SUB_BITS: u32 = 16;

/// An operator, its inbox and its outbox.
pub struct Task {
    /// Receiving and sending side.
    pub ports: Ports,
    /// What is computed.
    pub operator: Box<dyn Operator>,
    /// The next sequence number of the planted bug that numbers outputs anew after a take-over.
    renumbered: Option<u64>,
    scratch: Outputs,
}

impl Clone for Task {
    fn clone(&self) -> Self {
        Task {
            ports: self.ports.clone(),
            operator: self.operator.fork(),
            renumbered: self.renumbered,
            scratch: Outputs::default(),
        }
    }
}

impl Task {
    /// An empty task for a node.
    ///
    /// # Panics
    /// When the node is a source or sink: strategies are asked for operators only.
    pub fn new(cx: &Cx) -> Task {
        let operator = cx.plan.operator_of(cx.me).operator().expect("a task runs an operator");
        Task {
            ports: Ports::new(cx),
            operator: operator.fork(),
            renumbered: None,
            scratch: Outputs::default(),
        }
    }

    /// CPU time to charge for an item, ns.
    pub fn cost(&self, cx: &Cx, term: Term, channel: ChannelId, item: &Item) -> Nanos {
        let Item::Tuple(tuple) = item else { return 0 };
        if tuple.is_end() {
            return 0;
        }
        let service = cx.plan.operator_of(cx.me).service_ns;
        match self.ports.inbox.reception(term, channel, item) {
            Reception::Take => service,
            Reception::Duplicate if cx.plan.settings.duplicates_free => 0,
            Reception::Duplicate => service,
            Reception::Stale => 0,
        }
    }

    /// Takes an item in `sender_term`, if it is new, and emits what the operator makes of it in
    /// our term. Calls `sent` with each output and the channel that it went down.
    /// Returns whether the item was taken.
    pub fn take(
        &mut self,
        cx: &Cx,
        my_term: Term,
        (sender_term, channel, item): (Term, ChannelId, &Item),
        fx: &mut Effects,
        mut sent: impl FnMut(ChannelId, DeliveryId),
    ) -> bool {
        if self.ports.inbox.reception(sender_term, channel, item) != Reception::Take {
            return false;
        }
        self.ports.inbox.take(channel, item);
        let Item::Tuple(input) = item else { return true };
        self.scratch.list.clear();
        if !input.is_end() {
            self.operator.apply(input, &mut self.scratch);
        } else if self.ports.inbox.all_ended() {
            self.operator.end(&mut self.scratch);
            let marker = input.semantic;
            self.scratch.emit(marker, Payload::End);
        }
        let outputs = std::mem::take(&mut self.scratch);
        let stream = cx.plan.output_stream(cx.instance(), input.id.stream);
        for (index, (semantic, payload)) in outputs.list.iter().enumerate() {
            let position = self.position(input.id.position, index);
            let id = DeliveryId { stream, position };
            let tuple = Tuple {
                id,
                semantic: *semantic,
                scheduled: input.scheduled,
                payload: payload.clone(),
            };
            self.ports.outbox.emit(cx, my_term, &tuple, fx, |channel| sent(channel, id));
        }
        self.scratch = outputs;
        true
    }

    /// We lead from now on, in `term`: tells everybody, asks each input channel to send again what
    /// `resend` says, and starts to acknowledge.
    pub fn take_over(
        &mut self,
        cx: &Cx,
        term: Term,
        resend: impl Fn(&Inbox, ChannelId) -> Resend,
        fx: &mut Effects,
    ) {
        self.renumbered = cx.planted(Bug::SequenceRestarts).then_some(0);
        let inbox = &self.ports.inbox;
        self.ports.announce(cx, term, |channel| resend(inbox, channel), fx);
        inbox.start_acks(cx, fx);
    }

    /// Operator state and how far it has got.
    pub fn digest(&self) -> Digest {
        Digest { position: self.ports.inbox.received().clone(), state: self.operator.digest() }
    }

    /// Position of the `index`-th output of the input at `input`: derived from it alone, so that
    /// a re-computed output has the id of the first.
    fn position(&mut self, input: Position, index: usize) -> Position {
        if let Some(next) = &mut self.renumbered {
            *next += 1;
            return Position::of(*next - 1);
        }
        if !self.operator.fans_out() {
            assert!(index == 0, "an operator that does not fan out emits one output for an input");
            return input;
        }
        assert!(index < 1 << SUB_BITS, "at most 65,535 outputs for one input");
        Position { sequence: input.sequence, sub: (input.sub << SUB_BITS) | index as u64 }
    }
}
