//! The twin itself is checked against an answer computed straight from the input: no dataflow, no
//! operator code, a few lines a pipeline.
//!
//! Speaks when an output of the twin is not what the input says it must be.

mod nexmark;

use crate::machine::Delivery;
use crate::run::RunLog;
use aftermath_reports::record::Witness;
use aftermath_systems::blocks::partition;
use aftermath_systems::operator::OperatorClass;
use aftermath_systems::plan::{OperatorPlan, OperatorRole, Plan};
use aftermath_systems::protocol::{Field, Payload, SECOND, SemanticId};
use std::collections::BTreeMap;

/// The identity of an output: kind, key, index.
type Identity = (u16, u32, u64);

/// Outputs by identity.
type Answer = BTreeMap<Identity, Vec<i64>>;

/// The first difference between the twin and the direct answer.
pub fn check(twin: &RunLog) -> Option<Witness> {
    let systems = &twin.plan.systems;
    if systems.pipeline == "nexmark-q12" {
        return check_totals(twin);
    }
    let expected = answer(systems)?;
    if is_answer(&twin.deliveries, &expected) {
        return None;
    }
    let found: Answer =
        twin.deliveries.iter().map(|d| (identity(d), numbers(&d.payload).collect())).collect();
    let ids = expected.keys().chain(found.keys());
    let differing = ids.into_iter().find(|id| expected.get(id) != found.get(id))?;
    let (kind, key, index) = *differing;
    Some(Witness {
        checker: "reference".into(),
        subject: (systems.describe)(&SemanticId { kind, key, index }, &systems.workload.symbols),
        expected: format!("{:?}", expected.get(differing)),
        observed: format!("{:?} in the twin", found.get(differing)),
        at_ns: None,
    })
}

/// The first bidder whose bids are not as many as all windows together say.
fn check_totals(twin: &RunLog) -> Option<Witness> {
    let outputs = twin.deliveries.iter();
    let outputs = outputs.map(|d| (identity(d), numbers(&d.payload).collect()));
    let (expected, found) = (nexmark::q12_totals(&twin.plan.systems), nexmark::totals_of(outputs));
    let bidders = expected.keys().chain(found.keys());
    let bidder = bidders.into_iter().find(|bidder| expected.get(bidder) != found.get(bidder))?;
    let bids = |totals: &BTreeMap<u32, i64>| totals.get(bidder).copied().unwrap_or(0);
    Some(Witness {
        checker: "reference".into(),
        subject: format!("bidder {bidder}, all windows together"),
        expected: format!("{} bids", bids(&expected)),
        observed: format!("{} in the twin", bids(&found)),
        at_ns: None,
    })
}

/// Whether these are the outputs expected, in any order and each once. As a rule they are, so it is
/// found out without a table of them.
fn is_answer(outputs: &[Delivery], expected: &Answer) -> bool {
    let mut sorted: Vec<&Delivery> = outputs.iter().collect();
    sorted.sort_by_key(|output| identity(output));
    let same = |(output, (id, wanted)): (&&Delivery, (&Identity, &Vec<i64>))| {
        identity(output) == *id && numbers(&output.payload).eq(wanted.iter().copied())
    };
    sorted.len() == expected.len() && sorted.iter().zip(expected).all(same)
}

fn identity(output: &Delivery) -> Identity {
    (output.semantic.kind, output.semantic.key, output.semantic.index)
}

/// What an output says.
fn numbers(payload: &Payload) -> impl Iterator<Item = i64> {
    let (pair, fields) = match payload {
        Payload::Pair { value, .. } => (Some(*value), &[][..]),
        Payload::Record(fields) => (None, &fields[..]),
        Payload::End => (None, &[][..]),
    };
    pair.into_iter().chain(fields.iter().flat_map(column))
}

fn answer(systems: &Plan) -> Option<Answer> {
    let inputs = || systems.workload.inputs.iter().enumerate();
    let pairs = || {
        inputs().filter_map(|(row, input)| match input.payload {
            Payload::Pair { key, value } => Some((row as u64, key, value, input.scheduled)),
            _ => None,
        })
    };
    match systems.pipeline {
        "chain" => {
            let twice = |value: i64| (value * 2 + 1) * 2 + 1;
            Some(pairs().map(|(row, _, value, _)| ((0, 0, row), vec![twice(value)])).collect())
        }
        "filter" => {
            let passing = pairs().filter(|(_, _, value, _)| *value < 80);
            Some(passing.map(|(row, _, value, _)| ((0, 0, row), vec![value * 2 + 1])).collect())
        }
        "keyed-count" => {
            let mut seen: BTreeMap<u32, i64> = BTreeMap::new();
            let count = |(row, key, _, _)| {
                let count = seen.entry(key).or_default();
                *count += 1;
                ((0, 0, row), vec![*count * 2 + 1])
            };
            Some(pairs().map(count).collect())
        }
        "window" => {
            let rows: Vec<_> = pairs().collect();
            let span = window_span(systems)?;
            let mut first = 0;
            let mut sum = 0;
            let mut answer = Answer::new();
            for (row, _, value, scheduled) in &rows {
                sum += value;
                while rows[first].3 + span <= *scheduled {
                    sum -= rows[first].2;
                    first += 1;
                }
                answer.insert((0, 0, *row), vec![sum * 2 + 1]);
            }
            Some(answer)
        }
        "diamond" => {
            // What arrives first depends on the network, and so does what is to be put out.
            let arbitrary = |operator: &OperatorPlan| {
                operator.operator().is_some_and(|o| o.class() == OperatorClass::Arbitrary)
            };
            (!systems.operators.iter().any(arbitrary)).then(|| diamond(pairs()))
        }
        "join" => Some(join(&pairs().collect::<Vec<_>>(), window_span(systems)?)),
        "flights" => Some(flights(systems)),
        "nexmark-q1" => Some(nexmark::q1(systems)),
        "nexmark-q3" => Some(nexmark::q3(systems)),
        "nexmark-q8" => Some(nexmark::q8(systems, window_span(systems)?)),
        // A pipeline of another crate may have no direct answer.
        _ => None,
    }
}

