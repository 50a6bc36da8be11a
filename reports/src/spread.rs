//! Number, sum, smallest and largest of a quantity over runs.

use crate::record::Time;

/// Number, sum, smallest and largest of a quantity over runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spread {
    /// Measured values.
    pub n: u64,
    /// Their sum.
    pub total: u128,
    /// The smallest; 0 when there is none.
    pub min: u64,
    /// The largest; 0 when there is none.
    pub max: u64,
    /// Values that are only known to be larger than a bound; in none of the above.
    pub beyond: u64,
    /// The smallest of these bounds.
    pub beyond_bound: u64,
}

impl Spread {
    /// Counts one value.
    pub fn add(&mut self, value: u64) {
        self.min = if self.n == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        self.n += 1;
        self.total += u128::from(value);
    }

    /// Counts one time, in ns.
    pub fn add_time(&mut self, time: Time) {
        match time {
            Time::Ns(ns) => self.add(ns),
            Time::MoreThanNs(ns) => {
                self.beyond_bound = if self.beyond == 0 { ns } else { self.beyond_bound.min(ns) };
                self.beyond += 1;
            }
            Time::None => {}
        }
    }

    /// The mean of the measured values.
    pub fn mean(&self) -> Option<f64> {
        (self.n > 0).then(|| self.total as f64 / self.n as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_stay_out_of_means() {
        let mut s = Spread::default();
        for time in [Time::Ns(10), Time::MoreThanNs(90), Time::None, Time::Ns(20)] {
            s.add_time(time);
        }
        assert_eq!(s.mean(), Some(15.0));
        assert_eq!((s.n, s.min, s.max, s.beyond, s.beyond_bound), (2, 10, 20, 1, 90));
    }
}
