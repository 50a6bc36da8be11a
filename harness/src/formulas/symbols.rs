//! The symbols of the formulas, read off a configuration, and what several formulas have in common.
//!
//! One failure of one protected operator by machine loss, in a chain source → A → B → sink with
//! deterministic rates; crash phases evenly spread over the periods; B and the sink infinitely
//! fast; duplicates dropped for free.

use crate::config::{FaultAt, InputConfig, RunConfig};
use crate::faults::{self, Effect};
use aftermath_systems::operator::Span;
use aftermath_systems::options::parse_duration;
use aftermath_systems::pipelines::{self, VertexRole};

/// What the symbols of the formulas stand for, for people.
pub const SYMBOLS: [(&str, &str); 17] = [
    ("A, B or D", "the protected operator that fails; the operator behind it"),
    ("λ, σ", "input rate; outputs of A for each input"),
    ("μ, w = 1/μ, ρ = λ/μ", "capacity of A, its service time, its utilisation; w_D, ρ_D: of D"),
    ("d", "one-way delay of every link"),
    ("H, K", "heartbeat period, periods until suspicion"),
    ("Dt = (K − ½)H + d", "mean detection delay: the last heartbeat left U(0, H) before the crash"),
    (
        "R, r = Dt + R",
        "redirect time, and restart time of a region; crash to the spare being active",
    ),
    ("M", "interval of checkpoints, acknowledgements and trims"),
    (
        "L = Lp + Ls",
        "cut of a checkpoint to its confirmation being possible: Lp is spent where the crash destroys \
         it (the primary's storage), Ls on survivors (wire, the secondary's storage)",
    ),
    ("age", "how old what is recovered from is at the crash"),
    ("u", "age of the outputs that nobody has trimmed, at the cut of a checkpoint"),
    ("W", "span of a sliding window"),
    (
        "x",
        "0 where frames on the wire survive their sender; where they die with it, d less a tick: \
         what is due within a tick has arrived",
    ),
    ("Δ", "distance between the instants at which runs of a case fail"),
    ("δ = 3d + w", "source to sink while nothing fails"),
    ("tail = δ − d − w", "A's output to the sink"),
    (
        "S, A, s_e, n",
        "bytes of a tuple, of an acknowledgement (no operator), of a state entry; number of keys",
    ),
];

/// Symbols of the formulas; times in seconds, rates per second.
#[derive(Clone, Copy, Debug)]
pub struct Symbols {
    pub lambda: f64,
    pub sigma: f64,
    pub w: f64,
    /// Service time of the operator after A.
    pub w_next: f64,
    pub d: f64,
    tick: f64,
    tuples: f64,
    h: f64,
    k: f64,
    pub redirect: f64,
    pub m: f64,
    /// Storage latency.
    storage: f64,
    stores_at_primary: bool,
    /// Acknowledgements come this much later than checkpoints.
    ack_phase: f64,
    pub span: f64,
    /// What of A's output dies on the wire, by time of sending.
    pub dying: f64,
    /// Distance between the instants at which runs fail.
    stratum: f64,
    pub tuple_bytes: f64,
    pub ack_bytes: f64,
    entry_bytes: f64,
    keys: f64,
}

impl Symbols {
    /// Reads the symbols off a configuration; A is its first protected operator.
    pub fn of(config: &RunConfig) -> Symbols {
        let seconds = |ns: u64| ns as f64 / 1e9;
        let protected = config.protect.first().map(String::as_str).unwrap_or_default();
        let topology =
            pipelines::find(config.pipeline).map(|p| (p.build)(&config.pipeline_options));
        let connections = topology.iter().flat_map(|t| &t.connections);
        let next = connections.filter(|c| c.from == protected).map(|c| c.to).next();
        let spans = topology.iter().flat_map(|t| &t.vertices).map(|vertex| match &vertex.role {
            VertexRole::Task(operator) if vertex.name == protected => match operator.span() {
                Span::Bounded(span) => span,
                _ => 0,
            },
            _ => 0,
        });
        let has = |key: &str, value: &str| {
            config.given_options.get(key).is_some_and(|given| given == value)
        };
        let ack_phase = config.given_options.get("ack_phase");
        let ack_phase = ack_phase.and_then(|text| parse_duration(text).ok());
        let strata = config.faults.iter().find_map(|fault| match fault.at {
            FaultAt::Strata { count, span, .. } => Some(seconds(span) / f64::from(count)),
            _ => None,
        });
        let dies = config.faults.iter().any(|fault| {
            let effect = (faults::of(fault.kind).effect)(&fault.options);
            matches!(effect, Effect::Crash { wire_dies: true, .. })
        });
        let dying = if dies { config.network.latency_ns - config.network.tick_ns } else { 0 };
        Symbols {
            lambda: config.rate_per_s as f64,
            // Of the numbers 1 to 100 the filter lets through those below 80.
            sigma: if config.pipeline == "filter" { 0.79 } else { 1.0 },
            w: seconds(config.service_ns.get(protected).copied().unwrap_or(0)),
            w_next: seconds(next.and_then(|n| config.service_ns.get(n).copied()).unwrap_or(0)),
            d: seconds(config.network.latency_ns),
            tick: seconds(config.network.tick_ns),
            tuples: match config.input {
                InputConfig::Generated { tuples, .. } => tuples as f64,
                InputConfig::Recorded(_) | InputConfig::Nexmark { .. } => f64::NAN,
            },
            h: seconds(config.timing.heartbeat_ns),
            k: config.timing.misses as f64,
            redirect: seconds(config.timing.redirect_ns),
            m: seconds(config.timing.interval_ns),
            storage: seconds(config.storage.latency_ns),
            stores_at_primary: has("store_at", "primary"),
            ack_phase: seconds(ack_phase.unwrap_or(0)),
            span: seconds(spans.max().unwrap_or(0)),
            dying: seconds(dying),
            stratum: strata.unwrap_or(0.0),
            tuple_bytes: config.sizes.tuple as f64,
            ack_bytes: config.sizes.ack as f64,
            entry_bytes: config.sizes.entry as f64,
            keys: match config.input {
                InputConfig::Generated { keys, .. } => f64::from(keys),
                InputConfig::Recorded(_) | InputConfig::Nexmark { .. } => f64::NAN,
            },
        }
    }