/// A pair with its row and schedule: (row, key, value, scheduled).
type Row = (u64, u32, i64, u64);

/// Both branches double and add one; a number is folded from which branch it was and what it
/// brought, in the order of (schedule, branch).
fn diamond(rows: impl Iterator<Item = Row>) -> Answer {
    let both = rows.flat_map(|(row, _, value, at)| [1, 2].map(|kind| (at, kind, row, value)));
    let mut sorted: Vec<(u64, u16, u64, i64)> = both.collect();
    sorted.sort_unstable();
    let step = |number: i64, step: i64| (number * 65_537 + step) % 2_147_483_647;
    let mut number = 0;
    let mut answer = Answer::new();
    for (_, kind, row, value) in sorted {
        number = step(step(number, i64::from(kind)), value * 2 + 1);
        answer.insert((kind, 0, row), vec![number * 2 + 1]);
    }
    answer
}

/// Every even number meets every odd one that has its key and is less than `window` away. Rows are
/// further apart than a nanosecond, so the later row is the later one.
fn join(rows: &[Row], window: u64) -> Answer {
    let mut answer = Answer::new();
    for (number, (row, key, value, at)) in rows.iter().enumerate() {
        let recent = rows[..number].iter().rev().take_while(|earlier| earlier.3 + window > *at);
        for (other, _, met, _) in recent.filter(|e| e.1 == *key && (e.2 - value) % 2 != 0) {
            let even_is_later = value % 2 == 0;
            let (left, right) = if even_is_later { (value, met) } else { (met, value) };
            let index = row << 32 | other << 1 | u64::from(even_is_later);
            answer.insert((1, *key, index), vec![(left * 1_000 + right) * 2 + 1]);
        }
    }
    answer
}

fn window_span(systems: &Plan) -> Option<u64> {
    let spans = systems.operators.iter().filter_map(|operator| match &operator.role {
        OperatorRole::Task(operator) => match operator.span() {
            aftermath_systems::operator::Span::Bounded(span) => Some(span),
            _ => None,
        },
        _ => None,
    });
    spans.max().or(Some(SECOND))
}

fn flights(systems: &Plan) -> Answer {
    let delays = systems.operators.iter().find(|operator| operator.name == "delays");
    let instances = delays.map_or(1, |operator| operator.instances.len());
    let mut answer = Answer::new();
    for instance in 0..instances {
        let mut totals: BTreeMap<u32, i64> = BTreeMap::new();
        // Per origin of the open week: count, sum of delays, largest delay.
        let mut open: BTreeMap<u32, (i64, i64, i64)> = BTreeMap::new();
        let mut week = None;
        for (row, input) in systems.workload.inputs.iter().enumerate() {
            let Payload::Record(fields) = &input.payload else { continue };
            let [
                Field::Integer(minutes),
                Field::Text(origin),
                _,
                Field::Integer(distance),
                Field::Integer(delay),
            ] = fields[..]
            else {
                continue;
            };
            let plausible = distance > 0 && (-120..=1440).contains(&delay);
            if !plausible || partition(origin.0, instances) != instance {
                continue;
            }
            let total = totals.entry(origin.0).or_default();
            *total += 1;
            answer.insert((1, origin.0, row as u64), vec![*total]);
            let of_row = minutes.div_euclid(7 * 24 * 60);
            let current = *week.get_or_insert(of_row);
            let window = open.entry(origin.0).or_insert((0, 0, i64::MIN));
            *window = (window.0 + 1, window.1 + delay, window.2.max(delay));
            if of_row > current {
                close(&mut answer, &mut open, current);
                week = Some(of_row);
            }
        }
        close(&mut answer, &mut open, week.unwrap_or(0));
    }
    answer
}

fn close(answer: &mut Answer, open: &mut BTreeMap<u32, (i64, i64, i64)>, week: i64) {
    for (origin, (count, sum, max)) in std::mem::take(open) {
        answer.insert((2, origin, week as u64), vec![count, sum, max]);
    }
}

/// A column; of a text its symbol, of a fixed-point number its units and how many decimals they
/// have.
fn column(field: &Field) -> impl Iterator<Item = i64> {
    let (number, decimals) = match field {
        Field::Integer(number) => (*number, None),
        Field::Fixed { units, decimals } => (*units, Some(i64::from(*decimals))),
        Field::Text(symbol) => (symbol.0.into(), None),
    };
    [number].into_iter().chain(decimals)
}
