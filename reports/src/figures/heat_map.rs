//! What came of a failure at each kind of places: rows are kinds of places, columns strategies (of
//! each case, if there are several) and ways to fail. The colour says what was seen at worst,
//! hatching that nothing was claimed about some of the runs, a frame that a claim was broken.

use crate::font;
use crate::scene::{Anchor, Colour, Rect, Scene};
use crate::style::{self, INK, LINE, SMALL, SOFT, TEXT, WIDTH};
use crate::sweep::{ColumnOf, Seen, SweepCell, Tally, columns, rows};

const STEP: i32 = 18;
const TOP: i32 = 104;
/// Room for names of rows, pixels.
const NAMES: i32 = 330;

/// From harmless to bad: light to dark, and told apart without colour vision.
fn colour(seen: Seen) -> Colour {
    match seen {
        Seen::Nothing => (229, 241, 236),
        Seen::Duplicated => (158, 202, 225),
        Seen::Lost => (253, 190, 110),
        Seen::Wrong => (213, 94, 0),
        Seen::Stuck => (70, 20, 40),
    }
}

/// The figure.
pub(crate) fn heat_map(title: &str, cells: &[SweepCell]) -> Scene {
    let (rows, columns) = (rows(cells), columns(cells));
    let bottom = TOP + STEP * rows.len() as i32;
    let about = format!("{title}: what came of a failure at every protocol point");
    let mut scene = Scene::new(WIDTH, bottom + 78, &about);
    style::title(&mut scene, &about);
    let width = (WIDTH - 20 - NAMES) / columns.len().max(1) as i32;
    head(&mut scene, &columns, width);
    for (nth, (name, cells)) in rows.iter().enumerate() {
        let y = TOP + STEP * nth as i32;
        let name = font::shorten(name, SMALL, NAMES - 30);
        scene.text((NAMES - 8, y + 13), &name, SMALL, INK, Anchor::End);
        for (nth, column) in columns.iter().enumerate() {
            let left = NAMES + width * nth as i32;
            let rect = Rect(left + 1, y + 1, left + width - 1, y + STEP - 1);
            match cells.iter().find(|cell| column.has(cell)) {
                Some(cell) => square(&mut scene, rect, &cell.tally),
                None => scene.line(
                    &[(left + width / 2 - 3, y + 9), (left + width / 2 + 3, y + 9)],
                    LINE,
                    1,
                ),
            }
        }
    }
    foot(&mut scene, bottom);
    scene
}

/// Names of strategies over their columns, and of ways to fail under them.
fn head(scene: &mut Scene, columns: &[ColumnOf], width: i32) {
    let mut at = 0;
    for group in columns.chunk_by(|a, b| a.heading == b.heading) {
        let left = NAMES + width * at;
        let right = left + width * group.len() as i32;
        for (nth, line) in lines(&group[0].heading, right - left - 6).iter().rev().enumerate() {
            let at = ((left + right) / 2, TOP - 26 - 14 * nth as i32);
            scene.text(at, line, SMALL, INK, Anchor::Middle);
        }
        scene.line(&[(left + 3, TOP - 21), (right - 3, TOP - 21)], SOFT, 1);
        for (nth, ColumnOf { fault, .. }) in group.iter().enumerate() {
            let middle = left + width * nth as i32 + width / 2;
            // Of `process-crash` and `machine-loss` the last word says it.
            let word = fault.rsplit('-').next().unwrap_or(fault);
            let word = font::shorten(word, SMALL, width - 4);
            scene.text((middle, TOP - 8), &word, SMALL, SOFT, Anchor::Middle);
        }
        at += group.len() as i32;
    }
}

/// A name in one line, or in two that part at its last hyphen.
fn lines(name: &str, room: i32) -> Vec<String> {
    let short = |text: &str| font::shorten(text, SMALL, room);
    match name.rfind('-') {
        Some(at) if font::width(name, SMALL) > room => {
            vec![short(&name[..=at]), short(&name[at + 1..])]
        }
        _ => vec![short(name)],
    }
}

/// One cell: how many of its runs came to its worst.
fn square(scene: &mut Scene, rect: Rect, counts: &Tally) {
    let worst = counts.worst();
    scene.rect(rect, colour(worst));
    if counts.not_covered > 0 {
        scene.hatch(rect, style::ink_on(colour(worst)));
    }
    if counts.broken > 0 {
        scene.outline(rect, INK);
        scene.outline(Rect(rect.0 + 1, rect.1 + 1, rect.2 - 1, rect.3 - 1), INK);
    }
    let count = counts.of(worst).to_string();
    let width = font::width(&count, SMALL);
    if counts.not_covered > 0 || width > rect.2 - rect.0 - 4 {
        return;
    }
    let middle = (rect.0 + rect.2) / 2;
    let ink = style::ink_on(colour(worst));
    scene.text((middle, rect.3 - 4), &count, SMALL, ink, Anchor::Middle);
}

fn foot(scene: &mut Scene, bottom: i32) {
    let seen = |seen: Seen| move |scene: &mut Scene, rect: Rect| scene.rect(rect, colour(seen));
    let mut entries: Vec<style::Entry<'_>> =
        Seen::ALL.iter().map(|s| (Box::new(seen(*s)) as Box<_>, s.name())).collect();
    entries.push((Box::new(|scene, rect| scene.hatch(rect, INK)), "some not covered"));
    entries.push((Box::new(|scene, rect| scene.outline(rect, INK)), "breaks its claim"));
    let last = style::legend(scene, (20, bottom + 28), &entries);
    let note = "Colours: the worst that was seen. Numbers: how many runs came to that.";
    scene.text((20, last + 26), note, TEXT, SOFT, Anchor::Start);
}
