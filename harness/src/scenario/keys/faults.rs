//! The keys of a fault, beside its own options; and of schedules that are drawn.

use super::WhenLeftOut::{Else, Is, Required};
use super::{Form, Key, Kind, Least, Words, integer, key};

/// Most faults of a case.
pub const FAULTS_MAX: usize = 1_000;
/// Most strata, and so runs, of a stratified fault.
const STRATA_MAX: u64 = 100_000;
/// Largest number that chance is drawn from.
const DRAWS_MAX: u64 = 1_000_000_000;
/// Numbers of handlers and effects, and times of points, have no limit.
const NUMBER_MAX: u64 = u64::MAX;

/// An instant: nothing happens before the first tick.
const INSTANT: Kind = Kind::Duration(Least::Tick);

/// A machine, or several.
pub const MACHINE: Form =
    Form { what: "a machine", pattern: r"^[^/]+(/[0-9]+){0,2}$", example: "count/0/1" };

pub const NODE: Key = key(
    "node",
    Kind::Any(&[Kind::Form(&MACHINE), Kind::List(&Kind::Form(&MACHINE), 1, usize::MAX)]),
    Required,
    "Whom it befalls: replica 1 of instance 0 (\"count/0/1\"), whoever leads instance 1 \
     (\"count/1\") or instance 0 (\"count\"), or a \"coordinator\"; in a list several at once.",
);
pub const BETWEEN: Key = key(
    "between",
    Kind::List(&Kind::Form(&MACHINE), 2, 2),
    Else("`from` and `to`"),
    "The two ends of the links, both ways: all machines of an operator, source or sink \
     (\"count\"), of an instance (\"count/0\"), or one.",
);
pub const FROM: Key =
    key("from", Kind::Form(&MACHINE), Else("`between`"), "The senders, of one way.");
pub const TO: Key =
    key("to", Kind::Form(&MACHINE), Else("`between`"), "The receivers, of one way.");

/// Of faults of machines.
pub const NODES: &[Key] = &[NODE];
/// Of faults of links.
pub const LINKS: &[Key] = &[BETWEEN, FROM, TO];

/// Of every fault.
pub const WHEN: &[Key] = &[AT, FOR, DRAWS];
pub const AT: Key = key(
    "at",
    Kind::Any(&[
        INSTANT,
        Kind::Table(&[AT_BETWEEN]),
        Kind::Table(&[AFTER]),
        Kind::Table(&[STRATA, START, SPAN]),
        Kind::Table(&[POINT, POINT_NODE, NTH]),
        Kind::Table(&[ADDRESS_NODE, INCARNATION, HANDLER, EFFECT]),
    ]),
    Required,
    "When it strikes: an instant of virtual time, or how that is drawn or waited for.",
);
pub const FOR: Key = key(
    "for",
    Kind::Duration(Least::Positive),
    Else("until everything heals; of links: until the last tuple is due at the source"),
    "How long it lasts.",
);
pub const DRAWS: Key = key(
    "draws",
    integer(0, DRAWS_MAX, ""),
    Else("its place in the schedule"),
    "The number that its chance is drawn from: what it loses, how long it delays, `between`.",
);

pub const AT_BETWEEN: Key = key(
    "between",
    Kind::List(&INSTANT, 2, 2),
    Required,
    "An instant drawn from the seed, from the first up to the second.",
);
pub const AFTER: Key = key(
    "after",
    Kind::Duration(Least::Zero),
    Required,
    "So long after the start of the fault before.",
);
pub const STRATA: Key = key(
    "strata",
    integer(1, STRATA_MAX, "runs"),
    Required,
    "One run in the middle of each of so many equal parts of a span.",
);
pub const START: Key = key("start", INSTANT, Required, "Where the strata begin.");
pub const SPAN: Key = key(
    "span",
    Kind::Duration(Least::Positive),
    Required,
    "How long the strata are together, at least 1ns each.",
);
pub const POINT: Key = key(
    "point",
    Kind::Word(Words::Points),
    Required,
    "When a machine gets to a point of its protocol, see `aftermath list points`.",
);
pub const POINT_NODE: Key = key(
    "node",
    Kind::Form(&MACHINE),
    Else("the operators that the fault befalls"),
    "Which machines count.",
);
pub const NTH: Key =
    key("nth", integer(1, NUMBER_MAX, ""), Is("1"), "How often one must have got there.");
pub const ADDRESS_NODE: Key = key(
    "node",
    Kind::Form(&MACHINE),
    Required,
    "The machine of an address, that of an effect; `replay --trace` shows addresses.",
);
pub const INCARNATION: Key = key(
    "incarnation",
    integer(1, u32::MAX as u64, ""),
    Required,
    "Which life of the process, counted from 1.",
);
pub const HANDLER: Key = key(
    "handler",
    integer(1, NUMBER_MAX, ""),
    Required,
    "Which handler of that life, counted from 1.",
);
pub const EFFECT: Key = key(
    "effect",
    integer(0, NUMBER_MAX, ""),
    Required,
    "Just before which effect of the handler, counted from 0; their number: after the last.",
);

/// `[faults]`.
pub const DRAWN: &[Key] = &[SWARM];
pub const SWARM: Key = key(
    "swarm",
    Kind::Table(&[KINDS, MOST, SWARM_FROM, UNTIL, OVERLAP, BEYOND_CLAIMS]),
    Required,
    "Each seed draws which kinds of faults may occur, and then how many, which, whom and when.",
);
pub const KINDS: Key = key(
    "kinds",
    Kind::List(&Kind::Word(Words::Faults), 1, usize::MAX),
    Else("all"),
    "Which faults may occur; each seed draws a part of them.",
);
pub const MOST: Key =
    key("most", integer(1, FAULTS_MAX as u64, "faults"), Is("4"), "Most faults of a schedule.");
pub const SWARM_FROM: Key =
    key("from", INSTANT, Else("the first tick"), "The first may start then.");
pub const UNTIL: Key = key(
    "until",
    INSTANT,
    Else("the end of the stream"),
    "All start before, and within the stream.",
);
pub const OVERLAP: Key = key(
    "overlap",
    Kind::Boolean,
    Is("false"),
    "Whether failures may come while others are recovered from, and near the begin and end of \
     others.",
);
pub const BEYOND_CLAIMS: Key = key(
    "beyond_claims",
    Kind::Boolean,
    Is("false"),
    "Whether anything befalls anything, promised or not; a broken promise is told then and is no \
     failure.",
);
