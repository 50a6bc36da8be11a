//! What became of outputs: lost, duplicated and wrong ones as a share of the expected ones.

use super::Group;
use super::panel::columns;
use crate::axis::Axis;
use crate::font;
use crate::scene::{Anchor, Rect, Scene};
use crate::style::{self, INK, SMALL, SOFT, TEXT, WIDTH};
use crate::summary::{Row, Spread};
use crate::words;

const STEP: i32 = 30;

/// The three columns.
const KINDS: [&str; 3] = ["lost", "duplicated", "wrong"];

fn counts(row: &Row) -> [&Spread; 3] {
    [&row.lost, &row.duplicates, &row.wrong]
}

fn bounds((least, most): (f64, f64), value: f64) -> (f64, f64) {
    (least.min(value), most.max(value))
}

/// The figure, unless nothing was expected at all.
pub(crate) fn outputs(group: &Group<'_>) -> Option<Scene> {
    let expected = |row: &Row| row.expected.mean().filter(|mean| *mean > 0.0);
    let percent = |row: &Row, value: f64| Some(100.0 * value / expected(row)?);
    let all: Vec<f64> = group
        .rows
        .iter()
        .flat_map(|row| {
            let of = |s: &Spread| [s.min as f64, s.mean().unwrap_or(0.0), s.max as f64];
            counts(row).into_iter().flat_map(of).filter_map(|value| percent(row, value))
        })
        .collect();
    if all.is_empty() {
        return None;
    }
    let axis = Axis::from_zero(&all);
    let left = style::names_end(group.labels.iter());
    let (top, rows) = (70, group.rows.len() as i32);
    let bottom = top + STEP * rows;
    let about = format!("{}: outputs lost, duplicated and wrong", group.title);
    let mut scene = Scene::new(WIDTH, bottom + 74, &about);
    style::title(&mut scene, &about);
    let label = |row: &Row, s: &Spread| {
        words::mean_count(s) + if row.runs > 1 && s.total > 0 { " a run" } else { "" }
    };
    let labels = group.rows.iter().flat_map(|row| counts(row).map(|s| label(row, s)));
    let room = labels.map(|text| font::width(&text, SMALL)).max().unwrap_or(0) + 14;
    let width = (WIDTH - 20 - left) / 3;
    for (kind, name) in KINDS.iter().enumerate() {
        let start = left + width * kind as i32;
        let area = Rect(start, top, start + width - room, bottom);
        scene.text((start, top - 12), name, TEXT, INK, Anchor::Start);
        columns(&mut scene, area, &axis, true);
        for (nth, row) in group.rows.iter().enumerate() {
            let y = top + STEP * nth as i32 + STEP / 2;
            let counted = counts(row)[kind];
            let x = |value: u64| {
                percent(row, value as f64).map(|share| axis.pixel(share, area.0, area.2))
            };
            let zero = axis.pixel(0.0, area.0, area.2).max(area.0);
            let mean = counted.mean().and_then(|mean| percent(row, mean)).unwrap_or(0.0);
            let end = axis.pixel(mean, area.0, area.2).max(zero);
            let mut free = zero;
            if counted.total > 0 {
                // However little it is, it is not nothing.
                let bar = Rect(zero, y - 8, end.max(zero + 2), y + 8);
                scene.rect(bar, style::colour(group.series[nth]));
                free = bar.2;
                if let (Some(least), Some(most)) = (x(counted.min), x(counted.max))
                    && most - least > 2
                {
                    let least = least.max(zero);
                    scene.line(&[(least, y), (most, y)], INK, 1);
                    scene.line(&[(least, y - 4), (least, y + 4)], INK, 1);
                    scene.line(&[(most, y - 4), (most, y + 4)], INK, 1);
                    free = free.max(most);
                }
            }
            let ink = if counted.total > 0 { INK } else { SOFT };
            scene.text((free + 6, y + 4), &label(row, counted), SMALL, ink, Anchor::Start);
        }
        let zero = axis.pixel(0.0, area.0, area.2).max(area.0);
        scene.line(&[(zero, top), (zero, bottom)], SOFT, 1);
    }
    for (nth, name) in group.labels.iter().enumerate() {
        let y = top + STEP * nth as i32 + STEP / 2;
        style::name(&mut scene, y, group.series[nth], name, left);
    }
    let several = group.rows.iter().any(|row| row.runs > 1);
    let all_expect =
        group.rows.iter().filter_map(|row| expected(row)).fold((f64::MAX, 0.0), bounds);
    let number = if all_expect.0 == all_expect.1 {
        format!(" ({} a run)", all_expect.0.round())
    } else {
        String::new()
    };
    let title = format!("% of the expected outputs{number}{}", axis.remark());
    let middle = (left + WIDTH) / 2;
    scene.text((middle, bottom + 38), &title, TEXT, INK, Anchor::Middle);
    if several {
        let note = "Bars: means over the runs. Thin lines: from the smallest to the largest.";
        scene.text((20, bottom + 62), note, SMALL, SOFT, Anchor::Start);
    }
    Some(scene)
}
