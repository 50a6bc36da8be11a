//! Budgets: limits on what the runs of cases come to, written by people.

use super::value::{Value, is_milli, is_time, names, rank, shown, unsaid};
use super::{Name, Row};
use crate::scenario::diagnostic::nearest;
use aftermath_reports::words::{plural, seed_name};
use aftermath_systems::options::{parse_duration, parse_percent};

/// A limit on a quantity, for all cases and strategies of a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Budget {
    /// For which: "SCENARIO / CASE / STRATEGY", in which `*` stands for anything.
    pub pattern: String,
    /// As it was written.
    pub text: String,
    quantity: String,
    of: Of,
    sign: Sign,
    limit: u64,
}

/// Which number is made of the values of all runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Of {
    /// Each of them.
    Every,
    Sum,
    Mean,
    Min,
    Max,
    Percentile(usize),
}

/// What names of quantities may end in.
const OF: [(&str, Of); 8] = [
    ("sum", Of::Sum),
    ("mean", Of::Mean),
    ("min", Of::Min),
    ("max", Of::Max),
    ("p50", Of::Percentile(50)),
    ("p90", Of::Percentile(90)),
    ("p95", Of::Percentile(95)),
    ("p99", Of::Percentile(99)),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sign {
    AtMost,
    Below,
    AtLeast,
    Above,
    Exactly,
}

/// Signs, the longer ones first.
const SIGNS: [(&str, Sign); 6] = [
    ("<=", Sign::AtMost),
    (">=", Sign::AtLeast),
    ("==", Sign::Exactly),
    ("<", Sign::Below),
    (">", Sign::Above),
    ("=", Sign::Exactly),
];

/// A budget that was not kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Over(pub String);

impl Budget {
    /// Reads `recovery.r2.p99 <= 1s`, or `recovery_ms.r2.p99 <= 1000`, which is the same.
    ///
    /// # Errors
    /// What is none, with what could be written.
    pub fn parse(pattern: &str, text: &str) -> Result<Budget, String> {
        let told = |what: String| format!("the budget \"{text}\" of \"{pattern}\": {what}");
        let form = || {
            "write a quantity, a sign and a limit: \"recovery.r2.p99 <= 1s\", \"lost = 0\"; \
             `aftermath list quantities` names the quantities"
                .to_string()
        };
        let at = text.find(['<', '>', '=']).ok_or_else(|| told(form()))?;
        let (left, right) = (text[..at].trim(), &text[at..]);
        let sign = SIGNS.iter().find(|(sign, _)| right.starts_with(sign));
        let (sign, right) = sign
            .map(|(text, sign)| (*sign, right[text.len()..].trim()))
            .ok_or(())
            .map_err(|()| told(form()))?;
        // Of two spellings of one name, the one with the unit has plain numbers.
        let in_ms = left.strip_prefix("recovery_ms.").map(|rest| format!("recovery.{rest}"));
        let left = in_ms.clone().unwrap_or_else(|| left.to_string());
        let made = left.rsplit_once('.').and_then(|(name, of)| {
            Some((name.to_string(), OF.iter().find(|(known, _)| *known == of)?.1))
        });
        let (quantity, of) = made.unwrap_or((left, Of::Every));
        let known = names();
        if !known.contains(&quantity) {
            let near = nearest(&quantity, known.iter().map(String::as_str));
            let help = near.map_or(form(), |near| format!("did you mean `{near}`?"));
            return Err(told(format!("there is no quantity `{quantity}`; {help}")));
        }
        let limit = match in_ms {
            Some(_) => parse_duration(&format!("{right}ms"))
                .map_err(|_| format!("`{right}` is not a number of milliseconds")),
            None => limit(&quantity, right),
        };
        let limit = limit.map_err(told)?;
        let (pattern, text) = (pattern.to_string(), text.to_string());
        Ok(Budget { pattern, text, quantity, of, sign, limit })
    }

    /// Whether it is about a case under a strategy.
    pub fn is_about(&self, name: &Name) -> bool {
        matches(&self.pattern, &name.to_string())
    }

    /// Holds it against what was measured.
    ///
    /// # Errors
    /// How it was not kept.
    pub fn judge(&self, name: &Name, row: &Row) -> Result<(), Over> {
        let (values, unsaid) = (row.values.get(&self.quantity), unsaid(&self.quantity));
        let value = |nth: usize| {
            let value = values.and_then(|values| values.get(nth));
            value.filter(|value| **value != Value::Nothing).unwrap_or(&unsaid)
        };
        let all = row.runs().enumerate().map(|(nth, run)| (run, value(nth)));
        let all: Vec<_> = all.filter(|(_, value)| **value != Value::Nothing).collect();
        let over = |what: String| Err(Over(format!("{name}: over budget: {what} ({})", self.text)));
        if all.is_empty() {
            return over(format!("no run has `{}`", self.quantity));
        }
        if self.of == Of::Every {
            let wrong: Vec<_> = all.iter().filter(|(_, value)| !self.admits(value)).collect();
            let Some((run, value)) = wrong.first() else { return Ok(()) };
            let more = match wrong.len() - 1 {
                0 => String::new(),
                more => format!(" and {}", plural(more as u64, "more run")),
            };
            return over(format!("{} is {value}, {}{more}", self.quantity, seed_name(*run)));
        }
        let (made, run) = self.made(&all);
        if self.admits(&made) {
            return Ok(());
        }
        let of = OF.iter().find(|(_, of)| *of == self.of).map_or("", |(name, _)| name);
        let run = run.map_or(String::new(), |run| format!(", {}", seed_name(run)));
        over(format!("{}.{of} is {}{run}", self.quantity, told(&self.quantity, &made)))
    }

    /// The number that is made of all, and the run that it is of.
    fn made(&self, all: &[(super::Run, &Value)]) -> (Value, Option<super::Run>) {
        let mut sorted = all.to_vec();
        // What ended too early is longer than whatever was measured, for all that is known.
        sorted.sort_by_key(|(_, v)| (matches!(v, Value::MoreThan(_)), v.number()));
        let at = match self.of {
            Of::Min => Some(0),
            Of::Max => Some(sorted.len() - 1),
            Of::Percentile(percent) => Some(rank(sorted.len(), percent)),
            Of::Every | Of::Sum | Of::Mean => None,
        };
        if let Some((run, value)) = at.map(|at| &sorted[at]) {
            return ((*value).clone(), Some(*run));
        }
        let sum: u128 = all.iter().filter_map(|(_, v)| v.number()).map(u128::from).sum();
        let n = all.len() as u128;
        // Rounded away from what would keep the budget.
        let made = match (self.of, self.sign) {
            (Of::Mean, Sign::AtLeast | Sign::Above) => sum / n,
            (Of::Mean, _) => sum.div_ceil(n),
            _ => sum,
        };
        let made = u64::try_from(made).unwrap_or(u64::MAX);
        let bound = all.iter().any(|(_, value)| matches!(value, Value::MoreThan(_)));
        (if bound { Value::MoreThan(made) } else { Value::Number(made) }, None)
    }

    /// Whether a number is within the limit.
    fn admits(&self, value: &Value) -> bool {
        let Some(number) = value.number() else { return false };
        // What is only known to be longer is not known to be within any limit from above.
        let bound = matches!(value, Value::MoreThan(_));
        match self.sign {
            Sign::AtMost => !bound && number <= self.limit,
            Sign::Below => !bound && number < self.limit,
            Sign::Exactly => !bound && number == self.limit,
            Sign::AtLeast => number >= self.limit,
            Sign::Above => number > self.limit || bound && number >= self.limit,
        }
    }
}

/// A number that was made, for people.
fn told(quantity: &str, value: &Value) -> String {
    match value {
        Value::MoreThan(number) => format!("> {}", shown(quantity, *number)),
        value => value.number().map_or_else(|| value.to_string(), |n| shown(quantity, n)),
    }
}

/// The limit of a quantity, in its unit.
fn limit(quantity: &str, text: &str) -> Result<u64, String> {
    if is_time(quantity) {
        return parse_duration(text);
    }
    if is_milli(quantity) {
        // A number with up to three decimals, in thousandths: as milliseconds in microseconds.
        let milli = parse_duration(&format!("{text}ms")).ok().filter(|ns| ns % 1_000 == 0);
        return milli
            .map(|ns| ns / 1_000)
            .ok_or_else(|| format!("`{text}` is not a number with up to three decimals"));
    }
    if quantity.ends_with("_ppm") && text.ends_with('%') {
        return parse_percent(text).map(u64::from);
    }
    text.parse().map_err(|_| format!("`{text}` is not a whole number"))
}

/// Whether a pattern fits a name; `*` stands for any characters, also none.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn name() -> Name {
        Name { scenario: "flights".into(), case: "base".into(), strategy: "amnesia".into() }
    }

    fn judged(budget: &str, quantity: &str, values: &[Value]) -> Result<(), String> {
        let values = BTreeMap::from([(quantity.to_string(), values.to_vec())]);
        let seeds = 0..values[quantity].len() as u64;
        let row = Row { seeds, strata: None, values };
        let budget = Budget::parse("*", budget).expect("a budget");
        budget.judge(&name(), &row).map_err(|over| over.0)
    }

    #[test]
    fn a_budget_is_kept_or_says_by_how_much_it_is_not() {
        let ms = |list: &[u64]| -> Vec<Value> {
            list.iter().map(|ms| Value::Time(ms * 1_000_000)).collect()
        };
        let times = ms(&[900, 1000, 800]);
        for kept in [
            "recovery.r2 <= 1s",
            "recovery.r2<=1000ms",
            "recovery.r2.max = 1s",
            "recovery.r2.p99 <= 1000ms",
            "recovery_ms.r2.p99 <= 1000",
            "recovery_ms.r2.p50 == 900",
            "recovery.r2.mean <= 900ms",
            "recovery.r2.sum <= 2.7s",
            "recovery.r2 > 799.999ms",
            "recovery.r2.min >= 800ms",
        ] {
            assert_eq!(judged(kept, "recovery.r2", &times), Ok(()), "{kept}");
        }
        for (broken, words) in [
            ("recovery.r2 < 1s", "recovery.r2 is 1s, seed 1"),
            ("recovery.r2 <= 850ms", "recovery.r2 is 900ms, seed 0 and 1 more run"),
            ("recovery.r2.p99 < 1s", "recovery.r2.p99 is 1s, seed 1"),
            ("recovery_ms.r2.mean <= 899.9", "recovery.r2.mean is 900ms"),
            ("recovery.r2.min > 800ms", "recovery.r2.min is 800ms, seed 2"),
            ("recovery.r3 <= 1s", "no run has `recovery.r3`"),
        ] {
            let said = judged(broken, "recovery.r2", &times).expect_err(broken);
            let whole = format!("flights / base / amnesia: over budget: {words} ({broken})");
            assert_eq!(said, whole);
        }
    }

    #[test]
    fn a_run_that_ended_too_early_keeps_no_budget_from_above() {
        let values = [Value::Time(5), Value::MoreThan(7), Value::Nothing];
        for broken in ["recovery.r3.max <= 1s", "recovery.r3.mean <= 1s", "recovery.r3 <= 1s"] {
            let said = judged(broken, "recovery.r3", &values).expect_err(broken);
            assert!(said.contains("> "), "{said}");
        }
        assert_eq!(judged("recovery.r3.max > 6ns", "recovery.r3", &values), Ok(()));
        assert_eq!(judged("recovery.r3.min <= 5ns", "recovery.r3", &values), Ok(()));
    }

    #[test]
    fn a_cause_of_which_nothing_was_sent_counts_as_zero() {
        let (name, values) = ("overhead.messages.state", [Value::Nothing, Value::Number(2)]);
        for kept in ["overhead.messages.state.mean <= 1", "overhead.messages.state.min = 0"] {
            assert_eq!(judged(kept, name, &values), Ok(()), "{kept}");
        }
        assert_eq!(judged("overhead.bytes.state = 0", name, &values), Ok(()), "in no run");
        let said = judged("overhead.messages.state = 0", name, &values);
        assert!(said.expect_err("2 were sent").contains(" is 2, seed 1 ("));
    }

    #[test]
    fn every_unit_is_read() {
        let milli = [Value::Milli(12_500)];
        let per_checkpoint = "overhead.messages_per_checkpoint";
        assert_eq!(judged(&format!("{per_checkpoint} <= 12.5"), per_checkpoint, &milli), Ok(()));
        let said = judged(&format!("{per_checkpoint}.mean <= 12"), per_checkpoint, &milli);
        assert!(said.expect_err("too many").contains(".mean is 12.5 ("));
        let ppm = [Value::Number(40_000)];
        let bytes = "overhead.bytes_per_hop_ppm";
        assert_eq!(judged(&format!("{bytes} <= 4%"), bytes, &ppm), Ok(()));
        assert!(judged(&format!("{bytes} <= 39999"), bytes, &ppm).is_err());
    }

    #[test]
    fn what_is_no_budget_is_told_with_what_was_meant() {
        for (text, words) in [
            ("recovery.r2", "write a quantity, a sign and a limit"),
            ("recovery.r4 <= 1s", "did you mean `recovery.r1`?"),
            ("recovery.r2.p98 <= 1s", "there is no quantity `recovery.r2.p98`"),
            ("overhead.messages.stat = 1", "did you mean `overhead.messages.state`?"),
            ("recovery.r2 <= 1000", "\"1000\" is not a span of time"),
            ("recovery_ms.r2 <= 1s", "`1s` is not a number of milliseconds"),
            ("lost <= -1", "`-1` is not a whole number"),
            ("overhead.messages_per_checkpoint < 1.2345", "three decimals"),
        ] {
            let said = Budget::parse("*", text).expect_err(text);
            assert!(said.contains(words), "{said}");
        }
    }

    #[test]
    fn patterns_stand_for_cases_and_strategies() {
        for (pattern, fits) in [
            ("*", true),
            ("flights / base / amnesia", true),
            ("flights / * / amnesia", true),
            ("* / amnesia", true),
            ("flights*", true),
            ("*base*", true),
            ("flights", false),
            ("* / amnesi", false),
            ("flights / * / *standby", false),
            ("", false),
        ] {
            assert_eq!(matches(pattern, "flights / base / amnesia"), fits, "{pattern}");
        }
        assert!(!matches("aa*aa", "aaa"), "no character counts twice");
    }
}
