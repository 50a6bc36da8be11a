//! Every field that a record or a case has on disk is in the README, and nothing else is.

use crate::record::{CaseResult, Check, Claimed, Rate, Record, Unreached, Witness};
use crate::sample;
use serde_json::Value;
use std::collections::BTreeSet;

const README: &str = include_str!("../README.md");

/// Records that together have every field.
fn full() -> Vec<Record> {
    let mut record = sample::record("s", "c", "a", 1);
    record.options.insert("m_ms".into(), "250".into());
    record.faults.push(sample::crash(300, Some(400)));
    record.faults[0].rate = Some(Rate { configured_ppm: 1, of: 1, changed: 1, overtaken: 1 });
    record.faults[0].point = Some("took-over".into());
    let text = String::new;
    record.unreached.push(Unreached { kind: text(), node: text(), point: text() });
    record.checks.push(check());
    record.reasons.push(text());
    record.series = Some(sample::series());
    record.schedule = Some(text());
    record.witnesses.push(Witness {
        checker: text(),
        subject: text(),
        expected: text(),
        observed: text(),
        at_ns: Some(1),
    });
    let not_covered = Record { claimed: Claimed::NotCovered(text()), ..record.clone() };
    vec![record, not_covered]
}

fn check() -> Check {
    let text = String::new;
    Check { what: text(), expected: text(), measured: text(), held: true }
}

/// The paths of all fields; those of guarantees stand by themselves.
fn paths(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            let keys: Vec<&str> = fields.keys().map(String::as_str).collect();
            if matches!(keys[..], ["ns"] | ["more_than_ns"]) {
                found.insert(path.to_owned());
                return;
            }
            let is_guarantee = keys.contains(&"state_same");
            if is_guarantee {
                found.insert(path.to_owned());
            }
            let is_map = ["options", "runs", "overhead.traffic", "setting"].contains(&path);
            for (key, value) in fields {
                let key = if is_map { "*" } else { key };
                let below = match path {
                    "" => key.to_owned(),
                    _ if is_guarantee => format!("guarantee {key}"),
                    path => format!("{path}.{key}"),
                };
                paths(value, &below, found);
            }
        }
        Value::Array(list) if matches!(list.first(), Some(Value::Object(_))) => {
            list.iter().for_each(|value| paths(value, &format!("{path}[]"), found));
        }
        Value::Array(_) => {
            found.insert(format!("{path}[]"));
        }
        _ => {
            found.insert(path.to_owned());
        }
    }
}

/// The fields that a table of the README names, by the title of its first column.
fn documented(title: &str) -> BTreeSet<String> {
    let lines = README.lines().skip_while(|line| !line.starts_with(&format!("| {title} |")));
    let rows = lines.skip(2).take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| row.split('|').nth(1).expect("a first cell").to_owned());
    let names = cells.flat_map(|cell| {
        let names: Vec<_> = cell.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        names
    });
    names.collect()
}

#[test]
fn every_field_of_a_record_is_documented_and_nothing_else_is() {
    let mut found = BTreeSet::new();
    for record in full() {
        paths(&serde_json::to_value(record).expect("JSON"), "", &mut found);
    }
    let (of_guarantee, of_record): (BTreeSet<_>, BTreeSet<_>) =
        found.into_iter().partition(|path| path.starts_with("guarantee "));
    // The title of another table of the README begins in the same way.
    assert_eq!(documented("field | unit"), of_record);
    let guarantee = documented("field of a Guarantee");
    assert_eq!(
        guarantee.iter().map(|g| format!("guarantee {g}")).collect::<BTreeSet<_>>(),
        of_guarantee
    );
}

#[test]
fn every_field_of_a_case_is_documented_and_nothing_else_is() {
    let mut case: CaseResult = sample::three_strategies_cases().remove(0);
    case.checks = vec![check()];
    let mut found = BTreeSet::new();
    paths(&serde_json::to_value(case).expect("JSON"), "", &mut found);
    assert_eq!(documented("field of a case"), found);
}