    pub fn detection(&self) -> f64 {
        (self.k - 0.5) * self.h + self.d
    }

    pub fn r(&self) -> f64 {
        self.detection() + self.redirect
    }

    pub fn rho(&self) -> f64 {
        self.lambda * self.w
    }

    pub fn delta(&self) -> f64 {
        3.0 * self.d + self.w
    }

    pub fn tail(&self) -> f64 {
        self.delta() - self.d - self.w
    }

    pub fn half_spacing(&self) -> f64 {
        0.5 / self.lambda
    }

    pub fn passive_age(&self) -> f64 {
        let stored = if self.stores_at_primary { self.storage } else { 0.0 };
        let (lost_with_primary, all) = (stored + self.dying, self.storage + self.d);
        self.m / 2.0 + lost_with_primary.max(all - self.r())
    }

    pub fn upstream_age(&self) -> f64 {
        self.m / 2.0 + 2.0 * self.d + self.dying + self.span
    }

    pub fn active_age(&self) -> f64 {
        self.m / 2.0 + 2.0 * self.d + self.dying
    }

    pub fn checkpoint_age(&self) -> f64 {
        self.m / 2.0 + self.storage + self.dying
    }

    /// Outputs that are repeated by an operator that goes back so far.
    pub fn repeated(&self, age: f64) -> f64 {
        self.sigma * self.lambda * (age - self.dying)
    }

    /// The least of ages that are uniform over an interval and have this mean.
    pub fn youngest(&self, age: f64) -> f64 {
        age - self.m / 2.0 + self.stratum / 2.0
    }

    /// The largest.
    pub fn oldest(&self, age: f64) -> f64 {
        age + self.m / 2.0 - self.stratum / 2.0
    }

    /// Crash until the first input reaches the restarted task.
    pub fn restarted(&self) -> f64 {
        self.r() + 5.0 * self.d + self.tick
    }

    pub fn redo_r2(&self, age: f64) -> f64 {
        self.r() + self.d + self.rho() * age + self.delta()
    }

    pub fn redo_r3(&self, age: f64) -> f64 {
        let notified = self.r() + 2.0 * self.d;
        notified + self.rho() / (1.0 - self.rho()) * (age + notified) + self.tail()
    }

    /// Age of the oldest untrimmed output at a cut: trims leave with acknowledgements, `ack_phase`
    /// after each cut, and arrive d later, about outputs that left A d earlier.
    pub fn untrimmed(&self) -> f64 {
        let since_arrival = (self.m - (self.ack_phase + self.d) % self.m) % self.m;
        since_arrival + 2.0 * self.d
    }

    pub fn dirty_bytes(&self) -> f64 {
        // By repeated multiplication: the same bits on every platform, unlike a library's `exp`.
        self.entry_bytes * self.keys * (1.0 - self.untouched())
    }

    /// Share of the keys that one interval does not touch.
    fn untouched(&self) -> f64 {
        let draws = (self.lambda * self.m).round() as u64;
        (0..draws).fold(1.0, |left, _| left * (1.0 - 1.0 / self.keys))
    }

    /// Mean size of a full checkpoint while keys are still being met.
    pub fn seen_bytes(&self) -> f64 {
        let checkpoints = (self.tuples / (self.lambda * self.m)).floor() as u64;
        let (mut unseen, mut sum) = (1.0, 0.0);
        for _ in 0..checkpoints {
            unseen *= self.untouched();
            sum += 1.0 - unseen;
        }
        self.entry_bytes * self.keys * sum / checkpoints as f64
    }

    pub fn interval_bytes(&self) -> f64 {
        self.lambda * self.m * self.tuple_bytes
    }
}
