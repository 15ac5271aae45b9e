//! Workspaces as JSON.

use drover_core::workspace::Loss;
use drover_ops::git::{Commit, Distance, FileChange, Undone};
use drover_ops::rows::{Evidence, Rescue};
use drover_ops::workspaces::{Difference, Forecast, Landed, Listed, Orphan, Refreshed, Released};
use schemars::JsonSchema;
use serde::Serialize;

use super::Items;

/// A workspace as it is now.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WorkspaceView {
    /// Whose it is.
    agent: String,
    /// The project.
    project: String,
    /// Where it is, or was.
    path: String,
    /// Its branch.
    branch: String,
    /// `creating`, `ready`, `removing` or `branch_only`.
    state: String,
    /// `checkout`, `missing` or `stranger`: what is at its place.
    presence: String,
    /// The commit it starts from.
    base: String,
    /// Where its branch is; null when it is gone.
    head: Option<String>,
    /// The branch that is checked out; null when detached or without a checkout.
    on_branch: Option<String>,
    /// How far it is from the integration branch.
    from_trunk: Option<DistanceView>,
    /// How far it is from the branch that the project was made on.
    from_base_branch: Option<DistanceView>,
    /// Paths that are not as its commit has them.
    dirty: Vec<String>,
    /// Commits that no ref which stays can reach.
    unlanded: usize,
    /// A merge, rebase or the like that was begun and not finished.
    operation: Option<String>,
    /// What it would conflict with now.
    conflicts: Vec<ForecastView>,
    /// Stashes made on its branch.
    stashes: Vec<String>,
}

/// How many commits two lines have that the other lacks.
#[derive(Debug, Serialize, JsonSchema)]
struct DistanceView {
    /// Commits of the workspace that the other lacks.
    ahead: u64,
    /// Commits of the other that the workspace lacks.
    behind: u64,
}

/// A conflict that would come up.
#[derive(Debug, Serialize, JsonSchema)]
struct ForecastView {
    /// The other branch.
    with: String,
    /// The paths.
    files: Vec<String>,
}

impl From<&Listed> for WorkspaceView {
    fn from(listed: &Listed) -> Self {
        let distance = |it: &Distance| DistanceView { ahead: it.ahead, behind: it.behind };
        let forecast =
            |it: &Forecast| ForecastView { with: it.with.clone(), files: it.files.clone() };
        Self {
            agent: listed.agent.clone(),
            project: listed.project.clone(),
            path: listed.path.clone(),
            branch: listed.branch.clone(),
            state: listed.state.clone(),
            presence: listed.presence.to_owned(),
            base: listed.base.clone(),
            head: listed.head.clone(),
            on_branch: listed.on_branch.clone(),
            from_trunk: listed.from_trunk.as_ref().map(distance),
            from_base_branch: listed.from_base_branch.as_ref().map(distance),
            dirty: listed.dirty.clone(),
            unlanded: listed.unlanded,
            operation: listed.operation.clone(),
            conflicts: listed.conflicts.iter().map(forecast).collect(),
            stashes: listed.stashes.clone(),
        }
    }
}

/// Where a workspace is.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WorkspacePath {
    /// Its path.
    pub(crate) path: String,
}

/// A commit of an agent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CommitView {
    /// Its name.
    commit: String,
    /// The first line of its message.
    subject: String,
    /// Who wrote it.
    author: String,
    /// Whether a ref that stays holds it.
    landed: bool,
}

impl CommitView {
    /// A commit, landed or not.
    pub(crate) fn new(commit: &Commit, landed: bool) -> Self {
        Self {
            commit: commit.oid.to_string(),
            subject: commit.subject.clone(),
            author: commit.author.clone(),
            landed,
        }
    }
}

/// What a workspace changes.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WorkspaceDiff {
    /// The commit it is compared with.
    from: String,
    /// The files.
    files: Items<FileChangeView>,
    /// Files git does not know.
    untracked: Vec<String>,
    /// The difference; null with `--stat`.
    diff: Option<String>,
}

/// How much a file changes.
#[derive(Debug, Serialize, JsonSchema)]
struct FileChangeView {
    /// The file.
    path: String,
    /// Lines it gains; null for one that is not text.
    added: Option<u64>,
    /// Lines it loses; null for one that is not text.
    removed: Option<u64>,
}

impl From<&Difference> for WorkspaceDiff {
    fn from(difference: &Difference) -> Self {
        let file = |it: &FileChange| FileChangeView {
            path: it.path.display().to_string(),
            added: it.added,
            removed: it.removed,
        };
        Self {
            from: difference.from.clone(),
            files: Items::new(difference.files.iter().map(file).collect()),
            untracked: difference.untracked.clone(),
            diff: difference.text.clone(),
        }
    }
}

/// A workspace that was brought onto newer work.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WorkspaceRefreshed {
    /// Whose it is.
    agent: String,
    /// Its branch.
    branch: String,
    /// What it was brought onto.
    onto: String,
    /// The commit that is.
    base: String,
    /// Its own commit now; null in a dry run.
    head: Option<String>,
}

