//! In which worlds runs are run.

/// Where runs are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Worlds {
    /// In the event world.
    #[default]
    Events,
    /// On turmoil.
    Turmoil,
    /// In both, and they must agree exactly.
    Both,
}

impl Worlds {
    /// Names in scenarios, on the command line and in records.
    pub const ALL: &[(&'static str, Worlds)] =
        &[("events", Worlds::Events), ("turmoil", Worlds::Turmoil), ("both", Worlds::Both)];

    /// Its name.
    pub fn name(self) -> &'static str {
        let found = Worlds::ALL.iter().find(|(_, worlds)| *worlds == self);
        found.map_or("", |(name, _)| name)
    }
}
