//! Tasks: their states, their graph, and what follows from it.

pub mod dag;
mod owns;
mod state;
pub mod track;

pub use owns::{OwnedPath, OwnedPathError, OwnedPathProblem, any_overlap};
pub use state::{State, StateError, Status};
