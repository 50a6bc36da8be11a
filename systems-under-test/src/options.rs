//! Options of strategies and pipelines: described once, checked from the description, read as
//! plain values. The same list feeds `list`, the docs and the scenario's error messages.

use crate::protocol::{MILLISECOND, Nanos};
use std::collections::BTreeMap;

/// What values an option takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A span of time, written `"250ms"`.
    Duration,
    /// A whole number from the first to the second.
    Number(u64, u64),
    /// A share, written `"2.5%"`.
    Percent,
}

/// One option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OptionDoc {
    /// Its key.
    pub name: &'static str,
    /// Its values.
    pub kind: OptionKind,
    /// Its value when not given, written as in a scenario; empty: not set.
    pub default: &'static str,
    /// One sentence.
    pub doc: &'static str,
}

/// Options with all defaults filled in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options(BTreeMap<&'static str, String>);

impl Options {
    /// Checks `given` against `docs` and fills in defaults.
    ///
    /// # Errors
    /// The offending key and what is wrong with it, for each unknown key and wrong value.
    pub fn resolve(
        docs: &[OptionDoc],
        given: &BTreeMap<String, String>,
    ) -> Result<Options, Vec<(String, String)>> {
        let mut errors = Vec::new();
        for (key, value) in given {
            let Some(doc) = docs.iter().find(|doc| doc.name == key) else {
                let known: Vec<_> = docs.iter().map(|doc| doc.name).collect();
                let known = if known.is_empty() { "none".into() } else { known.join(", ") };
                errors.push((key.clone(), format!("unknown option; known are: {known}")));
                continue;
            };
            match doc.kind {
                OptionKind::Choice(words) if !words.contains(&value.as_str()) => {
                    errors.push((key.clone(), format!("must be one of: {}", words.join(", "))));
                }
                OptionKind::Duration if parse_duration(value).is_err() => {
                    let why = parse_duration(value).unwrap_err();
                    errors.push((key.clone(), why));
                }
                OptionKind::Number(least, most)
                    if !value.parse().is_ok_and(|n| (least..=most).contains(&n)) =>
                {
                    errors.push((key.clone(), format!("must be a number, {least} to {most}")));
                }
                OptionKind::Percent => {
                    errors.extend(parse_percent(value).err().map(|why| (key.clone(), why)));
                }
                _ => {}
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let value = |doc: &OptionDoc| given.get(doc.name).map_or(doc.default, |v| v).to_string();
        Ok(Options(docs.iter().map(|doc| (doc.name, value(doc))).collect()))
    }

    /// The same with another value of one option, which its description must allow.
    #[must_use]
    pub fn with(&self, doc: &OptionDoc, value: &str) -> Options {
        let mut options = self.clone();
        options.0.insert(doc.name, value.to_string());
        options
    }

    /// A choice's word.
    ///
    /// # Panics
    /// When the option is not in the description: our own bug.
    pub fn choice(&self, name: &str) -> &str {
        self.0.get(name).expect("an option that is read is described")
    }

    /// A span of time, ns; `None` when not set.
    ///
    /// # Panics
    /// When the option is not in the description: our own bug.
    pub fn duration(&self, name: &str) -> Option<Nanos> {
        let text = self.choice(name);
        (!text.is_empty()).then(|| parse_duration(text).expect("checked when resolved"))
    }
}

impl Options {
    /// A number.
    ///
    /// # Panics
    /// When the option is not in the description, or not a number: our own bug.
    pub fn number(&self, name: &str) -> u64 {
        self.choice(name).parse().expect("checked when resolved")
    }

    /// A share, in millionths.
    ///
    /// # Panics
    /// When the option is not in the description, or not a share: our own bug.
    pub fn millionths(&self, name: &str) -> u32 {
        parse_percent(self.choice(name)).expect("checked when resolved")
    }
}

/// Parses `"2.5%"` into millionths.
///
/// # Errors
/// What is wrong and how to write it.
pub fn parse_percent(text: &str) -> Result<u32, String> {
    let wrong = || format!("\"{text}\" is no share; write \"0%\" to \"100%\", such as \"2.5%\"");
    let number = text.strip_suffix('%').ok_or_else(wrong)?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) || number.ends_with('.') {
        return Err(wrong());
    }
    if fraction.len() > 4 {
        return Err(format!("\"{text}\" is finer than a millionth"));
    }
    let whole: u32 = whole.parse().map_err(|_| wrong())?;
    let fraction: u32 = format!("{fraction:0<4}").parse().map_err(|_| wrong())?;
    let millionths = whole.checked_mul(10_000).and_then(|whole| whole.checked_add(fraction));
    millionths.filter(|share| *share <= 1_000_000).ok_or_else(wrong)
}

/// Parses `"2s"`, `"250ms"`, `"1.5s"`, `"10us"`, `"7ns"` into nanoseconds.
///
/// # Errors
/// What is wrong and how to write it.
pub fn parse_duration(text: &str) -> Result<Nanos, String> {
    let wrong = || {
        format!(
            "\"{text}\" is not a span of time; write a number and ns, us, ms or s, such as \"250ms\""
        )
    };
    let split = text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(wrong)?;
    let (number, unit) = text.split_at(split);
    let scale: u64 = match unit {
        "ns" => 1,
        "us" => 1_000,
        "ms" => MILLISECOND,
        "s" => 1_000 * MILLISECOND,
        _ => return Err(wrong()),
    };
    // Decimal digits by hand: a float would round what must be exact.
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) || number.ends_with('.') {
        return Err(wrong());
    }
    let mut total = whole.parse::<u64>().ok().and_then(|w| w.checked_mul(scale));
    let mut unit = scale;
    for digit in fraction.bytes() {
        if !unit.is_multiple_of(10) {
            return Err(format!("\"{text}\" is finer than a nanosecond"));
        }
        unit /= 10;
        total = total.and_then(|t| t.checked_add(u64::from(digit - b'0') * unit));
    }
    total.filter(|t| *t < 1 << 62).ok_or_else(|| format!("\"{text}\" is too long a span of time"))
}

