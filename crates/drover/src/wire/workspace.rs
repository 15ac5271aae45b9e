//! Workspaces as JSON.

use drover_core::workspace::Loss;
use drover_ops::git::{Commit, Distance, FileChange, Undone};
use drover_ops::rows::{Evidence, Rescue};
use drover_ops::workspaces::{Difference, Landed, Listed, Orphan, Refreshed, Released, Staleness};
use schemars::JsonSchema;
use serde::Serialize;

use super::Items;
use super::glance::ForecastView;

/// A workspace as it is now.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WorkspaceView {
    /// Whose it is.
    agent: String,
    /// The project.
    project: String,
    /// Where it is, or was.
    path: String,
    /// `git`, `jj` or `copy`.
    kind: String,
    /// When it was made.
    created_at: String,
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
    /// How many commits it lacks of the branch that it lacks most of: the integration branch, the
    /// branch that the project was made on, or what that follows as far as it was fetched.
    behind: Option<u64>,
    /// That branch.
    behind_branch: Option<String>,
    /// Whether it should be refreshed before more is built on it.
    stale: bool,
    /// How much room its files take, in bytes; null without `--disk`.
    disk_bytes: Option<u64>,
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

impl From<&Listed> for WorkspaceView {
    fn from(listed: &Listed) -> Self {
        let distance = |it: &Distance| DistanceView { ahead: it.ahead, behind: it.behind };
        Self {
            agent: listed.agent.clone(),
            project: listed.project.clone(),
            path: listed.path.clone(),
            kind: listed.kind.clone(),
            created_at: listed.created_at.clone(),
            branch: listed.branch.clone(),
            state: listed.state.clone(),
            presence: listed.presence.to_owned(),
            base: listed.base.clone(),
            head: listed.head.clone(),
            on_branch: listed.on_branch.clone(),
            from_trunk: listed.from_trunk.as_ref().map(distance),
            from_base_branch: listed.from_base_branch.as_ref().map(distance),
            behind: listed.behind.as_ref().map(|it| it.behind),
            behind_branch: listed.behind.as_ref().map(|it| it.of.clone()),
            stale: listed.behind.as_ref().is_some_and(Staleness::is_stale),
            disk_bytes: listed.disk.as_ref().map(|it| it.bytes),
            dirty: listed.dirty.clone(),
            unlanded: listed.unlanded,
            operation: listed.operation.clone(),
            conflicts: listed.conflicts.iter().map(ForecastView::from).collect(),
            stashes: listed.stashes.clone(),
        }
    }
}

/// Where a workspace is.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WorkspacePath {
    /// Whose it is.
    pub(crate) agent: String,
    /// `git`, `jj` or `copy`.
    pub(crate) kind: String,
    /// Its path.
    pub(crate) path: String,
}

/// The commits of an agent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WorkspaceCommits {
    /// The commits, oldest first.
    #[serde(flatten)]
    pub(crate) items: Items<CommitView>,
    /// The branch.
    pub(crate) branch: String,
    /// `git`, `jj` or `copy`.
    pub(crate) kind: String,
    /// Where the checkout is, or was.
    pub(crate) path: String,
    /// The commit that they come after.
    pub(crate) base: String,
}

/// A commit of an agent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CommitView {
    /// Its name.
    commit: String,
    /// The first line of its message.
    subject: String,
    /// The rest of its message.
    body: String,
    /// Who wrote it.
    author: String,
    /// When it was written.
    at: Option<String>,
    /// Whether a ref that stays holds it.
    landed: bool,
}

impl CommitView {
    /// A commit, landed or not.
    pub(crate) fn new(commit: &Commit, landed: bool) -> Self {
        Self {
            commit: commit.oid.to_string(),
            subject: commit.subject.clone(),
            body: commit.body.clone(),
            author: commit.author.clone(),
            at: commit.written_at().map(|it| format!("{it:.3}")),
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
    /// `git`, `jj` or `copy`.
    kind: String,
    /// Where it is.
    path: String,
    /// The commits that it has now and lacked before, oldest first; empty in a dry run.
    brought: Vec<CommitView>,
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
            kind: refreshed.kind.clone(),
            path: refreshed.path.clone(),
            brought: refreshed.brought.iter().map(|it| CommitView::new(it, true)).collect(),
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
    /// Whether its checkout is removed; false where its branch was all that was left of it.
    removed: bool,
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
            removed: released.removed,
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
    /// The project that it belongs or belonged to, where that can be told.
    project: Option<String>,
    /// The agent that it belongs or belonged to, where that can be told.
    agent: Option<String>,
    /// The directory; null for a branch.
    path: Option<String>,
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
            project: orphan.project.clone(),
            agent: orphan.agent.clone(),
            path: orphan.path().map(str::to_owned),
            name: orphan.name.clone(),
            what: orphan.what.clone(),
            command: orphan.command.clone(),
        }
    }
}
