//! `state`: what needs a person, then how the project stands.

mod needs;
mod view;

pub use needs::{Kind, Need, Step};
pub use view::{ProjectState, State, state};
