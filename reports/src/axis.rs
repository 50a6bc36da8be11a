//! Scales that show 0 and still tell small from large.

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// How values become positions.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    /// As they are.
    Linear,
    /// Linear from 0 to the threshold, one unit a decade from there.
    Logarithmic { threshold: f64 },
}

/// One axis: positions are in its own unit, ticks in values.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Axis {
    kind: Kind,
    /// First and last position.
    pub range: (f64, f64),
    /// Values with a tick.
    pub ticks: Vec<f64>,
}

/// Share of the range that stays free beyond the outermost values.
const PAD: f64 = 0.06;
/// Ratio of largest to smallest from which on an axis is logarithmic.
const RATIO: f64 = 30.0;

impl Axis {
    /// An axis for these values, none negative. Starts at 0 if it is linear or 0 is among them.
    pub fn new(values: &[f64]) -> Axis {
        let largest = values.iter().copied().fold(0.0, f64::max);
        let smallest = values.iter().copied().filter(|v| *v > 0.0).fold(largest, f64::min);
        if largest <= 0.0 {
            return Axis {
                kind: Kind::Linear,
                range: (-PAD, 1.0 + PAD),
                ticks: vec![0.0, 0.5, 1.0],
            };
        }
        if largest / smallest <= RATIO {
            return Axis {
                kind: Kind::Linear,
                range: (-PAD * largest, largest * (1.0 + PAD)),
                ticks: linear_ticks(largest * (1.0 + PAD)),
            };
        }
        let threshold = 10_f64.powf(smallest.log10().floor());
        let zero = values.contains(&0.0);
        let mut axis =
            Axis { kind: Kind::Logarithmic { threshold }, range: (0.0, 0.0), ticks: Vec::new() };
        let first = if zero { 0.0 } else { axis.position(smallest) };
        let last = axis.position(largest);
        let pad = PAD * (last - first);
        axis.range = (first - pad, last + pad);
        axis.ticks = axis.decades(threshold, zero);
        axis
    }

    /// What an axis title adds about the scale, if it is not the plain one.
    pub fn remark(&self) -> String {
        match self.kind {
            Kind::Linear => String::new(),
            Kind::Logarithmic { threshold } if self.ticks.first() == Some(&0.0) => {
                format!(" (log scale from {})", plain(threshold))
            }
            Kind::Logarithmic { .. } => " (log scale)".to_owned(),
        }
    }

    /// Whether equal distances are equal ratios.
    pub fn logarithmic(&self) -> bool {
        self.kind != Kind::Linear
    }

    /// Where a value stands.
    pub fn position(&self, value: f64) -> f64 {
        match self.kind {
            Kind::Linear => value,
            Kind::Logarithmic { threshold } if value < threshold => value / threshold,
            Kind::Logarithmic { threshold } => 1.0 + (value / threshold).log10(),
        }
    }

    /// The label of the tick at a position.
    pub fn label(&self, position: f64) -> String {
        let tick = self.ticks.iter().find(|t| (self.position(**t) - position).abs() < 1e-9);
        tick.map(|t| plain(*t)).unwrap_or_default()
    }

    /// Powers of ten, with 2 and 5 between them if there are few, every other if there are many.
    fn decades(&self, threshold: f64, zero: bool) -> Vec<f64> {
        let count = (self.range.1 - self.range.0).ceil() as i32;
        let (steps, every): (&[f64], i32) = match count {
            ..=3 => (&[1.0, 2.0, 5.0], 1),
            4..=8 => (&[1.0], 1),
            _ => (&[1.0], 2),
        };
        let exponent = threshold.log10().round() as i32;
        let mut ticks = if zero { vec![0.0] } else { Vec::new() };
        for decade in (0..=count + 1).filter(|d| d % every == 0) {
            for step in steps {
                let value = step * 10_f64.powi(exponent + decade);
                let at = self.position(value);
                if at >= self.range.0 && at <= self.range.1 {
                    ticks.push(value);
                }
            }
        }
        ticks
    }
}

/// To plotters, an axis is a range of positions.
impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, position: &f64, limit: (i32, i32)) -> i32 {
        let share = (position - self.range.0) / (self.range.1 - self.range.0);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.iter().map(|t| self.position(*t)).collect()
    }

    fn range(&self) -> Range<f64> {
        self.range.0..self.range.1
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, position: &f64) -> String {
        self.label(*position)
    }
}

/// Up to seven round values from 0.
fn linear_ticks(end: f64) -> Vec<f64> {
    let power = 10_f64.powf((end / 6.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|s| s * power).into_iter().find(|s| end / s <= 7.0);
    let step = step.unwrap_or(end);
    (0..=(end / step) as u32).map(|n| f64::from(n) * step).collect()
}

/// A number without useless digits.
fn plain(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_values_stand_on_a_linear_axis() {
        let axis = Axis::new(&[306.0, 639.0, 1300.0]);
        assert!(!axis.logarithmic());
        assert_eq!(axis.ticks, [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0, 1200.0]);
        assert_eq!(axis.label(400.0), "400");
        assert_eq!(axis.label(401.0), "");
    }

    #[test]
    fn nothing_and_next_to_nothing_are_told_apart() {
        let axis = Axis::new(&[0.0, 0.06, 40.0]);
        assert!(axis.logarithmic());
        assert_eq!(axis.ticks, [0.0, 0.01, 0.1, 1.0, 10.0]);
        assert_eq!(axis.label(axis.position(0.01)), "0.01");
        assert!(axis.position(0.0) < axis.position(0.06));
        assert!(axis.range.0 < axis.position(0.0) && axis.range.1 > axis.position(40.0));
    }

    #[test]
    fn all_zero_and_no_values_are_fine() {
        assert_eq!(Axis::new(&[0.0, 0.0]), Axis::new(&[]));
        assert_eq!(Axis::new(&[]).ticks, [0.0, 0.5, 1.0]);
    }
}