/// Writes nanoseconds as [`parse_duration`] reads them, in the largest unit that is exact.
pub fn format_duration(ns: Nanos) -> String {
    for (unit, scale) in [("s", 1_000_000_000), ("ms", MILLISECOND), ("us", 1_000)] {
        if ns >= scale && ns.is_multiple_of(scale / 1_000) {
            let (whole, rest) = (ns / scale, ns % scale / (scale / 1_000));
            if rest == 0 {
                return format!("{whole}{unit}");
            }
            return format!("{whole}.{rest:03}").trim_end_matches('0').to_string() + unit;
        }
    }
    format!("{ns}ns")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_exactly() {
        for (text, millionths) in [("0%", 0), ("100%", 1_000_000), ("2.5%", 25_000), ("0.0001%", 1)]
        {
            assert_eq!(parse_percent(text), Ok(millionths), "{text}");
        }
        for text in ["", "%", "5", "-1%", "1.%", ".5%", "100.1%", "0.00001%", "1e1%", "4294967296%"]
        {
            assert!(parse_percent(text).is_err(), "{text}");
        }
    }

    #[test]
    fn spans_of_time_are_read_exactly_and_written_back() {
        for (text, ns) in [
            ("0s", 0),
            ("2s", 2_000_000_000),
            ("1.5s", 1_500_000_000),
            ("250ms", 250_000_000),
            ("0.667ms", 667_000),
            ("3.000001s", 3_000_001_000),
            ("7ns", 7),
        ] {
            assert_eq!(parse_duration(text), Ok(ns), "{text}");
            assert_eq!(parse_duration(&format_duration(ns)), Ok(ns), "{text}");
        }
        for text in ["", "s", "5", "-1s", "1.s", ".5s", "1m", "1.5ns", "99999999999999s", "1e3s"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
