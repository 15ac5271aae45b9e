//! Verbs of a caller about itself: who it is, what it holds, and doing its work.

mod who;
mod work;

pub use who::{Me, me};
pub use work::{WorkEnd, Worked, work};
