//! What a bound of a scenario comes to: every formula worked out, as a plain value and in words.

use crate::config::{Bound, Case, Quantity};
use crate::formulas;
use aftermath_reports::record::Check;
use aftermath_systems::options::format_duration;
use aftermath_systems::protocol::SECOND;
use serde::{Deserialize, Serialize};

/// What a number is compared with, in its own unit (tuples, ns, ppm).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// At least and at most, both optional.
    Range(Option<u64>, Option<u64>),
    /// What a formula predicts, and how far from it one may be.
    Near {
        /// The prediction.
        predicted: Exact,
        /// The tolerance.
        within: Exact,
    },
}

/// A number of a formula that comes back from a file as it was.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Exact(f64);

impl From<f64> for Exact {
    fn from(value: f64) -> Exact {
        Exact(value)
    }
}

impl From<Exact> for String {
    fn from(value: Exact) -> String {
        format!("{:?}", value.0)
    }
}

impl TryFrom<String> for Exact {
    type Error = std::num::ParseFloatError;

    fn try_from(text: String) -> Result<Exact, Self::Error> {
        text.parse().map(Exact)
    }
}

impl Limit {
    /// Whether a value is within it.
    pub fn admits(&self, value: f64) -> bool {
        match self {
            Limit::Range(min, max) => {
                min.is_none_or(|min| value >= min as f64)
                    && max.is_none_or(|max| value <= max as f64)
            }
            Limit::Near { predicted, within } => (value - predicted.0).abs() <= within.0,
        }
    }

    /// The check of a number, if there is one; `expected`: this limit, for people.
    pub fn check(
        &self,
        what: &str,
        quantity: Quantity,
        expected: &str,
        measured: Option<f64>,
    ) -> Check {
        Check {
            what: what.to_string(),
            expected: expected.to_string(),
            measured: measured.map_or("nothing".into(), |value| show(quantity, value)),
            held: measured.is_some_and(|value| self.admits(value)),
        }
    }
}

/// What a quantity is compared with, for people and for programs: formulas are worked out.
pub fn resolve(case: &Case, quantity: Quantity, bound: &Bound) -> (String, Limit) {
    let show = |value: f64| show(quantity, value);
    match bound {
        Bound::Exact(value) => (show(*value as f64), Limit::Range(Some(*value), Some(*value))),
        Bound::Range(min, max) => {
            let text = match (min, max) {
                (Some(min), Some(max)) => format!("{} to {}", show(*min as f64), show(*max as f64)),
                (Some(min), None) => format!("at least {}", show(*min as f64)),
                (None, Some(max)) => format!("at most {}", show(*max as f64)),
                (None, None) => "anything".into(),
            };
            (text, Limit::Range(*min, *max))
        }
        Bound::Formula { name, times, within_ppm, within_milli_tuples } => {
            let once = formulas::predict(name, &case.config).unwrap_or(f64::NAN);
            let predicted = once * *times as f64;
            let tuples = *within_milli_tuples as f64 / 1e3;
            let tuple = match quantity {
                _ if quantity.is_time() => SECOND as f64 / case.config.rate_per_s as f64,
                Quantity::BytesPerHopPpm => 0.0,
                _ => 1.0,
            };
            let tolerated = tuples * tuple * *times as f64;
            let within = (predicted * *within_ppm as f64 / 1e6).max(tolerated);
            let factor = if *times == 1 { String::new() } else { format!("{times} x ") };
            let text = format!("{factor}{name} = {} ± {}", show(predicted), show(within));
            (text, Limit::Near { predicted: predicted.into(), within: within.into() })
        }
    }
}

/// A number of a quantity, for people.
fn show(quantity: Quantity, value: f64) -> String {
    if quantity.is_time() {
        if value == value.round() && value >= 0.0 && (value as u64).is_multiple_of(1000) {
            return format_duration(value as u64);
        }
        return format!("{:.3}ms", value / 1e6);
    }
    match quantity {
        Quantity::BytesPerHopPpm => format!("{:.4} %", value / 1e4),
        _ if value == value.round() => format!("{value:.0}"),
        _ => format!("{value:.2}"),
    }
}
