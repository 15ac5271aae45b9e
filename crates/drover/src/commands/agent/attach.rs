//! `drover agent attach`.

use clap::Args;
use drover_ops::{Ctx, OpError, agents, tty};

use crate::input::Input;
use crate::output::Report;
use crate::verb::{Effect, Verb};
use crate::wire::{AgentAttached, AgentView};

/// Show an agent's pane on this terminal; without a terminal, print the command that does.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover agent attach w1 --print\n\nExit codes: 0, 3 unknown or without a pane, 5 its multiplexer does not answer."
)]
pub(crate) struct Attach {
    /// The agent: `<name>` or `<project>/<name>`.
    name: String,
    /// Only print the command.
    #[arg(long)]
    print: bool,
}

impl Verb for Attach {
    fn name(&self) -> &'static str {
        "agent attach"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let attachment = agents::attach(ctx, &self.name)?;
        let command = attachment.command_line();
        let agent = AgentView::new(&attachment.project.name, &attachment.observed);
        let has_terminal = tty::is_stdin_terminal() && tty::is_stdout_terminal();
        let is_meant = has_terminal && !self.print;
        let obstacle = agents::Attachment::obstacle(ctx).filter(|_| is_meant);
        let is_shown = is_meant && obstacle.is_none() && attachment.run()?;
        if let Some(why) = obstacle {
            ctx.warn(why);
        }
        let outcome = if is_shown { "attached" } else { "shown" };
        let card = if is_shown { String::new() } else { command.clone() };
        Ok(Report::new(outcome, AgentAttached { agent, command }).card(card))
    }
}
