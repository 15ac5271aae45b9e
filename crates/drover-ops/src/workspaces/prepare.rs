//! Making an agent's workspace, whole or not at all.

use std::path::{Path, PathBuf};

use drover_host::workspace::git::{self, GitError};
use drover_host::workspace::{Kind, Place, backend, contents};
use drover_store::projects::Project;
use drover_store::workspaces::{self, NewWorkspace, Workspace};

use super::furnish::{Bare, furnish};
use super::place::{branch, directory, locks, repository, shown, text, trunk_tip};
use super::site::Site;
use crate::ctx::Ctx;
use crate::error::{Result, WorkspaceError};

/// A workspace to be made.
#[derive(Debug, Clone, Copy)]
pub struct Prepare<'a> {
    /// The project.
    pub project: &'a Project,
    /// The row of the agent.
    pub agent_pk: i64,
    /// The agent's name.
    pub agent_name: &'a str,
    /// The branch, tag or commit that it starts from; the integration branch when absent.
    pub from: Option<&'a str>,
}

/// Makes the workspace of an agent, and says where it is; one that was begun is finished.
///
/// The row comes first, so that whatever a crash leaves behind has a name. A failure takes
/// everything back: directory, branch and row.
pub fn prepare(ctx: &mut Ctx, asked: &Prepare<'_>) -> Result<PathBuf> {
    let Prepare { project, agent_pk, agent_name, .. } = *asked;
    let row = match workspaces::of_agent(&ctx.read(), agent_pk)? {
        Some(row) if row.state == "ready" => {
            let site = Site::of(&row)?;
            site.backend().check(&site.place())?;
            return Ok(PathBuf::from(row.path));
        }
        Some(row) if row.state == "creating" => {
            // Nobody has worked in it yet: what is there is less than what is to be there.
            take_back(ctx, &row)?;
            row
        }
        Some(row) => {
            let (agent, project) = (agent_name.to_owned(), project.name.clone());
            return Err(WorkspaceError::Unfinished { agent, project, state: row.state }.into());
        }
        None => begin(ctx, asked)?,
    };
    let made = make(ctx, project, &row, agent_name);
    if let Err(err) = made {
        // What cannot be taken back keeps its row, and so its name.
        if take_back(ctx, &row).is_ok() {
            ctx.step("workspace.create", |tx| Ok(workspaces::delete(tx, row.pk)?))?;
        }
        return Err(err);
    }
    Ok(PathBuf::from(row.path))
}

/// The commit that a person means a workspace to begin from, or a refusal that names what is unknown.
pub fn base(ctx: &Ctx, project: &Project, from: &str) -> Result<String> {
    let repository = repository(ctx, project)?;
    Ok(git::resolve(Path::new(&repository.path), from)?.to_string())
}

/// Takes back the workspace of a launch that failed: directory, branch and row.
///
/// `false` when there is work in it, which stays as it is, with its row.
pub fn undo_prepare(ctx: &mut Ctx, agent_pk: i64) -> Result<bool> {
    let Some(row) = workspaces::of_agent(&ctx.read(), agent_pk)? else { return Ok(true) };
    if row.state == "ready" && has_work(&row)? {
        return Ok(false);
    }
    take_back(ctx, &row)?;
    ctx.step("workspace.create", |tx| Ok(workspaces::delete(tx, row.pk)?))?;
    Ok(true)
}

fn has_work(row: &Workspace) -> Result<bool> {
    let site = Site::of(row)?;
    let there = site.path().is_dir();
    let status = if there { Some(site.backend().status(&site.place())?) } else { None };
    if site.has_history() {
        let tip = git::branch_tip(Path::new(&row.source), &row.branch)?;
        if tip.is_some_and(|it| it.as_str() != row.base_sha) {
            return Ok(true);
        }
    }
    let Some(status) = status else { return Ok(false) };
    let is_at_base =
        !site.has_history() || status.head.as_ref().is_some_and(|it| it.as_str() == row.base_sha);
    Ok(!(is_at_base && status.is_clean()))
}

