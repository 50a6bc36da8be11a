//! When a fault strikes.

use super::super::item::Item;
use super::super::keys::{Key, Least, faults as keys};
use super::super::tree::Kind;
use super::{Surroundings, point};
use crate::config::{FaultAt, FaultPlace};

/// What the fault before it in the file is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// There is none.
    Nothing,
    /// One whose instant is known when the run begins.
    Instant,
    /// One that waits for what a machine does.
    Awaited,
}

/// Reads an instant, how it is drawn, or what is waited for. `befalls`: whom the fault befalls, if
/// that is known.
pub fn at(
    item: &Item,
    before: Before,
    befalls: Option<&FaultPlace>,
    around: &Surroundings,
) -> Option<FaultAt> {
    let instant = |item: &Item| item.duration_least(Least::Tick, around.tick_ns);
    match item.value.kind {
        Kind::String(_) => return instant(item).map(FaultAt::Instant),
        Kind::Table(_) => {}
        _ => {
            let help = "write \"2s\", { between = [\"1s\", \"2s\"] }, { after = \"1s\" }, \
                        { strata = 20, start = \"3s\", span = \"1s\" } or \
                        { point = \"took-over\" }";
            item.error(format!("`{}` is no instant", item.path), Some(help.to_string()));
            return None;
        }
    }
    let table = item.table()?;
    let get = |key: &Key| table.get(key.name);
    let forms = (get(&keys::AT_BETWEEN), get(&keys::STRATA), get(&keys::AFTER), get(&keys::POINT));
    let found = match forms {
        (None, None, None, Some(item)) if !point::is_address(&table) => {
            point::point(&table, &item, befalls, around)
        }
        (None, None, None, None) if point::is_address(&table) => point::address(&table, around),
        (Some(item), None, None, None) => {
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
        (None, Some(item), None, None) => {
            let count = item.number(&keys::STRATA);
            let start = table.require(&keys::START, "start = \"3s\"", instant);
            let least = count.unwrap_or(1);
            let span = table.require(&keys::SPAN, "span = \"1s\"", |item| {
                item.duration_from(least, "1ns for each stratum")
            });
            let count = u32::try_from(count?).ok()?;
            Some(FaultAt::Strata { count, start: start?, span: span? })
        }
        (None, None, Some(item), None) => {
            if before == Before::Nothing {
                let help = "write an instant, such as at = \"2s\"".to_string();
                let message = "the first fault has none before it to come after";
                item.key_error(message, Some(help));
                return None;
            }
            if before == Before::Awaited {
                let help = "give it a point of its own, such as { point = \"took-over\" }, or put \
                            a fault with an instant before it";
                let message =
                    "the fault before waits for a machine, and has no instant to count from";
                item.key_error(message, Some(help.to_string()));
                return None;
            }
            item.span(&keys::AFTER, around.tick_ns).map(FaultAt::After)
        }
        (None, None, None, None) => {
            ["start", "span", "nth", "node"].iter().for_each(|key| drop(table.get(key)));
            let forms = ["between", "strata", "after", "point", "incarnation", "handler", "effect"];
            if !forms.iter().any(|key| table.misspelt(key)) {
                let help = "one of `between`, `strata`, `after`, `point`, or an address: `node`, \
                            `incarnation`, `handler` and `effect`"
                    .to_string();
                item.error("the fault does not say when it happens", Some(help));
            }
            None
        }
        _ => {
            let message = "`between`, `strata`, `after`, `point` and an address exclude each other";
            item.error(message, Some("keep one of them".to_string()));
            None
        }
    };
    table.finish();
    found
}
