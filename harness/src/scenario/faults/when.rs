//! When a fault strikes.

use super::super::item::Item;
use super::super::tree::Kind;
use super::STRATA_MAX;
use crate::config::FaultAt;
use aftermath_systems::protocol::Nanos;

/// Reads an instant, or how it is drawn. `first`: there is no fault before it.
pub fn at(item: &Item, first: bool, tick_ns: Nanos) -> Option<FaultAt> {
    let instant = |item: &Item| item.duration_from(tick_ns, "one tick");
    match item.value.kind {
        Kind::String(_) => return instant(item).map(FaultAt::Instant),
        Kind::Table(_) => {}
        _ => {
            let help = "write \"2s\", { between = [\"1s\", \"2s\"] }, { after = \"1s\" } or \
                        { strata = 20, start = \"3s\", span = \"1s\" }";
            item.error(format!("`{}` is no instant", item.path), Some(help.to_string()));
            return None;
        }
    }
    let table = item.table()?;
    let found = match (table.get("between"), table.get("strata"), table.get("after")) {
        (Some(item), None, None) => {
            let ends = item.list()?;
            let [from, to] = ends.as_slice() else {
                let help = "between = [\"1.5s\", \"3.5s\"]".to_string();
                item.error("`between` takes two instants", Some(help));
                return None;
            };
            let (start, end) = (instant(from)?, instant(to)?);
            if end <= start {
                to.error("the second instant must be later than the first", None);
                return None;
            }
            Some(FaultAt::Between(start, end))
        }
        (None, Some(item), None) => {
            let count = item.integer(1..=STRATA_MAX);
            let start = table.require("start", "start = \"3s\"", instant);
            let least = count.unwrap_or(1);
            let span = table.require("span", "span = \"1s\"", |item| {
                item.duration_from(least, "1ns for each stratum")
            });
            let count = u32::try_from(count?).ok()?;
            Some(FaultAt::Strata { count, start: start?, span: span? })
        }
        (None, None, Some(item)) => {
            if first {
                item.key_error("the first fault has none before it to come after", None);
                return None;
            }
            item.duration().map(FaultAt::After)
        }
        (None, None, None) => {
            table.get("start");
            table.get("span");
            if !["between", "strata", "after"].iter().any(|key| table.misspelt(key)) {
                let help = "one of `between`, `strata`, `after`".to_string();
                item.error("the fault does not say when it happens", Some(help));
            }
            None
        }
        _ => {
            item.error("`between`, `strata` and `after` exclude each other", None);
            None
        }
    };
    table.finish();
    found
}
