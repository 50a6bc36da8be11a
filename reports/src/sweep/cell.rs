//! What was seen at one kind of places, under one strategy, in one way to fail.

use serde::{Deserialize, Serialize};

/// What can be seen of a failure, from harmless to bad.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seen {
    /// Everything is as without it.
    Nothing,
    /// Outputs came again.
    Duplicated,
    /// Outputs are missing.
    Lost,
    /// A value or a final state is wrong.
    Wrong,
    /// The stream did not drain.
    Stuck,
}

impl Seen {
    /// All, the harmless first.
    pub const ALL: [Seen; 5] =
        [Seen::Nothing, Seen::Duplicated, Seen::Lost, Seen::Wrong, Seen::Stuck];

    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Seen::Nothing => "held",
            Seen::Duplicated => "duplicated",
            Seen::Lost => "lost",
            Seen::Wrong => "wrong",
            Seen::Stuck => "stuck",
        }
    }
}

/// Runs by what was seen, and by what was promised.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// In which everything was as without a failure.
    pub nothing: u64,
    /// In which the worst was that outputs came again.
    pub duplicated: u64,
    /// In which the worst was that outputs were missing.
    pub lost: u64,
    /// In which the worst was that a value or state was wrong.
    pub wrong: u64,
    /// That did not drain.
    pub stuck: u64,
    /// That kept what was claimed.
    pub kept: u64,
    /// In which the failure met nothing.
    pub idle: u64,
    /// About which nothing was claimed.
    pub not_covered: u64,
    /// That broke what was claimed.
    pub broken: u64,
}

impl Tally {
    /// All runs.
    pub fn runs(&self) -> u64 {
        self.nothing + self.duplicated + self.lost + self.wrong + self.stuck
    }

    /// Runs of which this was the worst.
    pub fn of(&self, seen: Seen) -> u64 {
        match seen {
            Seen::Nothing => self.nothing,
            Seen::Duplicated => self.duplicated,
            Seen::Lost => self.lost,
            Seen::Wrong => self.wrong,
            Seen::Stuck => self.stuck,
        }
    }

    /// The worst that was seen.
    pub fn worst(&self) -> Seen {
        let seen = Seen::ALL.into_iter().rev().find(|seen| self.of(*seen) > 0);
        seen.unwrap_or(Seen::Nothing)
    }
}

/// One kind of places under one strategy and one kind of failure.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SweepCell {
    /// The scenario.
    pub scenario: String,
    /// The case.
    pub case: String,
    /// The strategy.
    pub strategy: String,
    /// How the machine failed; where two did, the first of them.
    pub fault: String,
    /// The operator of the machine.
    pub operator: String,
    /// What the machine was: `leads`, `stands by`, `coordinates`.
    pub role: String,
    /// What it was handling.
    pub event: String,
    /// Before which effect, or after the last.
    pub place: String,
    /// Runs by what came of them.
    pub tally: Tally,
    /// Shows the first run that breaks its claim; a command.
    pub replay: Option<String>,
}

impl SweepCell {
    /// What all cells of a row have in common, for people.
    pub fn row(&self) -> String {
        let SweepCell { operator, role, event, place, .. } = self;
        // There is nothing else that it could be.
        match role.as_str() {
            "coordinates" => format!("{operator}: {event}, {place}"),
            role => format!("{operator}, {role}: {event}, {place}"),
        }
    }

    /// How bad it is: broken claims first, then what was seen, then how often.
    pub fn badness(&self) -> (bool, Seen, u64) {
        let worst = self.tally.worst();
        (self.tally.broken > 0, worst, self.tally.of(worst))
    }
}
