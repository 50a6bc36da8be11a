//! Recovery strategies, operators and pipelines as pure state machines.
//!
//! Nothing in this crate can sleep, draw, open a socket or read a clock: it depends on `serde` and
//! `postcard` only, and lints forbid the rest. Start reading at [`protocol`] (what crosses the
//! border of a node), then [`strategies`]: the shortest, `amnesia`, shows the shape of all.

pub mod blocks;
pub mod claim;
pub mod context;
pub mod endpoints;
pub mod nexmark;
pub mod node;
pub mod operator;
pub mod operators;
pub mod options;
pub mod pipelines;
pub mod plan;
pub mod planted_bugs;
pub mod points;
pub mod protocol;
pub mod strategies;
