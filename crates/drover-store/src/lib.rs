//! Drover's database: one SQLite file, one log.
//!
//! Every row change is written to `ops` by triggers in the same transaction ([`log`]); a write
//! needs a [`WriteTx`], which names who acts and why. One file per table group holds its rows and
//! the statements that touch them.

pub mod agents;
pub mod backup;
pub mod check;
mod connection;
mod cycles;
pub mod delegates;
pub mod drift;
pub mod edges;
pub mod error;
pub mod graph;
pub mod identity;
pub mod imported;
pub mod keys;
pub mod log;
pub mod messages;
mod migrate;
pub mod mu;
pub mod notes;
mod open;
mod opening;
pub mod order;
pub mod projects;
pub mod rebuild;
mod replay;
pub mod reports;
mod rows;
mod schema;
pub mod shrink;
pub mod sql;
pub mod tasks;
mod tx;
pub mod undo;
pub mod usage;
pub mod workspaces;

pub use error::StoreError;
pub use migrate::back_up_beside;
pub use open::{SCHEMA_VERSION, Store};
pub use opening::{Durability, Opening};
pub use replay::Replayed;
pub use tx::{ReadTx, WriteTx, Writer, time_text};
