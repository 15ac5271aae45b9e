//! How an agent is spoken to, and what can be known about it on that way.

use std::path::Path;

use drover_core::agent::screen::ScreenRules;
use drover_core::message::Level;
use drover_store::agents::Agent;

use crate::ctx::Ctx;
use crate::error::Result;

/// The engine that stands for the person's own shell.
const OWN_SHELL: &str = "shell";

/// Shells by the names of their programs.
const SHELLS: &[&str] = &["ash", "bash", "dash", "fish", "ksh", "mksh", "sh", "zsh"];

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
        if engine == OWN_SHELL || reads_commands(&agent.profile.command) {
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

/// Whether a command, a JSON array of words, is a shell that reads commands from its terminal: not
/// one that was given a script.
fn reads_commands(command: &str) -> bool {
    let words: Vec<String> = serde_json::from_str(command).unwrap_or_default();
    let Some((program, arguments)) = words.split_first() else { return false };
    let name = Path::new(program).file_name().and_then(std::ffi::OsStr::to_str);
    let is_option = |it: &String| {
        let is_long = it.starts_with("--");
        it.starts_with('-') && (is_long || !it.contains('c'))
    };
    name.is_some_and(|it| SHELLS.contains(&it)) && arguments.iter().all(is_option)
}

/// Whether an engine should be spoken to through a channel of its own.
pub(super) fn has_exact_channel(engine: &str) -> bool {
    EXACT.contains(&engine)
}

#[cfg(test)]
mod tests {
    use super::reads_commands;

    #[test]
    fn a_shell_reads_commands_unless_it_was_given_a_script() {
        let check = |command: &str, expected: bool| {
            assert_eq!(reads_commands(command), expected, "{command}");
        };
        check(r#"["/bin/bash"]"#, true);
        check(r#"["bash","--norc","-i"]"#, true);
        check(r#"["sh","-c","exec cat"]"#, false);
        check(r#"["bash","-lc","make"]"#, false);
        check(r#"["bash","agent.sh"]"#, false);
        check(r#"["cat"]"#, false);
        check("[]", false);
    }
}
