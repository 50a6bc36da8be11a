//! Randomness: one root seed, named independent streams, each with one drawer.
//!
//! A stream's generator is ChaCha8 (`rand_chacha`, a fixed algorithm, unlike `StdRng`), seeded by a
//! hash of the root seed and the stream's name. So strategies that are compared meet the same
//! luck, and one draw more does not reshuffle the rest. Names in use: `workload` (of NEXMark one
//! draw: where its events begin), `faults/<n>` (of the nth fault, or of the number that it names),
//! `phase/<what>`, `jitter` (one draw: what the jitter of all frames is computed from), `loss` (the
//! same of everything that faults of links leave to chance), `storage-faults` (of refused and lost
//! saves), `swarm` (a whole schedule).

use aftermath_systems::operator::mix;
use aftermath_systems::protocol::Nanos;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The root seed of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seed(pub u64);

impl Seed {
    /// The generator of the stream called `name`.
    pub fn stream(self, name: &str) -> Draw {
        let hash = name.bytes().fold(mix(0, self.0), |hash, byte| mix(hash, u64::from(byte)));
        Draw(ChaCha8Rng::seed_from_u64(mix(hash, name.len() as u64)))
    }

    /// Where in its period a grid called `name` begins, ns: pinned, or drawn from its own stream.
    pub fn phase(self, name: &str, period: Nanos, pinned: Option<Nanos>) -> Nanos {
        pinned.unwrap_or_else(|| self.stream(&format!("phase/{name}")).below(period))
    }
}

/// Draws from one stream.
pub struct Draw(ChaCha8Rng);

impl Draw {
    /// A number in [0, `bound`), without bias; 0 when `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            return 0;
        }
        // Rejection: the first multiple of `bound` that fits bounds what is accepted.
        let limit = u64::MAX - u64::MAX % bound;
        loop {
            let word = self.0.next_u64();
            if word < limit {
                return word % bound;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_independent_and_pinned() {
        let draw = |seed, name: &str| {
            let mut stream = Seed(seed).stream(name);
            [stream.below(1000), stream.below(1000), stream.below(1000)]
        };
        assert_eq!(draw(1, "workload"), draw(1, "workload"));
        assert_ne!(draw(1, "workload"), draw(1, "faults/0"));
        assert_ne!(draw(1, "workload"), draw(2, "workload"));
        // A dependency that changed its algorithm would change every recorded run.
        assert_eq!(draw(7, "workload"), PINNED);
    }

    const PINNED: [u64; 3] = [476, 560, 844];
}
