//! The house style of plots: colours, markers and text that are told apart without colour vision.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Okabe and Ito's palette without its yellow, which is too light on white.
const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(213, 94, 0),
    RGBColor(86, 180, 233),
    RGBColor(70, 70, 70),
];

pub(crate) const INK: RGBColor = RGBColor(34, 34, 34);
pub(crate) const SOFT: RGBColor = RGBColor(85, 85, 85);
pub(crate) const LINE: RGBColor = RGBColor(221, 221, 221);

/// Space that a marker takes to every side.
pub(crate) const MARKER: i32 = 7;

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
pub(crate) fn colour(series: usize) -> RGBColor {
    PALETTE[series % PALETTE.len()]
}

/// Draws the marker of a series.
pub(crate) fn marker(area: &Area<'_>, at: (i32, i32), series: usize) -> Result<(), String> {
    let shape = SHAPES[series % SHAPES.len()];
    let fill = colour(series).filled();
    if shape.is_empty() {
        draw(area, &Circle::new(at, MARKER - 1, fill))?;
        return draw(area, &Circle::new(at, MARKER - 1, INK));
    }
    let mut corners: Vec<_> = shape.iter().map(|(x, y)| (at.0 + x, at.1 + y)).collect();
    draw(area, &Polygon::new(corners.clone(), fill))?;
    corners.push(corners[0]);
    draw(area, &PathElement::new(corners, INK))
}

/// Draws the ring around what is broken.
pub(crate) fn ring(area: &Area<'_>, at: (i32, i32)) -> Result<(), String> {
    draw(area, &Circle::new(at, MARKER + 5, INK.stroke_width(2)))
}

/// Draws a line of some width.
pub(crate) fn line(
    area: &Area<'_>,
    points: &[(i32, i32)],
    colour: RGBColor,
    width: u32,
) -> Result<(), String> {
    draw(area, &PathElement::new(points.to_vec(), colour.stroke_width(width)))
}

/// A font of so many pixels: plotters divides by 1.24 what it is given.
pub(crate) fn font(size: u32, colour: RGBColor) -> TextStyle<'static> {
    ("sans-serif", f64::from(size) * 1.24).into_font().color(&colour)
}

/// Draws text that begins at a point and is centred on its height.
pub(crate) fn text(
    area: &Area<'_>,
    at: (i32, i32),
    text: &str,
    size: u32,
    colour: RGBColor,
) -> Result<(), String> {
    let style = font(size, colour).pos(Pos::new(HPos::Left, VPos::Center));
    draw(area, &Text::new(text.to_owned(), at, style))
}

/// The width of a text, estimated: the viewer's font decides.
pub(crate) fn text_width(text: &str, size: u32) -> i32 {
    (text.chars().count() as u32 * size * 6 / 10) as i32
}

/// A text cut to a number of characters, in its middle: long names differ most at their ends.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() <= most {
        return text.to_owned();
    }
    let tail = most / 2;
    let head: String = characters[..most - tail - 1].iter().collect();
    let tail: String = characters[characters.len() - tail..].iter().collect();
    format!("{head}…{tail}")
}

fn draw<'a, 'b, E>(area: &'a Area<'b>, element: &'a E) -> Result<(), String>
where
    &'a E: plotters::element::PointCollection<'a, (i32, i32)>,
    E: plotters::element::Drawable<SVGBackend<'b>>,
{
    area.draw(element).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(shorten("short", 5), "short");
        assert_eq!(shorten("a-long-name-1", 7), "a-l…e-1");
    }

    #[test]
    fn forty_two_series_look_different() {
        let looks: std::collections::BTreeSet<_> =
            (0..42).map(|n| (colour(n).rgb(), n % SHAPES.len())).collect();
        assert_eq!(looks.len(), 42);
    }
}
