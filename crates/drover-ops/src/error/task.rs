//! What is refused about tasks.

use drover_core::task::close::CloseError;

/// Why a task verb was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// No task has this id.
    #[error("no task has the id {id} in the project {project}")]
    Unknown {
        /// The id as given.
        id: String,
        /// Where it was looked for.
        project: String,
        /// Ids much like it, best first.
        nearest: Vec<String>,
    },
    /// The id is a task of other projects only.
    #[error("the task {id} is not in the project {project}, but in {}", elsewhere.join(", "))]
    Elsewhere {
        /// The id as given.
        id: String,
        /// Where it was looked for.
        project: String,
        /// Where it is.
        elsewhere: Vec<String>,
    },
    /// Several projects have a task of this id, and none is named.
    #[error("the task {id} is in several projects: {}", projects.join(", "))]
    Ambiguous {
        /// The id as given.
        id: String,
        /// The projects.
        projects: Vec<String>,
    },
    /// The id is taken.
    #[error("the project {project} has a task {id} already")]
    Exists {
        /// The id.
        id: String,
        /// The project.
        project: String,
    },
    /// Somebody else holds the task.
    #[error("the task {id} is held by {holder}")]
    AlreadyOwned {
        /// The task.
        id: String,
        /// Its project.
        project: String,
        /// Who holds it.
        holder: String,
    },
    /// The task is closed.
    #[error("the task {id} is {state}")]
    Closed {
        /// The task.
        id: String,
        /// Its project.
        project: String,
        /// Its state.
        state: String,
    },
    /// The task is parked or in triage.
    #[error("the task {id} is {state} and cannot be started")]
    NotStartable {
        /// The task.
        id: String,
        /// Its project.
        project: String,
        /// Its state.
        state: String,
    },
    /// Other tasks block the task.
    #[error("the task {id} is blocked by {}", blockers.join(", "))]
    Blocked {
        /// The task.
        id: String,
        /// Its project.
        project: String,
        /// What blocks it.
        blockers: Vec<String>,
    },
    /// An edge would close a cycle.
    #[error("{blocker} cannot block {blocked}: {}", path.join(" blocks "))]
    Cycle {
        /// Their project.
        project: String,
        /// The blocker that was asked for.
        blocker: String,
        /// The task it would block.
        blocked: String,
        /// The cycle, each blocking the next, ending where it begins.
        path: Vec<String>,
    },
    /// An edge between projects.
    #[error(
        "{blocker} is in the project {blocker_project} and {blocked} in {blocked_project}; edges stay in one project"
    )]
    CrossProject {
        /// The blocker.
        blocker: String,
        /// Its project.
        blocker_project: String,
        /// The task it would block.
        blocked: String,
        /// Its project.
        blocked_project: String,
    },
    /// The task is in progress.
    #[error("the task {id} is in progress, held by {}", holder.as_deref().unwrap_or("nobody"))]
    InProgress {
        /// The task.
        id: String,
        /// Its project.
        project: String,
        /// Who holds it.
        holder: Option<String>,
    },
    /// The task may not be closed as asked.
    #[error("the task {id} stays as it is: {reason}")]
    NotClosable {
        /// The task.
        id: String,
        /// Its project.
        project: String,
        /// Its verify command.
        command: Option<String>,
        /// Why not.
        reason: CloseError,
    },
    /// Its verify command ran and did not pass.
    #[error("the task {id} stays open, because {command} did not pass: {how}")]
    VerifyFailed {
        /// The task.
        id: String,
        /// Its project.
        project: String,
        /// The command.
        command: String,
        /// How it ended.
        how: String,
        /// The file with its output.
        log: String,
    },
    /// Its verify command came from outside and is not trusted.
    #[error("the verify command of the task {id} came with its plan and is not trusted: {command}")]
    VerifyNotTrusted {
        /// The task.
        id: String,
        /// Its project.
        project: String,
        /// The command.
        command: String,
    },
    /// There is no command that could prove it done.
    #[error("nothing says how the task {id} is verified")]
    NothingToVerify {
        /// The task.
        id: String,
        /// Its project.
        project: String,
    },
    /// What would be checked is not what the commit holds.
    #[error("the task {id} is not verified on changes that are not committed: {}", changed.join(", "))]
    VerifyDirty {
        /// The task.
        id: String,
        /// Its project.
        project: String,
        /// The checkout.
        path: std::path::PathBuf,
        /// What is changed there.
        changed: Vec<String>,
    },
    /// A file stands where a picture was to be drawn, and is none.
    #[error("{} was not drawn by drover, so it was left as it is", path.display())]
    FileStands {
        /// The file.
        path: std::path::PathBuf,
    },
    /// Nobody has claimed the task yet.
    #[error("the task {id} was never claimed")]
    NeverClaimed {
        /// The task.
        id: String,
        /// Its project.
        project: String,
    },
}
