//! Simulated worlds, faults, judge and command line.
//!
//! A run is a chain of plain values: [`scenario`] reads a file into a [`config`]; [`plan`] adds a
//! strategy and a seed; a [`world`] runs the plan's [`machine`]s; what they recorded becomes a
//! [`run::RunLog`]; the [`oracle`] and the [`metrics`] compare it with that of its twin, the same
//! plan without faults; [`record`] writes it down for the reports.

pub mod agreement;
pub mod baseline;
pub mod campaign;
pub mod cli;
pub mod config;
pub mod expect;
pub mod faults;
pub mod formulas;
mod hash;
pub mod joined;
pub mod journal;
pub mod judgement;
pub mod ledger;
pub mod limit;
pub mod machine;
pub mod manifest;
pub mod met;
pub mod metrics;
pub(crate) mod narrator;
pub mod oracle;
pub mod plan;
pub mod record;
mod regions;
pub mod run;
pub mod scenario;
pub mod search;
pub mod seed;
pub mod shrink;
pub mod signature;
pub mod sweep;
mod threads;
pub mod trace;
mod transfer;
mod upsets;
pub mod world;

pub use aftermath_systems::strategies::Registry;
