//! Delegates: helpers that are told one task in words and give one answer, each in a pane of its own.

mod ask;
mod cancel;
mod finish;
mod list;
mod record;
mod settle;
mod start;
mod supervise;
mod types;

pub use ask::ask;
pub use cancel::cancel;
pub use list::{find, list, wait};
pub use settle::settle;
pub use supervise::supervise;
pub use types::{Ask, Delegated, Waited};
