//! Which run a command is about.

use crate::config::{Case, Scenario};
use crate::plan::strata;
use crate::record::RunId;

/// More choices than these are only counted.
const CHOICES_MAX: usize = 40;

/// The case of that name under that strategy, if it is the only one.
///
/// # Errors
/// What there is to choose from.
pub fn choose<'a>(
    scenario: &'a Scenario,
    case: Option<&str>,
    strategy: Option<&str>,
) -> Result<&'a Case, String> {
    let named = |found: &&Case| case.is_none_or(|name| *name == found.name);
    let by = |found: &&Case| strategy.is_none_or(|name| *name == found.config.label());
    let found: Vec<_> = scenario.cases.iter().filter(named).filter(by).collect();
    let lines = |cases: &[&Case]| -> String {
        let line = |case: &&Case| {
            format!("\n  --case '{}' --strategy '{}'", case.name, case.config.label())
        };
        let left_out = match cases.len().saturating_sub(CHOICES_MAX) {
            0 => String::new(),
            count => format!("\n  and {count} more"),
        };
        cases.iter().take(CHOICES_MAX).map(line).collect::<String>() + &left_out
    };
    match found[..] {
        [case] => Ok(case),
        [] => {
            let all: Vec<_> = scenario.cases.iter().collect();
            Err(format!("there is no such case and strategy; there are:{}", lines(&all)))
        }
        _ => Err(format!("several runs fit; say which:{}", lines(&found))),
    }
}

/// The run of a case with this seed and stratum; of a stratified case the first if none is named.
///
/// # Errors
/// When there is no such stratum.
pub fn run_of(case: &Case, seed: u64, stratum: Option<u32>) -> Result<RunId, String> {
    match (strata(&case.config.faults), stratum) {
        (None, Some(_)) => Err("the case is not stratified; leave out --stratum".to_string()),
        (Some(count), Some(stratum)) if stratum >= count => {
            Err(format!("there are strata 0 to {} only", count - 1))
        }
        (count, stratum) => Ok(RunId { seed, stratum: count.and(stratum.or(Some(0))) }),
    }
}
