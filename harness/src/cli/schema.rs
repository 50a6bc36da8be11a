//! `aftermath schema`: what an editor must know to check and complete scenarios.

use super::exit::Exit;
use super::output::print_all;
use crate::scenario;
use aftermath_systems::strategies::Registry;

/// Prints the JSON schema.
pub fn schema(registry: &Registry) -> Exit {
    print_all(&scenario::schema(registry))
}
