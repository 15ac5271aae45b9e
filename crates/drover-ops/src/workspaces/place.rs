//! Where the parts of a workspace are: repository, branch, directory, locks.

use std::path::{Path, PathBuf};

use drover_host::lock::Locks;
use drover_host::state_dir::Folder;
use drover_host::workspace::Kind;
use drover_host::workspace::git::{self, GitError, Oid};
use drover_store::projects::{self, Project, Repository};

use crate::ctx::Ctx;
use crate::error::{Result, WorkspaceError};
use crate::words::quote;

/// Every branch of ours lies below this.
pub(crate) const BRANCHES: &str = "drover/";

/// The integration branch of a project.
pub fn trunk(project: &str) -> String {
    branch(project, "trunk")
}

/// The branch of an agent.
pub(crate) fn branch(project: &str, agent: &str) -> String {
    format!("{BRANCHES}{project}/{agent}")
}

/// Where the workspace of an agent is made.
pub(crate) fn directory(ctx: &Ctx, project: &str, agent: &str) -> Result<PathBuf> {
    Ok(ctx.state().folder(Folder::Workspaces)?.join(project).join(agent))
}

/// Where merges of a project are tried; no agent's name begins with a dot.
pub(crate) fn landing_directory(ctx: &Ctx, project: &str) -> Result<PathBuf> {
    directory(ctx, project, ".landing")
}

/// The locks between our processes.
pub(crate) fn locks(ctx: &Ctx) -> Result<Locks> {
    Ok(Locks::new(ctx.state().folder(Folder::Locks)?))
}

/// The repository of a project, or a refusal.
pub(crate) fn repository(ctx: &Ctx, project: &Project) -> Result<Repository> {
    let found = projects::repository(&ctx.read(), project.pk)?;
    Ok(found.ok_or_else(|| WorkspaceError::NoRepository { project: project.name.clone() })?)
}

/// Where the integration branch is, or a refusal that says how to have it again.
pub(crate) fn trunk_tip(project: &Project, repository: &Repository) -> Result<Oid> {
    let branch = trunk(&project.name);
    let tip = git::branch_tip(Path::new(&repository.path), &branch)?;
    Ok(tip.ok_or_else(|| WorkspaceError::TrunkMissing {
        project: project.name.clone(),
        branch,
        repository: repository.path.clone(),
    })?)
}

/// The command that brings what landed onto the user's own branch.
pub(crate) fn fast_forward(repository: &Path, kind: &str, branch: &str) -> String {
    let repository = quote(&shown(repository));
    match Kind::parse(kind) {
        Some(Kind::Jj) => format!("jj -R {repository} new {branch}"),
        Some(Kind::Git | Kind::Copy) | None => {
            format!("git -C {repository} merge --ff-only {branch}")
        }
    }
}

/// A recorded commit as an object name.
pub(crate) fn recorded(sha: &str, repository: &Path) -> Result<Oid> {
    Ok(Oid::parse(sha).ok_or_else(|| GitError::UnknownRevision {
        name: sha.to_owned(),
        repository: repository.to_owned(),
    })?)
}

/// A path as it is stored.
pub(crate) fn text(path: &Path) -> Result<String> {
    let text = path.to_str().map(str::to_owned);
    Ok(text.ok_or_else(|| WorkspaceError::NotText { path: path.to_owned() })?)
}

/// A path as it is shown.
pub(crate) fn shown(path: &Path) -> String {
    path.display().to_string()
}
