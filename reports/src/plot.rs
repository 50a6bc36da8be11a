//! The trade-off: recovery time against what protection costs while nothing fails.

use crate::axis::Axis;
use crate::grid::{clean, wrap};
use crate::record::Status;
use crate::style::{self, Area, INK, LINE, MARKER, SOFT};
use crate::summary::{Row, Spread};
use plotters::prelude::*;

/// Width and height of a plot, pixels.
pub const SIZE: (u32, u32) = (900, 560);

/// The time on the vertical axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
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
    series: usize,
    /// The number of its case, if cases are numbered.
    number: Option<usize>,
}

/// The trade-off plot of some rows, which are of one scenario, as SVG.
///
/// # Errors
///
/// When plotters cannot draw it.
pub fn tradeoff(rows: &[Row], measure: Measure) -> Result<String, String> {
    let key = Key::new(rows);
    let points: Vec<Point<'_>> =
        rows.iter().enumerate().filter_map(|(at, row)| point(row, measure, &key, at)).collect();
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE).map_err(|e| e.to_string())?;
        let (left, right) = root.split_horizontally(SIZE.0 as i32 - key.width() - 16);
        chart(&left, &points, measure)?;
        legend(&right, rows, &points, &key)?;
        let scenario = rows.first().map_or("no rows", |r| &r.scenario);
        let title = style::shorten(&clean(&format!("{scenario}: recovery against overhead")), 80);
        style::text(&root, (24, 24), &title, 17, INK)?;
        root.present().map_err(|e| e.to_string())?;
    }
    Ok(described(&svg, rows, measure))
}

/// Says what the picture shows to those who cannot see it.
fn described(svg: &str, rows: &[Row], measure: Measure) -> String {
    let scenario = rows.first().map_or("", |r| &r.scenario);
    let text = format!("{scenario}: {} against overhead, {} rows", measure.title(), rows.len());
    let text: String = clean(&text)
        .chars()
        .map(|c| match c {
            '&' => "&amp;".to_owned(),
            '<' => "&lt;".to_owned(),
            '"' => "&quot;".to_owned(),
            c => c.to_string(),
        })
        .collect();
    svg.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{text}\" "), 1)
}

/// What marker and number mean.
struct Key {
    /// Names of the series: strategies, or cases if there is one strategy only.
    series: Vec<String>,
    /// Names of the numbered cases.
    cases: Vec<String>,
    /// Series and number of each row.
    of_row: Vec<(usize, Option<usize>)>,
}

impl Key {
    fn new(rows: &[Row]) -> Key {
        let strategies = distinct(rows.iter().map(Row::label));
        let cases = distinct(rows.iter().map(|r| r.case.clone()));
        let place = |list: &[String], name: &str| list.iter().position(|l| l == name).unwrap_or(0);
        if strategies.len() == 1 && cases.len() > 1 {
            let of_row = rows.iter().map(|r| (place(&cases, &r.case), None)).collect();
            return Key { series: cases, cases: Vec::new(), of_row };
        }
        let numbered = cases.len() > 1;
        let of_row = rows
            .iter()
            .map(|r| (place(&strategies, &r.label()), numbered.then(|| place(&cases, &r.case) + 1)))
            .collect();
        Key { series: strategies, cases: if numbered { cases } else { Vec::new() }, of_row }
    }

    /// Width of the legend, pixels.
    fn width(&self) -> i32 {
        let names = self.series.iter().chain(&self.cases);
        names.map(|n| style::text_width(n, 13) + 44).max().unwrap_or(0).clamp(206, 290)
    }
}

fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut list = Vec::new();
    for name in names {
        if !list.contains(&name) {
            list.push(name);
        }
    }
    list
}

fn point<'a>(row: &'a Row, measure: Measure, key: &Key, at: usize) -> Option<Point<'a>> {
    let extent = |s: &Spread, scale: f64| -> Option<[f64; 3]> {
        Some([s.min as f64 / scale, s.mean()? / scale, s.max as f64 / scale])
    };
    let time = measure.of(row);
    let (series, number) = key.of_row[at];
    Some(Point {
        row,
        x: extent(&row.per_hop_ppm, 1e4)?,
        y: extent(time, 1e6)?,
        open: time.beyond > 0,
        series,
        number,
    })
}

