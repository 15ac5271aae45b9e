//! Channels that agents serve themselves: where they are, and what is asked and told there, bounded in time.

pub mod codex;
mod error;
pub mod extension;
mod line;
pub mod pi;
mod place;

pub use error::ControlError;
pub use place::{make_folder, socket_path};
