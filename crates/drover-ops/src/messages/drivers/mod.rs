//! The drivers of the engines that serve a channel of their own.

use drover_store::agents::Agent;

use super::driver::Driver;
use crate::ctx::Ctx;
use crate::engines::Kind;
use crate::error::Result;

/// The driver of an agent's engine; none for an engine that is spoken to through its terminal.
pub(super) fn of(_ctx: &Ctx, agent: &Agent) -> Result<Option<Box<dyn Driver>>> {
    Ok(match Kind::of(&agent.profile.engine) {
        Some(Kind::Pi | Kind::Codex | Kind::Claude) | None => None,
    })
}
