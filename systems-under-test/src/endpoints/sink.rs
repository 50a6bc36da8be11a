//! The plain sink: records delivery and deduplication position in one durable step.

use crate::blocks::Ports;
use crate::context::Cx;
use crate::node::Node;
use crate::protocol::{ChannelId, Effects, Event, Item, Stamp, Term};

/// A sink never fails, so it leads in its first term for ever.
const TERM: Term = 1;

/// Hands every tuple it takes to the outside world. What it has received is safe at once, so it
/// acknowledges and trims in the same breath.
#[derive(Clone)]
pub struct Sink {
    ports: Ports,
}

impl Sink {
    /// The sink at `me`.
    pub fn new(cx: &Cx) -> Sink {
        Sink { ports: Ports::new(cx) }
    }
}

impl Node for Sink {
    fn on(&mut self, cx: &Cx, event: Event, fx: &mut Effects) {
        let inbox = &mut self.ports.inbox;
        match event {
            Event::Started { .. } => inbox.start_acks(cx, fx),
            Event::Timer(timer) => {
                if let Some(edge) = inbox.on_ack_timer(cx, timer, fx) {
                    inbox.trim(cx, Some(edge), inbox.received(), fx);
                }
            }
            Event::Data { channel, item, .. } if !inbox.is_duplicate(channel, &item) => {
                inbox.take(channel, &item);
                if let Item::Tuple(tuple) = item
                    && !tuple.is_end()
                {
                    fx.deliver(tuple);
                }
            }
            Event::Link { from, link } => self.ports.on_link(cx, Some(TERM), from, &link, fx),
            _ => {}
        }
    }

    fn admits(&self, cx: &Cx, stamp: Stamp, channel: ChannelId) -> bool {
        self.ports.inbox.admits(cx, stamp, channel)
    }

    fn is_primary(&self) -> bool {
        true
    }
}
