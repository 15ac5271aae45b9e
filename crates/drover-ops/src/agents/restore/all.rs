//! One call that brings agents back, one after the other, and waits for all of them at once.

use drover_core::agent::Lifecycle;
use drover_store::agents::{self, Agent};
use drover_store::projects::{self, Project};

use super::types::{Restore, Restored};
use super::{bring, prove};
use crate::agents::reconcile::reconcile;
use crate::ctx::Ctx;
use crate::error::{OpError, Result};
use crate::resolve;

/// Brings agents back into their conversations: same conversation, profile, directory and environment.
///
/// One that is named alone is refused with its reason; of several each says what came of it.
pub fn restore(ctx: &mut Ctx, request: &Restore) -> Result<Vec<Restored>> {
    reconcile(ctx)?;
    let wanted = if request.all { ended(ctx)? } else { named(ctx, &request.names)? };
    let is_alone = wanted.len() == 1 && !request.all;
    let mut begun = Vec::new();
    for (project, agent) in wanted {
        let came = bring::bring(ctx, &project, &agent);
        if is_alone && let Err(err) = came {
            return Err(err);
        }
        begun.push((project, agent, came));
    }
    let restored = prove::prove(ctx, begun, request.timeout)?;
    match <[Restored; 1]>::try_from(restored) {
        Ok([Restored { came: Err(err), .. }]) if is_alone => Err(err),
        Ok(one) => Ok(one.into()),
        Err(several) => Ok(several),
    }
}

fn named(ctx: &Ctx, names: &[String]) -> Result<Vec<(Project, Agent)>> {
    let mut wanted: Vec<(Project, Agent)> = Vec::new();
    for name in names {
        let (project, agent) = resolve::agent(ctx, name)?;
        if wanted.iter().all(|it| it.1.pk != agent.pk) {
            wanted.push((project, agent));
        }
    }
    if wanted.is_empty() {
        return Err(OpError::Usage(
            "no agent is named; --all means all that have ended".to_owned(),
        ));
    }
    Ok(wanted)
}

/// Every agent that has ended and was not closed.
fn ended(ctx: &Ctx) -> Result<Vec<(Project, Agent)>> {
    let tx = ctx.read();
    let only = ctx.project_flag().map(|it| resolve::named(&tx, it)).transpose()?;
    let mut ended = Vec::new();
    for agent in agents::all(&tx)? {
        let is_meant = only.as_ref().is_none_or(|it| it.pk == agent.project_pk);
        let has_ended = matches!(agent.lifecycle, Lifecycle::Exited | Lifecycle::Failed);
        if is_meant
            && has_ended
            && let Some(project) = projects::by_pk(&tx, agent.project_pk)?
        {
            ended.push((project, agent));
        }
    }
    Ok(ended)
}
