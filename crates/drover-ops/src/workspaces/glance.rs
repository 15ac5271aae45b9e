//! What `state` tells of workspaces: rows and directories, and one look at the trunk, however many there are.

use std::path::{Path, PathBuf};

use drover_host::state_dir::Folder;
use drover_host::workspace::git::{self, Commit, Oid};
use drover_store::projects::{self, Project};

use super::find::owned;
use super::orphans::{Orphan, OrphanKind, last, subdirectories};
use super::place::{shown, trunk};
use crate::ctx::Ctx;
use crate::error::Result;

/// How many commits of the trunk are told.
const COMMITS: usize = 5;

/// A workspace as its row has it.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Whose it is.
    pub agent: String,
    /// `git`, `jj` or `copy`.
    pub kind: String,
    /// Where it is, or was.
    pub path: String,
    /// Its branch.
    pub branch: String,
    /// `creating`, `ready`, `removing` or `branch_only`.
    pub state: String,
    /// Whether a directory is there.
    pub is_there: bool,
}

/// What a project has on the disk, at a glance.
#[derive(Debug, Clone)]
pub struct Glance {
    /// Its workspaces, kept branches too, oldest first.
    pub workspaces: Vec<Placed>,
    /// Directories among its workspaces that no row names, and rows whose directory is gone.
    pub orphans: Vec<Orphan>,
    /// What came onto its trunk last, since the project was made, newest first.
    pub commits: Vec<Commit>,
}

/// Looks at a project's workspaces; asks git once.
pub fn glance(ctx: &Ctx, project: &Project) -> Result<Glance> {
    let mut workspaces = Vec::new();
    let mut orphans = Vec::new();
    for owned in owned(&ctx.read(), project)? {
        let is_there = owned.path().is_dir();
        if !is_there && !owned.is_branch_only() {
            orphans.push(Orphan {
                kind: OrphanKind::Row,
                project: Some(project.name.clone()),
                agent: Some(owned.agent.clone()),
                name: owned.row.path.clone(),
                what: "its directory is gone".to_owned(),
                command: format!("drover workspace free {} -p {}", owned.agent, project.name),
            });
        }
        workspaces.push(Placed {
            agent: owned.agent,
            kind: owned.row.kind,
            path: owned.row.path,
            branch: owned.row.branch,
            state: owned.row.state,
            is_there,
        });
    }
    orphans.extend(strays(ctx, project, &workspaces)?);
    Ok(Glance { workspaces, orphans, commits: commits(ctx, project)? })
}

fn strays(ctx: &Ctx, project: &Project, known: &[Placed]) -> Result<Vec<Orphan>> {
    let root = ctx.state_path().join(Folder::Workspaces.name()).join(&project.name);
    if !root.is_dir() {
        return Ok(Vec::new());
    }
    let is_known = |path: &Path| known.iter().any(|it| Path::new(&it.path) == path);
    // Where a landing is tried is nobody's workspace; no agent's name begins with a dot.
    let is_ours = |path: &Path| last(path).is_some_and(|it| it.starts_with('.'));
    let strays = subdirectories(&root)?.into_iter().filter(|it| !is_known(it) && !is_ours(it));
    let orphan = |path: PathBuf| Orphan {
        kind: OrphanKind::Directory,
        project: Some(project.name.clone()),
        agent: last(&path),
        name: shown(&path),
        what: "no agent's workspace".to_owned(),
        command: "drover workspace orphans".to_owned(),
    };
    Ok(strays.map(orphan).collect())
}

/// None where the repository or the trunk is gone, which is told elsewhere.
fn commits(ctx: &Ctx, project: &Project) -> Result<Vec<Commit>> {
    let Some(repository) = projects::repository(&ctx.read(), project.pk)? else {
        return Ok(Vec::new());
    };
    let Some(base) = Oid::parse(&repository.base_sha) else { return Ok(Vec::new()) };
    let (path, trunk) = (Path::new(&repository.path), trunk(&project.name));
    Ok(git::latest(path, (&base, &trunk), COMMITS).unwrap_or_default())
}
