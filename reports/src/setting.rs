//! What the runs of a scenario were run with: what all of them share, and what is a case's own.

use crate::row::Row;
use std::collections::BTreeSet;

/// Sections of a scenario, and their keys in one line.
pub type Sections<'a> = Vec<(&'a str, String)>;

/// What the rows of one scenario were run with.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Setting<'a> {
    /// What is the same in all rows.
    pub shared: Sections<'a>,
    /// What is not, by case; by case and strategy where strategies of one case differ in it.
    pub own: Vec<(String, Sections<'a>)>,
}

impl Setting<'_> {
    /// That of these rows.
    pub fn of(rows: &[Row]) -> Setting<'_> {
        let Some(first) = rows.first() else { return Setting::default() };
        let mut shared = keys(first);
        for row in rows {
            let own = keys(row);
            shared.retain(|key| own.contains(key));
        }
        let own = |row| sections(row, |key| !shared.contains(&key));
        let mut named = Vec::new();
        for rows in rows.chunk_by(|a, b| a.case == b.case) {
            if rows.iter().all(|row| row.setting == rows[0].setting) {
                named.push((rows[0].case.clone(), own(&rows[0])));
            } else {
                let name = |row: &Row| format!("{} / {}", row.case, row.label());
                named.extend(rows.iter().map(|row| (name(row), own(row))));
            }
        }
        named.retain(|(_, sections)| !sections.is_empty());
        Setting { shared: sections(first, |key| shared.contains(&key)), own: named }
    }

    /// Whether nothing is known: records of before there was any.
    pub fn is_empty(&self) -> bool {
        self.shared.is_empty() && self.own.is_empty()
    }
}

/// A section and one of its keys.
type Key<'a> = (&'a str, &'a str);

fn keys(row: &Row) -> BTreeSet<Key<'_>> {
    let sections = row.setting.iter();
    sections.flat_map(|(section, keys)| keys.iter().map(|key| (&**section, &**key))).collect()
}

/// The sections of a row with those of their keys that are wanted.
fn sections<'a>(row: &'a Row, wanted: impl Fn(Key) -> bool) -> Sections<'a> {
    let line = |(section, keys): (&'a String, &'a Vec<String>)| {
        let keys = keys.iter().filter(|key| wanted((section, key)));
        let keys: Vec<_> = keys.map(String::as_str).collect();
        (!keys.is_empty()).then(|| (&**section, keys.join(", ")))
    };
    row.setting.iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::summary::Report;

    #[test]
    fn what_cases_share_is_told_once_and_the_rest_by_case() {
        let with = |case: &str, strategy: &str, fault: &str, timing: &[&str]| {
            let mut record = sample::record("s", case, strategy, 1);
            let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
            let sections = [("fault", &[fault][..]), ("timing", timing)];
            record.setting = sections.map(|(section, own)| (section.to_owned(), keys(own))).into();
            record
        };
        let records = [
            with("one", "a", "early", &["misses = 2", "interval = \"1s\""]),
            with("one", "b", "early", &["misses = 2", "interval = \"1s\""]),
            with("two", "a", "early", &["misses = 2", "interval = \"2s\""]),
            with("two", "b", "late", &["misses = 2", "interval = \"2s\""]),
            with("none", "a", "early", &["misses = 2"]),
        ];
        let rows = Report::of(&records, &[]).rows;
        let setting = Setting::of(&rows);
        assert_eq!(setting.shared, [("timing", "misses = 2".to_owned())]);
        let own = |name: &str, fault: &str, interval: &str| {
            let mut sections = vec![("fault", fault.to_owned())];
            sections.extend((!interval.is_empty()).then(|| ("timing", interval.to_owned())));
            (name.to_owned(), sections)
        };
        let expected = [
            own("one", "early", "interval = \"1s\""),
            own("two / a", "early", "interval = \"2s\""),
            own("two / b", "late", "interval = \"2s\""),
            own("none", "early", ""),
        ];
        assert_eq!(setting.own, expected);
        assert!(!setting.is_empty());
    }

    #[test]
    fn records_of_before_there_were_settings_say_nothing() {
        let mut record = sample::record("s", "one", "a", 1);
        record.setting.clear();
        assert!(Setting::of(&Report::of(&[record], &[]).rows).is_empty());
        assert!(Setting::of(&[]).is_empty());
    }
}
