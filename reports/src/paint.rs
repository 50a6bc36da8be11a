//! A [`Scene`] as SVG, and as PNG with twice as many pixels each way.

use crate::font;
use crate::scene::{Anchor, Colour, Scene, Shape};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Pixels of a PNG for one of the scene, each way: sharp on dense screens and on paper.
pub const DENSITY: i32 = 2;
/// Painted so many times larger again and then averaged, which smooths edges.
const SMOOTH: usize = 2;

/// The picture as SVG.
pub(crate) fn svg(scene: &Scene) -> Result<String, String> {
    let mut svg = String::new();
    {
        let size = (scene.width as u32, scene.height as u32);
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE).map_err(|e| e.to_string())?;
        for shape in &scene.shapes {
            if let Shape::Text { .. } = shape {
                text(&root, shape)?;
            } else {
                paint(&root, shape, 1)?;
            }
        }
        root.present().map_err(|e| e.to_string())?;
    }
    // plotters knows nothing of descriptions.
    let about = scene.about.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    Ok(svg.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{about}\" "), 1))
}

/// The picture as PNG.
pub(crate) fn png(scene: &Scene) -> Result<Vec<u8>, String> {
    let scale = DENSITY * SMOOTH as i32;
    let large = ((scene.width * scale) as u32, (scene.height * scale) as u32);
    let mut pixels = vec![255; large.0 as usize * large.1 as usize * 3];
    {
        let root = BitMapBackend::with_buffer(&mut pixels, large).into_drawing_area();
        for shape in &scene.shapes {
            paint(&root, shape, scale)?;
        }
        root.present().map_err(|e| e.to_string())?;
    }
    let (width, height) = ((scene.width * DENSITY) as usize, (scene.height * DENSITY) as usize);
    let mut pixels = averaged(&pixels, width);
    for shape in &scene.shapes {
        write_text(&mut pixels, (width as i32, height as i32), shape);
    }
    encode(&pixels, width as u32, height as u32).map_err(|e| e.to_string())
}

/// Means of squares of [`SMOOTH`] by [`SMOOTH`] pixels; `width` is that of the result.
fn averaged(large: &[u8], width: usize) -> Vec<u8> {
    let mut pixels = Vec::with_capacity(large.len() / SMOOTH.pow(2));
    let mut sums = vec![[0u16; 3]; width];
    let (large, _) = large.as_chunks::<3>();
    for rows in large.chunks_exact(width * SMOOTH * SMOOTH) {
        sums.fill([0; 3]);
        for row in rows.chunks_exact(width * SMOOTH) {
            for (sum, beside) in sums.iter_mut().zip(row.chunks_exact(SMOOTH)) {
                for pixel in beside {
                    for (sum, channel) in sum.iter_mut().zip(pixel) {
                        *sum += u16::from(*channel);
                    }
                }
            }
        }
        pixels.extend(sums.iter().flatten().map(|sum| (sum / SMOOTH.pow(2) as u16) as u8));
    }
    pixels
}

fn encode(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // The best level would make files a quarter smaller and take eight times as long: longer than
    // all runs of a small scenario.
    encoder.set_deflate_compression(png::DeflateCompression::Level(1));
    encoder.set_filter(png::Filter::Up);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(file)
}

fn rgb((r, g, b): Colour) -> RGBColor {
    RGBColor(r, g, b)
}

/// Paints everything but text.
fn paint<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    shape: &Shape,
    scale: i32,
) -> Result<(), String> {
    let scaled = |points: &[(i32, i32)]| -> Vec<(i32, i32)> {
        points.iter().map(|(x, y)| (x * scale, y * scale)).collect()
    };
    let drawn = match shape {
        Shape::Line { points, colour, width } => {
            let style = rgb(*colour).stroke_width(width * scale as u32);
            area.draw(&PathElement::new(scaled(points), style))
        }
        Shape::Area { corners, colour } => {
            area.draw(&Polygon::new(scaled(corners), rgb(*colour).filled()))
        }
        Shape::Circle { centre: (x, y), radius, colour, filled } => {
            let style = match filled {
                true => rgb(*colour).filled(),
                false => rgb(*colour).stroke_width(scale as u32),
            };
            area.draw(&Circle::new((x * scale, y * scale), radius * scale, style))
        }
        Shape::Text { .. } => Ok(()),
    };
    drawn.map_err(|e| e.to_string())
}

/// Text of an SVG, which its viewer draws.
fn text(area: &DrawingArea<SVGBackend<'_>, Shift>, shape: &Shape) -> Result<(), String> {
    let Shape::Text { at, text, size, colour, anchor, turned } = shape else { return Ok(()) };
    let horizontal = match anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    // plotters divides sizes by 1.24, and hangs text 0.76 em above its base line.
    let font = (font::FAMILY, f64::from(*size) * 1.24).into_font();
    let (font, up) = match turned {
        true => (font.transform(FontTransform::Rotate270), 0),
        false => (font, (f64::from(*size) * 0.76).round() as i32),
    };
    let across = if *turned { (f64::from(*size) * 0.76).round() as i32 } else { 0 };
    let style = font.color(&rgb(*colour)).pos(Pos::new(horizontal, VPos::Top));
    let at = (at.0 - across, at.1 - up);
    area.draw(&Text::new(text.as_str(), at, style)).map_err(|e| e.to_string())
}

/// Text of a PNG, from the embedded font.
fn write_text(pixels: &mut [u8], (width, height): (i32, i32), shape: &Shape) {
    let Shape::Text { at, text, size, colour, turned, .. } = shape else { return };
    let covered = shape.text_box().expect("it is a text");
    let (x0, y0) = match turned {
        true => (at.0 * DENSITY, covered.3 * DENSITY),
        false => (covered.0 * DENSITY, at.1 * DENSITY),
    };
    let colour = [colour.0, colour.1, colour.2];
    font::draw(text, (*size as i32 * DENSITY) as f32, |dx, dy, cover| {
        let (x, y) = if *turned { (x0 + dy, y0 - dx) } else { (x0 + dx, y0 + dy) };
        if x < 0 || y < 0 || x >= width || y >= height {
            return;
        }
        let at = (y * width + x) as usize * 3;
        for (pixel, ink) in pixels[at..at + 3].iter_mut().zip(colour) {
            let mixed = f32::from(*pixel) * (1.0 - cover) + f32::from(ink) * cover;
            *pixel = mixed.round() as u8;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pixel_is_the_mean_of_its_square_channel_by_channel() {
        // Four pixels by two: two squares beside one another.
        let row = |reds: [u8; 4]| reds.map(|red| [red, 10 * red, 255]).concat();
        let large = [row([0, 4, 8, 8]), row([8, 4, 8, 16])].concat();
        assert_eq!(averaged(&large, 2), [4, 40, 255, 10, 100, 255]);
        // Two pixels by four: one below the other.
        let row = |reds: [u8; 2]| reds.map(|red| [red, 0, 1]).concat();
        let large = [row([1, 1]), row([1, 1]), row([9, 9]), row([7, 7])].concat();
        assert_eq!(averaged(&large, 1), [1, 0, 1, 8, 0, 1]);
    }
}
