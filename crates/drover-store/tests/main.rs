//! Behaviour of the database through its public functions.
#![expect(clippy::unwrap_used, reason = "test harness")]

mod graph;
mod harness;
mod log;
mod open;
mod order;
mod undo;
mod undo_properties;
