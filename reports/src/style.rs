//! The house style of plots: colours and markers that are told apart without colour vision.

use crate::font;
use crate::scene::{Anchor, Colour, Rect, Scene};

/// Okabe and Ito's palette without its yellow, which is too light on white.
const PALETTE: [Colour; 7] = [
    (0, 114, 178),
    (230, 159, 0),
    (0, 158, 115),
    (204, 121, 167),
    (213, 94, 0),
    (86, 180, 233),
    (70, 70, 70),
];

pub(crate) const INK: Colour = (34, 34, 34);
pub(crate) const SOFT: Colour = (85, 85, 85);
pub(crate) const LINE: Colour = (221, 221, 221);
pub(crate) const TWIN: Colour = (150, 150, 150);
/// Of faults whose records have no colour.
const FAULT: Colour = (204, 102, 119);

/// Width of all plots, pixels.
pub(crate) const WIDTH: i32 = 900;
/// Size of most text.
pub(crate) const TEXT: u32 = 12;
/// Size of what explains.
pub(crate) const SMALL: u32 = 11;
/// Space that a marker takes to every side.
pub(crate) const MARKER: i32 = 7;
/// Where names may end that stand left of what they name.
const NAMES_MAX: i32 = 270;

/// Shapes, as corners in sevenths of [`MARKER`]; the first one is a circle and has none. As
/// there are six of them and seven colours, 42 series differ.
const SHAPES: [&[(i32, i32)]; 6] = [
    &[],
    &[(-6, -6), (6, -6), (6, 6), (-6, 6)],
    &[(0, -8), (8, 6), (-8, 6)],
    &[(0, -8), (8, 0), (0, 8), (-8, 0)],
    &[(0, 8), (8, -6), (-8, -6)],
    &[
        (-2, -7),
        (2, -7),
        (2, -2),
        (7, -2),
        (7, 2),
        (2, 2),
        (2, 7),
        (-2, 7),
        (-2, 2),
        (-7, 2),
        (-7, -2),
        (-2, -2),
    ],
];

/// The colour of a series.
pub(crate) fn colour(series: usize) -> Colour {
    PALETTE[series % PALETTE.len()]
}

/// The colour of a fault, from `#rrggbb`. The harness takes them from Tol's scheme `muted`, which
/// is told apart without colour vision and has no colour of [`PALETTE`].
pub(crate) fn fault(text: &str) -> Colour {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
    let digits = digits.filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
    let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let part = |number: u32, shift: u32| (number >> shift & 0xff) as u8;
    number.map_or(FAULT, |all| (part(all, 16), part(all, 8), part(all, 0)))
}

/// A colour with some share of it left, the rest white.
pub(crate) fn tint((r, g, b): Colour, share: f64) -> Colour {
    let mix = |c: u8| (255.0 - (255.0 - f64::from(c)) * share).round() as u8;
    (mix(r), mix(g), mix(b))
}

/// Black or white, whichever is easier to read on a colour.
pub(crate) fn ink_on((r, g, b): Colour) -> Colour {
    let light = 299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b);
    if light > 128_000 { INK } else { (255, 255, 255) }
}

/// Draws the marker of a series; hollow: its value is a bound.
pub(crate) fn marker(scene: &mut Scene, at: (i32, i32), series: usize, hollow: bool) {
    let shape = SHAPES[series % SHAPES.len()];
    let (fill, edge) = match hollow {
        true => ((255, 255, 255), colour(series)),
        false => (colour(series), INK),
    };
    if shape.is_empty() {
        scene.circle(at, MARKER - 1, fill, true);
        return scene.circle(at, MARKER - 1, edge, false);
    }
    let mut corners: Vec<_> = shape.iter().map(|(x, y)| (at.0 + x, at.1 + y)).collect();
    scene.area(&corners, fill);
    corners.push(corners[0]);
    scene.line(&corners, edge, 1);
}

/// Draws the ring around what is broken.
pub(crate) fn ring(scene: &mut Scene, at: (i32, i32)) {
    scene.circle(at, MARKER + 5, INK, false);
    scene.circle(at, MARKER + 4, INK, false);
}

/// The title of a picture.
pub(crate) fn title(scene: &mut Scene, text: &str) {
    let text = font::shorten(text, 15, scene.width - 40);
    scene.text((20, 28), &text, 15, INK, Anchor::Start);
}

/// Where the column of names ends, if these names stand in it with their markers.
pub(crate) fn names_end<'a>(names: impl Iterator<Item = &'a String>) -> i32 {
    let widest = names.map(|name| font::width(name, TEXT)).max().unwrap_or(0);
    (widest + 46).clamp(120, NAMES_MAX)
}

/// Marker and name of a row; `end` is where its plot begins.
pub(crate) fn name(scene: &mut Scene, y: i32, series: usize, name: &str, end: i32) {
    marker(scene, (26, y), series, false);
    let name = font::shorten(name, TEXT, end - 46);
    scene.text((40, y + 4), &name, TEXT, INK, Anchor::Start);
}

/// An entry of a legend: what draws its sign into a rectangle, and words.
pub(crate) type Entry<'a> = (Box<dyn Fn(&mut Scene, Rect) + 'a>, &'a str);

/// A legend from left to right, in as many lines as it takes; returns where it ends.
pub(crate) fn legend(scene: &mut Scene, (left, top): (i32, i32), entries: &[Entry<'_>]) -> i32 {
    let (mut x, mut y) = (left, top);
    for (draw, words) in entries {
        let width = 30 + font::width(words, SMALL);
        if x > left && x + width > scene.width - 20 {
            (x, y) = (left, y + 20);
        }
        draw(scene, Rect(x, y - 10, x + 24, y + 2));
        scene.text((x + 30, y), words, SMALL, SOFT, Anchor::Start);
        x += width + 20;
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forty_two_series_look_different() {
        let looks: std::collections::BTreeSet<_> =
            (0..42).map(|n| (colour(n), n % SHAPES.len())).collect();
        assert_eq!(looks.len(), 42);
    }

    #[test]
    fn colours_of_faults_are_read_and_none_is_that_of_a_series() {
        assert_eq!(fault("#0a10ff"), (10, 16, 255));
        for wrong in ["", "#0a10f", "0a10ff0", "#0a10fg", "#é10ff", "#+a10ff"] {
            assert_eq!(fault(wrong), FAULT, "{wrong}");
        }
        assert!(!PALETTE.contains(&FAULT));
    }

    #[test]
    fn tints_go_to_white() {
        assert_eq!(tint((0, 100, 200), 0.0), (255, 255, 255));
        assert_eq!(tint((0, 100, 200), 1.0), (0, 100, 200));
        assert_eq!(ink_on((255, 255, 0)), INK);
        assert_eq!(ink_on((0, 114, 178)), (255, 255, 255));
    }
}
