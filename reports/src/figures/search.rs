//! A search over one setting: the share of runs in which something was found, and a number, against
//! the value, with the border marked.

use super::panel::Panel;
use crate::axis::Axis;
use crate::font;
use crate::scene::{Anchor, Rect, Scene};
use crate::search::{Curve, Point, Search, Unit, Value};
use crate::style::{self, Entry, INK, SMALL, SOFT, TEXT, WIDTH};

const HEIGHT: i32 = 200;
const LEFT: i32 = 84;
/// Share of an axis that stays free beyond the outermost values.
const PAD: f64 = 0.04;

/// One curve.
struct Drawn {
    /// Its name.
    name: String,
    /// Its points, by value.
    points: Vec<DrawnPoint>,
    /// Between which two values what is looked for begins or ends.
    border: Option<(f64, f64)>,
}

/// What is drawn at one value.
struct DrawnPoint {
    /// The value.
    at: f64,
    /// Share of the runs in which it was found, percent.
    found: f64,
    /// Mean of the quantity, if there is one.
    mean: Option<f64>,
}

/// The figure.
pub(crate) fn search(search: &Search) -> Scene {
    let title = search.title();
    let curves: Vec<Drawn> = curves(search);
    let mut scene = Scene::new(WIDTH, 0, &title);
    style::title(&mut scene, &title);
    let top = legend(&mut scene, &curves) + 40;
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let least = points().map(|point| point.at).fold(f64::INFINITY, f64::min);
    let most = points().map(|point| point.at).fold(f64::NEG_INFINITY, f64::max);
    // Markers at the edges do not cover what stands beside them.
    let pad = PAD * (most - least);
    let x = match least < most {
        true => Axis::over(least - pad, most + pad),
        false => Axis::new(&[0.0, most.max(0.0)]),
    };
    let found = format!("% of the runs: {}", search.until);
    let mut panels = vec![(found, Axis::over(-100.0 * PAD, 100.0 * (1.0 + PAD)), false)];
    if let Some(title) = search.mean_title() {
        let largest = points().filter_map(|point| point.mean).fold(0.0, f64::max);
        let largest = if largest > 0.0 { largest } else { 1.0 };
        panels.push((title, Axis::over(-PAD * largest, (1.0 + PAD) * largest), true));
    }
    let last = panels.len() - 1;
    let mut bottom = top;
    for (nth, (title, y, mean)) in panels.into_iter().enumerate() {
        let top = top + nth as i32 * (HEIGHT + 50);
        bottom = top + HEIGHT;
        let area = Rect(LEFT, top, WIDTH - 30, bottom);
        let panel = Panel { area, x: x.clone(), y };
        panel.draw(&mut scene, nth == last, true);
        scene.outline(area, SOFT);
        scene.text((LEFT, top - 10), &title, TEXT, INK, Anchor::Start);
        for (series, curve) in curves.iter().enumerate() {
            draw(&mut scene, &panel, curve, series, mean);
        }
    }
    let middle = (LEFT + WIDTH - 30) / 2;
    let setting = search.unit.beside(&search.parameter);
    scene.text((middle, bottom + 38), &setting, TEXT, INK, Anchor::Middle);
    scene.height = bottom + 54;
    scene
}

/// The curves in the units that are shown.
fn curves(search: &Search) -> Vec<Drawn> {
    let several = search.curves.iter().any(|curve| curve.case != search.curves[0].case);
    let at = |value: &Value| search.unit.shown(value.units as f64);
    let unit = search.quantity.as_ref().map_or(Unit::One, |(_, unit)| *unit);
    let point = |point: &Point| DrawnPoint {
        at: at(&point.value),
        found: 100.0 * point.found as f64 / point.runs.max(1) as f64,
        mean: point.mean.map(|mean| unit.shown(mean)),
    };
    let curve = |curve: &Curve| Drawn {
        name: match several {
            true => format!("{} / {}", curve.case, curve.strategy),
            false => curve.strategy.clone(),
        },
        points: curve.points.iter().map(point).collect(),
        border: curve.border.as_ref().map(|(before, after)| (at(before), at(after))),
    };
    search.curves.iter().map(curve).collect()
}

fn draw(scene: &mut Scene, panel: &Panel, curve: &Drawn, series: usize, mean: bool) {
    let Rect(_, top, _, bottom) = panel.area;
    let colour = style::colour(series);
    if let Some((from, to)) = curve.border {
        let (from, to) = (panel.at(from, 0.0).0, panel.at(to, 0.0).0);
        scene.rect(Rect(from, top, to.max(from + 1), bottom), style::tint(colour, 0.35));
    }
    let value = |point: &DrawnPoint| if mean { point.mean } else { Some(point.found) };
    let pixels = curve.points.iter().filter_map(|p| Some(panel.at(p.at, value(p)?)));
    let pixels: Vec<(i32, i32)> = pixels.collect();
    if pixels.len() > 1 {
        scene.line(&pixels, colour, 2);
    }
    let mut free = i32::MIN;
    for at in pixels {
        // Halving leaves points close together: where there is no room, the line says enough.
        if at.0 >= free {
            style::marker(scene, at, series, false);
            free = at.0 + 2 * style::MARKER;
        }
    }
}

fn legend(scene: &mut Scene, curves: &[Drawn]) -> i32 {
    let names: Vec<String> =
        curves.iter().map(|curve| font::shorten(&curve.name, SMALL, WIDTH - 100)).collect();
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for (series, name) in names.iter().enumerate() {
        let sign = move |scene: &mut Scene, Rect(left, top, right, bottom): Rect| {
            style::marker(scene, ((left + right) / 2, (top + bottom) / 2), series, false);
        };
        entries.push((Box::new(sign), name));
    }
    if curves.iter().any(|curve| curve.border.is_some()) {
        let sign = |scene: &mut Scene, Rect(left, top, right, bottom): Rect| {
            let middle = (left + right) / 2;
            scene.rect(Rect(middle - 2, top, middle + 2, bottom), style::tint(INK, 0.35));
        };
        entries.push((Box::new(sign), "the border"));
    }
    style::legend(scene, (20, 52), &entries)
}

#[cfg(test)]
mod tests {
    use super::search;
    use crate::search::{Search, tests::sample};

    #[test]
    fn curves_with_and_without_borders_are_legible() {
        for quantity in [None, sample().quantity] {
            let both = Search { quantity, ..sample() };
            search(&both).assert_legible();
            search(&Search { curves: both.curves[1..].to_vec(), ..both.clone() }).assert_legible();
            let mut single = both;
            single.curves.truncate(1);
            single.curves[0].points.truncate(1);
            single.curves[0].border = None;
            search(&single).assert_legible();
        }
    }
}
