//! When each machine has something to do next: a tournament, so that a tick costs as much as there
//! is to do in it, however many machines there are.

use aftermath_systems::protocol::Nanos;

/// The least instant of each pair, of each pair of pairs and so on, above the machines' own.
#[derive(Clone, Debug)]
pub struct Due {
    /// Places for machines: a power of two.
    width: usize,
    /// The root is at 1, the children of `n` at `2n` and `2n + 1`, machines from `width` on, ns.
    least: Vec<Nanos>,
}

impl Due {
    /// Of so many machines, none of which has anything to do.
    pub fn new(machines: usize) -> Due {
        let width = machines.next_power_of_two();
        Due { width, least: vec![Nanos::MAX; 2 * width] }
    }

    /// The earliest of all, ns; `None` if nobody has anything to do.
    pub fn first(&self) -> Option<Nanos> {
        Some(self.least[1]).filter(|due| *due < Nanos::MAX)
    }

    /// A machine has something to do at `due`, and nothing before.
    pub fn set(&mut self, machine: usize, due: Option<Nanos>) {
        let mut place = self.width + machine;
        self.least[place] = due.unwrap_or(Nanos::MAX);
        while place > 1 {
            place /= 2;
            let least = self.least[2 * place].min(self.least[2 * place + 1]);
            if self.least[place] == least {
                break;
            }
            self.least[place] = least;
        }
    }

    /// A machine has something more to do at `due`.
    pub fn add(&mut self, machine: usize, due: Nanos) {
        let mut place = self.width + machine;
        while place > 0 && due < self.least[place] {
            self.least[place] = due;
            place /= 2;
        }
    }

    /// The first machine from `from` on that has something to do at `until` or before.
    pub fn next(&self, from: usize, until: Nanos) -> Option<usize> {
        if from >= self.width {
            return None;
        }
        let mut place = self.width + from;
        while self.least[place] > until {
            // To the next subtree on the right.
            while place % 2 == 1 {
                place /= 2;
            }
            if place == 0 {
                return None;
            }
            place += 1;
        }
        while place < self.width {
            place *= 2;
            place += usize::from(self.least[place] > until);
        }
        Some(place - self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aftermath_systems::operator::mix;

    /// As `Due`, by looking at every machine.
    fn look(at: &[Option<Nanos>], from: usize, until: Nanos) -> Option<usize> {
        (from..at.len()).find(|machine| at[*machine].is_some_and(|due| due <= until))
    }

    #[test]
    fn it_finds_whom_a_look_at_every_machine_finds() {
        for machines in [1, 2, 5, 6, 8, 13] {
            let (mut due, mut at) = (Due::new(machines), vec![None; machines]);
            for step in 0..2_000 {
                let word = mix(machines as u64, step);
                let (machine, instant) = (word as usize % machines, (word >> 32) % 50);
                if word >> 60 < 4 {
                    due.add(machine, instant);
                    at[machine] = Some(at[machine].map_or(instant, |old: Nanos| old.min(instant)));
                } else {
                    at[machine] = (instant < 40).then_some(instant);
                    due.set(machine, at[machine]);
                }
                assert_eq!(due.first(), at.iter().flatten().min().copied());
                for from in 0..=machines {
                    assert_eq!(due.next(from, 10), look(&at, from, 10), "{at:?} from {from}");
                }
            }
        }
    }
}