impl From<&Refreshed> for WorkspaceRefreshed {
    fn from(refreshed: &Refreshed) -> Self {
        Self {
            agent: refreshed.agent.clone(),
            branch: refreshed.branch.clone(),
            onto: refreshed.onto.clone(),
            base: refreshed.base.clone(),
            head: refreshed.head.clone(),
        }
    }
}

/// Work that stands on its target.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WorkspaceLanded {
    /// Whose work it is.
    agent: String,
    /// Its branch.
    branch: String,
    /// The commit of the branch that was landed.
    source: String,
    /// The branch it stands on.
    target: String,
    /// The merge commit; null in a dry run and where it stood there already.
    commit: Option<String>,
    /// Tasks that this brought in.
    tasks: Vec<String>,
    /// What was run on the merged tree.
    checks: Vec<CheckView>,
    /// Lines of others, newer than this work, that the merge takes away.
    undone: Vec<UndoneView>,
    /// The command that brings it onto your own branch.
    fast_forward: Option<String>,
}

/// A command that was run on the merged tree.
#[derive(Debug, Serialize, JsonSchema)]
struct CheckView {
    /// The command.
    command: Option<String>,
    /// `plan`, `caller` or `policy`: whose choice it was.
    chosen_by: Option<String>,
    /// Its exit code.
    exit: Option<i64>,
    /// How long it ran.
    duration_ms: Option<i64>,
    /// The file with its output.
    log: Option<String>,
    /// SHA-256 of that file.
    log_digest: Option<String>,
}

/// A file of which a merge takes newer lines away.
#[derive(Debug, Serialize, JsonSchema)]
struct UndoneView {
    /// The file.
    path: String,
    /// How many lines.
    lines: usize,
}

impl From<&Landed> for WorkspaceLanded {
    fn from(landed: &Landed) -> Self {
        let check = |it: &Evidence| CheckView {
            command: it.command.clone(),
            chosen_by: it.chosen_by.clone(),
            exit: it.exit,
            duration_ms: it.duration_ms,
            log: it.log_path.clone(),
            log_digest: it.log_digest.clone(),
        };
        let undone =
            |it: &Undone| UndoneView { path: it.path.display().to_string(), lines: it.lines };
        Self {
            agent: landed.agent.clone(),
            branch: landed.branch.clone(),
            source: landed.source.clone(),
            target: landed.target.clone(),
            commit: landed.commit.clone(),
            tasks: landed.tasks.clone(),
            checks: landed.checks.iter().map(check).collect(),
            undone: landed.undone.iter().map(undone).collect(),
            fast_forward: landed.fast_forward.clone(),
        }
    }
}

/// A workspace that is gone.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WorkspaceFreed {
    /// Whose it was.
    agent: String,
    /// Where it was.
    path: String,
    /// Its branch.
    branch: String,
    /// Whether its branch stays.
    branch_stays: bool,
    /// What was kept of it.
    rescue: Option<RescueView>,
    /// Stashes made on its branch; they stay.
    stashes: Vec<String>,
}

/// What was kept of a removed workspace.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RescueView {
    /// The repository that holds the refs.
    repository: String,
    /// The commit it was on.
    head: String,
    /// Refs below this hold its commit, index and tree.
    ref_prefix: Option<String>,
    /// The folder that holds its ignored files.
    trash_path: Option<String>,
}

impl From<&Rescue> for RescueView {
    fn from(rescue: &Rescue) -> Self {
        Self {
            repository: rescue.repository.clone(),
            head: rescue.head.clone(),
            ref_prefix: rescue.ref_prefix.clone(),
            trash_path: rescue.trash_path.clone(),
        }
    }
}

impl From<&Released> for WorkspaceFreed {
    fn from(released: &Released) -> Self {
        Self {
            agent: released.agent.clone(),
            path: released.path.clone(),
            branch: released.branch.clone(),
            branch_stays: released.branch_stays,
            rescue: released.rescue.as_ref().map(RescueView::from),
            stashes: released.stashes.clone(),
        }
    }
}

/// Things of one kind that would be lost.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LossView {
    /// `live_process`, `in_progress`, `not_a_checkout`, `unlanded_commits`, `staged`, `modified`,
    /// `undecided`, `untracked`, `ignored` or `submodules`.
    kind: String,
    /// Each thing.
    things: Vec<String>,
}

impl From<&Loss> for LossView {
    fn from(loss: &Loss) -> Self {
        Self { kind: loss.kind.word().to_owned(), things: loss.things.clone() }
    }
}

/// What a discard would take.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WorkspaceDiscardPreview {
    /// Whose workspace it is.
    pub(crate) agent: String,
    /// What would go, and be kept as a rescue.
    pub(crate) losses: Items<LossView>,
    /// What works inside; while anything does, a discard is refused.
    pub(crate) held: Items<LossView>,
}

/// Something left over.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OrphanView {
    /// `directory`, `row` or `branch`.
    kind: String,
    /// The path or branch.
    name: String,
    /// What about it a person should know.
    what: String,
    /// The command that deals with it.
    command: String,
}

impl From<&Orphan> for OrphanView {
    fn from(orphan: &Orphan) -> Self {
        Self {
            kind: orphan.kind.word().to_owned(),
            name: orphan.name.clone(),
            what: orphan.what.clone(),
            command: orphan.command.clone(),
        }
    }
}
