//! Branches that somebody must bring to where the work is, before they are asked where it is.

use drover_host::workspace::Kind;
use drover_store::projects::Project;
use drover_store::workspaces;

use super::site::Site;
use crate::ctx::Ctx;
use crate::error::Result;

/// Has the branches of a project's jj workspaces follow their work; git's do so by themselves.
///
/// A workspace that cannot be looked at stays where it was seen last, and is told of by whoever needs it.
pub(crate) fn settle(ctx: &Ctx, project: &Project) -> Result<()> {
    for row in workspaces::list(&ctx.read(), project.pk)? {
        if row.kind == Kind::Jj.word() && row.state == "ready" {
            let site = Site::of(&row)?;
            let _ = site.backend().status(&site.place());
        }
    }
    Ok(())
}
