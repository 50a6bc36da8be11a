//! The keys at the top of a scenario, and those of a case.

use super::WhenLeftOut::{Else, Is, Required};
use super::{Form, Key, Kind, Least, Words, faults, key, names, sections};
use crate::config::Worlds;

/// `"0..20"`.
pub const SEED_RANGE: Form = Form {
    what: "seeds from..to, without the last",
    pattern: r"^ *\+?[0-9]+ *\.\. *\+?[0-9]+ *$",
    example: "0..20",
};
/// A name that is shown in tables and records.
pub const SHOWN_NAME: Form = Form {
    what: "a name of at most 100 characters",
    pattern: r"^[^\x00-\x1f\x7f-\x9f]{1,100}$",
    example: "short interval",
};
const WORLDS: [&str; Worlds::ALL.len()] = names(Worlds::ALL);
const STRATEGIES: Kind = Kind::List(&Kind::Word(Words::Strategies), 1, usize::MAX);
const FAULTS: Kind = Kind::List(&Kind::Fault, 0, faults::FAULTS_MAX);

pub const NAME: Key = key(
    "name",
    Kind::Form(&SHOWN_NAME),
    Else("the file's name"),
    "What the scenario is called in tables and records.",
);
pub const ABOUT: Key = key("about", Kind::Text, Is(""), "What it shows.");
pub const SEEDS: Key = key(
    "seeds",
    Kind::Form(&SEED_RANGE),
    Is("0..1"),
    "From the first up to but not including the second; every strategy meets each of them.",
);
pub const STRATEGIES_OF_ALL: Key =
    key("strategies", STRATEGIES, Else("all"), "Which strategies are run.");
pub const WORLD: Key = key(
    "world",
    Kind::Word(Words::Are(&WORLDS)),
    Is("events"),
    "Which simulated world runs it; both are run and must agree.",
);
pub const DRAIN_WITHIN: Key = key(
    "drain_within",
    Kind::Duration(Least::Positive),
    Else("10 s, and ten times what it takes to suspect, to ask around and to trim"),
    "A run is stuck when nothing has moved for so long after everything healed.",
);
pub const PLANT: Key = key(
    "plant",
    Kind::Word(Words::PlantedBugs),
    Else("none"),
    "A deliberately wrong variant of the honest code, which must be found.",
);
pub const EXPECT: Key = key(
    "expect",
    Kind::Expect,
    Else("every covered claim holds"),
    "What the runs of cases without an `expect` of their own must show.",
);
pub const FAULT: Key = key("fault", FAULTS, Else("no fault"), "What befalls, whom and when.");
pub const FAULTS_DRAWN: Key = key(
    "faults",
    Kind::Table(faults::DRAWN),
    Else("as `fault` says"),
    "How each seed draws a schedule of its own instead.",
);
pub const CASE: Key = key(
    "case",
    Kind::List(&Kind::Table(OF_CASE), 0, usize::MAX),
    Else("one, called \"base\""),
    "What each case sets over the file.",
);
/// The sections of one level.
pub const SECTIONS: &[Key] = &[
    key("pipeline", Kind::Table(sections::pipeline::ALL), Required, "The dataflow."),
    key("input", Kind::Table(sections::input::ALL), Required, "What the source emits."),
    key(
        "protection",
        Kind::Table(sections::protection::ALL),
        Else("its defaults"),
        "Spares, and what becomes of duplicates.",
    ),
    key(
        "network",
        Kind::Table(sections::network::ALL),
        Else("its defaults"),
        "The links between machines.",
    ),
    key(
        "timing",
        Kind::Table(sections::timing::ALL),
        Else("its defaults"),
        "How failures are noticed, and how often state is saved.",
    ),
    key(
        "storage",
        Kind::Table(sections::storage::ALL),
        Else("its defaults"),
        "The storage device of each machine.",
    ),
    key(
        "sizes",
        Kind::Table(sections::sizes::ALL),
        Else("its defaults"),
        "Modelled bytes of what crosses links and is saved.",
    ),
    key(
        "strategy",
        Kind::StrategyOptions,
        Else("their defaults"),
        "Options for every strategy that knows them; a table called like a strategy is for that \
         one.",
    ),
    key(
        "mixture",
        Kind::Named("OPERATOR", &Kind::Word(Words::Strategies)),
        Else("the case's strategy"),
        "Protected operators that have a strategy of their own.",
    ),
];

const OTHERS: &[Key] = &[NAME, ABOUT, SEEDS, STRATEGIES_OF_ALL, WORLD, DRAIN_WITHIN, PLANT, EXPECT];

/// The whole file, in the order in which one is written.
pub fn all() -> Vec<Key> {
    [OTHERS, SECTIONS, &[FAULT, FAULTS_DRAWN, CASE]].concat()
}

/// Keys of the top that no case can set: they are not of a run.
pub const NOT_OF_A_RUN: &[Key] = &[NAME, ABOUT, SEEDS, STRATEGIES_OF_ALL, WORLD, CASE, EXPECT];

/// `[[case]]`.
pub const OF_CASE: &[Key] =
    &[CASE_NAME, CASE_STRATEGIES, SET, MATRIX, CASE_PLANT, CASE_FAULT, CASE_FAULTS, CASE_EXPECT];
pub const CASE_NAME: Key = key(
    "name",
    Kind::Form(&SHOWN_NAME),
    Else("\"base\", if it is the only case"),
    "What the case is called; each has a name of its own.",
);
pub const CASE_STRATEGIES: Key =
    key("strategies", STRATEGIES, Else("the file's"), "Which strategies are run in this case.");
pub const SET: Key = key(
    "set",
    Kind::Settings { lists: false },
    Else("nothing"),
    "What replaces what the file has at that place, a table as a whole: \"timing.interval\" = \
     \"250ms\", \"fault.0.at\" = \"3s\".",
);
pub const MATRIX: Key = key(
    "matrix",
    Kind::Settings { lists: true },
    Else("nothing"),
    "The same with a list of values each: the case is run once for each combination.",
);
pub const CASE_PLANT: Key = key(
    "plant",
    Kind::Word(Words::PlantedBugs),
    Else("the file's"),
    "A deliberately wrong variant in this case.",
);
pub const CASE_FAULT: Key =
    key("fault", FAULTS, Else("the file's"), "Replaces all faults of the file.");
pub const CASE_FAULTS: Key =
    key("faults", Kind::Table(faults::DRAWN), Else("the file's"), "Draws schedules in this case.");
pub const CASE_EXPECT: Key =
    key("expect", Kind::Expect, Else("the file's"), "What the runs of this case must show.");
