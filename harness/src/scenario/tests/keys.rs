use super::super::keys::{Key, Kind, WhenLeftOut, told, top};
use super::*;
use std::collections::BTreeSet;

/// What is said to be known where an unknown key stands, in the table that a text ends with.
fn known(text: &str) -> BTreeSet<String> {
    let said = wrong(read(text), &["unknown key `zzzzzzzzzzzzzzzz`"]);
    let line = said.lines().find_map(|line| line.split_once("known keys: "));
    let (_, names) = line.unwrap_or_else(|| panic!("{said}"));
    names.split(", ").map(|name| name.trim_matches('`').to_string()).collect()
}

fn names(keys: &[Key]) -> BTreeSet<String> {
    keys.iter().map(|key| key.name.to_string()).collect()
}

const UNKNOWN: &str = "zzzzzzzzzzzzzzzz = 1";

/// The reader asks for the keys of the catalogue, and for no others.
#[test]
fn what_is_read_in_a_table_is_what_is_listed_for_it() {
    let registry = Registry::built_in();
    let [pipeline, input] = ["[pipeline]", "[input]"];
    assert_eq!(known(&format!("{UNKNOWN}\n{MINIMAL}")), names(&top::all()));
    for key in top::SECTIONS {
        let Some(keys) = key.kind.keys(&registry) else { continue };
        let section = format!("[{}]", key.name);
        let text = match section.as_str() {
            "[pipeline]" => MINIMAL.replace(pipeline, &format!("{pipeline}\n{UNKNOWN}")),
            "[input]" => MINIMAL.replace(input, &format!("{input}\n{UNKNOWN}")),
            _ => format!("{MINIMAL}{section}\n{UNKNOWN}\n"),
        };
        assert_eq!(known(&text), names(&keys), "{section}");
        for inner in keys {
            let Kind::Table(keys) = inner.kind else { continue };
            let table = format!("{} = {{ {UNKNOWN} }}", inner.name);
            let text = match inner.name {
                "generated" => MINIMAL.replace("keys = 10", &format!("keys = 10, {UNKNOWN}")),
                // In place of what it excludes.
                "nexmark" => MINIMAL.replace("generated = { tuples = 1000, keys = 10 }", &table),
                _ => format!("{MINIMAL}{section}\n{table}\n"),
            };
            assert_eq!(known(&text), names(keys), "{section} {}", inner.name);
        }
    }
    for entry in registry.iter().filter(|entry| !entry.options.is_empty()) {
        let keys = Kind::Options(entry.options).keys(&registry).unwrap();
        let text = format!("{MINIMAL}[strategy.{}]\n{UNKNOWN}\n", entry.name);
        assert_eq!(known(&text), names(&keys), "{}", entry.name);
    }
    let case = format!("{MINIMAL}[[case]]\n{UNKNOWN}\n");
    assert_eq!(known(&case), names(top::OF_CASE));
    let drawn = format!("{MINIMAL}[faults]\nswarm = {{}}\n{UNKNOWN}\n");
    assert_eq!(known(&drawn), BTreeSet::from(["swarm".to_string()]));
    let Kind::Table([swarm]) = top::FAULTS_DRAWN.kind else { panic!("there is one table") };
    let keys = swarm.kind.keys(&registry).unwrap();
    assert_eq!(known(&format!("{MINIMAL}[faults.swarm]\n{UNKNOWN}\n")), names(&keys));
}

