//! What a case expects of its runs.

use aftermath_reports::record::ValueClass;
use aftermath_systems::claim::Delivery;
use serde::{Deserialize, Serialize};

/// What a case expects. Empty: every covered claim holds, the run settles, not inconclusive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expect {
    /// For each run.
    pub run: Vec<(Quantity, Bound)>,
    /// For the mean over the runs.
    pub mean: Vec<(Quantity, Bound)>,
    /// For the smallest of the runs.
    pub min: Vec<(Quantity, Bound)>,
    /// For the largest of the runs.
    pub max: Vec<(Quantity, Bound)>,
    /// What is missing or repeated, all runs together.
    pub delivery: Option<Delivery>,
    /// The worst value class of the runs.
    pub value: Option<ValueClass>,
    /// Whether retained memory stays bounded in all runs that could judge it.
    pub memory_bounded: Option<bool>,
    /// For the verdict of each run.
    pub observed: Option<Observed>,
    /// The status that each run is expected to have, where it is not "held".
    pub status: Option<aftermath_reports::record::Status>,
    /// What is expected under one strategy, over and above.
    pub under: Vec<(&'static str, Expect)>,
}

impl Expect {
    /// What is expected under a strategy: what is expected anyway, and what is of that strategy,
    /// which is stronger.
    #[must_use]
    pub fn under(&self, strategy: &str) -> Expect {
        let mut all = Expect { under: Vec::new(), ..self.clone() };
        let own = self.under.iter().filter(|(name, _)| *name == strategy);
        for own in own.map(|(_, own)| own.clone()) {
            for (list, own) in [
                (&mut all.run, own.run),
                (&mut all.mean, own.mean),
                (&mut all.min, own.min),
                (&mut all.max, own.max),
            ] {
                list.retain(|(quantity, _)| own.iter().all(|(other, _)| other != quantity));
                list.extend(own);
            }
            all.delivery = own.delivery.or(all.delivery);
            all.value = own.value.or(all.value);
            all.memory_bounded = own.memory_bounded.or(all.memory_bounded);
            all.observed = own.observed.or(all.observed);
            all.status = own.status.or(all.status);
        }
        all
    }
}

/// How the verdict is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed {
    /// The observed guarantee is the claimed one.
    Exactly,
    /// The observed guarantee is the claimed one or better (what is checked anyway).
    AtLeastAsGood,
}

/// A number of a record that expectations are about. `ALL` lists their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Quantity {
    /// Counts.
    Lost,
    /// Extra copies.
    Duplicates,
    /// Wrong values.
    Wrong,
    /// R1 of the last fault, ns.
    R1,
    /// R2 of the last fault, ns.
    R2,
    /// R3 of the last fault, ns.
    R3,
    /// Silence of the last fault, ns.
    Silence,
    /// Detection of the last fault, ns.
    Detect,
    /// Overhead bytes without heartbeats per tuple byte of one hop, parts per million.
    BytesPerHopPpm,
    /// Largest retained memory, tuples.
    RetainedMax,
}

impl Quantity {
    /// Names in scenarios.
    pub const ALL: &[(&'static str, Quantity)] = &[
        ("lost", Quantity::Lost),
        ("duplicates", Quantity::Duplicates),
        ("wrong", Quantity::Wrong),
        ("recovery.r1", Quantity::R1),
        ("recovery.r2", Quantity::R2),
        ("recovery.r3", Quantity::R3),
        ("recovery.silence", Quantity::Silence),
        ("recovery.detect", Quantity::Detect),
        ("overhead.bytes_per_hop_ppm", Quantity::BytesPerHopPpm),
        ("overhead.retained_max", Quantity::RetainedMax),
    ];

    /// The one of that name.
    pub fn named(name: &str) -> Option<Quantity> {
        Quantity::ALL.iter().find(|(known, _)| *known == name).map(|(_, quantity)| *quantity)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Quantity::ALL.iter().find(|(_, other)| *other == self).map_or("", |(name, _)| name)
    }

    /// What it is, in one sentence.
    pub fn doc(self) -> &'static str {
        match self {
            Quantity::Lost => "Outputs of the fault-free run that never arrived.",
            Quantity::Duplicates => "Copies of outputs beyond the first.",
            Quantity::Wrong => "Outputs with another value than in the fault-free run.",
            Quantity::R1 => "From the fault to the first output that descends from the recovery.",
            Quantity::R2 => "From the fault to the first new output that does.",
            Quantity::R3 => "From the fault to the output from which on lag is normal again.",
            Quantity::Silence => "The longest gap between new outputs around the fault.",
            Quantity::Detect => "From the fault until it was suspected.",
            Quantity::BytesPerHopPpm => {
                "Extra bytes of a hop into a protected operator, without heartbeats, in millionths \
                 of its tuple bytes, while nothing fails."
            }
            Quantity::RetainedMax => "Most tuples that were kept to be sent again.",
        }
    }

    /// Whether it is a span of time (written `"639ms"`), or a plain number.
    pub fn is_time(self) -> bool {
        matches!(
            self,
            Quantity::R1 | Quantity::R2 | Quantity::R3 | Quantity::Silence | Quantity::Detect
        )
    }
}

impl From<Quantity> for String {
    fn from(quantity: Quantity) -> String {
        quantity.name().to_string()
    }
}

impl TryFrom<String> for Quantity {
    type Error = String;

    fn try_from(name: String) -> Result<Quantity, String> {
        Quantity::named(&name).ok_or_else(|| format!("there is no quantity `{name}`"))
    }
}

/// What a quantity is compared with. Times in ns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Exactly this.
    Exact(u64),
    /// At least and at most, both optional.
    Range(Option<u64>, Option<u64>),
    /// What a formula predicts.
    Formula {
        /// Its name, looked up in [`crate::formulas::ALL`].
        name: String,
        /// How often it counts: once for each failure.
        times: u64,
        /// Relative tolerance, parts per million.
        within_ppm: u64,
        /// Absolute tolerance, thousandths of a tuple: of a count, or of the time between tuples.
        within_milli_tuples: u64,
    },
}
