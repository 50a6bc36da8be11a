//! The judgement of a case over all of its runs, which are taken in one at a time. What is expected
//! is a plain value with every formula worked out: whoever has it and the records can judge,
//! without the scenario.

use crate::config::{Bound, Case, Quantity};
use crate::expect::measure;
use crate::limit::{Limit, resolve};
use aftermath_reports::record::{
    CaseResult, Check, FORMAT_VERSION, Record, Status, ValueClass, WORLDS_DIFFER,
};
use aftermath_reports::summary::Spread;
use aftermath_reports::words;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is expected of all runs of a case together.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Expected {
    /// The status of each run, where it is not "held".
    pub status: Option<Status>,
    /// What is missing and what is repeated: gap, duplicates.
    pub delivery: Option<(bool, bool)>,
    /// The worst value class.
    pub value: Option<ValueClass>,
    /// Whether retained memory stays bounded.
    pub memory_bounded: Option<bool>,
    /// Numbers.
    pub numbers: Vec<Number>,
}

/// What is expected of a number of all runs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Number {
    /// Which of the runs' values.
    pub over: Over,
    /// The quantity.
    pub quantity: Quantity,
    /// What is expected, for people.
    pub expected: String,
    /// The same, to compare with.
    pub limit: Limit,
}

/// How one number is made of many.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// Their mean.
    Mean,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

impl Expected {
    /// What a case expects.
    pub fn of(case: &Case) -> Expected {
        let expect = &case.expect;
        let lists =
            [(Over::Mean, &expect.mean), (Over::Min, &expect.min), (Over::Max, &expect.max)];
        let number = |over: Over, (quantity, bound): &(Quantity, Bound)| {
            let (expected, limit) = resolve(case, *quantity, bound);
            Number { over, quantity: *quantity, expected, limit }
        };
        let numbers = lists
            .into_iter()
            .flat_map(|(over, list)| list.iter().map(move |expected| number(over, expected)));
        Expected {
            status: expect.status,
            delivery: expect.delivery.map(|delivery| (delivery.gap, delivery.duplicates)),
            value: expect.value,
            memory_bounded: expect.memory_bounded,
            numbers: numbers.collect(),
        }
    }

    /// Whether a run has the status that is expected ("held" or "not covered" unless it says
    /// otherwise). One in which two worlds differ has not, not even where a broken one is expected.
    pub fn as_expected(&self, record: &Record) -> bool {
        if record.reasons.iter().any(|reason| reason == WORLDS_DIFFER) {
            return false;
        }
        match self.status {
            Some(expected) => record.status == expected,
            None => matches!(record.status, Status::Held | Status::NotCovered),
        }
    }

    /// Whether a run makes its case broken by itself.
    pub fn fails(&self, record: &Record) -> bool {
        record.status != Status::Inconclusive && !self.as_expected(record)
    }
}

/// The runs of one case under one strategy, as far as they were taken in.
#[derive(Clone, Debug, Default)]
pub struct Judging {
    by_status: BTreeMap<Status, u64>,
    fails: bool,
    gap: bool,
    duplicates: bool,
    value: Option<ValueClass>,
    memory_bounded: Option<bool>,
    /// One for each expected number.
    numbers: Vec<Spread>,
}

impl Judging {
    /// Takes in one run.
    pub fn add(&mut self, expected: &Expected, record: &Record) {
        *self.by_status.entry(record.status).or_default() += 1;
        self.fails |= expected.fails(record);
        let seen = &record.observed;
        self.gap |= seen.gap;
        self.duplicates |= seen.duplicates;
        self.value = self.value.max(Some(seen.value));
        let memory = [self.memory_bounded, seen.memory_bounded];
        self.memory_bounded = memory.into_iter().flatten().min();
        self.numbers.resize(expected.numbers.len(), Spread::default());
        for (number, spread) in expected.numbers.iter().zip(&mut self.numbers) {
            measure(number.quantity, record).into_iter().for_each(|value| spread.add(value));
        }
    }

    /// How many runs were taken in.
    pub fn runs(&self) -> u64 {
        self.by_status.values().sum()
    }

    /// The judgement: broken if a run is not as expected or a check over all runs fails;
    /// inconclusive only if no run was conclusive.
    pub fn result(&self, expected: &Expected, names: [&str; 3]) -> CaseResult {
        let checks = self.checks(expected);
        let failed = checks.iter().any(|check| !check.held);
        let has = |status: Status| self.by_status.contains_key(&status);
        let conclusive = has(Status::Held) || has(Status::NotCovered) || has(Status::Broken);
        let status = if failed || self.fails {
            Status::Broken
        } else if !conclusive && expected.status != Some(Status::Inconclusive) {
            Status::Inconclusive
        } else if has(Status::NotCovered) {
            Status::NotCovered
        } else {
            Status::Held
        };
        let runs = self.by_status.iter();
        let [scenario, case, strategy] = names.map(str::to_string);
        let runs = runs.map(|(status, n)| (words::status(*status).to_string(), *n)).collect();
        CaseResult {
            format_version: FORMAT_VERSION,
            scenario,
            case,
            strategy,
            status,
            runs,
            checks,
        }
    }

    fn checks(&self, expected: &Expected) -> Vec<Check> {
        let mut checks = self.classes(expected);
        let runs = self.runs();
        let none = Spread::default();
        for (nth, number) in expected.numbers.iter().enumerate() {
            let spread = self.numbers.get(nth).unwrap_or(&none);
            let (over, value) = match number.over {
                Over::Mean => ("mean", spread.mean()),
                Over::Min => ("min", (spread.n > 0).then_some(spread.min as f64)),
                Over::Max => ("max", (spread.n > 0).then_some(spread.max as f64)),
            };
            // What holds for the runs that have such a number may not hold for all.
            let missing = runs - spread.n;
            let Number { quantity, expected, limit, .. } = number;
            let what = format!("{over} {}", quantity.name());
            let value = value.filter(|_| missing == 0);
            let mut check = limit.check(&what, *quantity, expected, value);
            if missing > 0 {
                check.measured = format!("nothing in {missing} of {runs} runs");
            }
            checks.push(check);
        }
        checks
    }

    /// What became of delivery, values and memory in all runs together: the worst of them.
    fn classes(&self, expected: &Expected) -> Vec<Check> {
        let check = |what: &str, expected: &str, measured: &str, held| Check {
            what: what.into(),
            expected: expected.into(),
            measured: measured.into(),
            held,
        };
        let delivered = |delivery: (bool, bool)| match delivery {
            (false, false) => "each once",
            (true, false) => "gap",
            (false, true) => "duplicates",
            (true, true) => "gap + duplicates",
        };
        let values = |value| match value {
            Some(ValueClass::Same) => "the same",
            Some(ValueClass::Converges) => "converge",
            Some(ValueClass::Diverges) => "diverge",
            None => "nothing",
        };
        let memories = |memory| match memory {
            Some(true) => "bounded",
            Some(false) => "grows",
            None => "not judged",
        };
        let seen = (self.gap, self.duplicates);
        let delivery = expected
            .delivery
            .map(|wanted| check("delivery", delivered(wanted), delivered(seen), wanted == seen));
        let value = expected.value.map(Some).map(|wanted| {
            check("values", values(wanted), values(self.value), wanted == self.value)
        });
        let memory = expected.memory_bounded.map(Some).map(|wanted| {
            let seen = self.memory_bounded;
            check("memory", memories(wanted), memories(seen), wanted == seen)
        });
        [delivery, value, memory].into_iter().flatten().collect()
    }
}
