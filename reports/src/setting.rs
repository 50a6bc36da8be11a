//! What the runs of a scenario were run with: what all of them share, and what is a case's own.

use crate::row::Row;
use std::collections::BTreeMap;

/// Sections of a scenario and what they say.
type Sections<'a> = Vec<(&'a str, &'a str)>;

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
        let same = |(section, text): &(&String, &String)| {
            rows.iter().all(|row| row.setting.get(*section) == Some(*text))
        };
        let shared: BTreeMap<_, _> = first.setting.iter().filter(same).collect();
        let own = |row| own(row, &shared);
        let mut named = Vec::new();
        for rows in rows.chunk_by(|a, b| a.case == b.case) {
            if rows.iter().all(|row| row.setting == rows[0].setting) {
                named.push((rows[0].case.clone(), own(&rows[0])));
            } else {
                let each = rows.iter();
                named.extend(each.map(|row| (format!("{} / {}", row.case, row.label()), own(row))));
            }
        }
        named.retain(|(_, sections)| !sections.is_empty());
        let shared = shared.into_iter().map(|(section, text)| (&**section, &**text)).collect();
        Setting { shared, own: named }
    }

    /// Whether nothing is known: records of before there was any.
    pub fn is_empty(&self) -> bool {
        self.shared.is_empty() && self.own.is_empty()
    }
}

/// What a row has that not all have.
fn own<'a>(row: &'a Row, shared: &BTreeMap<&String, &String>) -> Sections<'a> {
    let other = row.setting.iter().filter(|(section, _)| !shared.contains_key(section));
    other.map(|(section, text)| (&**section, &**text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::summary::Report;

    #[test]
    fn what_cases_share_is_told_once_and_the_rest_by_case() {
        let with = |case: &str, strategy: &str, settings: &[(&str, &str)]| {
            let mut record = sample::record("s", case, strategy, 1);
            let settings =
                settings.iter().map(|(section, text)| (section.to_string(), text.to_string()));
            record.setting = settings.collect();
            record
        };
        let (input, early, late) = (("input", "i"), ("fault", "early"), ("fault", "late"));
        let records = [
            with("one", "a", &[input, early]),
            with("one", "b", &[input, early]),
            with("two", "a", &[input, early]),
            with("two", "b", &[input, late]),
            with("none", "a", &[input]),
        ];
        let rows = Report::of(&records, &[]).rows;
        let setting = Setting::of(&rows);
        assert_eq!(setting.shared, [input]);
        let own = |name: &str, section| (name.to_string(), vec![section]);
        assert_eq!(setting.own, [own("one", early), own("two / a", early), own("two / b", late)]);
        assert!(!setting.is_empty());
        let rows = Report::of(&[with("one", "a", &[]), with("two", "b", &[])], &[]).rows;
        assert!(Setting::of(&rows).is_empty());
        assert!(Setting::of(&[]).is_empty());
    }
}
