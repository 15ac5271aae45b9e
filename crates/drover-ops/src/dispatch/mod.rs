//! Dispatch: lands what is closed, hands ready tasks to idle agents, and does so until nothing is left.

mod board;
mod hand;
mod landing;
mod pass;
mod watch;

pub use landing::{LandFailure, LandedBranch};
pub use pass::{Dispatcher, Handed, Options, Pass, Skipped, pass};
pub use watch::{End, watch};
