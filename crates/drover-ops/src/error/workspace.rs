//! What is refused about repositories, checkouts and landing.

use std::path::PathBuf;

use drover_core::workspace::Loss;
use drover_host::workspace::Kind;

/// Why a workspace verb was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// The project has no repository to make workspaces from.
    #[error("the project {project} has no repository")]
    NoRepository {
        /// The project.
        project: String,
    },
    /// A path that cannot be kept as text.
    #[error("{} is not valid UTF-8, and paths are kept as text", path.display())]
    NotText {
        /// The path.
        path: PathBuf,
    },
    /// The integration branch is gone.
    #[error("the branch {branch} of the project {project} is gone from {repository}")]
    TrunkMissing {
        /// The project.
        project: String,
        /// The branch.
        branch: String,
        /// The repository.
        repository: String,
    },
    /// The branch of an earlier agent was kept and would be written over.
    #[error("the branch {branch} was kept from an earlier {agent}")]
    BranchKept {
        /// The agent.
        agent: String,
        /// The project.
        project: String,
        /// The branch.
        branch: String,
        /// The repository.
        repository: String,
    },
    /// The agent has no workspace.
    #[error("{agent} has no workspace in the project {project}")]
    Unknown {
        /// The agent.
        agent: String,
        /// The project.
        project: String,
        /// Names much like it that have one, best first.
        nearest: Vec<String>,
    },
    /// The workspace was not made whole, or is half removed.
    #[error("the workspace of {agent} is {state}")]
    Unfinished {
        /// The agent.
        agent: String,
        /// The project.
        project: String,
        /// `creating` or `removing`.
        state: String,
    },
    /// The row is there and the directory is not.
    #[error("the workspace of {agent} is gone from {path}")]
    Missing {
        /// The agent.
        agent: String,
        /// The project.
        project: String,
        /// Where it was.
        path: String,
    },
    /// The setup hook failed; the workspace was taken back.
    #[error("the setup hook of {agent}'s workspace failed: {how}")]
    SetupFailed {
        /// The agent.
        agent: String,
        /// How it ended.
        how: String,
        /// The file with its output.
        log: PathBuf,
    },
    /// The workspace is a copy, which has no commits.
    #[error("the workspace of {agent} is a plain copy, which has no commits")]
    NoHistory {
        /// The agent.
        agent: String,
        /// The project.
        project: String,
        /// Where it is.
        path: String,
        /// What it is a copy of.
        original: String,
    },
    /// The workspace lacks too much for more to be built on it.
    #[error("the workspace of {agent} is {behind} commits behind {of}")]
    Stale {
        /// The agent.
        agent: String,
        /// The project.
        project: String,
        /// How many commits it lacks.
        behind: u64,
        /// The branch that has them.
        of: String,
    },
    /// What is to be landed or refreshed is not all committed.
    #[error("the workspace of {agent} has changes that are not committed: {}", paths.join(", "))]
    Dirty {
        /// The agent.
        agent: String,
        /// Where it is.
        path: String,
        /// The paths that differ.
        paths: Vec<String>,
        /// What keeps it.
        kind: Kind,
    },
    /// Somebody is in the middle of something there.
    #[error("a {operation} is in progress in the workspace of {agent}")]
    InProgress {
        /// The agent.
        agent: String,
        /// Where it is.
        path: String,
        /// What is in progress.
        operation: String,
        /// What keeps it.
        kind: Kind,
    },
    /// Its own branch is not checked out.
    #[error("the workspace of {agent} is on {head}, not on its branch {branch}")]
    OffBranch {
        /// The agent.
        agent: String,
        /// Where it is.
        path: String,
        /// Its branch.
        branch: String,
        /// What is checked out instead.
        head: String,
        /// How to get back without leaving commits behind.
        back: WayBack,
        /// What keeps it.
        kind: Kind,
    },
    /// Removing it would lose something.
    #[error("removing the workspace of {agent} would lose {}", losses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
    NotSafe {
        /// The agent.
        agent: String,
        /// The project.
        project: String,
        /// What was to end it.
        by: Ending,
        /// Whether its branch was to be kept.
        keeps_branch: bool,
        /// What would be lost.
        losses: Vec<Loss>,
    },
    /// Something stands in the way even of a removal that keeps everything.
    #[error("the workspace of {agent} cannot be removed: {}", losses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
    Held {
        /// The agent.
        agent: String,
        /// The project.
        project: String,
        /// What was to end it.
        by: Ending,
        /// What stands in the way.
        losses: Vec<Loss>,
    },
    /// Two lines of work say different things; nothing was changed.
    #[error("{branch} conflicts with {target} in {}", files.join(", "))]
    Conflict {
        /// The agent.
        agent: String,
        /// The project.
        project: String,
        /// Its branch.
        branch: String,
        /// What it conflicts with.
        target: String,
        /// The paths.
        files: Vec<String>,
        /// Whether it was found by landing or by a refresh.
        by: Attempt,
    },
    /// The merge takes away what others did since, and nobody said that this is meant.
    #[error("{branch} takes away what is newer on {target}: {}", files.iter().map(|it| it.0.as_str()).collect::<Vec<_>>().join(", "))]
    TakesAway {
        /// The agent.
        agent: String,
        /// The project.
        project: String,
        /// Its branch.
        branch: String,
        /// Where it was to land.
        target: String,
        /// The target, where it is not the project's trunk.
        onto: Option<String>,
        /// The files, each with how many lines.
        files: Vec<(String, usize)>,
    },
    /// A verify command failed on the merged tree; the target is unchanged.
    #[error("{command:?} failed on {branch} merged into {target}: {how}")]
    VerifyFailed {
        /// The agent.
        agent: String,
        /// The project.
        project: String,
        /// Its branch.
        branch: String,
        /// Where it should have landed; unchanged.
        target: String,
        /// The command.
        command: String,
        /// How it ended.
        how: String,
        /// The file with its output.
        log: Option<String>,
    },
    /// The branch to land on is checked out, and a checked-out tree is never written.
    #[error("the branch {target} is checked out in {}", path.display())]
    TargetCheckedOut {
        /// The agent.
        agent: String,
        /// The project.
        project: String,
        /// The target.
        target: String,
        /// The integration branch.
        trunk: String,
        /// The checkout that has it.
        path: PathBuf,
    },
    /// The branch to land on is another name of a ref, which would be moved in its place, even under
    /// a checkout.
    #[error("the branch {target} only stands for {stands_for}")]
    TargetStandsFor {
        /// The agent.
        agent: String,
        /// The target.
        target: String,
        /// The repository.
        repository: String,
        /// What it stands for.
        stands_for: String,
    },
    /// There is no branch to land on.
    #[error("there is no branch {target} in {repository}")]
    NoTarget {
        /// The target as given.
        target: String,
        /// The repository.
        repository: String,
    },
    /// Others moved the target each time the merge was ready.
    #[error(
        "the branch {target} moved {times} times while the merge was made; it is unchanged by this"
    )]
    TargetMoved {
        /// The agent.
        agent: String,
        /// The project.
        project: String,
        /// The target.
        target: String,
        /// How often it was tried.
        times: u32,
    },
}

/// What ends a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// `agent close`, which ends the agent's processes first.
    Close,
    /// `workspace free`, which ends none.
    Free,
}

/// How a checkout gets back onto its own branch with all of its commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WayBack {
    /// The branch has them all.
    Switch,
    /// The branch is gone: it is made anew where the checkout is.
    Create,
    /// The branch lacks some of a commit that no branch has: it is merged.
    Merge {
        /// The commit.
        commit: String,
    },
    /// The branch lacks some of another branch, which keeps them in any case.
    MergeBranch {
        /// The other branch.
        branch: String,
    },
}

/// What brought a conflict to light.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// Landing on a branch.
    Land,
    /// Bringing a workspace onto newer work.
    Refresh,
}