fn chart(area: &Area<'_>, points: &[Point<'_>], measure: Measure) -> Result<(), String> {
    let in_seconds = points.iter().any(|p| p.y[2] >= 10_000.0);
    let scale = if in_seconds { 1e-3 } else { 1.0 };
    let xs: Vec<f64> = points.iter().flat_map(|p| p.x).collect();
    let ys: Vec<f64> = points.iter().flat_map(|p| p.y).map(|y| y * scale).collect();
    let (x_axis, mut y_axis) = (Axis::new(&xs), Axis::new(&ys));
    if !y_axis.logarithmic() {
        y_axis.range.0 = 0.0;
    }
    let unit = if in_seconds { "s" } else { "ms" };
    let y_title = format!("{}, {unit}{}", measure.title(), y_axis.remark());
    let x_title =
        format!("overhead without heartbeats, % of the tuple bytes of one hop{}", x_axis.remark());
    let error = |e: DrawingAreaErrorKind<_>| e.to_string();
    let mut chart = ChartBuilder::on(area)
        .margin_top(48)
        .margin_right(20)
        .margin_left(12)
        .margin_bottom(12)
        .x_label_area_size(56)
        .y_label_area_size(72)
        .build_cartesian_2d(x_axis.clone(), y_axis.clone())
        .map_err(error)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(LINE)
        .axis_style(SOFT)
        .max_light_lines(0)
        .label_style(style::font(13, INK))
        .axis_desc_style(style::font(14, INK))
        .x_desc(x_title)
        .y_desc(y_title)
        .draw()
        .map_err(error)?;
    let pixel =
        |x: f64, y: f64| chart.backend_coord(&(x_axis.position(x), y_axis.position(y * scale)));
    if points.is_empty() {
        let (x, y) = chart.plotting_area().get_pixel_range();
        let text = "no run has a measured recovery time";
        let at = ((x.start + x.end - style::text_width(text, 15)) / 2, (y.start + y.end) / 2);
        return style::text(area, at, text, 15, SOFT);
    }
    let (xs, ys) = chart.plotting_area().get_pixel_range();
    let mut taken = Vec::new();
    for p in points {
        taken.extend(whiskers(area, p, &pixel)?);
    }
    for p in points {
        let at = pixel(p.x[1], p.y[1]);
        style::marker(area, at, p.series)?;
        let mut reach = MARKER + 1;
        if p.row.verdict() == Status::Broken {
            style::ring(area, at)?;
            reach = MARKER + 6;
        }
        taken.push(Box4(at.0 - reach, at.1 - reach, at.0 + reach, at.1 + reach));
    }
    for p in points {
        if let Some(number) = p.number {
            let text = number.to_string();
            let at = free(
                pixel(p.x[1], p.y[1]),
                &text,
                &taken,
                Box4(xs.start, ys.start, xs.end, ys.end),
            );
            taken.push(at);
            style::text(area, (at.0, (at.1 + at.3) / 2), &text, NUMBER, INK)?;
        }
    }
    Ok(())
}

/// Draws smallest to largest, and an arrow up if some runs took longer than is known.
fn whiskers(
    area: &Area<'_>,
    p: &Point<'_>,
    pixel: &impl Fn(f64, f64) -> (i32, i32),
) -> Result<Vec<Box4>, String> {
    let colour = style::colour(p.series);
    let mut taken = Vec::new();
    let (low, high) = (pixel(p.x[1], p.y[0]), pixel(p.x[1], p.y[2]));
    if low.1 - high.1 > 1 {
        style::line(area, &[low, high], colour, 2)?;
        for (x, y) in [low, high] {
            style::line(area, &[(x - 5, y), (x + 5, y)], colour, 2)?;
        }
        taken.push(Box4(low.0 - 5, high.1, low.0 + 5, low.1));
    }
    let (left, right) = (pixel(p.x[0], p.y[1]), pixel(p.x[2], p.y[1]));
    if right.0 - left.0 > 1 {
        style::line(area, &[left, right], colour, 2)?;
        for (x, y) in [left, right] {
            style::line(area, &[(x, y - 5), (x, y + 5)], colour, 2)?;
        }
        taken.push(Box4(left.0, left.1 - 5, right.0, left.1 + 5));
    }
    if p.open {
        let (x, y) = high;
        let tip = y - 20;
        style::line(area, &[(x, y), (x, tip)], colour, 2)?;
        style::line(area, &[(x - 5, tip + 6), (x, tip), (x + 5, tip + 6)], colour, 2)?;
        taken.push(Box4(x - 5, tip, x + 5, y));
    }
    Ok(taken)
}

/// Size of the numbers beside markers.
const NUMBER: u32 = 12;

/// Left, top, right, bottom.
#[derive(Clone, Copy)]
struct Box4(i32, i32, i32, i32);

impl Box4 {
    /// Pixels that two share.
    fn overlap(self, other: Box4) -> i64 {
        let width = self.2.min(other.2) - self.0.max(other.0);
        let height = self.3.min(other.3) - self.1.max(other.1);
        i64::from(width.max(0)) * i64::from(height.max(0))
    }
}

