//! Channels that agents serve themselves, and what they write about themselves: where it is, and what is asked and
//! told there, bounded in time.

pub mod claude;
pub mod codex;
mod error;
pub mod extension;
mod line;
pub mod pi;
mod place;

pub use error::ControlError;
pub use place::{make_folder, socket_path};
