//! How an agent is spoken to, and what can be known about it on that way.

use drover_core::agent::screen::ScreenRules;
use drover_core::message::{Level, Mode};
use drover_store::agents::Agent;

use super::driver::Driver;
use super::drivers;
use crate::ctx::Ctx;
use crate::engines;
use crate::error::Result;

/// How an agent is spoken to.
#[derive(Debug)]
pub(crate) enum Channel {
    /// Through what its engine serves itself.
    Exact(Box<dyn Driver>),
    /// Typed into its pane, its screen read by these rules.
    Screen(Box<ScreenRules>),
    /// Typed into a shell, whose foreground process says whether it waits.
    Shell,
    /// Typed into its pane; nothing says what becomes of it.
    Blind,
}

impl Channel {
    /// The channel of an agent; `via` is `mux` where its terminal is meant even next to an exact channel.
    pub(crate) fn of(ctx: &Ctx, agent: &Agent, via: Option<&str>) -> Result<Self> {
        let engine = agent.profile.engine.as_str();
        if engines::is_shell(engine, &agent.profile.command) {
            return Ok(Self::Shell);
        }
        if via.is_none()
            && let Some(driver) = drivers::of(ctx, agent)
        {
            return Ok(Self::Exact(driver));
        }
        let rules = ctx.config()?.engine(engine).screen;
        Ok(if rules.is_empty() { Self::Blind } else { Self::Screen(Box::new(rules)) })
    }

    /// The best level that can be proven on it.
    pub(crate) fn best(&self) -> Level {
        match self {
            Self::Exact(driver) => driver.best(),
            Self::Screen(_) => Level::Submitted,
            Self::Shell | Self::Blind => Level::Typed,
        }
    }

    /// Why a mode cannot be had on it for an engine; none if it can.
    pub(super) fn refuses(&self, engine: &str, mode: Mode) -> Option<String> {
        let sees_idle = match self {
            Self::Exact(driver) => return driver.refuses(mode),
            Self::Screen(_) | Self::Shell => true,
            Self::Blind => false,
        };
        match mode {
            Mode::TurnEnd => None,
            Mode::WhenIdle if sees_idle => None,
            Mode::WhenIdle => Some(format!("nothing says whether {engine} is idle")),
            Mode::Interrupt => Some(format!("nothing proves that {engine} stopped its turn")),
            Mode::Steer => Some(format!("nothing proves that {engine} took a text into its turn")),
            Mode::Fresh => Some(format!("nothing proves that {engine} began a new conversation")),
        }
    }

    /// How many looks in a row must agree before text is typed or refused.
    pub(super) fn calm_looks(&self) -> u32 {
        match self {
            // A dialog that opens right after a command is seen within two pauses.
            Self::Screen(_) => 3,
            Self::Exact(_) | Self::Shell | Self::Blind => 1,
        }
    }
}

/// How far a message to an agent can be proven to get.
pub fn best_proof(ctx: &Ctx, agent: &Agent) -> Result<Level> {
    Ok(Channel::of(ctx, agent, None)?.best())
}

/// Whether a brief may be given to an agent: never typed into a shell, which would run it.
pub fn may_get_briefs(ctx: &Ctx, agent: &Agent) -> Result<bool> {
    Ok(match Channel::of(ctx, agent, None)? {
        Channel::Shell => false,
        // Next to a channel of the engine's own that is not there, typing is a makeshift.
        Channel::Exact(_) => true,
        Channel::Screen(_) | Channel::Blind => {
            engines::Kind::of(&agent.profile.engine).is_none_or(|it| !it.has_socket())
        }
    })
}