/// Looks whether all is free, and writes the row.
fn begin(ctx: &mut Ctx, asked: &Prepare<'_>) -> Result<Workspace> {
    let Prepare { project, agent_pk, agent_name, from } = *asked;
    let repository = repository(ctx, project)?;
    let source = Path::new(&repository.path);
    let is_copy = repository.kind == Kind::Copy.word();
    let base = match from {
        Some(from) if is_copy => {
            return Err(GitError::UnknownRevision {
                name: from.to_owned(),
                repository: source.to_owned(),
            }
            .into());
        }
        None if is_copy => contents(source)?,
        Some(from) => git::resolve(source, from)?,
        None => trunk_tip(project, &repository)?,
    };
    let path = directory(ctx, &project.name, agent_name)?;
    let branch = branch(&project.name, agent_name);
    let kind = Kind::parse(&repository.kind).unwrap_or(Kind::Git);
    let place = Place { source, path: &path, branch: &branch, base: &base };
    check_place(ctx, kind, &place)?;
    if !is_copy {
        check_branch(ctx, project, source, &branch, agent_name)?;
    }
    let (path, base) = (text(&path)?, base.to_string());
    let row = ctx.step("workspace.create", |tx| {
        let new = NewWorkspace {
            agent_pk,
            project_pk: project.pk,
            path: &path,
            source: &repository.path,
            kind: kind.word(),
            branch: &branch,
            base_sha: &base,
        };
        let pk = workspaces::insert(tx, &new)?;
        Ok(workspaces::by_pk(tx, pk)?)
    })?;
    let gone = || WorkspaceError::Unknown {
        agent: agent_name.to_owned(),
        project: project.name.clone(),
        nearest: Vec::new(),
    };
    Ok(row.ok_or_else(gone)?)
}

/// Refuses a place where something is. What git remembers of a checkout that is gone from below our
/// own state directory is forgotten.
fn check_place(ctx: &mut Ctx, kind: Kind, place: &Place<'_>) -> Result<()> {
    let path = place.path;
    if path.symlink_metadata().is_ok() {
        return Err(GitError::DirectoryExists { path: path.to_owned() }.into());
    }
    if workspaces::at_path(&ctx.read(), &text(path)?)?.is_some() {
        return Err(GitError::DirectoryMissing { path: path.to_owned() }.into());
    }
    if backend(kind).is_remembered(place)? {
        let (locks, what) = (locks(ctx)?, format!("forget the missing checkout {}", shown(path)));
        ctx.act(what, || Ok(backend(kind).forget(&locks, place)?))?;
    }
    Ok(())
}

fn check_branch(
    ctx: &Ctx,
    project: &Project,
    source: &Path,
    branch: &str,
    agent: &str,
) -> Result<()> {
    let Err(err) = git::check_branch_is_free(source, branch) else { return Ok(()) };
    let rows = workspaces::list(&ctx.read(), project.pk)?;
    let is_kept = rows.iter().any(|it| it.state == "branch_only" && it.branch == branch);
    match err {
        GitError::BranchExists { .. } if is_kept => Err(WorkspaceError::BranchKept {
            agent: agent.to_owned(),
            project: project.name.clone(),
            branch: branch.to_owned(),
            repository: text(source)?,
        }
        .into()),
        err => Err(err.into()),
    }
}

fn make(ctx: &mut Ctx, project: &Project, row: &Workspace, agent: &str) -> Result<()> {
    let (source, path) = (PathBuf::from(&row.source), PathBuf::from(&row.path));
    let (locks, site) = (locks(ctx)?, Site::of(row)?);
    let what = match site.kind {
        Kind::Git | Kind::Jj => {
            format!("make the checkout {} of the branch {}", row.path, row.branch)
        }
        Kind::Copy => format!("copy {} to {}", row.source, row.path),
    };
    ctx.act(what, || Ok(site.backend().add(&locks, &site.place())?))?;
    if site.kind == Kind::Jj && path.join(".gitmodules").exists() {
        ctx.warn(format!("jj keeps no submodules, so those of {} are empty", row.path));
    }
    let bare = Bare { project, agent, source: &source, path: &path, kind: site.kind };
    let brought = furnish(ctx, &bare)?;
    if path.is_dir() && site.has_history() {
        let status = site.backend().status(&site.place())?;
        let changed: Vec<String> = status.changed().map(shown).collect();
        if !changed.is_empty() {
            ctx.warn(format!("the setup hook changed what git tracks: {}", changed.join(", ")));
        }
    }
    let brought = serde_json::json!(brought).to_string();
    ctx.step("workspace.create", |tx| Ok(workspaces::ready(tx, row.pk, &brought)?))
}

/// Removes directory and branch of a workspace that nobody has worked in.
fn take_back(ctx: &mut Ctx, row: &Workspace) -> Result<()> {
    let (locks, site) = (locks(ctx)?, Site::of(row)?);
    let what = format!("take back the checkout {} and the branch {}", row.path, row.branch);
    ctx.act(what, || Ok(site.backend().take_back(&locks, &site.place())?))?;
    Ok(())
}
