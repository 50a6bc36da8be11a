//! The frame of a plot: axes at right angles, with lines and labels at their ticks.

use crate::axis::{Axis, plain};
use crate::font;
use crate::scene::{Anchor, Rect, Scene};
use crate::style::{LINE, SMALL, SOFT};

/// A rectangle with two axes.
pub(crate) struct Panel {
    pub area: Rect,
    pub x: Axis,
    pub y: Axis,
}

impl Panel {
    /// The pixel of a pair of values.
    pub fn at(&self, x: f64, y: f64) -> (i32, i32) {
        let Rect(left, top, right, bottom) = self.area;
        (self.x.pixel(x, left, right), self.y.pixel(y, bottom, top))
    }

    /// Draws lines at the ticks of both axes, with labels below and, if wanted, on the left.
    pub fn draw(&self, scene: &mut Scene, labels: bool, y_labels: bool) {
        let Rect(left, ..) = self.area;
        columns(scene, self.area, &self.x, labels);
        let mut free = i32::MAX;
        for tick in &self.y.ticks {
            let y = self.at(0.0, *tick).1;
            scene.line(&[(left, y), (self.area.2, y)], LINE, 1);
            if y_labels && y + 14 <= free {
                scene.text((left - 6, y + 4), &plain(*tick), SMALL, SOFT, Anchor::End);
                free = y;
            }
        }
    }
}

/// Draws lines at the ticks of a horizontal axis, with labels below if wanted: as many as there is
/// room for.
pub(crate) fn columns(scene: &mut Scene, area: Rect, axis: &Axis, labels: bool) {
    let Rect(left, top, right, bottom) = area;
    let mut free = i32::MIN;
    for tick in &axis.ticks {
        let x = axis.pixel(*tick, left, right);
        scene.line(&[(x, top), (x, bottom)], LINE, 1);
        let half = font::width(&plain(*tick), SMALL) / 2;
        if labels && x - half >= free {
            scene.text((x, bottom + 16), &plain(*tick), SMALL, SOFT, Anchor::Middle);
            free = x + half + 8;
        }
    }
}
