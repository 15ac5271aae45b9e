//! Verbs on the log: reading it, following it, adding to it, and what happened meanwhile.

mod item;
mod read;
mod scope;
mod since;
mod words;

pub use item::Item;
pub(crate) use item::{items, taken_back};
pub use read::{Line, Read, Tail, append, read, tail};
pub use scope::Since;
pub(crate) use scope::{group, past_project, project};
pub use since::{Happening, Kind, Meanwhile, Undelivered, since};
