//! A picture as a list of shapes on whole pixels, before it is SVG or PNG. Both are painted from
//! the same list, and tests ask the list whether anything is cut off or covered.

use crate::font;
use crate::grid::clean;

/// Red, green, blue.
pub(crate) type Colour = (u8, u8, u8);

/// Which point of a text its position means, on its base line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// What can be painted.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Shape {
    Line { points: Vec<(i32, i32)>, colour: Colour, width: u32 },
    Area { corners: Vec<(i32, i32)>, colour: Colour },
    Circle { centre: (i32, i32), radius: i32, colour: Colour, filled: bool },
    Text { at: (i32, i32), text: String, size: u32, colour: Colour, anchor: Anchor, turned: bool },
}

/// Left, top, right, bottom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rect(pub i32, pub i32, pub i32, pub i32);

impl Rect {
    /// Pixels that two share.
    pub fn overlap(self, other: Rect) -> i64 {
        let width = self.2.min(other.2) - self.0.max(other.0);
        let height = self.3.min(other.3) - self.1.max(other.1);
        i64::from(width.max(0)) * i64::from(height.max(0))
    }

    fn corners(self) -> [(i32, i32); 4] {
        [(self.0, self.1), (self.2, self.1), (self.2, self.3), (self.0, self.3)]
    }
}

/// A picture.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Scene {
    pub width: i32,
    pub height: i32,
    /// What it shows, for those who cannot see it.
    pub about: String,
    pub shapes: Vec<Shape>,
}

impl Scene {
    pub fn new(width: i32, height: i32, about: &str) -> Scene {
        Scene { width, height, about: clean(about), shapes: Vec::new() }
    }

    pub fn line(&mut self, points: &[(i32, i32)], colour: Colour, width: u32) {
        self.shapes.push(Shape::Line { points: points.to_vec(), colour, width });
    }

    pub fn area(&mut self, corners: &[(i32, i32)], colour: Colour) {
        self.shapes.push(Shape::Area { corners: corners.to_vec(), colour });
    }

    pub fn rect(&mut self, rect: Rect, colour: Colour) {
        self.area(&rect.corners(), colour);
    }

    pub fn outline(&mut self, rect: Rect, colour: Colour) {
        let [a, b, c, d] = rect.corners();
        self.line(&[a, b, c, d, a], colour, 1);
    }

    /// Fills a rectangle with slanting lines.
    pub fn hatch(&mut self, rect: Rect, colour: Colour) {
        let Rect(left, top, right, bottom) = rect;
        let height = bottom - top;
        for start in (left - height..right).step_by(6).map(|x| x - (left - height) % 6) {
            // From (start, bottom) up to the right, cut to the rectangle.
            let (from, to) = (start.max(left), (start + height).min(right));
            if from < to {
                let y = |x: i32| bottom - (x - start);
                self.line(&[(from, y(from)), (to, y(to))], colour, 1);
            }
        }
    }

    pub fn circle(&mut self, centre: (i32, i32), radius: i32, colour: Colour, filled: bool) {
        self.shapes.push(Shape::Circle { centre, radius, colour, filled });
    }

    pub fn text(&mut self, at: (i32, i32), text: &str, size: u32, colour: Colour, anchor: Anchor) {
        let turned = false;
        self.shapes.push(Shape::Text { at, text: clean(text), size, colour, anchor, turned });
    }

    /// Text that reads upwards.
    pub fn turned(&mut self, at: (i32, i32), text: &str, size: u32, colour: Colour) {
        let (anchor, turned) = (Anchor::Middle, true);
        self.shapes.push(Shape::Text { at, text: clean(text), size, colour, anchor, turned });
    }
}

impl Shape {
    /// What a text covers.
    pub fn text_box(&self) -> Option<Rect> {
        let Shape::Text { at, text, size, anchor, turned, .. } = self else { return None };
        let width = font::width(text, *size);
        let before = match anchor {
            Anchor::Start => 0,
            Anchor::Middle => width / 2,
            Anchor::End => width,
        };
        let (up, down) = (*size as i32 * 3 / 4, *size as i32 / 5);
        Some(if *turned {
            Rect(at.0 - up, at.1 + before - width, at.0 + down, at.1 + before)
        } else {
            Rect(at.0 - before, at.1 - up, at.0 - before + width, at.1 + down)
        })
    }
}

#[cfg(test)]
impl Scene {
    /// Asserts that all is inside the picture and no text covers another.
    #[track_caller]
    pub fn assert_legible(&self) {
        let inside = |(x, y): (i32, i32)| x >= 0 && y >= 0 && x <= self.width && y <= self.height;
        let mut texts: Vec<(Rect, &str)> = Vec::new();
        for shape in &self.shapes {
            let points = match shape {
                Shape::Line { points, .. } | Shape::Area { corners: points, .. } => points.clone(),
                Shape::Circle { centre: (x, y), radius: r, .. } => {
                    vec![(x - r, y - r), (x + r, y + r)]
                }
                Shape::Text { text, .. } => {
                    let rect = shape.text_box().expect("it is a text");
                    for (other, words) in &texts {
                        assert!(rect.overlap(*other) == 0, "`{text}` covers `{words}`: {rect:?}");
                    }
                    texts.push((rect, text));
                    rect.corners().to_vec()
                }
            };
            assert!(points.iter().all(|p| inside(*p)), "cut off: {shape:?} of {}", self.about);
        }
    }
}
