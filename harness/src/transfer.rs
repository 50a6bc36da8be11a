//! How long bytes take: links, stores and restores alike.

use aftermath_systems::protocol::Nanos;

/// How long `bytes` take at `per_s` bytes a second (0: no time), ns.
pub fn transfer(bytes: u64, per_s: u64) -> Nanos {
    if per_s == 0 {
        return 0;
    }
    (u128::from(bytes) * 1_000_000_000).div_ceil(u128::from(per_s)) as Nanos
}
