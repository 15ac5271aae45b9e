//! The drivers of the engines that serve a channel of their own.

mod claude;
mod codex;
mod pi;

use drover_store::agents::Agent;

use super::driver::Driver;
use crate::ctx::Ctx;
use crate::engines::Kind;

/// The driver of an agent's engine; none for an engine that is spoken to through its terminal.
pub(super) fn of(ctx: &Ctx, agent: &Agent) -> Option<Box<dyn Driver>> {
    match Kind::of(&agent.profile.engine) {
        Some(Kind::Pi) => Some(Box::new(pi::Pi::of(ctx, agent))),
        Some(Kind::Codex) => codex::of(ctx, agent).map(|it| Box::new(it) as Box<dyn Driver>),
        Some(Kind::Claude) => claude::of(ctx, agent).map(|it| Box::new(it) as Box<dyn Driver>),
        None => None,
    }
}
