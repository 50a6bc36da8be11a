//! What the runs of a scenario were run with: what all of them share, and what is a case's own.

use crate::row::Row;
use std::collections::{BTreeMap, BTreeSet};

/// Sections of a scenario, and their keys in one line.
pub type Sections = Vec<(String, String)>;

/// What the rows of one scenario were run with.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Setting {
    /// What is the same in all rows.
    pub shared: Sections,
    /// What is not, by case; by case and strategy where strategies of one case differ in it.
    pub own: Vec<(String, Sections)>,
}

impl Setting {
    /// That of these rows, as far as their records say it.
    pub fn of(rows: &[Row]) -> Setting {
        let known = rows.iter().filter_map(|row| Some((row, keys(row.setting.as_ref()?))));
        let known: Vec<_> = known.filter(|(_, keys)| !keys.is_empty()).collect();
        let shared = common(known.iter().map(|(_, keys)| keys));
        let mut named = Vec::new();
        for rows in known.chunk_by(|(a, _), (b, _)| a.case == b.case) {
            let same = rows.iter().all(|(_, keys)| *keys == rows[0].1);
            for (row, keys) in &rows[..if same { 1 } else { rows.len() }] {
                let name = match same {
                    true => row.case.clone(),
                    false => format!("{} / {}", row.case, row.label()),
                };
                named.push((name, sections(keys, |key| !shared.contains(&key))));
            }
        }
        named.retain(|(_, sections)| !sections.is_empty());
        let shared: Vec<_> = shared.into_iter().cloned().collect();
        Setting { shared: sections(&shared, |_| true), own: named }
    }

    /// Whether nothing is known: records of before there was any.
    pub fn is_empty(&self) -> bool {
        self.shared.is_empty() && self.own.is_empty()
    }
}

/// A section and one of its keys.
type Key = (String, String);

/// The section of faults. They are one key together: how many there are and in which order is what
/// they say, and one may refer to the one before.
const FAULT: &str = "fault";

/// What all of these have in common, each as records have it.
pub fn shared(settings: &[BTreeMap<String, Vec<String>>]) -> Sections {
    let keys: Vec<_> = settings.iter().map(keys).collect();
    let shared: Vec<_> = common(keys.iter()).into_iter().cloned().collect();
    sections(&shared, |_| true)
}

/// The keys that are in all lists, in the order of the first one.
fn common<'a>(mut lists: impl Iterator<Item = &'a Vec<Key>>) -> Vec<&'a Key> {
    let mut shared: Vec<_> = lists.next().into_iter().flatten().collect();
    for list in lists {
        let list: BTreeSet<_> = list.iter().collect();
        shared.retain(|key| list.contains(key));
    }
    shared
}

/// What is told of a setting; nothing if records do not say it.
fn keys(setting: &BTreeMap<String, Vec<String>>) -> Vec<Key> {
    let mut list = Vec::new();
    for (section, keys) in setting {
        let key = |text: String| (section.clone(), text);
        if section == FAULT {
            list.push(key(keys.join("; ")));
        } else {
            list.extend(keys.iter().cloned().map(key));
        }
    }
    if !setting.is_empty() && !setting.keys().any(|section| section.starts_with(FAULT)) {
        list.push((FAULT.to_owned(), "none".to_owned()));
    }
    list
}

/// Those keys that are wanted, by section.
fn sections(keys: &[Key], wanted: impl Fn(&Key) -> bool) -> Sections {
    let mut sections: Sections = Vec::new();
    for (section, key) in keys.iter().filter(|key| wanted(key)) {
        match sections.last_mut() {
            Some((last, text)) if last == section => *text += &format!(", {key}"),
            _ => sections.push((section.clone(), key.clone())),
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;
    use crate::sample;
    use crate::summary::Report;

    fn run(case: &str, strategy: &str, faults: &[&str], timing: &[&str]) -> Record {
        let mut record = sample::record("s", case, strategy, 1);
        let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
        let sections = [(FAULT, faults), ("timing", timing)].into_iter();
        let sections = sections.filter(|(_, own)| !own.is_empty());
        record.setting = sections.map(|(section, own)| (section.to_owned(), keys(own))).collect();
        record
    }

    fn setting(records: &[Record]) -> Setting {
        Setting::of(&Report::of(records, &[]).rows)
    }

    fn section(name: &str, keys: &str) -> (String, String) {
        (name.to_owned(), keys.to_owned())
    }

    #[test]
    fn what_cases_share_is_told_once_and_the_rest_by_case() {
        let setting = setting(&[
            run("one", "a", &["early"], &["misses = 2", "interval = \"1s\""]),
            run("one", "b", &["early"], &["misses = 2", "interval = \"1s\""]),
            run("two", "a", &["early"], &["misses = 2", "interval = \"2s\""]),
            run("two", "b", &["late"], &["misses = 2", "interval = \"2s\""]),
            run("none", "a", &[], &["misses = 2"]),
        ]);
        assert_eq!(setting.shared, [section("timing", "misses = 2")]);
        let own = |name: &str, fault: &str, interval: &str| {
            let mut sections = vec![section("fault", fault)];
            sections.extend((!interval.is_empty()).then(|| section("timing", interval)));
            (name.to_owned(), sections)
        };
        let expected = [
            own("one", "early", "interval = \"1s\""),
            own("two / a", "early", "interval = \"2s\""),
            own("two / b", "late", "interval = \"2s\""),
            own("none", "none", ""),
        ];
        assert_eq!(setting.own, expected);
        assert!(!setting.is_empty());
    }

    #[test]
    fn how_many_faults_there_are_and_in_which_order_is_no_common_part() {
        for faults in [
            [&["crash"][..], &["crash", "crash"][..]],
            [&["crash", "crash"], &["crash"]],
            [&["crash", "after"], &["after", "crash"]],
        ] {
            let [one, two] = faults;
            let setting = setting(&[run("one", "a", one, &["m"]), run("two", "a", two, &["m"])]);
            assert_eq!(setting.shared, [section("timing", "m")]);
            let own = |case: &str, faults: &[&str]| {
                (case.to_owned(), vec![section("fault", &faults.join("; "))])
            };
            assert_eq!(setting.own, [own("one", one), own("two", two)]);
        }
    }

    #[test]
    fn what_is_not_known_or_not_the_same_in_all_runs_is_not_told() {
        let unknown = run("old", "a", &[], &[]);
        let known = run("new", "a", &["crash"], &["m"]);
        assert!(setting(std::slice::from_ref(&unknown)).is_empty());
        assert!(setting(&[]).is_empty());
        let shared = [section("fault", "crash"), section("timing", "m")];
        assert_eq!(setting(&[unknown, known.clone()]).shared, shared);
        let mut other = run("new", "a", &["crash"], &["n"]);
        other.seed += 1;
        assert!(setting(&[known, other]).is_empty());
    }
}
