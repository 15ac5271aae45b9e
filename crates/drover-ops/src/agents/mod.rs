//! Verbs on agents.

mod error;

pub use error::AgentError;
