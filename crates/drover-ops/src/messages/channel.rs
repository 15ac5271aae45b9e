//! How an agent is spoken to, and what can be known about it on that way.

use drover_core::agent::screen::ScreenRules;
use drover_core::message::Level;
use drover_store::agents::Agent;

use crate::ctx::Ctx;
use crate::engines;
use crate::error::Result;

/// Engines that serve a channel of their own, next to which typing is a makeshift.
const EXACT: &[&str] = &["codex", "pi"];

/// How an agent is spoken to.
#[derive(Debug, Clone)]
pub enum Channel {
    /// Typed into its pane, its screen read by these rules.
    Screen(Box<ScreenRules>),
    /// Typed into a shell, whose foreground process says whether it waits.
    Shell,
    /// Typed into its pane; nothing says what becomes of it.
    Blind,
}

impl Channel {
    /// The channel of an agent.
    pub fn of(ctx: &Ctx, agent: &Agent) -> Result<Self> {
        let engine = agent.profile.engine.as_str();
        if engines::is_shell(engine, &agent.profile.command) {
            return Ok(Self::Shell);
        }
        let rules = ctx.config()?.engine(engine).screen;
        Ok(if rules.is_empty() { Self::Blind } else { Self::Screen(Box::new(rules)) })
    }

    /// The best level that can be proven on it.
    pub fn best(&self) -> Level {
        match self {
            Self::Screen(_) => Level::Submitted,
            Self::Shell | Self::Blind => Level::Typed,
        }
    }

    /// Whether it can be seen that the agent waits for input.
    pub fn sees_idle(&self) -> bool {
        match self {
            Self::Screen(_) | Self::Shell => true,
            Self::Blind => false,
        }
    }

    /// How many looks in a row must agree before text is typed or refused.
    pub(super) fn calm_looks(&self) -> u32 {
        match self {
            // A dialog that opens right after a command is seen within two pauses.
            Self::Screen(_) => 3,
            Self::Shell | Self::Blind => 1,
        }
    }
}

/// Whether an engine should be spoken to through a channel of its own.
pub(super) fn has_exact_channel(engine: &str) -> bool {
    EXACT.contains(&engine)
}

/// Whether a brief may be typed to an agent: never into a shell, which would run it, nor next to a
/// channel of the engine's own.
pub fn may_get_briefs(ctx: &Ctx, agent: &Agent) -> Result<bool> {
    let is_shell = matches!(Channel::of(ctx, agent)?, Channel::Shell);
    Ok(!is_shell && !has_exact_channel(&agent.profile.engine))
}
