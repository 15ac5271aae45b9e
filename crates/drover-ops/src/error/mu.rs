//! What is refused about taking over a database of mu.

use drover_core::name::NameError;
use drover_host::snapshot::SnapshotError;
use drover_store::mu::MuError;

/// Why nothing of a database of mu was taken over; nothing was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MuImportError {
    /// It cannot be read as a database of mu.
    #[error(transparent)]
    Source(#[from] MuError),
    /// It could not be copied to be read.
    #[error(transparent)]
    Copy(#[from] SnapshotError),
    /// It has no workstream of this name.
    #[error("{path} has no workstream {name}")]
    UnknownWorkstream {
        /// The file.
        path: String,
        /// The name as given.
        name: String,
        /// The workstreams it has.
        there: Vec<String>,
    },
    /// A workstream's name cannot be a project's.
    #[error("the workstream {workstream} needs another name here: {problem}")]
    Name {
        /// The workstream.
        workstream: String,
        /// The rule it breaks.
        problem: NameError,
    },
    /// Two workstreams would become one project.
    #[error("the workstreams {} would both become the project {name}", workstreams.join(" and "))]
    SameName {
        /// The project.
        name: String,
        /// The workstreams.
        workstreams: Vec<String>,
    },
    /// Tasks that did not come from this workstream have these ids.
    #[error("tasks of the project {project} that are not of the workstream {workstream} have the ids {}", ids.join(", "))]
    Taken {
        /// The project.
        project: String,
        /// The workstream.
        workstream: String,
        /// The ids.
        ids: Vec<String>,
    },
    /// Tasks would wait for each other.
    #[error("the tasks of the workstream {workstream} have a cycle: {}", path.join(" blocks "))]
    Cycle {
        /// The workstream.
        workstream: String,
        /// The cycle, each blocking the next, ending where it begins.
        path: Vec<String>,
    },
}
