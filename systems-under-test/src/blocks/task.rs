//! An operator between its ports: what every strategy wraps.

use super::{Inbox, Ports};
use crate::context::Cx;
use crate::operator::{Digest, Operator, Output, Outputs};
use crate::planted_bugs::Bug;
use crate::protocol::{
    ChannelId, DeliveryId, EdgeId, Effects, InstanceId, Item, Nanos, Payload, Position, Resend,
    Term, TimerId, Tuple,
};

/// Bits of the sub-index that each fanning-out operator takes.
const SUB_BITS: u32 = 16;
/// Index of the first output that an operator puts out unasked: after those of the last input.
const FIRST_WOKEN: usize = 1 << (SUB_BITS - 1);
/// Wakes the operator.
const WAKE: TimerId = TimerId(0x7003);

/// An operator, its inbox and its outbox.
pub struct Task {
    /// Receiving and sending side.
    pub ports: Ports,
    /// What is computed.
    pub operator: Box<dyn Operator>,
    /// The next sequence number of the planted bug that numbers outputs anew after a take-over.
    renumbered: Option<u64>,
    /// Outputs that the operator has put out unasked since the last input.
    woken: usize,
    scratch: Outputs,
}

/// What made an operator put something out.
struct Trigger {
    /// The input, and when the source was scheduled to emit it.
    origin: (DeliveryId, Nanos),
    /// Index of the first output among those of that input.
    index: usize,
}

