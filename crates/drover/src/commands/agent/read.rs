//! `drover agent read`.

use clap::Args;
use drover_ops::agents::Range;
use drover_ops::{Ctx, OpError, agents};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{Effect, Verb};
use crate::wire::{AgentRead, AgentView};

/// Read an agent's screen as text; what would move the cursor is shown as an escape.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover agent read w1 -n 50\n\nExit codes: 0 (also for one that ended, while its pane is kept), 3 unknown or without a pane, 5 its multiplexer does not answer."
)]
pub(crate) struct Read {
    /// The agent: `<name>` or `<project>/<name>`.
    name: String,
    /// How many lines from the end; 0 is what is on the screen. All that is kept when absent.
    #[arg(short = 'n', long, value_name = "LINES")]
    lines: Option<u32>,
}

impl Verb for Read {
    fn name(&self) -> &'static str {
        "agent read"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let (project, observed) = agents::show(ctx, &self.name)?;
        let range = match self.lines {
            None => Range::Full,
            Some(0) => Range::Visible,
            Some(lines) => Range::Last(lines),
        };
        let screen = agents::screen(ctx, &observed, range)?;
        let card = visible(&screen);
        let agent = AgentView::new(&project.name, &observed);
        Ok(Report::new("shown", AgentRead { agent, screen: Some(screen) }).card(card))
    }
}
