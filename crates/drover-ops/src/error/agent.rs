//! What is refused about agents.

/// Why an agent verb was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// No agent has this name.
    #[error("no agent has the name {name} in the project {project}")]
    Unknown {
        /// The name as given.
        name: String,
        /// Where it was looked for.
        project: String,
        /// Names much like it, best first.
        nearest: Vec<String>,
    },
}
