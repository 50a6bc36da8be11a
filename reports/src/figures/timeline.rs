//! Outputs and lag over time, in one run a row: rate on the left, lag on the right, the fault-free
//! twin behind both. All rows share their axes.

use super::Group;
use super::panel::Panel;
use crate::axis::Axis;
use crate::font;
use crate::record::{Fault, Record, Series, Time};
use crate::scene::{Anchor, Colour, Rect, Scene};
use crate::style::{self, Entry, INK, SMALL, SOFT, TEXT, TWIN, WIDTH};
use crate::words::plural;

/// More rows are not shown.
const ROWS_MAX: usize = 12;
const HEIGHT: i32 = 74;
/// Height of a row with its name and marks.
const STEP: i32 = HEIGHT + 40;
const LEFT: i32 = 64;
const GAP: i32 = 60;

/// One row: the first run of a strategy that has a series.
struct Line<'a> {
    name: &'a str,
    colour: Colour,
    series: usize,
    record: &'a Record,
    values: &'a Series,
}

/// What is drawn over time.
#[derive(Clone, Copy)]
enum What {
    Rate,
    Lag,
}

impl What {
    /// The values of the run or of its twin: outputs a second, or ms; `None` where nothing came.
    fn of(self, series: &Series, twin: bool) -> Vec<Option<f64>> {
        let (outputs, lags) = match twin {
            false => (&series.new_outputs, &series.lag_max_ns),
            true => (&series.twin_outputs, &series.twin_lag_max_ns),
        };
        let rate = |count: &u64| Some(*count as f64 * 1e9 / series.bin_ns.max(1) as f64);
        match self {
            What::Rate => outputs.iter().map(rate).collect(),
            What::Lag => {
                let lag = |(count, ns): (&u64, &u64)| (*count > 0).then_some(*ns as f64 / 1e6);
                outputs.iter().zip(lags).map(lag).collect()
            }
        }
    }
}

/// The figure, unless no run has a series.
pub(crate) fn timeline(group: &Group<'_>) -> Option<Scene> {
    let lines: Vec<Line<'_>> = group
        .rows
        .iter()
        .enumerate()
        .filter_map(|(nth, row)| {
            let record = row.timeline.as_deref()?;
            let (series, values) = (group.series[nth], record.series.as_ref()?);
            let (name, colour) = (&*group.labels[nth], style::colour(series));
            Some(Line { name, colour, series, record, values })
        })
        .collect();
    let (shown, rest) = lines.split_at(lines.len().min(ROWS_MAX));
    let first = shown.first()?;
    let about = format!("{}: outputs and lag over time", group.title);
    let mut scene = Scene::new(WIDTH, 0, &about);
    style::title(&mut scene, &about);
    let seed = first.record.seed;
    let run = match shown.iter().all(|line| line.record.seed == seed) {
        true => format!("The run with seed {seed}"),
        false => "One run a row".to_owned(),
    };
    let kinds = kinds(shown);
    let top = legend(&mut scene, shown, &kinds, &run) + 62;
    let (from, to) = window(shown);
    let width = (WIDTH - LEFT - GAP - 20) / 2;
    let bottom = top + STEP * shown.len() as i32 - STEP + HEIGHT;
    scene.height = bottom + 48;
    for (what, left, title) in [
        (What::Rate, LEFT, "new outputs a second"),
        (What::Lag, LEFT + width + GAP, "largest lag of new outputs, ms"),
    ] {
        let all = shown.iter().flat_map(|line| {
            let both = [false, true].map(|twin| what.of(line.values, twin));
            both.into_iter().flatten().flatten()
        });
        // Linear, whatever the values: catching up at a steady rate is a straight line then.
        let y = Axis::over(0.0, all.fold(0.0, f64::max).max(1.0) * 1.08);
        scene.text((left, top - 36), title, TEXT, INK, Anchor::Start);
        for (nth, line) in shown.iter().enumerate() {
            let top = top + STEP * nth as i32;
            let area = Rect(left, top, left + width, top + HEIGHT);
            let (x, y) = (Axis::over(from, to), y.clone());
            let panel = Panel { area, x, y };
            bands(&mut scene, &panel, line, &kinds);
            panel.draw(&mut scene, nth + 1 == shown.len(), true);
            draw(&mut scene, &panel, line, what);
        }
        let words = "virtual time, s";
        scene.text((left + width / 2, bottom + 38), words, TEXT, INK, Anchor::Middle);
    }
    if !rest.is_empty() {
        let note = format!("{} more not shown.", plural(rest.len() as u64, "row"));
        scene.text((20, scene.height - 10), &note, SMALL, SOFT, Anchor::Start);
    }
    Some(scene)
}

