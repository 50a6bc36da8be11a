//! The trade-off: recovery time against what protection costs while nothing fails.

use super::Group;
use super::panel::Panel;
use crate::axis::Axis;
use crate::font;
use crate::grid::{clean, wrap};
use crate::record::Status;
use crate::scene::{Anchor, Rect, Scene};
use crate::style::{self, INK, MARKER, SMALL, SOFT, TEXT, WIDTH};
use crate::summary::{Row, Spread};
use crate::words;
use crate::words::distinct;

const HEIGHT: i32 = 540;

/// The time on the vertical axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Measure {
    /// The first new output.
    R2,
    /// Back to normal lag.
    R3,
}

impl Measure {
    fn of(self, row: &Row) -> &Spread {
        match self {
            Measure::R2 => &row.r2,
            Measure::R3 => &row.r3,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Measure::R2 => "recovery time R2 (fault to first new output)",
            Measure::R3 => "recovery time R3 (fault to normal lag)",
        }
    }
}

/// What one row shows: means, and smallest and largest over the runs.
struct Point<'a> {
    row: &'a Row,
    /// Overhead, percent.
    x: [f64; 3],
    /// Time, ms.
    y: [f64; 3],
    /// Some runs are known only to have taken longer.
    open: bool,
    /// All are: the time is the smallest bound.
    hollow: bool,
    series: usize,
    /// The number of its case, if cases are numbered.
    number: Option<usize>,
}

/// The trade-off plot of some rows.
pub(crate) fn tradeoff(group: &Group<'_>, measure: Measure) -> Scene {
    let what = match measure {
        Measure::R2 => "recovery",
        Measure::R3 => "return to normal lag",
    };
    let title = format!("{}: {what} against overhead", group.title);
    let about = format!("{title}: {}, {} rows", measure.title(), group.rows.len());
    let mut scene = Scene::new(WIDTH, HEIGHT, &about);
    style::title(&mut scene, &title);
    let key = Key::new(group);
    let points: Vec<Point<'_>> =
        (0..group.rows.len()).filter_map(|at| point(group, measure, &key, at)).collect();
    let left = WIDTH - key.width() - 16;
    chart(&mut scene, &points, measure, left);
    legend(&mut scene, group, &points, &key, left);
    scene
}

/// What marker and number mean.
struct Key {
    /// Names of the strategies that occur, with their series.
    series: Vec<(usize, String)>,
    /// Names of the numbered cases; none if there is one case only.
    cases: Vec<String>,
}

impl Key {
    fn new(group: &Group<'_>) -> Key {
        let mut series: Vec<usize> = group.series.clone();
        series.sort_unstable();
        series.dedup();
        let series = series.into_iter().map(|at| (at, group.strategies[at].clone())).collect();
        let cases = distinct(group.rows.iter().map(|row| row.case.clone()));
        Key { series, cases: if cases.len() > 1 { cases } else { Vec::new() } }
    }

    /// Width of the legend, pixels.
    fn width(&self) -> i32 {
        let names = self.series.iter().map(|(_, name)| name).chain(&self.cases);
        names.map(|n| font::width(&clean(n), TEXT) + 44).max().unwrap_or(0).clamp(206, 290)
    }
}

fn point<'a>(group: &Group<'a>, measure: Measure, key: &Key, at: usize) -> Option<Point<'a>> {
    let row = group.rows[at];
    let time = measure.of(row);
    let hollow = time.n == 0 && time.beyond > 0;
    let extent = |s: &Spread, scale: f64| -> Option<[f64; 3]> {
        Some([s.min as f64 / scale, s.mean()? / scale, s.max as f64 / scale])
    };
    let bound = time.beyond_bound as f64 / 1e6;
    Some(Point {
        row,
        x: extent(&row.per_hop_ppm, 1e4)?,
        y: if hollow { [bound; 3] } else { extent(time, 1e6)? },
        open: time.beyond > 0,
        hollow,
        series: group.series[at],
        number: key.cases.iter().position(|case| *case == row.case).map(|place| place + 1),
    })
}

