//! Which run a command is about.

use super::args::OneRun;
use crate::config::{Case, Scenario};
use crate::plan::strata;
use crate::record::RunId;

/// More choices than these are only counted.
const CHOICES_MAX: usize = 40;

/// The run that is named, if there is one only, and its case; of a stratified case the first
/// stratum if none is named.
///
/// # Errors
/// What there is to choose from, or that there is no such stratum.
pub fn choose<'a>(scenario: &'a Scenario, run: &OneRun) -> Result<(&'a Case, RunId), String> {
    let case = case(scenario, run)?;
    let seed = run.seed.unwrap_or(scenario.seeds.start);
    match (strata(&case.config.faults), run.stratum) {
        (None, Some(_)) => Err("the case is not stratified; leave out --stratum".to_string()),
        (Some(count), Some(stratum)) if stratum >= count => {
            Err(format!("there are strata 0 to {} only", count - 1))
        }
        (count, stratum) => Ok((case, RunId { seed, stratum: count.and(stratum.or(Some(0))) })),
    }
}

/// The case of that name under that strategy.
fn case<'a>(scenario: &'a Scenario, run: &OneRun) -> Result<&'a Case, String> {
    let named = |found: &&Case| run.case.as_ref().is_none_or(|name| *name == found.name);
    let by = |found: &&Case| run.strategy.as_ref().is_none_or(|name| *name == found.config.label());
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
