//! The embedded font: how wide a text is, and its glyphs as pixels. No font of the system is read,
//! so a picture has the same bytes on every computer.

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use std::sync::LazyLock;

static FONT: LazyLock<FontRef<'static>> = LazyLock::new(|| {
    let bytes = include_bytes!("../fonts/DejaVuSans-subset.ttf");
    FontRef::try_from_slice(bytes).expect("the embedded font is a font")
});

/// What an SVG asks its viewer for. Verdana is as wide as DejaVu Sans, the others are narrower:
/// what fits in the embedded font fits in all of them.
pub(crate) const FAMILY: &str = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif";

/// `size` is that of the em square; this library counts from ascender to descender.
fn scaled(size: f32) -> PxScale {
    let em = FONT.units_per_em().unwrap_or(2048.0);
    PxScale::from(size * FONT.height_unscaled() / em)
}

/// The width of a text, pixels.
pub(crate) fn width(text: &str, size: u32) -> i32 {
    let font = FONT.as_scaled(scaled(size as f32));
    text.chars().map(|c| font.h_advance(font.glyph_id(c))).sum::<f32>().ceil() as i32
}

/// Calls `ink` with every pixel that a text covers, to the right of and above (0, 0), which is the
/// start of its base line, and with how much of it is covered.
pub(crate) fn draw(text: &str, size: f32, mut ink: impl FnMut(i32, i32, f32)) {
    let font = FONT.as_scaled(scaled(size));
    let mut x = 0.0;
    for c in text.chars() {
        let id = font.glyph_id(c);
        let glyph = id.with_scale_and_position(font.scale(), point(x, 0.0));
        if let Some(outline) = font.outline_glyph(glyph) {
            let corner = outline.px_bounds().min;
            let (left, top) = (corner.x as i32, corner.y as i32);
            outline.draw(|x, y, cover| ink(left + x as i32, top + y as i32, cover.min(1.0)));
        }
        x += font.h_advance(id);
    }
}

/// A text cut to a width, in its middle: long names differ most at their ends.
pub(crate) fn shorten(text: &str, size: u32, most: i32) -> String {
    if width(text, size) <= most {
        return text.to_owned();
    }
    let all: Vec<char> = text.chars().collect();
    let short = |kept: usize| {
        let tail = kept / 2;
        let head: String = all[..kept - tail].iter().collect();
        let tail: String = all[all.len() - tail..].iter().collect();
        format!("{head}…{tail}")
    };
    // Halved, not counted down: a name from a file of records may have a million characters.
    let (mut fits, mut too_long) = (0, all.len());
    while too_long - fits > 1 {
        let middle = usize::midpoint(fits, too_long);
        if width(&short(middle), size) <= most {
            fits = middle;
        } else {
            too_long = middle;
        }
    }
    short(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(shorten("short", 12, 100), "short");
        let short = shorten("a-very-long-name-of-a-case-1", 12, 90);
        assert!(short.starts_with("a-v") && short.ends_with("-1"), "{short}");
        assert!(width(&short, 12) <= 90);
        // One character more would be too wide, also of a very long one; nothing is left of none.
        assert_eq!(shorten(&"i".repeat(100_000), 12, 90), shorten(&"i".repeat(200), 12, 90));
        assert_eq!(shorten("long", 12, 0), "…");
    }

    #[test]
    fn a_text_covers_its_width_and_no_more() {
        let mut right = 0;
        draw("mmmm", 24.0, |x, _, cover| right = right.max(if cover > 0.0 { x } else { 0 }));
        let width = width("mmmm", 24);
        assert!(right <= width && right > width - 6, "{right} of {width}");
    }
}