/// The first free place for a text around a point, or else the least covered one.
fn free(at: (i32, i32), text: &str, taken: &[Box4], inside: Box4) -> Box4 {
    let (w, h) = (style::text_width(text, NUMBER) + 2, NUMBER as i32 + 2);
    let mut best: Option<(i64, Box4)> = None;
    for gap in [MARKER + 3, MARKER + 12, MARKER + 22] {
        for (dx, dy) in [(1, 0), (-1, 0), (1, -1), (-1, -1), (1, 1), (-1, 1), (0, -1), (0, 1)] {
            let x = at.0 + dx * gap + (dx - 1) * w / 2;
            let y = at.1 + dy * gap + (dy - 1) * h / 2;
            let place = Box4(x, y, x + w, y + h);
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
fn legend(area: &Area<'_>, rows: &[Row], points: &[Point<'_>], key: &Key) -> Result<(), String> {
    const STEP: i32 = 20;
    let (x, width) = (8, key.width());
    let characters = ((width - 36) / 8).max(8) as usize;
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
    if points.len() < rows.len() {
        let missing = (rows.len() - points.len()) as u64;
        notes.push(format!(
            "{} without a measured time not shown.",
            crate::words::plural(missing, "row")
        ));
    }
    let notes: Vec<String> = notes.iter().flat_map(|n| wrap(n, (width / 7) as usize)).collect();
    let notes_top = SIZE.1 as i32 - 24 - notes.len() as i32 * 17;
    let heading = i32::from(!key.cases.is_empty());
    let room = ((notes_top - 62) / STEP - 2 * heading).max(2) as usize;
    let (series, cases) = (&key.series, &key.cases);
    let for_cases = cases.len().min(room.saturating_sub(series.len()).max(room / 2));
    let mut y = 62;
    let list = |names: &[String], room: usize, numbered: bool, y: &mut i32| {
        let fit = if names.len() <= room { names.len() } else { room.saturating_sub(1) };
        for (nth, name) in names.iter().take(fit).enumerate() {
            if numbered {
                style::text(area, (x + 4, *y), &(nth + 1).to_string(), NUMBER, INK)?;
            } else {
                style::marker(area, (x + 10, *y), nth)?;
            }
            let name = style::shorten(&clean(name), characters);
            style::text(area, (x + 28, *y), &name, 13, INK)?;
            *y += STEP;
        }
        if fit < names.len() {
            let rest = format!("… and {} more: see the table", names.len() - fit);
            style::text(area, (x + 28, *y), &rest, 12, SOFT)?;
            *y += STEP;
        }
        Ok::<(), String>(())
    };
    list(series, room - for_cases, false, &mut y)?;
    if !cases.is_empty() {
        y += 8;
        style::text(area, (x, y), "Number: the case", 12, SOFT)?;
        y += STEP;
        list(cases, for_cases, true, &mut y)?;
    }
    for (nth, note) in notes.iter().enumerate() {
        style::text(area, (x, notes_top + nth as i32 * 17), note, 12, SOFT)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::summary::rows;

    #[test]
    fn the_same_rows_give_the_same_picture() {
        let rows = rows(&sample::three_strategies(), &[]);
        let svg = tradeoff(&rows, Measure::R2).unwrap();
        assert_eq!(svg, tradeoff(&rows, Measure::R2).unwrap());
        for text in ["amnesia", "passive-standby", "upstream-backup", "Ringed: broken."] {
            assert_eq!(svg.matches(text).count(), 1, "{text}");
        }
        assert!(svg.starts_with("<svg role=\"img\" aria-label=\"crash-count: recovery"), "{svg}");
        let r3 = tradeoff(&rows, Measure::R3).unwrap();
        assert_ne!(svg, r3);
        assert!(r3.contains("Arrow: some runs"));
    }

    #[test]
    fn names_cannot_break_the_picture() {
        let mut records = sample::twelve_cases();
        records.iter_mut().for_each(|r| r.scenario = "<a & \"b\">".to_owned());
        let svg = tradeoff(&rows(&records, &[]), Measure::R2).unwrap();
        assert!(svg.contains("aria-label=\"&lt;a &amp; &quot;b&quot;>"), "{svg}");
        assert!(!svg.contains("<a &"), "{svg}");
        assert!(svg.contains("1 row without"), "{svg}");
    }

    #[test]
    fn no_rows_make_an_empty_plot() {
        assert!(tradeoff(&[], Measure::R2).unwrap().contains("no run has a measured"));
    }
}
