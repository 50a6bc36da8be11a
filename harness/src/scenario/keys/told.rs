//! Keys as people read them: what `aftermath list keys` prints.

use super::super::diagnostic::nearest;
use super::{Key, Kind, Least, WhenLeftOut, Words, faults, top};
use crate::faults::ALL;
use aftermath_systems::strategies::Registry;

/// One key and where it stands.
pub struct Told {
    /// The setting, dotted: `N` stands for a number, other capitals for a name.
    pub path: String,
    /// What it takes.
    pub takes: String,
    /// What holds when it is left out, and the words `default` or `required` before it.
    pub default: String,
    /// What it is for, and of which strategy or pipeline it is.
    pub doc: String,
    /// Whether the same stands elsewhere: told only to those who ask for just this.
    pub again: bool,
}

impl std::fmt::Display for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Told { path, takes, default, doc, .. } = self;
        write!(f, "  {path} = {takes} ({default})\n      {doc}")
    }
}

/// Every key, in the order in which a file is written.
pub fn all(registry: &Registry) -> Vec<Told> {
    let mut list = Vec::new();
    for key in top::all() {
        tell("", &key, registry, false, &mut list);
    }
    list
}

/// The keys at a path as in a case's `set`, or in the table there, or else all of that name.
///
/// # Errors
/// No such key, and what may have been meant.
pub fn find(wanted: &str, registry: &Registry) -> Result<Vec<Told>, String> {
    let all = all(registry);
    let known: Vec<String> = all.iter().map(|told| told.path.clone()).collect();
    let (at, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|told| lies(&told.path, wanted));
    if !at.is_empty() {
        // Of what stands elsewhere too, only what was asked for by its name.
        let length = wanted.split('.').count();
        let deep = |told: &Told| told.path.split('.').count() > length;
        return Ok(at.into_iter().filter(|told| !(told.again && deep(told))).collect());
    }
    let named = |told: &Told| told.path.rsplit('.').next() == Some(wanted) && !told.again;
    let named: Vec<_> = others.into_iter().filter(named).collect();
    if !named.is_empty() {
        return Ok(named);
    }
    let help = match nearest(wanted, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "a key is named with its table before a dot: `timing.interval`".to_string(),
    };
    Err(format!("no such key: `{wanted}`; {help}"))
}

/// Whether a path is this one, or below it. What is in capitals stands for anything.
fn lies(path: &str, wanted: &str) -> bool {
    let mut parts = path.split('.');
    let any = |part: &str| part.bytes().all(|b| b.is_ascii_uppercase());
    wanted.split('.').all(|wanted| {
        parts.next().is_some_and(|part| part == wanted || (any(part) && !wanted.is_empty()))
    })
}

fn tell(prefix: &str, key: &Key, registry: &Registry, again: bool, list: &mut Vec<Told>) {
    let path = format!("{prefix}{}", key.name);
    let doc = match key.owner {
        "" => key.doc.to_string(),
        owner => format!("Of `{owner}`: {}", key.doc),
    };
    let (takes, default) = (takes(key.kind), default(key));
    list.push(Told { path: path.clone(), takes, default, doc, again });
    // A case's own faults and expectations are as those of the file.
    let own = ["case.N.fault", "case.N.faults", "case.N.expect"].contains(&path.as_str());
    enter(&path, key.kind, registry, again || own, list);
}

fn enter(path: &str, kind: Kind, registry: &Registry, again: bool, list: &mut Vec<Told>) {
    match kind {
        Kind::List(of, ..) => enter(&format!("{path}.N"), *of, registry, again, list),
        Kind::Named(what, of) => enter(&format!("{path}.{what}"), *of, registry, again, list),
        Kind::Any(_) | Kind::Bound { .. } => {
            let again = again || matches!(kind, Kind::Bound { .. });
            let kinds = kind.any().unwrap_or_default();
            kinds.iter().for_each(|kind| enter(path, *kind, registry, again, list));
        }
        _ => {
            let again = again || matches!(kind, Kind::Options(_) | Kind::ExpectOf);
            let quantities = matches!(kind, Kind::Quantities);
            for key in kind.keys(registry).unwrap_or_default() {
                let again = again || quantities || is_place_again(kind, &key);
                tell(&format!("{path}."), &key, registry, again, list);
            }
        }
    }
}

