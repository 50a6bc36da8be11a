//! Source and sink: they belong to no strategy and serve every one through edge contracts.

mod sink;
mod source;

pub use sink::Sink;
pub use source::Source;
