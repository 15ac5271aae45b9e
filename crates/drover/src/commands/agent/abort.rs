//! `drover agent abort`.

use clap::Args;
use drover_core::duration::Limit;
use drover_ops::agents::Observed;
use drover_ops::call::Healing;
use drover_ops::messages;
use drover_ops::{Ctx, OpError};

use super::card::doing;
use crate::input::Input;
use crate::output::Report;
use crate::verb::{Effect, Verb};
use crate::wire::{AgentAborted, AgentView};

/// Stop the running turn of an agent; its conversation, its tasks and its messages stay.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover agent abort w1\n\nExit codes: 0 it is idle, 3 unknown, gone, or an engine whose turns cannot be stopped, 5 not seen idle in time."
)]
pub(crate) struct Abort {
    /// The agent: `<name>` or `<project>/<name>`.
    name: String,
    /// How long to wait until it is seen idle.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = Limit::parse)]
    timeout: Limit,
}

impl Verb for Abort {
    fn name(&self) -> &'static str {
        "agent abort"
    }

    fn effect(&self) -> Effect {
        // Whose turn a repeat would stop is not known: a new one may have begun.
        Effect::Changes(Healing::Cannot)
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let request = messages::Abort { name: self.name.clone(), timeout: self.timeout };
        let stopping = messages::abort(ctx, &request)?;
        let (project, name) = (&stopping.project.name, &stopping.after.agent.name);
        let number = |it: &Observed| it.turn.as_ref().map(|it| it.number);
        let card = format!(
            "{project}/{name}\nBefore: {}\nNow: {}",
            doing(&stopping.before),
            doing(&stopping.after)
        );
        let data = AgentAborted {
            agent: AgentView::new(project, &stopping.after),
            was_busy: stopping.was_busy,
            state_before: stopping.before.decided.state.to_string(),
            turn_before: number(&stopping.before),
        };
        let outcome = if stopping.was_busy { "aborted" } else { "already_idle" };
        let report = Report::new(outcome, data).card(card);
        let report = match number(&stopping.after).filter(|_| stopping.was_busy) {
            Some(turn) => report.next(
                "see what it said until then",
                format!("drover agent wait {project}/{name} --after-runs {}", (turn - 1).max(0)),
            ),
            None => report,
        };
        Ok(report
            .next("see what waits for it", format!("drover agent queue {project}/{name}"))
            .next("read its screen", format!("drover agent read {project}/{name}")))
    }
}
