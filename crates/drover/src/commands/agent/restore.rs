//! `drover agent restore`.

use std::fmt::Write as _;

use clap::Args;
use drover_core::duration::Limit;
use drover_ops::agents::{self, Restored};
use drover_ops::call::Healing;
use drover_ops::{Ctx, OpError};

use super::card::doing;
use crate::error::speak;
use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{Effect, Verb};
use crate::wire::{AgentsRestored, RestoredView};

/// Bring agents that have ended back into their conversations, with their profiles and their tasks.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover agent restore --all\n\nExit codes: 0, 3 unknown, still running, or no conversation to go on with, 4 its conversation goes on in another agent, 5 its multiplexer does not answer, 6 it did not come up, or not all did."
)]
pub(crate) struct Restore {
    /// The agents: `<name>` or `<project>/<name>`.
    #[arg(required_unless_present = "all", conflicts_with = "all", value_name = "NAME")]
    names: Vec<String>,
    /// Every agent that has ended: of the project given by --project, or of all.
    #[arg(long)]
    all: bool,
    /// How long to wait until they are seen to be up.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = Limit::parse)]
    timeout: Limit,
}

impl Verb for Restore {
    fn name(&self) -> &'static str {
        "agent restore"
    }

    fn effect(&self) -> Effect {
        Effect::Changes(Healing::Looks)
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let (names, all, timeout) = (self.names.clone(), self.all, self.timeout);
        let restored = agents::restore(ctx, &agents::Restore { names, all, timeout })?;
        let refusal = |it: &Restored| it.came.as_ref().err().map_or("", |err| speak(err).outcome);
        let views = restored.iter().map(|it| RestoredView::new(it, refusal(it)));
        let failed = restored.iter().any(|it| it.came.is_err());
        let outcome = if failed { "restored_in_part" } else { "restored" };
        let report = Report::new(outcome, AgentsRestored { agents: views.collect() });
        let report = report.card(card(&restored));
        Ok(restored.iter().fold(report, |report, it| {
            let name = reference(it);
            match &it.came {
                Ok(back) if back.claimed.is_empty() => report,
                Ok(_) => report.next(
                    format!("have {name} go on"),
                    format!("drover agent send {name} \"You were cut off. Go on with your task.\""),
                ),
                Err(_) => report
                    .next(format!("try {name} again"), format!("drover agent restore {name}"))
                    .next(
                        format!("start {name} anew, without its conversation"),
                        format!("drover agent restart {name}"),
                    ),
            }
        }))
    }
}

fn card(restored: &[Restored]) -> String {
    if restored.is_empty() {
        return "No agent has ended.".to_owned();
    }
    let mut card = String::new();
    for it in restored {
        let name = reference(it);
        match &it.came {
            Ok(back) => {
                let _ = writeln!(card, "{name} is back: {}", doing(&it.observed));
                if !back.claimed.is_empty() {
                    let _ = writeln!(card, "  holds again: {}", back.claimed.join(", "));
                }
                for difference in &back.differences {
                    let _ = writeln!(card, "  {}", visible(difference));
                }
            }
            Err(err) => {
                let _ = writeln!(card, "{name} is not back: {}", visible(&err.to_string()));
            }
        }
    }
    card
}

fn reference(restored: &Restored) -> String {
    format!("{}/{}", restored.project.name, restored.observed.agent.name)
}
