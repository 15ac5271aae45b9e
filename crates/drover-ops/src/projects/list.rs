//! `project list` and `project show`.

use drover_store::projects::{self, Counts, Project, Repository};

use crate::ctx::Ctx;
use crate::error::Result;
use crate::resolve;

/// A project with what it holds.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The project.
    pub project: Project,
    /// How many rows it holds.
    pub counts: Counts,
    /// Its repository.
    pub repository: Option<Repository>,
    /// Its policy: what was set.
    pub policy: Vec<(String, String)>,
}

/// All projects, archived ones last.
pub fn list(ctx: &Ctx) -> Result<Vec<Listed>> {
    let tx = ctx.read();
    projects::list(&tx)?.into_iter().map(|it| listed(ctx, it)).collect()
}

/// One project: the named one, else the one that is meant.
pub fn show(ctx: &Ctx, name: Option<&str>) -> Result<Listed> {
    let project = match name {
        Some(name) => resolve::kept(ctx, resolve::named(&ctx.read(), name)?)?,
        None => resolve::project(ctx)?,
    };
    listed(ctx, project)
}

fn listed(ctx: &Ctx, project: Project) -> Result<Listed> {
    let tx = ctx.read();
    Ok(Listed {
        counts: projects::counts(&tx, project.pk)?,
        repository: projects::repository(&tx, project.pk)?,
        policy: projects::policy(&tx, project.pk)?,
        project,
    })
}
