//! What the source emits and when.

use super::auction_site;
use crate::config::{InputConfig, RunConfig};
use crate::seed::Seed;
use aftermath_systems::plan::{Input, Workload};
use aftermath_systems::protocol::{Field, Nanos, Payload, SECOND};

/// Instants and payloads of all inputs. Instants are exact: the i-th is i seconds divided by the
/// rate, never a sum of rounded steps.
pub fn build(config: &RunConfig, seed: Seed) -> Workload {
    let spacing = SECOND / config.rate_per_s;
    let pinned = config.timing.tuple_phase_ns;
    let phase = pinned.unwrap_or_else(|| seed.stream("phase/tuple").below(spacing));
    let at = |index: usize| phase + instant(index as u64, config.rate_per_s);
    let (payloads, symbols): (Vec<Payload>, Vec<String>) = match &config.input {
        InputConfig::Recorded(recording) => {
            let row = |row: &Vec<Field>| Payload::Record(row.as_slice().into());
            (recording.rows.iter().map(row).collect(), recording.symbols.clone())
        }
        InputConfig::Nexmark { events } => auction_site::events(seed, *events),
        InputConfig::Generated { tuples, keys } => {
            let mut draw = seed.stream("workload");
            let mut pair = || Payload::Pair {
                key: draw.below(u64::from(*keys)) as u32,
                value: 1 + draw.below(100) as i64,
            };
            ((0..*tuples).map(|_| pair()).collect(), Vec::new())
        }
    };
    let end_at = at(payloads.len());
    // After everything has been drawn: what is left out shifts nothing.
    let inputs = payloads.into_iter().enumerate();
    let inputs = inputs.filter(|(index, _)| config.kept.contains(*index as u64));
    let inputs = inputs.map(|(index, payload)| Input { scheduled: at(index), payload }).collect();
    Workload { inputs, symbols, end_at }
}

fn instant(index: u64, rate_per_s: u64) -> Nanos {
    (u128::from(index) * u128::from(SECOND) / u128::from(rate_per_s)) as Nanos
}
