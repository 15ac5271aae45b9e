//! `project archive` and `project unarchive`: out of the way with every row, and back.

use drover_core::name::ProjectName;
use drover_store::projects::{self, Counts, Project};

use super::rename;
use super::repository::with_trunk;
use crate::ctx::Ctx;
use crate::error::{ProjectError, Result};
use crate::resolve;
use crate::workspaces::trunk;

/// A project that was put away or fetched back.
#[derive(Debug, Clone)]
pub struct Archived {
    /// The project.
    pub project: Project,
    /// What it holds.
    pub counts: Counts,
    /// Its integration branch, which stays in the repository.
    pub branch: Option<String>,
    /// Whether its row changed.
    pub is_changed: bool,
}

/// Puts a project away: its rows stay, its name becomes free.
pub fn archive(ctx: &mut Ctx, name: &str) -> Result<Archived> {
    ProjectName::parse_new(name)?;
    let tx = ctx.read();
    let Some(project) = projects::find(&tx, name)? else {
        return match projects::archived(&tx, name)?.into_iter().next() {
            Some(project) => archived(ctx, project.pk, false),
            None => Err(resolve::named(&tx, name).err().unwrap_or_else(|| unknown(name))),
        };
    };
    let project = resolve::kept(ctx, project)?;
    ctx.step("project.archive", |tx| {
        rename::check_agents(tx, &project)?;
        Ok(projects::set_state(tx, project.pk, "archived")?)
    })?;
    archived(ctx, project.pk, true)
}

/// Fetches the newest archived project of a name back, under another name where that is taken.
pub fn unarchive(ctx: &mut Ctx, name: &str, new_name: Option<&str>) -> Result<Archived> {
    let to = ProjectName::parse_new(new_name.unwrap_or(name))?;
    let tx = ctx.read();
    let Some(project) = projects::archived(&tx, name)?.into_iter().next() else {
        // Naming one that is not archived says so; the name it has now is the one that was asked for.
        let project = resolve::kept(ctx, resolve::named(&tx, to.as_str())?)?;
        if project.name != name && projects::was_called(&tx, &project.uid, name)? {
            let branch = rename::branch_left_behind(ctx, &project, (name, to.as_str()))?;
            rename::move_branch(ctx, branch.as_ref())?;
        }
        return archived(ctx, project.pk, false);
    };
    let project = resolve::kept(ctx, project)?;
    let is_renamed = to.as_str() != project.name;
    rename::check(&tx, &project, to.as_str())?;
    let branch = if is_renamed {
        rename::branch(ctx, &project, (&project.name, to.as_str()))?
    } else {
        None
    };
    ctx.step("project.unarchive", |tx| {
        rename::check(tx, &project, to.as_str())?;
        if is_renamed {
            projects::rename(tx, project.pk, to.as_str())?;
        }
        Ok(projects::set_state(tx, project.pk, "active")?)
    })?;
    if let Err(err) = rename::move_branch(ctx, branch.as_ref()) {
        ctx.step("project.unarchive", |tx| {
            projects::rename(tx, project.pk, &project.name)?;
            Ok(projects::set_state(tx, project.pk, "archived")?)
        })?;
        return Err(err);
    }
    archived(ctx, project.pk, true)
}

fn unknown(name: &str) -> crate::error::OpError {
    ProjectError::Unknown { name: name.to_owned(), nearest: Vec::new() }.into()
}

fn archived(ctx: &Ctx, pk: i64, is_changed: bool) -> Result<Archived> {
    let tx = ctx.read();
    let project = projects::by_pk(&tx, pk)?.ok_or(ProjectError::None)?;
    let has_trunk = with_trunk(&tx, pk)?.is_some();
    Ok(Archived {
        counts: projects::counts(&tx, pk)?,
        branch: has_trunk.then(|| trunk(&project.name)),
        project,
        is_changed,
    })
}
