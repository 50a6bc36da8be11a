//! Building blocks that strategies, source and sink are composed of: plain structs, no strategy.

pub mod alignment;
pub mod inbox;
pub mod membership;
pub mod outbox;
pub mod ports;
pub mod task;

pub use alignment::{Alignment, Step};
pub use inbox::{Inbox, InboxState};
pub use membership::{Change, Membership};
pub use outbox::{Outbox, partition};
pub use ports::Ports;
pub use task::Task;
