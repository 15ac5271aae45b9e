//! Agents that have been idle for long although something is theirs to do, or nothing ever will be.

use drover_core::agent::{Decided, Presence};
use drover_core::duration::Limit;
use drover_core::name::ProjectName;
use drover_store::agents::Agent;
use drover_store::{projects, tasks};

use crate::ctx::Ctx;
use crate::error::Result;
use crate::policy::Policy;

/// Whether an agent has been idle for longer than its project's policy allows, as a helper or with a
/// task in its hands. What cannot be read makes nobody idle.
pub(super) fn is_left(ctx: &Ctx, agent: &Agent, decided: &Decided) -> bool {
    decided.state == Presence::Idle && asked(ctx, agent, decided).unwrap_or(false)
}

fn asked(ctx: &Ctx, agent: &Agent, decided: &Decided) -> Result<bool> {
    let Some(since) = decided.since else { return Ok(false) };
    let Some(project) = projects::by_pk(&ctx.read(), agent.project_pk)? else { return Ok(false) };
    let allowed = match Policy::of(ctx, &project)?.idle_after {
        Limit::Never => return Ok(false),
        Limit::AtOnce => std::time::Duration::ZERO,
        Limit::For(time) => time,
    };
    if ctx.now().duration_since(since).unsigned_abs() < allowed {
        return Ok(false);
    }
    let is_helper = project.name == ProjectName::scratch().as_str();
    Ok(is_helper || !tasks::held_by(&ctx.read(), &agent.uid)?.is_empty())
}
