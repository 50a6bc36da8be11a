//! Closed forms for what a strategy must cost and cause, to be compared with what runs measure: one
//! list, to be read like a table. What the symbols mean stands in `symbols`.
//!
//! Sources: the structure (detection + redirect + redo of the state's age) is that of Hwang et al.,
//! ICDE 2005; each formula below says what was added to make it exact.

mod symbols;

use crate::config::RunConfig;
pub use symbols::SYMBOLS;
use symbols::Symbols;

/// A closed form.
pub struct Formula {
    /// Its name in scenarios.
    pub name: &'static str,
    /// The formula and where it comes from.
    pub doc: &'static str,
    /// Its value: tuples, seconds, or bytes per byte.
    value: fn(&Symbols) -> f64,
    /// What one unit of `value` is in a record: 1 for tuples, 10^9 for seconds, 10^6 for ratios.
    scale: f64,
}

const TUPLES: f64 = 1.0;
const SECONDS: f64 = 1e9;
const RATIO: f64 = 1e6;

/// Every formula. Adding one is its line here.
pub const ALL: &[Formula] = &[
    Formula {
        name: "detection",
        doc: "(K − ½)H + d: K·H after the arrival of a heartbeat that left U(0, H) before the crash",
        value: Symbols::detection,
        scale: SECONDS,
    },
    Formula {
        name: "amnesia.lost",
        doc: "σλ(r + 2d) + σλw + σλx: the source sends to a dead address until the notice arrives (+d), what left within d before the crash finds nobody (+d), and λw tuples die inside A (Little)",
        value: |s| s.sigma * s.lambda * (s.r() + 2.0 * s.d + s.w + s.dying),
        scale: TUPLES,
    },
    Formula {
        name: "amnesia.wrong",
        doc: "λW: outputs of a sliding window are wrong until the last lost input has left it",
        value: |s| s.lambda * s.span,
        scale: TUPLES,
    },
    Formula {
        name: "amnesia.r2",
        doc: "r + d + δ: notice to the source, then the normal path; R1 = R2 = R3",
        value: |s| s.r() + s.d + s.delta(),
        scale: SECONDS,
    },
    Formula {
        name: "amnesia.silence",
        doc: "R2 − tail + 1/(2λ): the last output before it left A on average half a spacing before the crash",
        value: |s| s.r() + s.d + s.delta() - s.tail() + s.half_spacing(),
        scale: SECONDS,
    },
    Formula {
        name: "passive.duplicates",
        doc: "σλ(age − x), age = M/2 + max(Lp + x, L − r): survivors go on storing during detection and redirect, and the choice of checkpoint is made at activation",
        value: |s| s.repeated(s.passive_age()),
        scale: TUPLES,
    },
    Formula {
        name: "passive.duplicates_min",
        doc: "σλ(age − M/2 + Δ/2 − x): the age is uniform, and the first instant lies half a distance behind a checkpoint",
        value: |s| s.repeated(s.youngest(s.passive_age())),
        scale: TUPLES,
    },
    Formula {
        name: "passive.duplicates_max",
        doc: "σλ(age + M/2 − Δ/2 − x): and the last one half a distance before the next",
        value: |s| s.repeated(s.oldest(s.passive_age())),
        scale: TUPLES,
    },
    Formula {
        name: "passive.duplicates_resent",
        doc: "λ·age + λ·u: a shipped output log is sent again blindly; u = age of the untrimmed outputs at the cut, d more than the time since the last trim that had arrived was sent (a plain consumer trims when it acknowledges)",
        value: |s| s.lambda * (s.passive_age() + s.untrimmed()),
        scale: TUPLES,
    },
    Formula {
        name: "passive.r1_resent",
        doc: "r + 2d: the shipped log goes out at activation",
        value: |s| s.r() + 2.0 * s.d,
        scale: SECONDS,
    },
    Formula {
        name: "passive.r2",
        doc: "r + d + ρ·age + δ: the first new tuple queues behind the replay",
        value: |s| s.redo_r2(s.passive_age()),
        scale: SECONDS,
    },
    Formula {
        name: "passive.r3",
        doc: "r' + ρ/(1−ρ)·(age + r') + tail, r' = r + 2d: notice up, first data down, then a backlog of λ(age + r') drains at μ − λ",
        value: |s| s.redo_r3(s.passive_age()),
        scale: SECONDS,
    },
    Formula {
        name: "passive.silence",
        doc: "R2 − tail + 1/(2λ)",
        value: |s| s.redo_r2(s.passive_age()) - s.tail() + s.half_spacing(),
        scale: SECONDS,
    },
    Formula {
        name: "passive.bytes_per_hop",
        doc: "(s_e·n(1 − (1 − 1/n)^(λM)) + 3A) / (λMS): entries that λM uniform draws change; one confirmation, acknowledgement and trim per M",
        value: |s| (s.dirty_bytes() + 3.0 * s.ack_bytes) / s.interval_bytes(),
        scale: RATIO,
    },
    Formula {
        name: "passive.bytes_per_hop_resent",
        doc: "passive.bytes_per_hop + λuS / (λMS): the shipped log is the same u as in the duplicates, a phase and not a switch",
        value: |s| {
            let log = s.lambda * s.untrimmed() * s.tuple_bytes;
            (s.dirty_bytes() + 3.0 * s.ack_bytes + log) / s.interval_bytes()
        },
        scale: RATIO,
    },
    Formula {
        name: "upstream.duplicates",
        doc: "σλ(age − x), age = M/2 + 2d + x + W: since the last acknowledgement that got through A; the window needs W more",
        value: |s| s.repeated(s.upstream_age()),
        scale: TUPLES,
    },
    Formula {
        name: "upstream.r2",
        doc: "r + d + ρ·age + δ",
        value: |s| s.redo_r2(s.upstream_age()),
        scale: SECONDS,
    },
    Formula {
        name: "upstream.r3",
        doc: "r' + ρ/(1−ρ)·(age + r') + tail, r' = r + 2d",
        value: |s| s.redo_r3(s.upstream_age()),
        scale: SECONDS,
    },
    Formula {
        name: "upstream.silence",
        doc: "R2 − tail + 1/(2λ)",
        value: |s| s.redo_r2(s.upstream_age()) - s.tail() + s.half_spacing(),
        scale: SECONDS,
    },
    Formula {
        name: "upstream.bytes_per_hop",
        doc: "2A / (λMS): one acknowledgement and one trim per M and hop",
        value: |s| 2.0 * s.ack_bytes / s.interval_bytes(),
        scale: RATIO,
    },
    Formula {
        name: "upstream.retained_max",
        doc: "λ(3d + w + M + W) + λ(2d + M): the log of the source and that of A, just before A gets the next acknowledgement; each is a sawtooth of height λM, and the source's falls d after A's",
        value: |s| s.lambda * (5.0 * s.d + s.w + 2.0 * s.m + s.span),
        scale: TUPLES,
    },
    Formula {
        name: "active.duplicates",
        doc: "σλ(age − x), age = M/2 + 2d + x: what the standby has kept and downstream has got; a trim speaks of what left A d before it was sent, and counts when A has it, d after, or the standby, where its copy may die",
        value: |s| s.repeated(s.active_age()),
        scale: TUPLES,
    },
    Formula {
        name: "active.r2",
        doc: "r + 2d: the new outputs have been computed and go out at activation",
        value: |s| s.r() + 2.0 * s.d,
        scale: SECONDS,
    },
    Formula {
        name: "active.r3",
        doc: "r + ρ/(1−ρ)·R + tail: while the streams are being redirected what arrives is parked, and λR parked inputs drain at μ − λ",
        value: |s| s.r() + s.rho() / (1.0 - s.rho()) * s.redirect + s.tail(),
        scale: SECONDS,
    },
    Formula {
        name: "active.silence",
        doc: "R2 − tail + 1/(2λ)",
        value: |s| s.r() + 2.0 * s.d - s.tail() + s.half_spacing(),
        scale: SECONDS,
    },
    Formula {
        name: "active.bytes_per_hop",
        doc: "1 + A/(λMS): every input twice, and one forwarded trim per M. The paper's inputs are trimmed too; here nobody asks for them again, so they are neither kept nor acknowledged",
        value: |s| 1.0 + s.ack_bytes / s.interval_bytes(),
        scale: RATIO,
    },
    Formula {
        name: "active.r2_busy_next",
        doc: "r + 2d + w_D: where the next operator D is no faster than A, and drops duplicates for free",
        value: |s| s.r() + 2.0 * s.d + s.w_next,
        scale: SECONDS,
    },
    Formula {
        name: "active.r3_busy_next",
        doc: "(r + d − ρ_D d)/(1 − ρ_D) + d + w_D: D gets λ(r + d) tuples in one burst",
        value: |s| {
            let rho = s.lambda * s.w_next;
            (s.r() + s.d - rho * s.d) / (1.0 - rho) + s.d + s.w_next
        },
        scale: SECONDS,
    },
    Formula {
        name: "active.r2_busy_next_undropped",
        doc: "r + 2d + w_D + ρ_D(M/2 + 2d + w_D): D serves the duplicates first; it acknowledges what it has served, so there are λw_D more of them",
        value: |s| {
            let age = s.active_age() + s.w_next;
            s.r() + 2.0 * s.d + s.w_next + s.lambda * s.w_next * age
        },
        scale: SECONDS,
    },
    Formula {
        name: "active.r3_busy_next_undropped",
        doc: "r + d + ρ_D/(1 − ρ_D)·(M/2 + 2d + r + d) + d + w_D: the burst holds the duplicates as well",
        value: |s| {
            let rho = s.lambda * s.w_next;
            let burst = s.r() + s.d;
            burst + rho / (1.0 - rho) * (s.active_age() + burst) + s.d + s.w_next
        },
        scale: SECONDS,
    },
    Formula {
        name: "active.silence_busy_next_undropped",
        doc: "R2 − (2d + w_D) + 1/(2λ)",
        value: |s| {
            let r2 = s.r() + 2.0 * s.d + s.lambda * s.w_next * s.active_age();
            r2 - 2.0 * s.d - s.w_next + s.half_spacing()
        },
        scale: SECONDS,
    },
    Formula {
        name: "checkpoint.duplicates",
        doc: "σλ(age − x), age = M/2 + Ls + x: since A's own cut, which counts when A's part is durable, Ls later; the other parts and the pointer complete while the failure is being detected",
        value: |s| s.repeated(s.checkpoint_age()),
        scale: TUPLES,
    },
    Formula {
        name: "checkpoint.duplicates_min",
        doc: "σλ(age − M/2 + Δ/2 − x): the age is uniform, and the first instant lies half a distance behind a part's becoming durable",
        value: |s| s.repeated(s.youngest(s.checkpoint_age())),
        scale: TUPLES,
    },
    Formula {
        name: "checkpoint.duplicates_max",
        doc: "σλ(age + M/2 − Δ/2 − x): and the last one half a distance before the next",
        value: |s| s.repeated(s.oldest(s.checkpoint_age())),
        scale: TUPLES,
    },
    Formula {
        name: "checkpoint.r2",
        doc: "r' + ρ·age + w + 2d, r' = Dt + R + 5d + tick: restart, restored, go, take-over and data are one way each, and the store answers a tick after it was asked",
        value: |s| s.restarted() + s.rho() * s.checkpoint_age() + s.w + 2.0 * s.d,
        scale: SECONDS,
    },
    Formula {
        name: "checkpoint.r3",
        doc: "r' + ρ/(1−ρ)·(age + r') + tail",
        value: |s| {
            let restarted = s.restarted();
            restarted + s.rho() / (1.0 - s.rho()) * (s.checkpoint_age() + restarted) + s.tail()
        },
        scale: SECONDS,
    },
    Formula {
        name: "checkpoint.silence",
        doc: "R2 − tail + 1/(2λ)",
        value: |s| {
            let r2 = s.restarted() + s.rho() * s.checkpoint_age() + s.w + 2.0 * s.d;
            r2 - s.tail() + s.half_spacing()
        },
        scale: SECONDS,
    },
    Formula {
        name: "checkpoint.bytes_per_hop_full",
        doc: "(mean over checkpoints k of s_e·n(1 − (1 − 1/n)^(λMk)) + 4A) / (λMS): all keys seen so far; stored, complete, acknowledgement and trim once per M",
        value: |s| (s.seen_bytes() + 4.0 * s.ack_bytes) / s.interval_bytes(),
        scale: RATIO,
    },
    Formula {
        name: "checkpoint.bytes_per_hop_incremental",
        doc: "(s_e·n(1 − (1 − 1/n)^(λM)) + 4A) / (λMS)",
        value: |s| (s.dirty_bytes() + 4.0 * s.ack_bytes) / s.interval_bytes(),
        scale: RATIO,
    },
];

/// The names of all formulas.
pub fn names() -> Vec<&'static str> {
    ALL.iter().map(|formula| formula.name).collect()
}

/// What a formula predicts for a configuration, in the unit of records (tuples, ns, ppm).
pub fn predict(name: &str, config: &RunConfig) -> Option<f64> {
    let formula = ALL.iter().find(|formula| formula.name == name)?;
    Some((formula.value)(&Symbols::of(config)) * formula.scale)
}
