//! `input.only`: which tuples of a stream are kept.

use super::item::Item;
use crate::config::Kept;
use std::ops::Range;

/// Reads the list; `tuples`: how many the stream has, if that is known.
pub fn read(item: &Item, tuples: Option<u64>) -> Option<Kept> {
    let items = item.list()?;
    if items.is_empty() {
        let help = "leave the key out to keep all tuples".to_string();
        item.error(format!("`{}` keeps no tuple", item.path), Some(help));
        return None;
    }
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for item in &items {
        let range = range(item, tuples)?;
        if ranges.last().is_some_and(|before| range.start < before.end) {
            let help = "name the tuples in ascending order, each once".to_string();
            item.error("these tuples do not come after those before", Some(help));
            return None;
        }
        ranges.push(range);
    }
    Some(Kept::ranges(ranges))
}

/// `"3..17"` or `"40"`.
fn range(item: &Item, tuples: Option<u64>) -> Option<Range<u64>> {
    let text = item.text()?;
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let ends = match text.split_once("..") {
        Some((from, to)) => number(from).zip(number(to)),
        None => number(text).and_then(|only| Some((only, only.checked_add(1)?))),
    };
    let help = Some("\"3..17\" are the tuples 3 to 16, \"40\" is one".to_string());
    match (ends, tuples) {
        (None, _) => item.error(format!("\"{text}\" names no tuples"), help),
        (Some((from, to)), _) if from >= to => item.error("no tuple is in that range", help),
        (Some((_, to)), Some(tuples)) if to > tuples => {
            let last = tuples.saturating_sub(1);
            item.error(format!("the stream has the tuples 0 to {last}"), None);
        }
        (Some((from, to)), _) => return Some(from..to),
    }
    None
}
