//! The keys of the sections about the dataflow, its input and the world around it.

use super::WhenLeftOut::{Else, Is, Required};
use super::{Form, Key, Kind, Least, Words, integer, key, names};
use aftermath_systems::plan::Dedup;
use aftermath_systems::protocol::SECOND;

/// Most tuples of a run.
pub const TUPLES_MAX: u64 = 5_000_000;
/// Largest size or bandwidth: products with numbers of tuples stay in 64 bits.
const BYTES_MAX: u64 = 1_000_000_000_000;
/// Largest modelled size of one message.
const MESSAGE_MAX: u64 = 1_000_000_000;

/// A span of time, 0 included.
const SPAN: Kind = Kind::Duration(Least::Zero);
/// A span of time of at least one tick.
const TICKS: Kind = Kind::Duration(Least::Tick);

/// `[pipeline]`.
pub mod pipeline {
    use super::*;

    pub const NAME: Key =
        key("name", Kind::Word(Words::Pipelines), Required, "Which dataflow is run.");
    pub const PROTECT: Key = key(
        "protect",
        Kind::List(&Kind::Text, 0, usize::MAX),
        Else("all operators"),
        "The operators that the strategy protects; the others run plain, without a spare.",
    );
    pub const PARALLELISM: Key = key(
        "parallelism",
        Kind::Named("OPERATOR", &INSTANCES),
        Else("1 each"),
        "How many instances an operator has: behind a keyed or broadcasting edge, or one for each \
         instance before it.",
    );
    /// The value of one operator in `parallelism`.
    pub const INSTANCES: Kind = integer(1, 16, "instances");
    pub const SERVICE: Key = key(
        "service",
        Kind::Named("OPERATOR", &SPAN),
        Else("0s each"),
        "CPU time of a tuple in an operator.",
    );
    pub const CAPACITY_PER_S: Key = key(
        "capacity_per_s",
        Kind::Named("OPERATOR", &CAPACITY),
        Else("infinite"),
        "How many tuples an operator serves in a second: another way to say its `service`.",
    );
    /// The value of one operator in `capacity_per_s`.
    pub const CAPACITY: Kind = integer(1, SECOND, "tuples a second");
    pub const OPTIONS: Key = key(
        "options",
        Kind::PipelineOptions,
        Else("their defaults"),
        "Options of the pipeline, see `aftermath list pipelines`.",
    );
    pub const ALL: &[Key] = &[NAME, PROTECT, PARALLELISM, SERVICE, CAPACITY_PER_S, OPTIONS];
}

/// `[input]`.
pub mod input {
    use super::*;

    pub const RATE_PER_S: Key = key(
        "rate_per_s",
        integer(1, 1_000_000, "tuples a second"),
        Required,
        "How fast the source emits.",
    );
    pub const GENERATED: Key = key(
        "generated",
        Kind::Table(&[TUPLES, KEYS]),
        Else("`recorded` or `nexmark`"),
        "Pairs of a key and a number drawn from the seed: for most pipelines.",
    );
    pub const TUPLES: Key =
        key("tuples", integer(1, TUPLES_MAX, "tuples"), Required, "How long the stream is.");
    pub const KEYS: Key = key(
        "keys",
        integer(1, 1_000_000_000, "keys"),
        Required,
        "How many different keys there are, drawn alike.",
    );
    pub const RECORDED: Key = key(
        "recorded",
        Kind::Text,
        Else("`generated` or `nexmark`"),
        "A CSV file, relative to the scenario: for pipelines of recorded streams.",
    );
    pub const NEXMARK: Key = key(
        "nexmark",
        Kind::Table(&[EVENTS]),
        Else("`generated` or `recorded`"),
        "People, auctions and bids of NEXMark, 1 : 3 : 46, which the seed chooses: for the pipelines \
         of its queries.",
    );
    pub const EVENTS: Key =
        key("events", integer(1, TUPLES_MAX, "events"), Required, "How long the stream is.");
    pub const TAKE: Key = key(
        "take",
        integer(1, TUPLES_MAX, "rows"),
        Else("all rows"),
        "Only so many rows of a recorded stream, from its beginning.",
    );
    pub const ONLY: Key = key(
        "only",
        Kind::List(&Kind::Form(&TUPLE_RANGE), 1, usize::MAX),
        Else("all tuples"),
        "Which tuples are kept, counted from 0, in ascending order. They keep their instants, keys \
         and values, and the stream its end; formulas speak of the whole stream.",
    );
    /// `"3..17"` or `"40"`.
    pub const TUPLE_RANGE: Form = Form {
        what: "tuples from..to, without the last, or one tuple",
        pattern: r"^ *\+?[0-9]+ *(\.\. *\+?[0-9]+ *)?$",
        example: "3..17",
    };
    pub const ALL: &[Key] = &[RATE_PER_S, GENERATED, RECORDED, NEXMARK, TAKE, ONLY];
}

/// `[protection]`.
pub mod protection {
    use super::*;

    pub const SPARES: Key = key(
        "spares",
        integer(0, 1, "replicas"),
        Is("1"),
        "Additional replicas of protected operators.",
    );
    pub const DEDUP: Key = key(
        "dedup",
        Kind::Word(Words::Are(&names::<_, 3>(&DEDUPS))),
        Is("receiver"),
        "Who drops duplicates: the receiver, a new primary that asks what is wanted before it \
         sends, or nobody.",
    );
    pub const DUPLICATE_COST: Key = key(
        "duplicate_cost",
        Kind::Word(Words::Are(&names::<_, 2>(&COSTS))),
        Is("free"),
        "Whether dropping a duplicate costs nothing, or the CPU time of a tuple.",
    );
    /// Who drops duplicates.
    pub const DEDUPS: [(&str, Dedup); 3] =
        [("receiver", Dedup::Receiver), ("handshake", Dedup::Handshake), ("off", Dedup::Off)];
    /// Whether dropping one is free.
    pub const COSTS: [(&str, bool); 2] = [("free", true), ("service", false)];
    pub const ALL: &[Key] = &[SPARES, DEDUP, DUPLICATE_COST];
}

