//! Sockets that agents serve: where they are, and one bounded exchange over one.

mod error;
pub mod extension;
mod line;
pub mod pi;
mod place;

pub use error::ControlError;
pub use place::{make_folder, socket_path};
