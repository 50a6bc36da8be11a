//! Which tuples of a stream are kept.

use std::fmt;
use std::ops::Range;

/// Tuples of a stream by their numbers, from 0. The default is all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept(Vec<Range<u64>>);

impl Kept {
    /// These; none of the ranges is empty, and each begins behind the one before.
    pub fn ranges(ranges: Vec<Range<u64>>) -> Kept {
        debug_assert!(ranges.iter().all(|range| !range.is_empty()));
        debug_assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start));
        Kept(ranges)
    }

    /// These numbers, ascending, at least one.
    pub fn numbers(numbers: &[u64]) -> Kept {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for number in numbers {
            match ranges.last_mut().filter(|range| range.end == *number) {
                Some(range) => range.end += 1,
                None => ranges.push(*number..number + 1),
            }
        }
        Kept::ranges(ranges)
    }

    /// Whether it is all tuples of whatever stream.
    pub fn is_all(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a tuple is kept.
    pub fn contains(&self, number: u64) -> bool {
        let next = self.0.partition_point(|range| range.end <= number);
        self.is_all() || self.0.get(next).is_some_and(|range| range.contains(&number))
    }

    /// The numbers that are kept of a stream of so many tuples.
    pub fn of(&self, tuples: u64) -> Vec<u64> {
        (0..tuples).filter(|number| self.contains(*number)).collect()
    }
}

/// As scenarios write it: `["3..17", "40"]`.
impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |range: &Range<u64>| match range.end - range.start {
            1 => format!("\"{}\"", range.start),
            _ => format!("\"{}..{}\"", range.start, range.end),
        };
        let all: Vec<String> = self.0.iter().map(text).collect();
        write!(f, "[{}]", all.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_ranges_and_back() {
        let numbers = [0, 3, 4, 5, 9];
        let kept = Kept::numbers(&numbers);
        assert_eq!(kept.to_string(), "[\"0\", \"3..6\", \"9\"]");
        assert_eq!(kept.of(20), numbers);
        assert_eq!(kept.of(5), [0, 3, 4]);
        assert_eq!(Kept::default().of(3), [0, 1, 2]);
        assert!(Kept::default().is_all() && !kept.is_all());
    }
}
