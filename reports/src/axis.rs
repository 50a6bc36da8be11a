//! Scales that show 0 and still tell small from large.

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

    /// The same, starting at 0 if it is linear: for bars and times.
    pub fn from_zero(values: &[f64]) -> Axis {
        let mut axis = Axis::new(values);
        if !axis.logarithmic() {
            axis.range.0 = 0.0;
        }
        axis
    }

    /// A linear axis over exactly this range.
    pub fn over(from: f64, to: f64) -> Axis {
        let step = step((to - from).max(f64::MIN_POSITIVE));
        let first = (from / step).ceil() as i64;
        let ticks = (first..).map(|n| n as f64 * step).take_while(|t| *t <= to).collect();
        Axis { kind: Kind::Linear, range: (from, to), ticks }
    }

    /// The pixel of a value, if the axis runs from one pixel to another.
    pub fn pixel(&self, value: f64, from: i32, to: i32) -> i32 {
        let share = (self.position(value) - self.range.0) / (self.range.1 - self.range.0);
        from + (share * f64::from(to - from)).round() as i32
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
    fn logarithmic(&self) -> bool {
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

/// Up to seven round values from 0.
fn linear_ticks(end: f64) -> Vec<f64> {
    let step = step(end);
    (0..=(end / step) as u32).map(|n| f64::from(n) * step).collect()
}

/// A round step that goes into a span at most seven times.
fn step(span: f64) -> f64 {
    let power = 10_f64.powf((span / 6.0).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|s| s * power);
    steps.into_iter().find(|s| span / s <= 7.0).unwrap_or(span)
}

/// A number without useless digits.
pub(crate) fn plain(value: f64) -> String {
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
        assert_eq!((axis.pixel(0.0, 0, 100), axis.pixel(1300.0, 0, 100)), (5, 95));
        assert_eq!(Axis::from_zero(&[306.0, 639.0]).pixel(0.0, 0, 100), 0);
    }

    #[test]
    fn nothing_and_next_to_nothing_are_told_apart() {
        let axis = Axis::new(&[0.0, 0.06, 40.0]);
        assert!(axis.logarithmic());
        assert_eq!(axis.ticks, [0.0, 0.01, 0.1, 1.0, 10.0]);
        assert_eq!(plain(0.01), "0.01");
        assert!(axis.position(0.0) < axis.position(0.06));
        assert!(axis.range.0 < axis.position(0.0) && axis.range.1 > axis.position(40.0));
    }

    #[test]
    fn a_stretch_of_time_has_round_ticks_inside() {
        let axis = Axis::over(1.83, 4.2);
        assert_eq!(axis.ticks, [2.0, 2.5, 3.0, 3.5, 4.0]);
        assert_eq!((axis.pixel(1.83, 10, 90), axis.pixel(4.2, 10, 90)), (10, 90));
    }

    #[test]
    fn all_zero_and_no_values_are_fine() {
        assert_eq!(Axis::new(&[0.0, 0.0]), Axis::new(&[]));
        assert_eq!(Axis::new(&[]).ticks, [0.0, 0.5, 1.0]);
    }
}
