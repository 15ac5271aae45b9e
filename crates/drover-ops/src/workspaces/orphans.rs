//! `workspace orphans`: directories, rows and branches that have lost each other; nothing is removed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use drover_host::state_dir::Folder;
use drover_host::workspace::git;
use drover_store::{projects, workspaces};

use super::find::{Owned, owned};
use super::place::{BRANCHES, shown, trunk};
use crate::ctx::Ctx;
use crate::error::{Result, at_file};
use crate::words::quote;

/// What has lost what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrphanKind {
    /// A directory among the workspaces that no row names.
    Directory,
    /// A row whose directory is gone.
    Row,
    /// A branch of ours that no row names.
    Branch,
}

impl OrphanKind {
    /// The word that programs read.
    pub fn word(self) -> &'static str {
        match self {
            Self::Directory => "directory",
            Self::Row => "row",
            Self::Branch => "branch",
        }
    }
}

/// Something left over.
#[derive(Debug, Clone)]
pub struct Orphan {
    /// What it is.
    pub kind: OrphanKind,
    /// The project that it belongs or belonged to, where that can be told.
    pub project: Option<String>,
    /// The agent that it belongs or belonged to, where that can be told.
    pub agent: Option<String>,
    /// The path or branch.
    pub name: String,
    /// What about it a person should know.
    pub what: String,
    /// The command that deals with it.
    pub command: String,
}

impl Orphan {
    /// A row whose directory is gone.
    pub(super) fn row(owned: &Owned) -> Self {
        let (agent, project) = (&owned.agent, &owned.project.name);
        Self {
            kind: OrphanKind::Row,
            project: Some(project.clone()),
            agent: Some(agent.clone()),
            name: owned.row.path.clone(),
            what: format!("the workspace of {agent} in {project}"),
            command: format!("drover workspace free {agent} -p {project}"),
        }
    }

    /// The directory, which a branch has not.
    pub fn path(&self) -> Option<&str> {
        (self.kind != OrphanKind::Branch).then_some(&self.name)
    }
}

/// Everything left over on this machine.
pub fn orphans(ctx: &Ctx) -> Result<Vec<Orphan>> {
    let mut found = directories(ctx)?;
    for project in projects::list(&ctx.read())? {
        for owned in owned(&ctx.read(), &project)? {
            if !owned.is_branch_only() && !owned.path().is_dir() {
                found.push(Orphan::row(&owned));
            }
        }
    }
    found.extend(branches(ctx)?);
    Ok(found)
}

/// Every repository once, by what its checkouts share.
fn repositories(ctx: &Ctx) -> Result<Vec<PathBuf>> {
    let mut found = BTreeMap::new();
    for (_, path, common) in projects::repositories(&ctx.read())? {
        found.entry(common).or_insert(PathBuf::from(path));
    }
    // A directory that is only copied has nothing in common with its copies.
    found.remove("");
    Ok(found.into_values().filter(|it| git::directories(it).is_ok()).collect())
}

/// The directories among the workspaces of one project that no row names.
pub(super) fn directories_of(ctx: &Ctx, project: &str) -> Result<Vec<Orphan>> {
    let folder = ctx.state().folder(Folder::Workspaces)?.join(project);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let rows = workspaces::all(&ctx.read())?;
    let is_named = |path: &PathBuf| {
        rows.iter().any(|it| it.state != "branch_only" && Path::new(&it.path) == path)
    };
    // A landing under way has its place there, too.
    let is_ours = |it: &PathBuf| last(it).is_some_and(|it| it.starts_with('.'));
    let found = subdirectories(&folder)?.into_iter().filter(|it| !is_named(it) && !is_ours(it));
    Ok(found
        .map(|it| Orphan {
            kind: OrphanKind::Directory,
            project: Some(project.to_owned()),
            agent: last(&it),
            name: shown(&it),
            what: "no agent's workspace".to_owned(),
            command: "drover workspace orphans".to_owned(),
        })
        .collect())
}

fn directories(ctx: &Ctx) -> Result<Vec<Orphan>> {
    let root = ctx.state().folder(Folder::Workspaces)?;
    let rows = workspaces::all(&ctx.read())?;
    let is_named = |path: &Path| {
        rows.iter().any(|it| it.state != "branch_only" && Path::new(&it.path) == path)
    };
    let mut registered: Vec<(PathBuf, PathBuf)> = Vec::new();
    for repository in repositories(ctx)? {
        for worktree in git::worktrees(&repository)? {
            registered.push((worktree.path, repository.clone()));
        }
    }
    let mut found = Vec::new();
    for project in subdirectories(&root)? {
        for path in subdirectories(&project)?.into_iter().filter(|it| !is_named(it)) {
            let name = shown(&path);
            let (what, command) =
                match registered.iter().find(|it| git::is_same_place(&it.0, &path)) {
                    Some((_, repository)) => {
                        let at = quote(&shown(repository));
                        let command = format!("git -C {at} worktree remove {}", quote(&name));
                        (format!("a checkout of {}", shown(repository)), command)
                    }
                    None => (
                        match git::jj_repository(&path) {
                            Some(_) => "a workspace of jj".to_owned(),
                            None => "no checkout of a known repository".to_owned(),
                        },
                        format!("rm -r {}", quote(&name)),
                    ),
                };
            let (project, agent) = (last(&project), last(&path));
            let kind = OrphanKind::Directory;
            found.push(Orphan { kind, project, agent, name, what, command });
        }
    }
    Ok(found)
}

/// The last part of a path: `<project>/<agent>` is how workspaces lie.
pub(super) fn last(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_str()?.to_owned())
}

pub(super) fn subdirectories(path: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).map_err(at_file(path))? {
        let path = entry.map_err(at_file(path))?.path();
        if path.is_dir() && !path.is_symlink() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn branches(ctx: &Ctx) -> Result<Vec<Orphan>> {
    let rows = workspaces::all(&ctx.read())?;
    let trunks: Vec<String> =
        projects::list(&ctx.read())?.into_iter().map(|it| trunk(&it.name)).collect();
    let mut found = Vec::new();
    for repository in repositories(ctx)? {
        for branch in git::branches(&repository, BRANCHES)? {
            if trunks.contains(&branch) || rows.iter().any(|it| it.branch == branch) {
                continue;
            }
            found.push(stranded(&repository, branch)?);
        }
    }
    Ok(found)
}

fn stranded(repository: &Path, branch: String) -> Result<Orphan> {
    let at = quote(&shown(repository));
    let passing = git::Passing { below: &branch, but: &[] };
    let only = match git::branch_tip(repository, &branch)? {
        Some(tip) => git::commits_only_in(repository, &[&tip], passing)?.len(),
        None => 0,
    };
    let (what, command) = match only {
        0 => (
            "all of it is on other branches too".to_owned(),
            format!("git -C {at} branch -D {branch}"),
        ),
        1 => ("1 commit is nowhere else".to_owned(), format!("git -C {at} log -1 {branch}")),
        many => (
            format!("{many} commits are nowhere else"),
            format!("git -C {at} log -{many} {branch}"),
        ),
    };
    let mut parts = branch.strip_prefix(BRANCHES).unwrap_or_default().splitn(2, '/');
    let (project, agent) = (parts.next().map(str::to_owned), parts.next().map(str::to_owned));
    Ok(Orphan { kind: OrphanKind::Branch, project, agent, name: branch, what, command })
}