fn chart(scene: &mut Scene, points: &[Point<'_>], measure: Measure, right: i32) {
    let in_seconds = points.iter().any(|p| p.y[2] >= 10_000.0);
    let scale = if in_seconds { 1e-3 } else { 1.0 };
    let xs: Vec<f64> = points.iter().flat_map(|p| p.x).collect();
    let ys: Vec<f64> = points.iter().flat_map(|p| p.y).map(|y| y * scale).collect();
    let area = Rect(84, 56, right - 20, HEIGHT - 62);
    let panel = Panel { area, x: Axis::new(&xs), y: Axis::from_zero(&ys) };
    panel.draw(scene, true, true);
    scene.outline(area, SOFT);
    let unit = if in_seconds { "s" } else { "ms" };
    let title = format!("{}, {unit}{}", measure.title(), panel.y.remark());
    scene.turned((26, (area.1 + area.3) / 2), &title, TEXT, INK);
    let title =
        format!("overhead without heartbeats, % of the tuple bytes of one hop{}", panel.x.remark());
    let half = font::width(&title, TEXT) / 2;
    let middle = ((area.0 + area.2) / 2).max(20 + half);
    scene.text((middle, area.3 + 44), &title, TEXT, INK, Anchor::Middle);
    if points.is_empty() {
        let at = ((area.0 + area.2) / 2, (area.1 + area.3) / 2);
        return scene.text(at, "no run has a measured recovery time", 14, SOFT, Anchor::Middle);
    }
    let pixel = |x: f64, y: f64| panel.at(x, y * scale);
    let mut taken = Vec::new();
    for p in points {
        taken.extend(whiskers(scene, p, &pixel));
    }
    for p in points {
        let at = pixel(p.x[1], p.y[1]);
        style::marker(scene, at, p.series, p.hollow);
        let mut reach = MARKER + 1;
        if p.row.verdict() == Status::Broken {
            style::ring(scene, at);
            reach = MARKER + 6;
        }
        taken.push(Rect(at.0 - reach, at.1 - reach, at.0 + reach, at.1 + reach));
    }
    let mut texts: Vec<Rect> = Vec::new();
    for p in points {
        let bound = p.hollow.then(|| format!("> {}", words::ms(p.y[1] * 1e6)));
        let number = p.number.map(|number| number.to_string());
        let text = number.into_iter().chain(bound).collect::<Vec<_>>().join(" ");
        if !text.is_empty() {
            let place = free(pixel(p.x[1], p.y[1]), &text, &taken, area);
            // Among so many that there is no room for it, nobody would find it either.
            if texts.iter().any(|other| other.overlap(place) > 0) {
                continue;
            }
            texts.push(place);
            taken.push(place);
            scene.text((place.0 + 1, place.3 - 3), &text, SMALL, INK, Anchor::Start);
        }
    }
}

/// Draws smallest to largest, and an arrow up if some runs took longer than is known.
fn whiskers(
    scene: &mut Scene,
    p: &Point<'_>,
    pixel: &impl Fn(f64, f64) -> (i32, i32),
) -> Vec<Rect> {
    let colour = style::colour(p.series);
    let mut taken = Vec::new();
    let (low, high) = (pixel(p.x[1], p.y[0]), pixel(p.x[1], p.y[2]));
    if low.1 - high.1 > 1 {
        scene.line(&[low, high], colour, 2);
        for (x, y) in [low, high] {
            scene.line(&[(x - 5, y), (x + 5, y)], colour, 2);
        }
        taken.push(Rect(low.0 - 5, high.1, low.0 + 5, low.1));
    }
    let (left, right) = (pixel(p.x[0], p.y[1]), pixel(p.x[2], p.y[1]));
    if right.0 - left.0 > 1 {
        scene.line(&[left, right], colour, 2);
        for (x, y) in [left, right] {
            scene.line(&[(x, y - 5), (x, y + 5)], colour, 2);
        }
        taken.push(Rect(left.0, left.1 - 5, right.0, left.1 + 5));
    }
    if p.open {
        let (x, y) = high;
        let tip = y - 20;
        scene.line(&[(x, y), (x, tip)], colour, 2);
        scene.line(&[(x - 5, tip + 6), (x, tip), (x + 5, tip + 6)], colour, 2);
        taken.push(Rect(x - 5, tip, x + 5, y));
    }
    taken
}

/// The first free place for a text around a point, or else the least covered one.
fn free(at: (i32, i32), text: &str, taken: &[Rect], inside: Rect) -> Rect {
    let (w, h) = (font::width(text, SMALL) + 2, SMALL as i32 + 2);
    let mut best: Option<(i64, Rect)> = None;
    for gap in [MARKER + 3, MARKER + 12, MARKER + 22] {
        for (dx, dy) in [(1, 0), (-1, 0), (1, -1), (-1, -1), (1, 1), (-1, 1), (0, -1), (0, 1)] {
            let x = at.0 + dx * gap + (dx - 1) * w / 2;
            let y = at.1 + dy * gap + (dy - 1) * h / 2;
            let place = Rect(x, y, x + w, y + h);
            let outside = i64::from(w * h) - place.overlap(inside);
            let cost = taken.iter().map(|t| place.overlap(*t)).sum::<i64>() + outside;
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, place));
            }
        }
    }
    best.expect("there are places").1
}

