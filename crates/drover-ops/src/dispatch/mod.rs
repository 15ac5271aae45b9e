//! Dispatch: lands what is closed, hands ready tasks to idle agents, and does so until nothing is left.

mod board;
mod hand;
mod landing;
mod pass;
mod types;
mod watch;

pub(crate) use board::offer;
pub(crate) use pass::TELL_AGAIN;
pub use pass::pass;
pub use types::{Dispatcher, Handed, LandFailure, LandedBranch, Options, Pass, Skipped};
pub use watch::{End, watch};
