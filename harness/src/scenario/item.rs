//! Reading one value as what a setting takes.

use super::diagnostic::suggest;
use super::reading::Reading;
use super::tree::{Kind, Value};
use aftermath_systems::options::{format_duration, parse_duration};
use aftermath_systems::protocol::{Nanos, SECOND};
use std::ops::{Range, RangeInclusive};

/// No span of time of a scenario is longer: sums and products of a few of them stay in 64 bits.
const LONGEST: Nanos = 1_000_000 * SECOND;

/// A value being read.
#[derive(Clone)]
pub struct Item<'t, 'r> {
    /// Of which reading.
    pub reading: &'r Reading<'t, 'r>,
    /// The setting, dotted.
    pub path: String,
    /// Where its key is.
    pub key_span: Range<usize>,
    /// The value.
    pub value: &'t Value,
    /// Whether a case sets it.
    pub overrides: bool,
}

impl<'t, 'r> Item<'t, 'r> {
    /// Notes a mistake at the value.
    pub fn error(&self, message: impl Into<String>, help: Option<String>) {
        self.reading.error(&self.value.span, message, help);
    }

    /// Notes a mistake at the key.
    pub fn key_error(&self, message: impl Into<String>, help: Option<String>) {
        self.reading.error(&self.key_span, message, help);
    }

    /// Notes that the value is of another type than wanted.
    pub fn wrong_type<T>(&self, wanted: &str, help: Option<&str>) -> Option<T> {
        let message = format!("`{}` must be {wanted}, not {}", self.path, self.value.kind.name());
        self.error(message, help.map(str::to_string));
        None
    }

    /// Text.
    pub fn text(&self) -> Option<&'t str> {
        match &self.value.kind {
            Kind::String(text) => Some(text),
            _ => self.wrong_type("a string", None),
        }
    }

    /// True or false.
    pub fn boolean(&self) -> Option<bool> {
        match self.value.kind {
            Kind::Boolean(value) => Some(value),
            _ => self.wrong_type("`true` or `false`", None),
        }
    }

    /// A whole number in a range.
    pub fn integer(&self, range: RangeInclusive<u64>) -> Option<u64> {
        let Kind::Integer(number) = self.value.kind else {
            return self.wrong_type("an integer", None);
        };
        let found = number.and_then(|n| u64::try_from(n).ok()).filter(|n| range.contains(n));
        if found.is_none() {
            let (from, to) = (range.start(), range.end());
            let limits = if from == to {
                format!("must be {from}")
            } else if *to > i64::MAX as u64 {
                format!("must be at least {from}")
            } else {
                format!("must be in {from}..={to}")
            };
            self.error(format!("`{}` {limits}", self.path), None);
        }
        found
    }

    /// A span of time.
    pub fn duration(&self) -> Option<Nanos> {
        let Kind::String(text) = &self.value.kind else {
            return self.wrong_type("a span of time", Some("write it as a string: \"250ms\""));
        };
        match parse_duration(text) {
            Ok(ns) if ns <= LONGEST => Some(ns),
            Ok(_) => {
                let longest = format_duration(LONGEST);
                self.error(format!("`{}` must be at most {longest}", self.path), None);
                None
            }
            Err(why) => {
                self.error(why, None);
                None
            }
        }
    }

    /// A span of time that is at least this; `what` says what the least one is.
    pub fn duration_from(&self, least: Nanos, what: &str) -> Option<Nanos> {
        let ns = self.duration()?;
        if ns < least {
            let least = format_duration(least);
            self.error(format!("`{}` must be at least {what} ({least})", self.path), None);
            return None;
        }
        Some(ns)
    }

    /// A span of time that is not 0.
    pub fn duration_positive(&self) -> Option<Nanos> {
        let ns = self.duration()?;
        if ns == 0 {
            self.error(format!("`{}` must be longer than 0", self.path), None);
            return None;
        }
        Some(ns)
    }

    /// One of some names; `what` is such a name's kind, in the singular.
    pub fn name<'n>(
        &self,
        what: &str,
        names: impl Iterator<Item = &'n str> + Clone,
    ) -> Option<&'t str> {
        let text = self.text()?;
        if names.clone().any(|name| name == text) {
            return Some(text);
        }
        let help = suggest(text, names, "known are");
        self.error(format!("unknown {what} `{text}`"), help);
        None
    }

    /// The elements of a list.
    pub fn list(&self) -> Option<Vec<Item<'t, 'r>>> {
        let Kind::Array(values) = &self.value.kind else {
            return self.wrong_type("an array", Some("write it in brackets: [\"a\", \"b\"]"));
        };
        let item = |(index, value): (usize, &'t Value)| Item {
            path: format!("{}.{index}", self.path),
            key_span: value.span.clone(),
            value,
            ..self.clone()
        };
        Some(values.iter().enumerate().map(item).collect())
    }
}
