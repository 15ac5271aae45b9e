//! The repository of a project: found, recorded, and given its integration branch.

use std::path::{Path, PathBuf};

use drover_core::text::Text;
use drover_host::env;
use drover_host::workspace::git::{self, GitError, Oid};
use drover_host::workspace::{self, Kind};
use drover_store::ReadTx;
use drover_store::projects::{self, Project, Repository};

use crate::ctx::Ctx;
use crate::error::{ProjectError, Result, at_file};
use crate::workspaces::{recorded, text, trunk};

/// A repository that was looked at and may become a project's.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) row: Repository,
    head: Oid,
}

/// Looks at the repository that holds a directory, of the kind asked for or of that which is found.
pub(super) fn find(ctx: &Ctx, path: &Path, kind: Option<Kind>) -> Result<Found> {
    let path = env::current_dir().map_err(at_file("."))?.join(path);
    if kind == Some(Kind::Copy) {
        check_copied(ctx, &path)?;
    }
    let (kind, found) = workspace::repository(&path, kind)?;
    let main = match kind {
        Kind::Git => main_checkout(&found.toplevel, &found.git_common_dir)?,
        Kind::Jj | Kind::Copy => found.toplevel,
    };
    let origin_url = match kind {
        Kind::Git | Kind::Jj => git::origin_url(&main)?,
        Kind::Copy => None,
    };
    let row = Repository {
        kind: kind.word().to_owned(),
        path: text(&main)?,
        git_common_dir: text(&found.git_common_dir)?,
        // An address can hold a password.
        origin_url: origin_url.map(|it| Text::new(&it).into_string()),
        base_branch: found.branch,
        base_sha: found.head.to_string(),
    };
    Ok(Found { row, head: found.head })
}

/// Refuses to copy what holds the copies themselves, or the whole home of the person.
fn check_copied(ctx: &Ctx, path: &Path) -> Result<()> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let original = real(path);
    let home = ctx.env().home();
    for inside in home.into_iter().chain([ctx.state_path().to_owned()]).map(|it| real(&it)) {
        if inside.starts_with(&original) {
            return Err(GitError::CopyInside { path: inside, original }.into());
        }
    }
    Ok(())
}

/// The checkout that stays when others go; the one given where the repository itself has none.
fn main_checkout(given: &Path, common: &Path) -> Result<PathBuf> {
    let main = git::worktrees(given)?.into_iter().next().map(|it| it.path);
    let is_usable = |it: &PathBuf| it.as_path() != common && git::repository(it).is_ok();
    Ok(main.filter(is_usable).unwrap_or_else(|| given.to_owned()))
}

/// Refuses another repository than the recorded one.
pub(super) fn check_same(project: &Project, recorded: &Repository, asked: &Found) -> Result<()> {
    let is_there = if recorded.kind == Kind::Copy.word() {
        recorded.path == asked.row.path
    } else {
        recorded.git_common_dir == asked.row.git_common_dir
    };
    if is_there && recorded.kind == asked.row.kind {
        return Ok(());
    }
    Err(ProjectError::OtherRepository {
        name: project.name.clone(),
        recorded: recorded.path.clone(),
        asked: asked.row.path.clone(),
    }
    .into())
}

/// Refuses a repository in which the integration branch cannot be made. One that is there and is
/// what would be made counts as made.
pub(super) fn check_trunk(name: &str, found: &Found) -> Result<()> {
    if found.row.kind == Kind::Copy.word() {
        return Ok(());
    }
    let (path, branch) = (Path::new(&found.row.path), trunk(name));
    match git::check_branch_is_free(path, &branch) {
        Err(GitError::BranchExists { .. })
            if git::branch_tip(path, &branch)?.as_ref() == Some(&found.head) =>
        {
            Ok(())
        }
        other => Ok(other?),
    }
}

/// The repository of a project in which it has an integration branch; a copied directory has none.
pub(crate) fn with_trunk(tx: &ReadTx<'_>, project_pk: i64) -> Result<Option<Repository>> {
    let found = projects::repository(tx, project_pk)?;
    Ok(found.filter(|it| it.kind != Kind::Copy.word()))
}

/// Makes the integration branch of a repository whose row stands, unless it is there.
///
/// A recorded repository without it is one whose `init` was cut off, or that lost it since.
pub(super) fn ensure_trunk(ctx: &mut Ctx, name: &str, repository: &Repository) -> Result<()> {
    if repository.kind == Kind::Copy.word() {
        return Ok(());
    }
    let (path, branch) = (Path::new(&repository.path), trunk(name));
    let base = recorded(&repository.base_sha, path)?;
    let what = format!("make the branch {branch} at {base} in {}", repository.path);
    ctx.act(what, || match git::branch_tip(path, &branch)? {
        Some(_) => Ok(()),
        None => Ok(git::create_branch(path, &branch, &base)?),
    })?;
    Ok(())
}
