//! One reading of a file: every mistake is noted at its place and reading goes on with a default,
//! so that all mistakes come at once. What a case sets lies over the file.

use super::diagnostic::{Diagnostic, Source, nearest};
use super::tree::Value;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A file that is wrong in more places is not a scenario.
const MISTAKES_MAX: usize = 1_000;

/// Span, message and help of a mistake: what makes it the same mistake in two cases.
type Mistake = (usize, usize, String, Option<String>);

/// The mistakes so far.
#[derive(Default)]
pub struct Errors {
    /// With the readings in which each was found.
    mistakes: RefCell<BTreeMap<Mistake, BTreeSet<usize>>>,
    /// Mistakes in other files.
    elsewhere: RefCell<Vec<Diagnostic>>,
    /// What each reading is of ("case \"base\" under amnesia").
    readings: RefCell<Vec<String>>,
}

impl Errors {
    /// Everything from here on is about this case and strategy.
    pub fn reading(&self, label: String) {
        self.readings.borrow_mut().push(label);
    }

    /// Notes mistakes in another file.
    pub fn elsewhere(&self, list: Vec<Diagnostic>) {
        self.elsewhere.borrow_mut().extend(list);
    }

    fn note(&self, mistake: Mistake) {
        let reading = self.readings.borrow().len();
        self.mistakes.borrow_mut().entry(mistake).or_default().insert(reading);
    }

    /// All of them. One that only some cases have names the first of these, unless its place is
    /// in a case anyway.
    pub fn into_list(self, source: &Source, cases: &[Range<usize>]) -> Vec<Diagnostic> {
        let readings = self.readings.into_inner();
        let mut list = self.elsewhere.into_inner();
        for ((start, end, message, help), found) in
            self.mistakes.into_inner().into_iter().take(MISTAKES_MAX)
        {
            let mut diagnostic = source.at(start..end, message);
            let first = found.first().copied().unwrap_or(0);
            let inside = cases.iter().any(|case| case.contains(&start));
            if first > 0 && found.len() < readings.len() && !inside {
                let others = match found.len() - 1 {
                    0 => String::new(),
                    n => format!(" and {n} more"),
                };
                diagnostic.notes.push(format!("in {}{others}", readings[first - 1]));
            }
            diagnostic.help = help;
            list.push(diagnostic);
        }
        list
    }
}

/// A value that a case sets.
pub struct Override<'t> {
    /// The setting, dotted.
    pub path: String,
    /// The place of its key.
    pub key_span: Range<usize>,
    /// The value.
    pub value: &'t Value,
    /// Whether a reader asked for it.
    pub used: Cell<bool>,
}

/// One reading of the file: the mistakes, and what lies over the file.
pub struct Reading<'t, 'e> {
    /// Where mistakes go.
    pub errors: &'e Errors,
    /// What a case sets.
    pub overrides: Vec<Override<'t>>,
    /// What readers asked for, to suggest from.
    asked: RefCell<BTreeSet<String>>,
}

impl<'t, 'e> Reading<'t, 'e> {
    /// A reading with these overrides.
    pub fn new(errors: &'e Errors, overrides: Vec<Override<'t>>) -> Self {
        Reading { errors, overrides, asked: RefCell::default() }
    }

    /// Notes a mistake.
    pub fn error(&self, span: &Range<usize>, message: impl Into<String>, help: Option<String>) {
        self.errors.note((span.start, span.end, message.into(), help));
    }

    /// What a case sets at a path, which counts as asked for from now on.
    pub fn find(&self, path: &str) -> Option<&Override<'t>> {
        self.asked.borrow_mut().insert(path.to_string());
        let found = self.overrides.iter().find(|o| o.path == path)?;
        found.used.set(true);
        Some(found)
    }

    /// Reports the overrides that no reader asked for; `strategy` is that of the case.
    pub fn finish(&self, strategy: Option<&str>) {
        let asked = self.asked.borrow();
        for unused in self.overrides.iter().filter(|o| !o.used.get()) {
            let path = &unused.path;
            let near = nearest(path, asked.iter().map(String::as_str));
            let help = match near {
                Some(best) => format!("did you mean `{best}`?"),
                None => "a setting is written as in the file, with its table before a dot: \
                         \"timing.interval\""
                    .to_string(),
            };
            let option = path.strip_prefix("strategy.").filter(|o| !o.contains('.'));
            let (message, help) = match (option, strategy) {
                (Some(option), Some(strategy)) => {
                    let message = format!("strategy `{strategy}` has no option `{option}`");
                    let of = |path: &String| {
                        let (of, name) = path.strip_prefix("strategy.")?.split_once('.')?;
                        (name == option).then(|| format!("`{of}`"))
                    };
                    let others: Vec<String> = asked.iter().filter_map(of).collect();
                    match others.is_empty() {
                        true => (message, help),
                        false => (
                            message,
                            format!(
                                "{} has: name that in the case's `strategies`",
                                others.join(" or ")
                            ),
                        ),
                    }
                }
                _ => (format!("no such setting: `{path}`"), help),
            };
            self.error(&unused.key_span, message, Some(help));
        }
    }
}