/// The legend, beside the plot: it covers nothing.
fn legend(scene: &mut Scene, group: &Group<'_>, points: &[Point<'_>], key: &Key, left: i32) {
    const STEP: i32 = 20;
    let (x, room) = (left + 8, key.width() - 36);
    let mut notes = Vec::new();
    if points.iter().any(|p| p.row.runs > 1) {
        notes.push("Marker: mean of the runs. Whisker: smallest to largest.".to_owned());
    }
    if points.iter().any(|p| p.row.verdict() == Status::Broken) {
        notes.push("Ringed: broken.".to_owned());
    }
    if points.iter().any(|p| p.open) {
        notes.push("Arrow: some runs ended before they had recovered.".to_owned());
    }
    if points.iter().any(|p| p.hollow) {
        notes.push("Hollow: no run had, the time is a bound.".to_owned());
    }
    if points.len() < group.rows.len() {
        let missing = (group.rows.len() - points.len()) as u64;
        notes.push(format!("{} without a measured time not shown.", words::plural(missing, "row")));
    }
    let notes: Vec<String> =
        notes.iter().flat_map(|n| wrap(n, (key.width() / 7) as usize)).collect();
    let notes_top = HEIGHT - 24 - notes.len() as i32 * 17;
    let heading = i32::from(!key.cases.is_empty());
    let lines = ((notes_top - 66) / STEP - 2 * heading).max(2) as usize;
    let for_cases = key.cases.len().min(lines.saturating_sub(key.series.len()).max(lines / 2));
    let mut y = 66;
    let numbers: Vec<(usize, String)> =
        key.cases.iter().enumerate().map(|(nth, case)| (nth + 1, case.clone())).collect();
    for (names, lines, numbered) in
        [(&key.series, lines - for_cases, false), (&numbers, for_cases, true)]
    {
        if numbered && !names.is_empty() {
            scene.text((x, y + 12), "Number: the case", SMALL, SOFT, Anchor::Start);
            y += STEP + 8;
        }
        let fit = if names.len() <= lines { names.len() } else { lines.saturating_sub(1) };
        for (number, name) in &names[..fit] {
            match numbered {
                true => scene.text((x + 4, y + 4), &number.to_string(), SMALL, INK, Anchor::Start),
                false => style::marker(scene, (x + 10, y), *number, false),
            }
            let name = font::shorten(&clean(name), TEXT, room);
            scene.text((x + 28, y + 4), &name, TEXT, INK, Anchor::Start);
            y += STEP;
        }
        if fit < names.len() {
            let rest = format!("… and {} more: see the table", names.len() - fit);
            scene.text((x + 28, y + 4), &rest, SMALL, SOFT, Anchor::Start);
            y += STEP;
        }
    }
    for (nth, note) in notes.iter().enumerate() {
        scene.text((x, notes_top + nth as i32 * 17), note, SMALL, SOFT, Anchor::Start);
    }
}
