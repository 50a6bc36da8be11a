//! Handlers by the kinds of their events and effects: what a sweep enumerates, and what it names
//! the places by where it lets a machine fail.

use super::frame::HandlerId;
use aftermath_systems::protocol::{Cause, Effect, Event, Item, Link, Nanos};

/// One handler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// When, ns.
    pub at: Nanos,
    /// Which handler.
    pub handler: HandlerId,
    /// Whether its node led its instance after it.
    pub led: bool,
    /// What happened.
    pub event: EventKind,
    /// What it wanted done.
    pub effects: Vec<EffectKind>,
    /// How many of the effects were carried out before the process died or restarted itself.
    pub done: usize,
}

/// The kind of an event, for people.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct EventKind(pub &'static str);

impl EventKind {
    /// Of an event.
    pub fn of(event: &Event) -> EventKind {
        EventKind(match event {
            Event::Started { .. } => "started",
            Event::Activated => "activated",
            Event::Data { item: Item::Tuple(tuple), .. } if tuple.is_end() => "end of stream",
            Event::Data { item: Item::Tuple(_), .. } => "tuple",
            Event::Data { item: Item::Barrier(_), .. } => "barrier",
            Event::Link { link, .. } => talk(link),
            Event::Message { .. } => "message",
            Event::Timer(_) => "timer",
            Event::Saved(_) => "saved",
            Event::ConnectionLost(_) => "connection lost",
            Event::SaveRefused(_) => "save refused",
        })
    }
}

/// The kind of an effect, for people.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct EffectKind(pub &'static str);

impl EffectKind {
    /// Of an effect; a protocol point has its own name.
    pub fn of(effect: &Effect) -> EffectKind {
        EffectKind(match effect {
            Effect::Emit { item: Item::Barrier(_), .. } => "emit a barrier",
            Effect::Emit { cause: Cause::Resend, .. } => "emit again",
            Effect::Emit { cause: Cause::Copy, .. } => "emit a copy",
            Effect::Emit { .. } => "emit",
            Effect::Link { link, .. } => talk(link),
            Effect::Send { .. } => "message",
            Effect::Save { .. } => "save",
            Effect::Timer { .. } => EffectKind::TIMER.0,
            Effect::Deliver(_) => "deliver",
            Effect::Mark(name) => name,
            Effect::Busy(_) => EffectKind::BUSY.0,
            Effect::Activate => "activate",
            Effect::Restart(_) => "restart",
            Effect::Discard { .. } => "discard",
            Effect::Heartbeats { .. } => EffectKind::HEARTBEATS.0,
        })
    }

    const TIMER: EffectKind = EffectKind("set a timer");
    const BUSY: EffectKind = EffectKind("stall");
    const HEARTBEATS: EffectKind = EffectKind("begin heartbeats");

    /// Whether all that it does is gone without a trace if the process dies at the same instant:
    /// to die before it is to die after it.
    pub fn dies_with_the_process(self) -> bool {
        [EffectKind::TIMER, EffectKind::BUSY, EffectKind::HEARTBEATS].contains(&self)
    }
}

fn talk(link: &Link) -> &'static str {
    match link {
        Link::Heartbeat { .. } => "heartbeat",
        Link::Ack { .. } => "acknowledgement",
        Link::Trim { .. } => "trim",
        Link::Takeover { .. } => "take-over",
        Link::Rewound { .. } => "rewound",
        Link::Wanted { .. } => "wanted",
        Link::Hello { .. } => "hello",
        Link::Welcome { .. } => "welcome",
    }
}
