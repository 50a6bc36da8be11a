//! A scenario file that shows one run of a sweep alone: the swept file with the failures written
//! into the case.

use crate::config::{Case, FaultConfig, Scenario};
use crate::scenario::write_faults;
use std::path::Path;
use toml::{Table, Value};

/// The text of the file. `text` is that of the swept scenario, `base` its folder.
///
/// # Errors
/// When `text` is no TOML any more: it has changed since it was read.
pub fn scenario(
    text: &str,
    base: &Path,
    (scenario, case): (&Scenario, &Case),
    seed: u64,
    failures: &[FaultConfig],
) -> Result<String, toml::de::Error> {
    let mut file: Table = text.parse()?;
    let all: Vec<FaultConfig> = case.config.faults.iter().chain(failures).cloned().collect();
    let written: Table = write_faults(&all).parse()?;
    let faults = written.get("fault").cloned().unwrap_or(Value::Array(Vec::new()));
    let cases = file.get_mut("case").and_then(Value::as_array_mut);
    let named = |table: &Table| {
        let name = table.get("name").and_then(Value::as_str);
        // A matrix adds what it has set to the name.
        name.is_none_or(|name| case.name == name || case.name.starts_with(&format!("{name}, ")))
    };
    let mut in_case = false;
    if let Some(cases) = cases {
        cases.retain(|value| value.as_table().is_some_and(named));
        for case in cases.iter_mut().filter_map(Value::as_table_mut) {
            case.insert("fault".into(), faults.clone());
            case.remove("faults");
            case.remove("strategies");
            in_case = true;
        }
    }
    if !in_case {
        file.insert("fault".into(), faults);
    }
    let label = case.config.label();
    if !label.contains(" + ") {
        file.insert("strategies".into(), Value::Array(vec![Value::String(label)]));
    }
    file.insert("seeds".into(), Value::String(format!("{seed}..{}", seed.saturating_add(1))));
    file.insert("name".into(), Value::String(format!("{}, one point", scenario.name)));
    let input = file.get_mut("input").and_then(Value::as_table_mut);
    if let Some(Value::String(path)) = input.and_then(|input| input.get_mut("recorded")) {
        let whole = base.join(&*path);
        let whole = std::path::absolute(&whole).unwrap_or(whole);
        *path = whole.display().to_string();
    }
    Ok(file.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulas;
    use crate::scenario::parse;
    use crate::sweep::{Address, Failure, Lengths, victims, written};
    use crate::{plan::RunPlan, seed::Seed};
    use aftermath_systems::strategies::Registry;

    const TEXT: &str = "[pipeline]\nname = \"keyed-count\"\nprotect = [\"count\"]\n\
        [input]\ngenerated = { tuples = 300, keys = 20 }\nrate_per_s = 1000\n\
        [[case]]\nname = \"a\"\nset = { \"timing.redirect\" = \"7ms\" }\n[[case]]\nname = \"b\"\n";

    #[test]
    fn what_is_written_is_the_case_with_the_failure() {
        let registry = Registry::built_in();
        let read = |text: &str| {
            parse(text, "x.toml", Path::new(""), &registry, &formulas::names())
                .unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"))
        };
        let swept = read(TEXT);
        let case = &swept.cases[0];
        let plan = RunPlan::twin(&case.config, &registry, Seed(0));
        let node = victims(&plan.systems)[1];
        let address = Address { node, handler: 57, incarnation: 1, effect: 2 };
        let failure = [Failure { address, kind: 1 }];
        let lengths = Lengths { first_ns: 1, last_ns: 40_000_000 };
        let faults = written(&plan.systems, &failure, lengths);
        let text = scenario(TEXT, Path::new(""), (&swept, case), 7, &faults);
        let again = read(&text.expect("it is TOML"));
        assert_eq!(again.cases.len(), 1);
        assert_eq!(again.cases[0].config.faults, faults);
        assert_eq!(faults[0].for_ns, Some(40_000_000));
        assert_eq!(again.cases[0].config.label(), case.config.label());
        assert_eq!(again.cases[0].config.timing.redirect_ns, 7_000_000);
        assert_eq!(again.seeds, 7..8);
    }
}