impl Clone for Task {
    fn clone(&self) -> Self {
        Task {
            ports: self.ports.clone(),
            operator: self.operator.fork(),
            renumbered: self.renumbered,
            woken: self.woken,
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
        let mut operator = operator.fork();
        let streams = cx.plan.instance(cx.instance()).streams.iter();
        operator.connect(&streams.map(|(input, _)| *input).collect::<Vec<_>>());
        Task {
            ports: Ports::new(cx),
            operator,
            renumbered: None,
            woken: 0,
            scratch: Outputs::default(),
        }
    }

    /// CPU time to charge for an item, ns.
    pub fn cost(&self, cx: &Cx, channel: ChannelId, item: &Item) -> Nanos {
        let Item::Tuple(tuple) = item else { return 0 };
        if tuple.is_end() {
            return 0;
        }
        let service = cx.plan.operator_of(cx.me).service_ns;
        let free = cx.plan.settings.duplicates_free && self.ports.inbox.is_duplicate(channel, item);
        if free { 0 } else { service }
    }

    /// Takes an item, if it is new, and emits what the operator makes of it in our term. Calls
    /// `sent` with each output and the channel that it went down. Returns whether the item was
    /// taken.
    pub fn take(
        &mut self,
        cx: &Cx,
        my_term: Term,
        (channel, item): (ChannelId, &Item),
        fx: &mut Effects,
        sent: impl FnMut(ChannelId, DeliveryId),
    ) -> bool {
        if self.ports.inbox.is_duplicate(channel, item) {
            return false;
        }
        self.ports.inbox.take(channel, item);
        self.woken = 0;
        let Item::Tuple(input) = item else { return true };
        let mut out = std::mem::take(&mut self.scratch);
        if input.is_end() {
            self.operator.streams_ended(cx.now, &cx.plan.channel(channel).streams, &mut out);
            if self.ports.inbox.all_ended() {
                self.operator.end(&mut out);
                out.emit(input.semantic, Payload::End);
            }
        } else {
            self.operator.apply(cx.now, input, &mut out);
        }
        let trigger = Trigger { origin: (input.id, input.scheduled), index: 0 };
        self.emit(cx, my_term, trigger, &mut out, fx, sent);
        self.scratch = out;
        self.arm(fx);
        true
    }

    /// Handles the timers that every task has: wakes the operator, or acknowledges; returns the
    /// edge whose turn it was to be acknowledged.
    pub fn on_timer(
        &mut self,
        cx: &Cx,
        my_term: Term,
        timer: TimerId,
        fx: &mut Effects,
        sent: impl FnMut(ChannelId, DeliveryId),
    ) -> Option<EdgeId> {
        if timer != WAKE {
            return self.ports.inbox.on_ack_timer(cx, timer, fx);
        }
        let mut out = std::mem::take(&mut self.scratch);
        self.operator.wake(cx.now, &mut out);
        // No input triggered these outputs: they come after those of the last one.
        let (stream, _) = cx.plan.instance(cx.instance()).streams[0];
        let mut position = self.ports.inbox.received().get(stream);
        position.sub = position.sub.saturating_sub(1);
        let index = FIRST_WOKEN + self.woken;
        self.woken += out.list.len();
        let origin = (DeliveryId { stream, position }, cx.now);
        self.emit(cx, my_term, Trigger { origin, index }, &mut out, fx, sent);
        self.scratch = out;
        self.arm(fx);
        None
    }

    /// Sets the timer at which the operator wants to be woken, if it does.
    pub fn arm(&self, fx: &mut Effects) {
        if let Some(at) = self.operator.wakes_at() {
            fx.timer(WAKE, at);
        }
    }

    fn emit(
        &mut self,
        cx: &Cx,
        my_term: Term,
        trigger: Trigger,
        out: &mut Outputs,
        fx: &mut Effects,
        mut sent: impl FnMut(ChannelId, DeliveryId),
    ) {
        let (mut of_trigger, mut of_release) = (trigger.index, 0);
        let mut last = None;
        for output in out.list.drain(..) {
            let ((id, scheduled), count) = match output.origin {
                None => (trigger.origin, &mut of_trigger),
                Some(release) => {
                    if last.replace(release) != Some(release) {
                        of_release = 0;
                    }
                    ((release.id, release.scheduled), &mut of_release)
                }
            };
            let index = *count;
            *count += 1;
            let stream = cx.plan.output_stream(cx.instance(), id.stream);
            let id = DeliveryId { stream, position: self.position(cx, id.position, index) };
            let Output { semantic, payload, .. } = output;
            let tuple = Tuple { id, semantic, scheduled, payload };
            self.ports.outbox.emit(cx, my_term, &tuple, fx, |channel| sent(channel, id));
        }
        out.clear();
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
        self.ports.announce(cx, term, resend, fx);
        self.begin(cx, fx);
    }

    /// As [`Task::take_over`], but tells these neighbours only.
    pub fn take_over_from(
        &mut self,
        cx: &Cx,
        term: Term,
        neighbours: &[InstanceId],
        resend: impl Fn(&Inbox, ChannelId) -> Resend,
        fx: &mut Effects,
    ) {
        self.ports.announce_to(cx, term, neighbours, resend, fx);
        self.begin(cx, fx);
    }

    /// Sets the timers of a task that leads.
    fn begin(&self, cx: &Cx, fx: &mut Effects) {
        self.ports.inbox.start_acks(cx, fx);
        self.arm(fx);
    }

    /// Operator state and how far it has got.
    pub fn digest(&self) -> Digest {
        Digest { position: self.ports.inbox.received().clone(), state: self.operator.digest() }
    }

    /// Position of the `index`-th output of the input at `input`: derived from it alone, so that
    /// a re-computed output has the id of the first.
    fn position(&mut self, cx: &Cx, input: Position, index: usize) -> Position {
        if let Some(next) = &mut self.renumbered {
            *next += 1;
            return Position::of(*next - 1);
        }
        if !self.operator.fans_out() {
            assert!(
                index == 0,
                "`{}` put out more than one output for an input, or some at the end of its \
                 streams: its `fans_out` must return true",
                cx.plan.operator_of(cx.me).name
            );
            return input;
        }
        assert!(index < 1 << SUB_BITS, "at most 65,535 outputs for one input");
        Position { sequence: input.sequence, sub: (input.sub << SUB_BITS) | index as u64 }
    }
}