/// Whether a key says whom a fault befalls, and a fault before says it alike.
fn is_place_again(kind: Kind, key: &Key) -> bool {
    let Kind::FaultOf(fault) = kind else { return false };
    let mut places = faults::NODES.iter().chain(faults::LINKS);
    let first = ALL.iter().find(|other| other.place == fault.place);
    places.any(|place| place.name == key.name)
        && first.is_some_and(|first| first.name != fault.name)
}

/// What is said of a default.
pub fn default(key: &Key) -> String {
    match key.default {
        WhenLeftOut::Required => "required".to_string(),
        WhenLeftOut::Is(_) => format!("default {}", written(key)),
        WhenLeftOut::Else(words) => format!("default: {words}"),
    }
}

/// A default as it stands in a file.
pub fn written(key: &Key) -> String {
    let text = key.default_text();
    match key.kind {
        Kind::Integer { .. } | Kind::Boolean => text.to_string(),
        _ => format!("\"{text}\""),
    }
}

/// What a key takes, in words.
pub fn takes(kind: Kind) -> String {
    match kind {
        Kind::Text => "text".to_string(),
        Kind::Boolean => "true or false".to_string(),
        Kind::Duration(least) => match least {
            Least::Zero => "a span of time".to_string(),
            Least::Positive => "a span of time, longer than 0".to_string(),
            Least::Tick => "a span of time, at least one tick".to_string(),
            Least::Millisecond => "a span of time, whole milliseconds".to_string(),
        },
        Kind::Percent => "a share such as \"2.5%\"".to_string(),
        Kind::Integer { least, most, unit } => {
            let limits = match most {
                u64::MAX => format!("at least {least}"),
                _ => format!("{least} to {most}"),
            };
            let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
            format!("an integer, {limits}{unit}")
        }
        Kind::Word(Words::Are(words)) => {
            words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" | ")
        }
        Kind::Word(Words::Strategies) => "a strategy".to_string(),
        Kind::Word(Words::Pipelines) => "a pipeline".to_string(),
        Kind::Word(Words::Faults) => "a fault".to_string(),
        Kind::Word(Words::PlantedBugs) => "a planted bug".to_string(),
        Kind::Word(Words::Points) => "a protocol point".to_string(),
        Kind::Word(Words::Formulas) => "a formula".to_string(),
        Kind::Form(form) => format!("{}, such as \"{}\"", form.what, form.example),
        Kind::List(of, 2, 2) => format!("a list of two, each {}", takes(*of)),
        Kind::List(of, ..) => format!("a list, each {}", takes(*of)),
        Kind::Named(what, of) => format!("a table, {what} = {}", takes(*of)),
        Kind::Any(kinds) => {
            let mut all: Vec<_> = kinds.iter().map(|kind| takes(*kind)).collect();
            all.dedup();
            all.join("; or ")
        }
        Kind::Bound { time } => {
            let one = if time { "a span of time" } else { "an integer" };
            format!("{one}, {{ min, max }} or {{ of = FORMULA, within, times }}")
        }
        Kind::Settings { lists: true } => "a table, SETTING = a list of values".to_string(),
        Kind::Settings { lists: false } => "a table, SETTING = its value".to_string(),
        Kind::Table(_)
        | Kind::Options(_)
        | Kind::PipelineOptions
        | Kind::StrategyOptions
        | Kind::Fault
        | Kind::FaultOf(_)
        | Kind::Expect
        | Kind::ExpectOf
        | Kind::Quantities => "a table".to_string(),
    }
}
