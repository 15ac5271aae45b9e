//! `state`: what needs a person, then how the project stands.

mod needs;
mod types;
mod view;
mod work;

pub use types::{Kind, Need, Step};
pub use view::{ProjectState, State, state};
