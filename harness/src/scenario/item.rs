//! Reading one value as what a setting takes.

use super::diagnostic::suggest;
use super::keys::{Key, Kind as Takes, Least};
use super::reading::Reading;
use super::tree::{Kind, Value};
use aftermath_systems::options::{format_duration, parse_duration, parse_percent};
use aftermath_systems::protocol::{MILLISECOND, Nanos, SECOND};
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

    /// A whole number within the limits of a key.
    pub fn number(&self, key: &Key) -> Option<u64> {
        self.number_of(key.kind)
    }

    /// A whole number within these limits.
    ///
    /// # Panics
    /// When they are not of numbers: our own bug.
    pub fn number_of(&self, kind: Takes) -> Option<u64> {
        let Takes::Integer { least, most, .. } = kind else {
            panic!("`{}` is no number", self.path)
        };
        self.integer(least..=most)
    }

    /// A span of time that is not shorter than a key allows.
    ///
    /// # Panics
    /// When the key takes no span of time: our own bug.
    pub fn span(&self, key: &Key, tick_ns: Nanos) -> Option<Nanos> {
        let Takes::Duration(least) = key.kind else { panic!("`{}` is no span", key.name) };
        self.duration_least(least, tick_ns)
    }

    /// A span of time that is at least so long.
    pub fn duration_least(&self, least: Least, tick_ns: Nanos) -> Option<Nanos> {
        match least {
            Least::Zero => self.duration(),
            Least::Positive => self.duration_positive(),
            Least::Tick => self.duration_from(tick_ns, "one tick"),
            Least::Millisecond => {
                let ns = self.duration_from(MILLISECOND, "one millisecond")?;
                if ns % MILLISECOND != 0 {
                    let message = format!("`{}` must be a whole number of milliseconds", self.path);
                    self.error(message, None);
                    return None;
                }
                Some(ns)
            }
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
                format!("must be from {from} to {to}")
            };
            self.error(format!("`{}` {limits}", self.path), None);
        }
        found
    }

    /// A span of time.
    pub fn duration(&self) -> Option<Nanos> {
        let Kind::String(text) = &self.value.kind else {
            let help = match self.value.kind {
                Kind::Integer(Some(number @ 0..)) => {
                    format!("write it as a string with its unit: \"{number}ms\"")
                }
                _ => "write it as a string: \"250ms\"".to_string(),
            };
            return self.wrong_type("a span of time", Some(&help));
        };
        match parse_duration(text) {
            Ok(ns) if ns <= LONGEST => Some(ns),
            Ok(_) => {
                let longest = format_duration(LONGEST);
                self.error(format!("`{}` must be at most {longest}", self.path), None);
                None
            }
            Err(why) => {
                self.error(why, meant(text).map(|near| format!("did you mean \"{near}\"?")));
                None
            }
        }
    }

    /// A share, as it is written.
    pub fn percent(&self) -> Option<&'t str> {
        let Kind::String(text) = &self.value.kind else {
            return self.wrong_type("a share", Some("write it as a string: \"2.5%\""));
        };
        match parse_percent(text) {
            Ok(_) => Some(text),
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

/// The span of time that a text probably means: with blanks, in another unit, or without one.
fn meant(text: &str) -> Option<String> {
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let plain = plain.to_lowercase();
    let split = plain.find(|c: char| c.is_alphabetic()).unwrap_or(plain.len());
    let (number, unit) = plain.split_at(split);
    let (unit, scale) = match unit {
        "" | "msec" | "msecs" | "millis" | "milliseconds" => ("ms", 1),
        "sec" | "secs" | "second" | "seconds" => ("s", 1),
        "µs" | "μs" | "usec" | "usecs" | "micros" => ("us", 1),
        "nsec" | "nsecs" | "nanos" => ("ns", 1),
        "m" | "min" | "mins" | "minute" | "minutes" => ("s", 60),
        "h" | "hour" | "hours" => ("s", 3_600),
        unit => (unit, 1),
    };
    let number = match number.parse::<u64>() {
        Ok(number) => number.checked_mul(scale)?.to_string(),
        Err(_) if scale == 1 => number.to_string(),
        Err(_) => return None,
    };
    let near = format!("{number}{unit}");
    parse_duration(&near).ok().map(|_| near)
}

#[cfg(test)]
mod tests {
    use super::meant;

    #[test]
    fn a_span_of_time_in_another_spelling_is_understood_and_nothing_else_is() {
        for (text, near) in [
            ("100", "100ms"),
            ("1 s", "1s"),
            ("1.5 MS", "1.5ms"),
            ("2m", "120s"),
            ("1h", "3600s"),
            ("20msec", "20ms"),
            ("7µs", "7us"),
        ] {
            assert_eq!(meant(text).as_deref(), Some(near), "{text}");
        }
        for text in ["", "s", "fast", "-1s", "1.5h", "1e3s", "99999999999999999999h"] {
            assert_eq!(meant(text), None, "{text}");
        }
    }
}
