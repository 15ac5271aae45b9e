//! Speaking to an agent through what its engine serves itself, in place of its terminal.

use drover_core::message::{Level, Mode, Obstacle};
use drover_store::agents::Agent;
use drover_store::messages::Message;

use super::handed::Handed;
use crate::ctx::Ctx;
use crate::error::Result;

/// Whether a message may be handed over now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Gate {
    /// It may.
    Open,
    /// Not yet: the agent is at work, or is starting.
    NotYet(String),
    /// Not as the agent is.
    Stopped(Obstacle, String),
}

/// What became of a turn that was to be stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Aborted {
    /// No turn was running.
    WasIdle,
    /// It was running, and was seen ended.
    Stopped,
    /// It was left alone, and why.
    Refused(String),
}

/// An engine's own channel to one agent.
///
/// Every call is bounded in time. `hand` is called once for a message, under the lock of the agent's pane, right
/// after `gate` said that it may be; it never tries again by itself.
pub(crate) trait Driver: std::fmt::Debug {
    /// The best level that can be proven on it.
    fn best(&self) -> Level;

    /// Why a mode cannot be had on it; none if it can.
    fn refuses(&self, mode: Mode) -> Option<String>;

    /// Why a text is not sent as it is; none if it can be.
    fn refuses_text(&self, _mode: Mode, _text: &str) -> Option<String> {
        None
    }

    /// Whether a message of this mode may be handed over now.
    fn gate(&self, ctx: &Ctx, agent: &Agent, mode: Mode) -> Result<Gate>;

    /// Hands over a text once, and says how far it got and never more.
    fn hand(&self, ctx: &Ctx, agent: &Agent, message: &Message, text: &str) -> Handed;

    /// What became of a message whose sender was cut off while it handed it over, where the engine can say.
    fn recall(&self, _ctx: &Ctx, _agent: &Agent, _message: &Message) -> Option<Handed> {
        None
    }

    /// Stops the running turn, and says so only when it was seen ended.
    fn abort(&self, _ctx: &Ctx, agent: &Agent) -> Result<Aborted> {
        let engine = &agent.profile.engine;
        Ok(Aborted::Refused(format!("nothing proves that {engine} stopped its turn")))
    }
}
