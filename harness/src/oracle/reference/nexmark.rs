//! The answers to the NEXMark queries.

use super::{Answer, Identity};
use aftermath_systems::nexmark::{Event, Price, STATES};
use aftermath_systems::plan::{Input, Plan};
use aftermath_systems::protocol::{Nanos, Symbol};
use std::collections::{BTreeMap, BTreeSet};

/// Rows with their schedule and event.
fn events(systems: &Plan) -> impl Iterator<Item = (u64, Nanos, Event)> {
    let rows = systems.workload.inputs.iter().enumerate();
    let event = |(row, Input { scheduled, payload }): (usize, &Input)| {
        Some((row as u64, *scheduled, Event::read(payload)?))
    };
    rows.filter_map(event)
}

/// q1: each bid, its price times 0.908, which has three decimals more. The first column is the kind
/// of a bid.
pub(super) fn q1(systems: &Plan) -> Answer {
    let answer = |(row, _, event)| match event {
        Event::Bid { auction, bidder, price: Price { units, decimals } } => {
            let price = [units * 908, i64::from(decimals) + 3];
            Some(((0, 0, row), [&[2, i64::from(bidder), i64::from(auction)], &price[..]].concat()))
        }
        _ => None,
    };
    events(systems).filter_map(answer).collect()
}

/// q3: auctions of category 10 with their sellers from three states, whichever came first.
pub(super) fn q3(systems: &Plan) -> Answer {
    let local = |state: Symbol| ["or", "id", "ca"].contains(&STATES[state.0 as usize]);
    let person = |(_, _, event)| match event {
        Event::Person { id, name, city, state } if local(state) => Some((id, [name, city, state])),
        _ => None,
    };
    let people: BTreeMap<u32, [Symbol; 3]> = events(systems).filter_map(person).collect();
    let offer = |(_, _, event)| match event {
        Event::Auction { id, seller, category: 10 } => {
            let texts = people.get(&seller)?.iter().map(|text| i64::from(text.0));
            let (seller_id, id_of) = (i64::from(seller), i64::from(id));
            let says = [seller_id].into_iter().chain(texts).chain([id_of]);
            Some(((1, seller, u64::from(id)), says.collect()))
        }
        _ => None,
    };
    events(systems).filter_map(offer).collect()
}

/// q8: who registers and opens an auction in the same window.
pub(super) fn q8(systems: &Plan, window: Nanos) -> Answer {
    let opened = |(_, at, event)| match event {
        Event::Auction { seller, .. } => Some((seller, at / window)),
        _ => None,
    };
    let opened: BTreeSet<(u32, u64)> = events(systems).filter_map(opened).collect();
    let new = |(_, at, event)| match event {
        Event::Person { id, name, .. } if opened.contains(&(id, at / window)) => {
            Some(((1, id, at / window), vec![i64::from(id), i64::from(name.0)]))
        }
        _ => None,
    };
    events(systems).filter_map(new).collect()
}

/// q12, as far as the input says it: in which windows bids count depends on the network, but over
/// all windows the counts of a bidder add up to their bids.
pub(super) fn q12_totals(systems: &Plan) -> BTreeMap<u32, i64> {
    let mut totals = BTreeMap::new();
    for (_, _, event) in events(systems) {
        if let Event::Bid { bidder, .. } = event {
            *totals.entry(bidder).or_default() += 1;
        }
    }
    totals
}

/// The counts of each bidder, added up over the windows that were put out.
pub(super) fn totals_of<'o>(
    outputs: impl Iterator<Item = (Identity, Vec<i64>)> + 'o,
) -> BTreeMap<u32, i64> {
    let mut totals = BTreeMap::new();
    for ((_, bidder, _), says) in outputs {
        *totals.entry(bidder).or_default() += says.last().copied().unwrap_or(0);
    }
    totals
}
