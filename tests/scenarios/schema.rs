//! The JSON schema, the list of keys and the tables of the README: all from one catalogue.

use crate::committed;
use crate::support::{Scratch, aftermath, parse, scenarios, text_of};
use aftermath_harness::{Registry, scenario};
use serde_json::Value;

#[test]
fn the_schema_is_the_committed_one() {
    committed("scenarios/schema.json", &aftermath(&["schema"]).exits(0).stdout);
}

#[test]
fn every_committed_scenario_names_the_schema_for_editors() {
    let paths = scenarios();
    assert!(paths.len() > 80, "{}", paths.len());
    for path in paths {
        let up = "../".repeat(path.matches('/').count() - 1);
        let text = text_of(&path);
        assert_eq!(text.lines().next(), Some(&*format!("#:schema {up}schema.json")), "{path}");
    }
}

/// All references in a value.
fn references<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::Object(entries) => {
            found.extend(entries.get("$ref").and_then(Value::as_str));
            entries.values().for_each(|value| references(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[test]
fn every_reference_in_the_schema_leads_to_a_schema() {
    let schema: Value = serde_json::from_str(&text_of("scenarios/schema.json")).expect("JSON");
    let mut found = Vec::new();
    references(&schema, &mut found);
    assert!(found.len() > 300, "{}", found.len());
    for reference in found {
        let at = reference.strip_prefix('#').and_then(|pointer| schema.pointer(pointer));
        assert!(at.is_some_and(Value::is_object), "{reference}");
    }
}

/// The text between two comments, to be replaced.
fn between<'t>(text: &'t str, what: &str) -> (&'t str, &'t str, &'t str) {
    let (begin, end) = (format!("<!-- {what} -->\n"), format!("<!-- end of {what} -->"));
    let (before, rest) = text.split_once(&begin).expect("the table is marked");
    let (table, _) = rest.split_once(&end).expect("its end is marked");
    (&text[..before.len() + begin.len()], table, &rest[table.len()..])
}

#[test]
fn the_tables_of_the_readme_are_made_from_the_keys_and_the_faults() {
    let path = "scenarios/README.md";
    let mut text = text_of(path);
    let keys = scenario::table_of_keys(&Registry::built_in());
    for (what, table) in [("keys", keys), ("faults", scenario::table_of_faults())] {
        let (before, _, after) = between(&text, what);
        text = format!("{before}{table}{after}");
    }
    committed(path, &text);
}

#[test]
fn a_key_is_listed_with_what_it_takes_its_default_and_what_it_is_for() {
    let told = |key: &str| aftermath(&["list", "keys", key]).exits(0).stdout;
    let misses = "  timing.misses = an integer, 1 to 1000 heartbeats (default 3)\n      K, ";
    assert!(told("timing.misses").starts_with(misses), "{}", told("timing.misses"));
    // By its place in a file, by its table, and by its own name.
    assert!(told("fault.0.at").starts_with("  fault.N.at = a span of time"));
    assert!(
        told("network.edges.source -> count.jitter").starts_with("  network.edges.EDGE.jitter")
    );
    assert!(told("timing").contains("  timing.phases.ack = "));
    assert_eq!(told("misses"), told("timing.misses"));
    assert!(told("strategy.passive-standby.store_at").contains("\"secondary\" | \"primary\""));
    assert!(told("pipeline.options.span").contains("Of `window`: "));
    assert!(told("expect.mean.lost").contains("  expect.mean.lost = an integer"));
    let wrong = aftermath(&["list", "keys", "timing.intervall"]).exits(2);
    wrong.complains("no such key: `timing.intervall`; did you mean `timing.interval`?");
    aftermath(&["list", "keys", "fault..at"]).exits(2).complains("did you mean `fault.N.at`?");
    aftermath(&["list", "faults", "at"]).exits(2).complains("aftermath list keys KEY");
}

#[test]
fn a_comment_does_not_make_another_scenario() {
    let scratch = Scratch::new("comment");
    let path = scratch.at("small.toml");
    let text = crate::support::SMALL;
    let other = format!("#:schema schema.json\n{}", text.replace("\"\n", "\"   # why\n\n"));
    let content = |text: &str| parse(text, &path).content;
    assert_eq!(content(text), content(&other));
    assert_ne!(content(text), content(&text.replace("keys = 20", "keys = 21")));
    assert_ne!(content(text), content(&text.replace("tuples = 300", "tuples = 3_00")));
}
