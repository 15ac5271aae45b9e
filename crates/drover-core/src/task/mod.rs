//! Tasks: their states, their graph, and what follows from it.

pub mod close;
pub mod dag;
pub mod ids;
pub mod order;
mod owns;
pub mod proof;
pub mod reason;
pub mod schedule;
mod state;
pub mod track;
pub mod tree;
pub mod why;

pub use owns::{OwnedPath, OwnedPathError, OwnedPathProblem, any_overlap};
pub use state::{State, StateError, Status};
