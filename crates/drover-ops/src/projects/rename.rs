//! `project rename`: another name for a project, and for its integration branch.

use std::path::Path;

use drover_core::name::ProjectName;
use drover_host::workspace::git;
use drover_store::projects::{self, Project};
use drover_store::{ReadTx, agents};

use super::repository::with_trunk;
use crate::ctx::Ctx;
use crate::error::{OpError, ProjectError, Result};
use crate::resolve;
use crate::workspaces::trunk;

/// A project under its new name.
#[derive(Debug, Clone)]
pub struct Renamed {
    /// The project.
    pub project: Project,
    /// What it was called.
    pub from: String,
    /// Its integration branch now; none where nothing was to be renamed.
    pub branch: Option<String>,
    /// Whether its row changed.
    pub is_changed: bool,
}

/// Gives a project another name; refused while it has agents, whose environment names it.
pub fn rename(ctx: &mut Ctx, from: &str, to: &str) -> Result<Renamed> {
    let to = ProjectName::parse_new(to)?;
    // A reserved name is nobody's to give away.
    let from = ProjectName::parse_new(from)?;
    let (from, to) = (from.as_str(), to.as_str());
    let Some(project) = projects::find(&ctx.read(), from)? else {
        return finish(ctx, from, to);
    };
    let project = resolve::kept(ctx, project)?;
    if from == to {
        let from = from.to_owned();
        return Ok(Renamed { project, from, branch: None, is_changed: false });
    }
    check(&ctx.read(), &project, to)?;
    let branch = branch(ctx, &project, (from, to))?;
    ctx.step("project.rename", |tx| {
        check(tx, &project, to)?;
        Ok(projects::rename(tx, project.pk, to)?)
    })?;
    if let Err(err) = move_branch(ctx, branch.as_ref()) {
        ctx.step("project.rename", |tx| Ok(projects::rename(tx, project.pk, from)?))?;
        return Err(err);
    }
    let project = projects::by_pk(&ctx.read(), project.pk)?.unwrap_or(project);
    let branch = branch.map(|it| it.to);
    Ok(Renamed { project, from: from.to_owned(), branch, is_changed: true })
}

/// The rename may have been made, and its branch left behind by a call that was cut off.
fn finish(ctx: &mut Ctx, from: &str, to: &str) -> Result<Renamed> {
    let renamed = projects::find(&ctx.read(), to)?;
    let renamed = match renamed {
        Some(project) if projects::was_called(&ctx.read(), &project.uid, from)? => project,
        _ => return Err(unknown(ctx, from)),
    };
    let project = resolve::kept(ctx, renamed)?;
    let branch = branch_left_behind(ctx, &project, (from, to))?;
    move_branch(ctx, branch.as_ref())?;
    let branch = branch.map(|it| it.to);
    Ok(Renamed { project, from: from.to_owned(), branch, is_changed: false })
}

fn unknown(ctx: &Ctx, name: &str) -> OpError {
    let unknown = || ProjectError::Unknown { name: name.to_owned(), nearest: Vec::new() }.into();
    resolve::named(&ctx.read(), name).err().unwrap_or_else(unknown)
}

/// Refuses a name that another project has, and a project whose agents know it by its name.
pub(super) fn check(tx: &ReadTx<'_>, project: &Project, to: &str) -> Result<()> {
    if projects::find(tx, to)?.is_some_and(|it| it.pk != project.pk) {
        return Err(ProjectError::Exists {
            name: to.to_owned(),
            archived: (project.state == "archived").then(|| project.name.clone()),
        }
        .into());
    }
    check_agents(tx, project)
}

/// Refuses a project with agents that are not closed.
pub(super) fn check_agents(tx: &ReadTx<'_>, project: &Project) -> Result<()> {
    let agents: Vec<String> = agents::list(tx, project.pk)?.into_iter().map(|it| it.name).collect();
    if agents.is_empty() {
        return Ok(());
    }
    Err(ProjectError::HasAgents { name: project.name.clone(), agents }.into())
}

/// What becomes of an integration branch.
#[derive(Debug, Clone)]
pub(super) struct Branch {
    repository: String,
    pub(super) from: String,
    pub(super) to: String,
    /// Whether another project works on the old one by now, which then stays.
    is_shared: bool,
}

/// What becomes of the integration branch, where there is one under the old name; refused where the new is taken.
pub(super) fn branch(
    ctx: &Ctx,
    project: &Project,
    (from, to): (&str, &str),
) -> Result<Option<Branch>> {
    let tx = ctx.read();
    let Some(repository) = with_trunk(&tx, project.pk)? else { return Ok(None) };
    let namesake = projects::find(&tx, from)?.filter(|it| it.pk != project.pk);
    let namesake = namesake.map(|it| with_trunk(&tx, it.pk)).transpose()?.flatten();
    let is_shared = namesake.is_some_and(|it| it.git_common_dir == repository.git_common_dir);
    let (from, to) = (trunk(from), trunk(to));
    let path = Path::new(&repository.path);
    if git::branch_tip(path, &from)?.is_none() {
        return Ok(None);
    }
    git::check_branch_is_free(path, &to)?;
    Ok(Some(Branch { repository: repository.path, from, to, is_shared }))
}

/// The same for a repeat: a branch under the new name is one that was made before.
pub(super) fn branch_left_behind(
    ctx: &Ctx,
    project: &Project,
    names: (&str, &str),
) -> Result<Option<Branch>> {
    let repository = with_trunk(&ctx.read(), project.pk)?;
    let is_made = match &repository {
        Some(it) => git::branch_tip(Path::new(&it.path), &trunk(names.1))?.is_some(),
        None => true,
    };
    if is_made { Ok(None) } else { branch(ctx, project, names) }
}

/// Gives the integration branch its new name.
pub(super) fn move_branch(ctx: &mut Ctx, branch: Option<&Branch>) -> Result<()> {
    let Some(Branch { repository, from, to, is_shared }) = branch else { return Ok(()) };
    let path = Path::new(repository);
    if *is_shared {
        let what = format!("make the branch {to} where {from} is in {repository}");
        ctx.act(what, || match git::branch_tip(path, from)? {
            Some(tip) => Ok(git::create_branch(path, to, &tip)?),
            None => Ok(()),
        })?;
    } else {
        let what = format!("rename the branch {from} to {to} in {repository}");
        ctx.act(what, || Ok(git::rename_branch(path, from, to)?))?;
    }
    Ok(())
}
