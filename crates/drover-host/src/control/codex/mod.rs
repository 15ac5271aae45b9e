//! The app-server of a Codex: its conversations, their turns, and what it asks leave for.

mod client;
mod error;
mod stream;
mod wire;

pub use client::{Client, Event};
pub use error::CodexError;
pub use wire::{Approval, Flag, Item, Status, Thread, Turn, TurnError, TurnStatus, View};
