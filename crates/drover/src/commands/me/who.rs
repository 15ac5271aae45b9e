//! `drover me show`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::{Ctx, OpError, me};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{Effect, Verb};
use crate::wire::MeView;

/// Show who you are and what you hold.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  drover me show\n\nExit codes: 0, 4 the token is not yours.")]
pub(crate) struct Who {}

impl Verb for Who {
    fn name(&self) -> &'static str {
        "me show"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let me = me::me(ctx)?;
        let mut card = format!("You are {}", me.word);
        if let Some(agent) = &me.agent {
            let _ = write!(card, " ({})", agent.profile.role);
        }
        card.push('\n');
        for (project, task) in &me.tasks {
            let _ =
                writeln!(card, "You hold {}/{}: {}", project.name, task.id, visible(&task.title));
        }
        let report = Report::new("shown", MeView::from(&me)).card(card);
        Ok(match me.tasks.first() {
            Some((project, task)) => {
                report.next("read it", format!("drover task show {}/{}", project.name, task.id))
            }
            None => report.next("take one", "drover task next --claim"),
        })
    }
}
