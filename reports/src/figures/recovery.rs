//! Where recovery time goes: one bar a row, from the fault through its phases back to normal.
//!
//! A border between two phases stands at the median, over the runs, of the instant at which the
//! first ends and the second begins. So the ends of bars are medians of R2 and R3, and a phase that
//! fewer than half of the runs have does not show.

use super::Group;
use super::panel::columns;
use crate::axis::Axis;
use crate::font;
use crate::phases::{CATCH_UP, PHASES, Phases, REPLAY};
use crate::scene::{Anchor, Colour, Rect, Scene};
use crate::style::{self, Entry, INK, SMALL, SOFT, TEXT, WIDTH};
use crate::words;

/// Name and tint of each phase, in their order.
const LOOKS: [(&str, f64); PHASES] = [
    ("machine is down", 0.10),
    ("detect", 0.22),
    ("redirect", 0.42),
    ("restore", 0.66),
    ("replay", 1.0),
    ("catch up", 0.0),
];

const STEP: i32 = 34;

/// A row's bar: instants in ns from the fault.
struct Bar {
    /// Where each phase ends.
    ends: [u64; PHASES],
    /// The last end is only known to be later.
    open: bool,
    /// Runs that have come back, and those that have had something to come back from.
    runs: (usize, usize),
}

impl Bar {
    fn new(phases: &Phases) -> Option<Bar> {
        let back = phases.back();
        if back == 0 {
            return None;
        }
        let ends = phases.ends.each_ref().map(|ends| median(ends.clone()));
        Some(Bar { ends, open: 2 * phases.late > back, runs: (back, phases.recoveries) })
    }

    /// From where to where a phase goes, if there is such a phase.
    fn phase(&self, phase: usize) -> Option<(u64, u64)> {
        let from = phase.checked_sub(1).map_or(0, |before| self.ends[before]);
        (self.ends[phase] > from).then_some((from, self.ends[phase]))
    }

    fn words(&self) -> String {
        let time = |ns: u64| words::ms(ns as f64);
        let (r2, r3) = (self.ends[REPLAY], self.ends[CATCH_UP]);
        let more = if self.open { "> " } else { "" };
        let mut text = format!("R2 {}, R3 {more}{} ms", time(r2), time(r3));
        if self.runs.0 < self.runs.1 {
            text += &format!(" ({} of {} runs)", self.runs.0, self.runs.1);
        }
        text
    }
}

fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    let (low, high) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
    low + (high - low) / 2
}

/// The figure, unless no run has anything to recover from.
pub(crate) fn recovery(group: &Group<'_>) -> Option<Scene> {
    let bars: Vec<_> = group.rows.iter().map(|row| Bar::new(&row.phases)).collect();
    let last = bars.iter().flatten().map(|bar| bar.ends[CATCH_UP]).max()?;
    let left = style::names_end(group.labels.iter());
    let mut scene = Scene::new(WIDTH, 0, &format!("{}: where recovery time goes", group.title));
    style::title(&mut scene, &format!("{}: where recovery time goes", group.title));
    let top = legend(&mut scene, &bars) + 18;
    let bottom = top + STEP * bars.len() as i32;
    scene.height = bottom + 54;

    let scale = if last >= 10_000_000_000 { 1e9 } else { 1e6 };
    let widest = bars.iter().flatten().map(|bar| font::width(&bar.words(), SMALL)).max()?;
    let axis = Axis::over(0.0, last as f64 / scale * 1.02);
    let area = Rect(left, top, WIDTH - 34 - widest, bottom);
    columns(&mut scene, area, &axis, true);
    let unit = if scale > 1e8 { "s" } else { "ms" };
    let title = format!("virtual time from the fault, {unit}; medians over the runs");
    let middle = (area.0 + area.2) / 2;
    let half = font::width(&title, TEXT) / 2;
    let at = (middle.max(20 + half), bottom + 38);
    scene.text(at, &title, TEXT, INK, Anchor::Middle);
    for (nth, bar) in bars.iter().enumerate() {
        let y = top + STEP * nth as i32 + STEP / 2;
        let series = group.series[nth];
        style::name(&mut scene, y, series, &group.labels[nth], left);
        match bar {
            Some(bar) => {
                let x = |ns: u64| axis.pixel(ns as f64 / scale, area.0, area.2);
                draw(&mut scene, bar, y, style::colour(series), &x);
            }
            None => {
                let why = match group.rows[nth].phases.recoveries == 0 {
                    true => "no fault met anything",
                    false => "no new output after an activation or a restart",
                };
                scene.text((left + 8, y + 4), why, SMALL, SOFT, Anchor::Start);
            }
        }
    }
    Some(scene)
}

fn draw(scene: &mut Scene, bar: &Bar, y: i32, colour: Colour, x: &impl Fn(u64) -> i32) {
    let rect = |(from, to): (u64, u64)| Rect(x(from), y - 9, x(to).max(x(from) + 1), y + 9);
    for (phase, (_, share)) in LOOKS.iter().enumerate() {
        let Some(span) = bar.phase(phase) else { continue };
        let rect = rect(span);
        fill(scene, rect, phase, colour);
        let words = words::ms((span.1 - span.0) as f64);
        if font::width(&words, SMALL) + 8 <= rect.2 - rect.0 && phase != CATCH_UP {
            let ink = style::ink_on(style::tint(colour, *share));
            scene.text(((rect.0 + rect.2) / 2, y + 4), &words, SMALL, ink, Anchor::Middle);
        }
    }
    let r2 = x(bar.ends[REPLAY]);
    scene.line(&[(r2, y - 13), (r2, y + 13)], INK, 2);
    let mut end = x(bar.ends[CATCH_UP]);
    if bar.open {
        scene.line(&[(end, y), (end + 10, y)], INK, 1);
        scene.line(&[(end + 6, y - 4), (end + 10, y), (end + 6, y + 4)], INK, 1);
        end += 8;
    }
    scene.text((end + 8, y + 4), &bar.words(), SMALL, INK, Anchor::Start);
}

fn fill(scene: &mut Scene, rect: Rect, phase: usize, colour: Colour) {
    scene.rect(rect, style::tint(colour, LOOKS[phase].1));
    if phase == CATCH_UP {
        scene.hatch(rect, colour);
    }
    scene.outline(rect, colour);
}

/// Only phases that some bar has are explained.
fn legend(scene: &mut Scene, bars: &[Option<Bar>]) -> i32 {
    let shown = |phase: &usize| bars.iter().flatten().any(|bar| bar.phase(*phase).is_some());
    let phases: Vec<usize> = (0..PHASES).filter(shown).collect();
    let swatch = |phase: usize| -> Entry<'_> {
        (Box::new(move |scene, rect| fill(scene, rect, phase, SOFT)), LOOKS[phase].0)
    };
    let mut entries: Vec<Entry<'_>> = phases.into_iter().map(swatch).collect();
    let tick = |scene: &mut Scene, Rect(left, top, right, bottom): Rect| {
        let x = (left + right) / 2;
        scene.line(&[(x, top - 1), (x, bottom + 1)], INK, 2);
    };
    entries.push((Box::new(tick), "R2, the first new output"));
    style::legend(scene, (20, 52), &entries)
}