/// `[network]`.
pub mod network {
    use super::*;

    pub const TICK: Key = key(
        "tick",
        Kind::Duration(Least::Millisecond),
        Is("1ms"),
        "Nothing between nodes is faster, and nothing happens in between.",
    );
    pub const LATENCY: Key = key("latency", TICKS, Is("1ms"), "One way, of every link.");
    pub const JITTER: Key = key(
        "jitter",
        SPAN,
        Is("0s"),
        "Each frame takes up to so much longer, drawn from the seed.",
    );
    pub const EDGES: Key = key(
        "edges",
        Kind::Named("EDGE", &Kind::Any(&[TICKS, Kind::Table(EDGE)])),
        Else("as all links"),
        "Latency of the links of one edge, \"source -> count\", or of those to one replica of its \
         receiver, \"source -> count/0/1\"; or else latency and jitter.",
    );
    pub const EDGE_LATENCY: Key =
        key("latency", TICKS, Else("`network.latency`"), "One way, of these links.");
    pub const EDGE_JITTER: Key = key(
        "jitter",
        SPAN,
        Else("`network.jitter`"),
        "Each frame on these links takes up to so much longer.",
    );
    /// One edge, where it is a table.
    pub const EDGE: &[Key] = &[EDGE_LATENCY, EDGE_JITTER];
    pub const BANDWIDTH_BYTES_PER_S: Key = key(
        "bandwidth_bytes_per_s",
        integer(0, BYTES_MAX, "bytes a second"),
        Is("0"),
        "Of each link; 0 is unlimited.",
    );
    pub const RETRANSMIT: Key = key(
        "retransmit",
        TICKS,
        Is("20ms"),
        "After how long a session sends again what a fault took.",
    );
    pub const ALL: &[Key] = &[TICK, LATENCY, JITTER, EDGES, BANDWIDTH_BYTES_PER_S, RETRANSMIT];
}

/// `[timing]`.
pub mod timing {
    use super::*;

    pub const HEARTBEAT: Key = key("heartbeat", TICKS, Is("100ms"), "H, between heartbeats.");
    pub const MISSES: Key = key(
        "misses",
        integer(1, 1_000, "heartbeats"),
        Is("3"),
        "K, how many must be missing before their sender is suspected.",
    );
    pub const REDIRECT: Key =
        key("redirect", SPAN, Is("50ms"), "R, what it takes to redirect the streams.");
    pub const INTERVAL: Key =
        key("interval", TICKS, Is("1s"), "M, between checkpoints, acknowledgements and trims.");
    pub const PHASES: Key = key(
        "phases",
        Kind::Table(&[PHASE_HEARTBEAT, PHASE_ACK, PHASE_CHECKPOINT, PHASE_TUPLE]),
        Else("drawn from the seed"),
        "When each of these grids begins, less than its period.",
    );
    pub const PHASE_HEARTBEAT: Key =
        key("heartbeat", SPAN, Else("drawn"), "Of heartbeats, less than `timing.heartbeat`.");
    pub const PHASE_ACK: Key =
        key("ack", SPAN, Else("drawn"), "Of acknowledgements, less than `timing.interval`.");
    pub const PHASE_CHECKPOINT: Key =
        key("checkpoint", SPAN, Else("drawn"), "Of checkpoints, less than `timing.interval`.");
    pub const PHASE_TUPLE: Key =
        key("tuple", SPAN, Else("drawn"), "Of the first tuple, less than the time between tuples.");
    pub const ALL: &[Key] = &[HEARTBEAT, MISSES, REDIRECT, INTERVAL, PHASES];
}

/// `[storage]`.
pub mod storage {
    use super::*;

    pub const LATENCY: Key = key("latency", SPAN, Is("100ms"), "Of a save.");
    pub const BANDWIDTH_BYTES_PER_S: Key = key(
        "bandwidth_bytes_per_s",
        integer(0, BYTES_MAX, "bytes a second"),
        Is("0"),
        "Of writing; 0 is unlimited.",
    );
    pub const RESTORE_BYTES_PER_S: Key = key(
        "restore_bytes_per_s",
        integer(0, BYTES_MAX, "bytes a second"),
        Is("0"),
        "Of loading at a restart; 0 is unlimited.",
    );
    pub const ALL: &[Key] = &[LATENCY, BANDWIDTH_BYTES_PER_S, RESTORE_BYTES_PER_S];
}

/// `[sizes]`.
pub mod sizes {
    use super::*;

    const SIZE: Kind = integer(0, MESSAGE_MAX, "bytes");
    // A byte at least: overhead is measured in bytes of tuples.
    pub const TUPLE: Key =
        key("tuple", integer(1, MESSAGE_MAX, "bytes"), Is("100"), "Of a tuple, on every edge.");
    pub const ACK: Key = key("ack", SIZE, Is("32"), "Of an acknowledgement, trim or confirmation.");
    pub const HEARTBEAT: Key = key("heartbeat", SIZE, Is("32"), "Of a heartbeat.");
    pub const CONTROL: Key =
        key("control", SIZE, Is("32"), "Of other control messages and of markers.");
    pub const ENTRY: Key = key("entry", SIZE, Is("64"), "Of a keyed entry of operator state.");
    pub const ALL: &[Key] = &[TUPLE, ACK, HEARTBEAT, CONTROL, ENTRY];
}
