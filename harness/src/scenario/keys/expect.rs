//! The keys of expectations. Which quantities there are is in [`Quantity::ALL`].

use super::WhenLeftOut::{Else, Is};
use super::{Form, Key, Kind, Least, Words, integer, key, names};
use crate::config::{Observed, Quantity};
use aftermath_reports::record::{Status, ValueClass};
use aftermath_systems::claim::Delivery;

/// How verdicts are compared.
pub const OBSERVED_WORDS: [(&str, Observed); 2] =
    [("at-least-as-good", Observed::AtLeastAsGood), ("exactly", Observed::Exactly)];
/// Names of the statuses, as records write them.
pub const STATUSES: [(&str, Status); 4] = [
    ("held", Status::Held),
    ("not-covered", Status::NotCovered),
    ("inconclusive", Status::Inconclusive),
    ("broken", Status::Broken),
];
/// What may be missing or repeated.
pub const DELIVERIES: [(&str, Delivery); 4] = [
    ("none", Delivery::NONE),
    ("gap", Delivery::GAP),
    ("duplicates", Delivery::DUPLICATES),
    ("both", Delivery { gap: true, duplicates: true }),
];
/// Classes of values.
pub const VALUES: [(&str, ValueClass); 3] = [
    ("same", ValueClass::Same),
    ("converges", ValueClass::Converges),
    ("diverges", ValueClass::Diverges),
];
/// What retained memory does.
pub const MEMORIES: [(&str, bool); 2] = [("bounded", true), ("grows", false)];

const NOTHING: super::WhenLeftOut = Else("not judged");

pub const OBSERVED: Key = key(
    "observed",
    Kind::Word(Words::Are(&names::<_, 2>(&OBSERVED_WORDS))),
    Is("at-least-as-good"),
    "How the observed guarantee of each run compares with the claimed one.",
);
pub const STATUS: Key = key(
    "status",
    Kind::Word(Words::Are(&names::<_, 4>(&STATUSES))),
    Else("held, or not covered"),
    "The verdict of each run.",
);
pub const DELIVERY: Key = key(
    "delivery",
    Kind::Word(Words::Are(&names::<_, 4>(&DELIVERIES))),
    NOTHING,
    "What is missing or repeated, all runs of the case together.",
);
pub const VALUE: Key = key(
    "value",
    Kind::Word(Words::Are(&names::<_, 3>(&VALUES))),
    NOTHING,
    "What becomes of values, in the worst of the runs.",
);
pub const MEMORY: Key = key(
    "memory",
    Kind::Word(Words::Are(&names::<_, 2>(&MEMORIES))),
    NOTHING,
    "Whether what is kept to be sent again stays bounded, in all runs that could judge it.",
);
pub const MEAN: Key =
    key("mean", Kind::Quantities, NOTHING, "Quantities and their bounds, of the mean of the runs.");
pub const MIN: Key =
    key("min", Kind::Quantities, NOTHING, "The same, of the smallest of the runs.");
pub const MAX: Key = key("max", Kind::Quantities, NOTHING, "The same, of the largest of the runs.");

/// Those of one strategy and of all, but for quantities.
pub const ALL: &[Key] = &[OBSERVED, STATUS, DELIVERY, VALUE, MEMORY, MEAN, MIN, MAX];

/// The keys that are quantities.
pub fn quantities() -> impl Iterator<Item = Key> {
    Quantity::ALL.iter().map(|(name, quantity)| {
        key(name, Kind::Bound { time: quantity.is_time() }, NOTHING, quantity.doc())
    })
}

const SPAN: Kind = Kind::Duration(Least::Zero);
const COUNT: Kind = integer(0, u64::MAX, "");
/// The bound of a time: exactly this, limits, or a formula.
pub const TIME: &[Kind] = &[
    SPAN,
    Kind::Table(&[key("min", SPAN, ANY, AT_LEAST), key("max", SPAN, ANY, AT_MOST)]),
    PREDICTED,
];
/// The bound of a number.
pub const NUMBER: &[Kind] = &[
    COUNT,
    Kind::Table(&[key("min", COUNT, ANY, AT_LEAST), key("max", COUNT, ANY, AT_MOST)]),
    PREDICTED,
];
const ANY: super::WhenLeftOut = Else("no limit");
const AT_LEAST: &str = "At least this.";
const AT_MOST: &str = "At most this.";
const PREDICTED: Kind = Kind::Table(&[OF, WITHIN, TIMES]);

pub const OF: Key = key(
    "of",
    Kind::Word(Words::Formulas),
    super::WhenLeftOut::Required,
    "What this formula predicts, see `aftermath list formulas`.",
);
pub const WITHIN: Key = key(
    "within",
    Kind::Any(&[Kind::Form(&TOLERANCE), Kind::List(&Kind::Form(&TOLERANCE), 0, usize::MAX)]),
    Is("0%"),
    "How far off it may be; of several tolerances the widest holds.",
);
pub const TIMES: Key = key(
    "times",
    integer(1, 1_000, "failures"),
    Is("1"),
    "For how many failures the formula counts.",
);
/// `"1%"` or `"2 tuples"`.
pub const TOLERANCE: Form = Form {
    what: "a share, or a number of tuples",
    pattern: r"^\s*[0-9]{1,9}(\.[0-9]{1,4}\s*%|\s*%|(\.[0-9]{1,3})?\s*tuples?)\s*$",
    example: "2 tuples",
};