/// Height of a kind's strip at the top of its bands.
const STRIP: i32 = 3;

/// Names and colours of the kinds of faults that are shown.
fn kinds<'a>(lines: &[Line<'a>]) -> Vec<(&'a str, Colour)> {
    let mut kinds: Vec<(&str, Colour)> = Vec::new();
    for fault in lines.iter().flat_map(|line| &line.record.faults) {
        if kinds.iter().all(|(name, _)| *name != fault.kind) {
            kinds.push((&fault.kind, style::fault(&fault.colour)));
        }
    }
    kinds
}

/// A band from each fault to its end, in the light colour of its kind, and above it a strip in the
/// full one. Each kind has its own height there: bands cover each other, strips do not.
fn bands(scene: &mut Scene, panel: &Panel, line: &Line<'_>, kinds: &[(&str, Colour)]) {
    let Rect(_, top, _, bottom) = panel.area;
    let (from, to) = panel.x.range;
    let inside = |ns: u64| (ns as f64 / 1e9).clamp(from, to);
    let extent = |fault: &Fault| {
        let (start, end) = (inside(fault.at_ns), inside(fault.healed_ns));
        let (x0, x1) = (panel.at(start, 0.0).0, panel.at(end, 0.0).0);
        (x0, x1.max(x0 + 1))
    };
    let of = |fault: &Fault| kinds.iter().position(|(name, _)| *name == fault.kind);
    for fault in &line.record.faults {
        let (x0, x1) = extent(fault);
        let colour = of(fault).map_or(style::fault(""), |nth| kinds[nth].1);
        scene.rect(Rect(x0, top, x1, bottom), style::tint(colour, 0.2));
    }
    for fault in &line.record.faults {
        let ((x0, x1), Some(nth)) = (extent(fault), of(fault)) else { continue };
        let y = top + STRIP * nth as i32;
        scene.rect(Rect(x0, y, x1, y + STRIP), kinds[nth].1);
    }
}

fn draw(scene: &mut Scene, panel: &Panel, line: &Line<'_>, what: What) {
    let Rect(left, top, right, _) = panel.area;
    for (twin, colour, width) in [(true, TWIN, 1), (false, line.colour, 2)] {
        for part in parts(&what.of(line.values, twin), line.values.bin_ns, panel) {
            scene.line(&part, colour, width);
        }
    }
    if matches!(what, What::Rate) {
        style::marker(scene, (left + 7, top - 17), line.series, false);
        let name = font::shorten(line.name, TEXT, right - left - 24);
        scene.text((left + 20, top - 13), &name, TEXT, INK, Anchor::Start);
    } else {
        marks(scene, panel, line.record);
    }
}

