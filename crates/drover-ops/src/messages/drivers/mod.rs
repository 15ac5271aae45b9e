//! The drivers of the engines that serve a channel of their own.

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
        Some(Kind::Codex | Kind::Claude) | None => None,
    })
}
