//! Every key of a scenario, once: its name, what it takes, its unit, limits and default, and what
//! it is for. The reader takes limits and defaults from here; `aftermath list keys` ([`told`]), the
//! JSON schema ([`schema`]) and the tables of scenarios/README.md are made from it.
//!
//! Options of strategies, pipelines and faults are described where these are, and flow in.

pub mod expect;
pub mod faults;
pub mod schema;
pub mod sections;
pub mod tables;
pub mod told;
pub mod top;

use crate::faults::{Entry as Fault, Place};
use aftermath_systems::options::{OptionDoc, OptionKind, parse_duration};
use aftermath_systems::pipelines;
use aftermath_systems::protocol::Nanos;
use aftermath_systems::strategies::Registry;

/// One key of a table.
#[derive(Clone, Copy)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What holds when it is left out.
    pub default: WhenLeftOut,
    /// What it is for, in one sentence. Integers say their unit in their kind.
    pub doc: &'static str,
    /// Whose it is, if it is an option of one strategy or pipeline; else empty.
    pub owner: &'static str,
}

/// What holds when a key is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenLeftOut {
    /// It must be there.
    Required,
    /// This value, as in a file but without quotes.
    Is(&'static str),
    /// This, in words.
    Else(&'static str),
}

/// What a key takes.
#[derive(Clone, Copy)]
pub enum Kind {
    /// Any text.
    Text,
    /// True or false.
    Boolean,
    /// A span of time.
    Duration(Least),
    /// A share, `"2.5%"`.
    Percent,
    /// A whole number.
    Integer {
        /// The smallest.
        least: u64,
        /// The largest; `u64::MAX`: any.
        most: u64,
        /// What is counted, in the plural; empty: nothing that has a name.
        unit: &'static str,
    },
    /// One of some words.
    Word(Words),
    /// Text of a form of its own.
    Form(&'static Form),
    /// A list of these, with at least so many elements and at most so many.
    List(&'static Kind, usize, usize),
    /// A table with these keys.
    Table(&'static [Key]),
    /// A table whose keys are names of such things (`EDGE`), and whose values are these.
    Named(&'static str, &'static Kind),
    /// Any of these.
    Any(&'static [Kind]),
    /// A table of options.
    Options(&'static [OptionDoc]),
    /// The options of the scenario's pipeline.
    PipelineOptions,
    /// Options for every strategy that knows them, and a table for each strategy.
    StrategyOptions,
    /// One of the faults, when, and for how long.
    Fault,
    /// Whom a fault befalls, and its options.
    FaultOf(&'static Fault),
    /// What is expected, with a table for each strategy.
    Expect,
    /// What is expected under one strategy.
    ExpectOf,
    /// What a quantity is compared with, a span of time or a number.
    Bound {
        /// Whether it is a span of time.
        time: bool,
    },
    /// Quantities and their bounds.
    Quantities,
    /// Other settings, dotted, with a value each; or with a list of values.
    Settings {
        /// Whether each has a list.
        lists: bool,
    },
}

/// The shortest span of time that a key takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Least {
    /// Nothing.
    Zero,
    /// A little.
    Positive,
    /// One tick of the network.
    Tick,
    /// One millisecond, and whole ones.
    Millisecond,
}

/// Words that a key takes.
#[derive(Clone, Copy)]
pub enum Words {
    /// These.
    Are(&'static [&'static str]),
    /// Names of strategies.
    Strategies,
    /// Names of pipelines.
    Pipelines,
    /// Names of faults.
    Faults,
    /// Names of planted bugs.
    PlantedBugs,
    /// Names of protocol points.
    Points,
    /// Names of formulas.
    Formulas,
}

/// Text of a form of its own.
pub struct Form {
    /// What it is, with its article.
    pub what: &'static str,
    /// A regular expression that holds for all of it.
    pub pattern: &'static str,
    /// One such text.
    pub example: &'static str,
}

/// A key; see [`Key`].
const fn key(name: &'static str, kind: Kind, default: WhenLeftOut, doc: &'static str) -> Key {
    Key { name, kind, default, doc, owner: "" }
}

/// A whole number with its unit.
const fn integer(least: u64, most: u64, unit: &'static str) -> Kind {
    Kind::Integer { least, most, unit }
}

/// The names of some words, of which there are `N`.
const fn names<T: Copy, const N: usize>(words: &[(&'static str, T)]) -> [&'static str; N] {
    let mut list = [""; N];
    let mut n = 0;
    while n < N {
        list[n] = words[n].0;
        n += 1;
    }
    list
}

impl Key {
    /// The default of a span of time, ns.
    ///
    /// # Panics
    /// When it has none: our own bug, as are the others below.
    pub fn default_ns(&self) -> Nanos {
        parse_duration(self.default_text()).expect("the default of a span of time is one")
    }

    /// The default of a whole number.
    ///
    /// # Panics
    /// When it has none.
    pub fn default_number(&self) -> u64 {
        self.default_text().parse().expect("the default of a number is one")
    }

    /// The default as it is written, without quotes.
    ///
    /// # Panics
    /// When it has none.
    pub fn default_text(&self) -> &'static str {
        match self.default {
            WhenLeftOut::Is(text) => text,
            WhenLeftOut::Required | WhenLeftOut::Else(_) => {
                panic!("`{}` has no default", self.name)
            }
        }
    }

    /// The key of an option.
    fn of_option(doc: &OptionDoc, owner: &'static str) -> Key {
        let kind = match doc.kind {
            OptionKind::Choice(words) => Kind::Word(Words::Are(words)),
            OptionKind::Duration => Kind::Duration(Least::Zero),
            OptionKind::Number(least, most) => integer(least, most, ""),
            OptionKind::Percent => Kind::Percent,
        };
        let default = match doc.default {
            "" => WhenLeftOut::Else("not set"),
            text => WhenLeftOut::Is(text),
        };
        Key { owner, ..key(doc.name, kind, default, doc.doc) }
    }
}

impl Kind {
    /// What it may be, if it may be several things.
    pub fn any(self) -> Option<&'static [Kind]> {
        match self {
            Kind::Any(kinds) => Some(kinds),
            Kind::Bound { time: true } => Some(expect::TIME),
            Kind::Bound { time: false } => Some(expect::NUMBER),
            _ => None,
        }
    }

    /// The keys of a table, with those that depend on strategies, pipelines and faults; `None` of
    /// what is no table, or has any names for keys. A name may come twice: either is meant.
    pub fn keys(self, registry: &Registry) -> Option<Vec<Key>> {
        Some(match self {
            Kind::Table(keys) => keys.to_vec(),
            Kind::Options(docs) => docs.iter().map(|doc| Key::of_option(doc, "")).collect(),
            Kind::PipelineOptions => {
                let all = pipelines::ALL.iter();
                all.flat_map(|p| p.options.iter().map(|o| positive(o, p.name))).collect()
            }
            Kind::StrategyOptions => {
                let own = |name, options| {
                    let doc = "Options for this strategy alone.";
                    key(name, Kind::Options(options), WhenLeftOut::Else("none"), doc)
                };
                let all = registry.iter();
                let shared = all.flat_map(|e| e.options.iter().map(|o| Key::of_option(o, e.name)));
                let own = registry.iter().map(|entry| own(entry.name, entry.options));
                shared.chain(own).collect()
            }
            Kind::Fault => {
                let all = crate::faults::ALL.iter();
                let fault = |f: &'static Fault| {
                    key(f.name, Kind::FaultOf(f), WhenLeftOut::Else("another fault"), f.summary)
                };
                all.map(fault).chain(faults::WHEN.iter().copied()).collect()
            }
            Kind::FaultOf(fault) => {
                let place = match fault.place {
                    Place::Node => faults::NODES,
                    Place::Link => faults::LINKS,
                };
                let options = fault.options.iter().map(|doc| Key::of_option(doc, ""));
                place.iter().copied().chain(options).collect()
            }
            Kind::Expect => {
                let own = registry.iter().map(|entry| {
                    let doc = "What is expected under this strategy, over and above.";
                    key(entry.name, Kind::ExpectOf, WhenLeftOut::Else("nothing more"), doc)
                });
                expect::ALL.iter().copied().chain(expect::quantities()).chain(own).collect()
            }
            Kind::ExpectOf => expect::ALL.iter().copied().chain(expect::quantities()).collect(),
            Kind::Quantities => expect::quantities().collect(),
            _ => return None,
        })
    }
}

/// The key of a pipeline's option: its spans of time are lengths of windows, and none is 0.
fn positive(doc: &OptionDoc, owner: &'static str) -> Key {
    let key = Key::of_option(doc, owner);
    match key.kind {
        Kind::Duration(_) => Key { kind: Kind::Duration(Least::Positive), ..key },
        _ => key,
    }
}

impl Words {
    /// The words, in the order of their lists.
    pub fn list(self, registry: &Registry) -> Vec<&'static str> {
        match self {
            Words::Are(words) => words.to_vec(),
            Words::Strategies => registry.iter().map(|entry| entry.name).collect(),
            Words::Pipelines => pipelines::ALL.iter().map(|pipeline| pipeline.name).collect(),
            Words::Faults => crate::faults::ALL.iter().map(|fault| fault.name).collect(),
            Words::PlantedBugs => {
                aftermath_systems::planted_bugs::ALL.iter().map(|bug| bug.name).collect()
            }
            Words::Points => {
                let mut names: Vec<_> =
                    registry.iter().flat_map(|e| e.points().map(|point| point.name)).collect();
                names.sort_unstable();
                names.dedup();
                names
            }
            Words::Formulas => crate::formulas::names(),
        }
    }
}
