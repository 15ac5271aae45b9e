//! `drover agent show`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::agents::Range;
use drover_ops::{Ctx, OpError, agents, usage};

use super::card::card;
use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{Effect, Verb};
use crate::wire::{AgentShown, AgentView, usage_in_words};

/// Show one agent, what it is doing and the end of its screen.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover agent show w1 -n 5\n\nExit codes: 0 (also for one that has ended), 3 unknown."
)]
pub(crate) struct Show {
    /// The agent: `<name>` or `<project>/<name>`.
    name: String,
    /// How many lines of its screen; 0 shows none.
    #[arg(short = 'n', long, default_value_t = 20, value_name = "LINES")]
    lines: u32,
}

impl Verb for Show {
    fn name(&self) -> &'static str {
        "agent show"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let (project, observed) = agents::show(ctx, &self.name)?;
        let project = &project.name;
        let screen = match self.lines {
            0 => None,
            lines if observed.pane.is_some() => {
                Some(agents::screen(ctx, &observed, Range::Last(lines))?)
            }
            _ => None,
        };
        let usage = usage::of_agent_now(ctx, &observed.agent)?;
        let mut text = card(project, &observed);
        if let Some(used) = usage_in_words(&usage) {
            let _ = writeln!(text, "Used: {used}");
        }
        if let Some(screen) = screen.as_deref().filter(|it| !it.is_empty()) {
            text.push('\n');
            text.push_str(&visible(screen));
        }
        let name = observed.agent.name.clone();
        let data = AgentShown {
            agent: AgentView::new(project, &observed),
            usage: (&usage).into(),
            screen,
        };
        Ok(Report::new("shown", data)
            .card(text)
            .next("see why it is said to do that", format!("drover agent explain {project}/{name}"))
            .next("read more of its screen", format!("drover agent read {project}/{name}"))
            .next("end it", format!("drover agent close {project}/{name}")))
    }
}
