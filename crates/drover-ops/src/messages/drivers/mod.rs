//! The drivers of the engines that serve a channel of their own.

mod claude;
mod pi;

use drover_store::agents::Agent;

use super::driver::Driver;
use crate::ctx::Ctx;
use crate::engines::Kind;
use crate::error::Result;

/// The driver of an agent's engine; none for an engine that is spoken to through its terminal.
pub(super) fn of(ctx: &Ctx, agent: &Agent) -> Result<Option<Box<dyn Driver>>> {
    Ok(match Kind::of(&agent.profile.engine) {
        Some(Kind::Pi) => Some(Box::new(pi::Pi::of(ctx, agent))),
        Some(Kind::Claude) => match claude::Claude::of(ctx, agent)? {
            Some(claude) => Some(Box::new(claude)),
            None => None,
        },
        Some(Kind::Codex) | None => None,
    })
}