/// The points of a series within the panel, apart where nothing came.
fn parts(values: &[Option<f64>], bin_ns: u64, panel: &Panel) -> Vec<Vec<(i32, i32)>> {
    let (from, to) = panel.x.range;
    let mut parts: Vec<Vec<(i32, i32)>> = vec![Vec::new()];
    for (bin, value) in values.iter().enumerate() {
        let start = (bin as u64 * bin_ns) as f64 / 1e9;
        let end = start + bin_ns as f64 / 1e9;
        if end <= from || start >= to {
            continue;
        }
        let part = parts.last_mut().expect("there is always one");
        match value {
            Some(value) => {
                part.push(panel.at(start.max(from), *value));
                part.push(panel.at(end.min(to), *value));
            }
            None if part.is_empty() => {}
            None => parts.push(Vec::new()),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// What happened after each fault, as letters above the panel: they may stand close together.
const MARKS: [(&str, &str); 4] =
    [("s", "suspected"), ("a", "active again"), ("2", "R2"), ("3", "R3")];

/// The instants of the marks of a record, ns.
fn instants(record: &Record) -> Vec<(u64, &'static str)> {
    let mut list = Vec::new();
    for fault in &record.faults {
        let Some(r) = &fault.recovery else { continue };
        let ns = |time: Time| time.ns();
        let begun = ns(r.down).unwrap_or(0) + ns(r.detect).unwrap_or(0);
        let active = ns(r.redirect).map(|redirect| begun + redirect + ns(r.restore).unwrap_or(0));
        let at = [ns(r.detect), active, ns(r.r2), ns(r.r3)];
        let marks = at.iter().zip(MARKS).filter_map(|(at, (mark, _))| Some(((*at)?, mark)));
        list.extend(marks.map(|(at, mark)| (fault.at_ns.saturating_add(at), mark)));
    }
    list.sort_unstable();
    list
}

fn marks(scene: &mut Scene, panel: &Panel, record: &Record) {
    let Rect(_, top, right, _) = panel.area;
    let mut free = i32::MIN;
    for (ns, mark) in instants(record) {
        let seconds = ns as f64 / 1e9;
        if seconds < panel.x.range.0 || seconds > panel.x.range.1 {
            continue;
        }
        let x = panel.at(seconds, 0.0).0;
        let half = font::width(mark, SMALL) / 2 + 1;
        let place = x.max(free + half);
        if place + half > right + 16 {
            continue;
        }
        scene.line(&[(x, top), (x, top - 5), (place, top - 9)], INK, 1);
        scene.text((place, top - 12), mark, SMALL, INK, Anchor::Middle);
        free = place + half + 1;
    }
}

/// The seconds to show: faults and recoveries with as much again around them, unless that is most
/// of the run anyway.
fn window(lines: &[Line<'_>]) -> (f64, f64) {
    let length = lines.iter().map(|line| line.record.length_ns).max().unwrap_or(0);
    let faults = || lines.iter().flat_map(|line| &line.record.faults);
    let recovered = |fault: &crate::record::Fault| {
        let recovery = fault.recovery?;
        let r3 = match recovery.r3 {
            Time::Ns(ns) | Time::MoreThanNs(ns) => ns,
            Time::None => return None,
        };
        Some(fault.at_ns.saturating_add(r3))
    };
    let first = faults().map(|fault| fault.at_ns).min();
    let last = faults().filter_map(recovered).max();
    let whole = (0.0, (length as f64 / 1e9).max(1e-3));
    let (Some(first), Some(last)) = (first, last) else { return whole };
    let around = (last.saturating_sub(first) / 2).max(length / 40);
    let (from, to) = (first.saturating_sub(around), (last + around).min(length));
    if 10 * (to - from) > 7 * length { whole } else { (from as f64 / 1e9, to as f64 / 1e9) }
}

fn legend(scene: &mut Scene, lines: &[Line<'_>], kinds: &[(&str, Colour)], run: &str) -> i32 {
    let stroke = |colour: Colour, width: u32| {
        move |scene: &mut Scene, Rect(left, top, right, bottom): Rect| {
            let y = (top + bottom) / 2;
            scene.line(&[(left, y), (right, y)], colour, width);
        }
    };
    let words: Vec<_> = kinds.iter().map(|(name, _)| format!("{name}, to its end")).collect();
    let mut entries: Vec<Entry<'_>> = vec![
        (Box::new(stroke(INK, 2)), run),
        (Box::new(stroke(TWIN, 1)), "the same without faults"),
    ];
    for ((_, colour), words) in kinds.iter().zip(&words) {
        let band = |scene: &mut Scene, rect: Rect| {
            scene.rect(rect, style::tint(*colour, 0.2));
            scene.rect(Rect(rect.0, rect.1, rect.2, rect.1 + STRIP), *colour);
        };
        entries.push((Box::new(band), words));
    }
    let used: Vec<&str> =
        lines.iter().flat_map(|line| instants(line.record)).map(|(_, mark)| mark).collect();
    for (mark, words) in MARKS.into_iter().filter(|(mark, _)| used.contains(mark)) {
        let letter = move |scene: &mut Scene, rect: Rect| {
            scene.text((rect.2 - 4, rect.3 - 2), mark, SMALL, INK, Anchor::Middle);
        };
        entries.push((Box::new(letter), words));
    }
    style::legend(scene, (20, 52), &entries)
}
