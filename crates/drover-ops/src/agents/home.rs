//! The project of an agent that does not exist yet; that of helpers without tasks is made when it is meant.

use drover_core::name::ProjectName;
use drover_store::projects::Project;

use crate::ctx::Ctx;
use crate::error::Result;
use crate::{projects, resolve};

/// The project and the name that are meant by `<name>` or `<project>/<name>`.
pub(crate) fn for_new(ctx: &mut Ctx, text: &str) -> Result<(Project, String)> {
    match text.split_once('/') {
        Some((project, _)) => ensure(ctx, project)?,
        None => ensure_meant(ctx)?,
    }
    resolve::project_and_name(ctx, text)
}

/// The project that is meant where no name says so.
pub(crate) fn meant(ctx: &mut Ctx) -> Result<Project> {
    ensure_meant(ctx)?;
    resolve::project(ctx)
}

fn ensure_meant(ctx: &mut Ctx) -> Result<()> {
    let meant = ctx.project_flag().or_else(|| ctx.env().project()).map(str::to_owned);
    meant.map_or(Ok(()), |it| ensure(ctx, &it))
}

fn ensure(ctx: &mut Ctx, project: &str) -> Result<()> {
    if project == ProjectName::scratch().as_str() {
        projects::scratch(ctx)?;
    }
    Ok(())
}
