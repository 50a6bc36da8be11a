//! A search over one setting: the share of runs in which something was found, and a number, against
//! the value, with the border marked.

use super::Figure;
use super::panel::Panel;
use crate::axis::Axis;
use crate::font;
use crate::scene::{Anchor, Rect, Scene};
use crate::style::{self, Entry, INK, SMALL, SOFT, TEXT, WIDTH};

const HEIGHT: i32 = 200;
const LEFT: i32 = 84;
/// Share of an axis that stays free beyond the outermost values.
const PAD: f64 = 0.04;

/// One case under one strategy.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// Its points, by value.
    pub points: Vec<Point>,
    /// Between which two values what is looked for begins or ends.
    pub border: Option<(f64, f64)>,
}

/// What was seen at one value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// The value.
    pub at: f64,
    /// Share of the runs in which it was found, percent.
    pub found: f64,
    /// Mean of the number, if there is one.
    pub number: Option<f64>,
}

/// What stands on the axes.
#[derive(Clone, PartialEq, Debug)]
pub struct Words {
    /// The title.
    pub title: String,
    /// The setting with its unit.
    pub setting: String,
    /// What is looked for.
    pub found: String,
    /// The number with its unit; empty if there is none.
    pub number: String,
}

/// The figure of a search.
pub fn search(words: &Words, curves: &[Curve]) -> Figure {
    let mut scene = Scene::new(WIDTH, 0, &words.title);
    style::title(&mut scene, &words.title);
    let top = legend(&mut scene, curves) + 40;
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let least = points().map(|point| point.at).fold(f64::INFINITY, f64::min);
    let most = points().map(|point| point.at).fold(f64::NEG_INFINITY, f64::max);
    // Markers at the edges do not cover what stands beside them.
    let pad = PAD * (most - least);
    let x = match least < most {
        true => Axis::over(least - pad, most + pad),
        false => Axis::new(&[0.0, most.max(0.0)]),
    };
    let found = format!("% of the runs: {}", words.found);
    let mut panels = vec![(found, Axis::over(-100.0 * PAD, 100.0 * (1.0 + PAD)), false)];
    if !words.number.is_empty() {
        let largest = points().filter_map(|point| point.number).fold(0.0, f64::max);
        let largest = if largest > 0.0 { largest } else { 1.0 };
        let y = Axis::over(-PAD * largest, (1.0 + PAD) * largest);
        panels.push((words.number.clone(), y, true));
    }
    let last = panels.len() - 1;
    let mut bottom = top;
    for (nth, (title, y, number)) in panels.into_iter().enumerate() {
        let top = top + nth as i32 * (HEIGHT + 50);
        bottom = top + HEIGHT;
        let area = Rect(LEFT, top, WIDTH - 30, bottom);
        let panel = Panel { area, x: x.clone(), y };
        panel.draw(&mut scene, nth == last, true);
        scene.outline(area, SOFT);
        scene.text((LEFT, top - 10), &title, TEXT, INK, Anchor::Start);
        for (series, curve) in curves.iter().enumerate() {
            draw(&mut scene, &panel, curve, series, number);
        }
    }
    let middle = (LEFT + WIDTH - 30) / 2;
    scene.text((middle, bottom + 38), &words.setting, TEXT, INK, Anchor::Middle);
    scene.height = bottom + 54;
    let about = "What is found, against the value";
    Figure { name: "search".to_owned(), about, scene }
}

fn draw(scene: &mut Scene, panel: &Panel, curve: &Curve, series: usize, number: bool) {
    let Rect(_, top, _, bottom) = panel.area;
    let colour = style::colour(series);
    if let Some((from, to)) = curve.border {
        let (from, to) = (panel.at(from, 0.0).0, panel.at(to, 0.0).0);
        scene.rect(Rect(from, top, to.max(from + 1), bottom), style::tint(colour, 0.35));
    }
    let value = |point: &Point| if number { point.number } else { Some(point.found) };
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

fn legend(scene: &mut Scene, curves: &[Curve]) -> i32 {
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
    use super::*;

    fn words(number: &str) -> Words {
        let text = |text: &str| text.to_owned();
        Words {
            title: text("count: fault.0.for from 10 ms to 90 ms"),
            setting: text("fault.0.for, ms"),
            found: text("recovery.r2 > 50ms"),
            number: text(number),
        }
    }

    #[test]
    fn curves_with_and_without_borders_are_legible() {
        let point = |at: f64| Point { at, found: at, number: Some(at * 3.0) };
        let curve = |name: &str, border| {
            let points = [10.0, 50.0, 51.0, 52.0, 90.0].map(point).to_vec();
            Curve { name: name.to_owned(), points, border }
        };
        let long = "a case with a very long name that says everything / passive-standby";
        let curves = [curve(long, Some((51.0, 52.0))), curve("b / amnesia", None)];
        for number in ["", "mean recovery.r2, ms"] {
            search(&words(number), &curves).scene.assert_legible();
            search(&words(number), &curves[1..]).scene.assert_legible();
        }
        let single = Curve { points: vec![point(3.0)], ..curve("one", None) };
        search(&words(""), &[single]).scene.assert_legible();
    }
}
