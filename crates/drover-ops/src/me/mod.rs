//! Verbs of a caller about itself: who it is, what it holds, and doing its work.

mod end;
mod job;
mod types;
mod who;
mod work;

pub use types::WorkEnd;
pub use who::{Held, Me, me};
pub use work::{Worked, work};