#[test]
fn what_is_read_of_a_fault_is_what_is_listed_for_it() {
    let registry = Registry::built_in();
    let of_fault = Kind::Fault.keys(&registry).unwrap();
    let fault = |text: &str| format!("{MINIMAL}[[fault]]\n{text}\n");
    let pause = "pause = { node = \"count\" }";
    let at = "at = \"100ms\"";
    assert_eq!(known(&fault(&format!("{pause}\n{at}\n{UNKNOWN}"))), names(&of_fault));
    for key in &of_fault {
        let Kind::FaultOf(_) = key.kind else { continue };
        let keys = key.kind.keys(&registry).unwrap();
        let text = fault(&format!("{} = {{ {UNKNOWN} }}\n{at}", key.name));
        assert_eq!(known(&text), names(&keys), "{}", key.name);
    }
    // The forms of an instant, each begun by the key that only it has.
    let forms = [
        "between = [\"1ms\", \"2ms\"]",
        "after = \"1s\"",
        "strata = 2, start = \"1s\", span = \"1s\"",
        "point = \"took-over\"",
        "node = \"count/0/0\", incarnation = 1, handler = 1, effect = 0",
    ];
    let at = of_fault.iter().find(|key| key.name == "at").unwrap().kind;
    let tables = at.any().unwrap().iter().filter_map(|kind| kind.keys(&registry));
    let all: BTreeSet<String> = tables.flat_map(|keys| names(&keys)).collect();
    for form in forms {
        // Every form is tried before it is known which it is.
        let first = format!("{pause}\nat = \"100ms\"\nfor = \"1ms\"\n[[fault]]");
        let text = fault(&format!("{first}\n{pause}\nat = {{ {form}, {UNKNOWN} }}"));
        let known = known(&text);
        assert!(known.is_subset(&all), "{known:?} of {form}");
        for name in form.split(", ").filter_map(|part| part.split_once(" = ")) {
            assert!(known.contains(name.0), "{known:?} of {form}");
        }
    }
}

/// A file that says every default is the file that says none.
#[test]
fn a_default_is_what_holds_when_nothing_is_said() {
    let registry = Registry::built_in();
    let config = |text: &str| format!("{:?}", good(read(text)).cases);
    let silent = config(MINIMAL);
    let mut said = 0;
    for section in top::SECTIONS {
        let Kind::Table(keys) = section.kind else { continue };
        for key in keys.iter().filter(|key| matches!(key.default, WhenLeftOut::Is(_))) {
            let line = format!("[{}]\n{} = {}\n", section.name, key.name, told::written(key));
            assert_eq!(config(&format!("{MINIMAL}{line}")), silent, "{line}");
            said += 1;
        }
    }
    assert!(said >= 15, "{said}");
    for key in top::all().iter().filter(|key| matches!(key.default, WhenLeftOut::Is(_))) {
        let text = format!("{} = {}\n{MINIMAL}", key.name, told::written(key));
        assert_eq!(config(&text), silent, "{}", key.name);
    }
    let swarm = "[faults]\nswarm = { }\n";
    let Kind::Table([drawn]) = top::FAULTS_DRAWN.kind else { panic!("there is one table") };
    for key in drawn.kind.keys(&registry).unwrap() {
        if let WhenLeftOut::Is(_) = key.default {
            let line = format!("{} = {} ", key.name, told::written(&key));
            let text = format!("{MINIMAL}{}", swarm.replace("{ ", &format!("{{ {line}")));
            assert_eq!(config(&text), config(&format!("{MINIMAL}{swarm}")), "{line}");
        }
    }
}

/// What is beyond a limit is refused, and what is at it is not refused for that.
#[test]
fn numbers_are_refused_beyond_the_limits_that_are_listed() {
    for section in top::SECTIONS {
        let Kind::Table(keys) = section.kind else { continue };
        for key in keys {
            let Kind::Integer { least, most, .. } = key.kind else { continue };
            let path = format!("{}.{}", section.name, key.name);
            let limits = format!("`{path}` must be from {least} to {most}");
            let with = |number: u64| {
                let set = format!("[[case]]\nset = {{ \"{path}\" = {number} }}\n");
                minimal(&set).map(|_| ()).err().unwrap_or_default()
            };
            assert!(with(most + 1).contains(&limits), "{}", with(most + 1));
            assert!(!with(most).contains(&limits) && !with(least).contains(&limits), "{path}");
            if least > 0 {
                assert!(with(least - 1).contains(&limits), "{}", with(least - 1));
            }
        }
    }
}
