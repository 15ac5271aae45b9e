//! `drover project rename`.

use clap::Args;
use drover_ops::call::Healing;
use drover_ops::{Ctx, OpError, projects};

use crate::input::Input;
use crate::output::Report;
use crate::verb::{Effect, Verb};
use crate::wire::ProjectRenamed;

/// Give a project another name, and its integration branch with it; refused while it has agents.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover project rename web shop\n\nBranches that were kept of closed agents keep their names.\n\nExit codes: 0, 2 the name breaks its rule, 3 unknown, 4 the name is taken, it has agents, or a branch is in the way."
)]
pub(crate) struct Rename {
    /// The project.
    name: String,
    /// Its new name.
    new_name: String,
}

impl Verb for Rename {
    fn name(&self) -> &'static str {
        "project rename"
    }

    fn effect(&self) -> Effect {
        Effect::Changes(Healing::Looks)
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let renamed = projects::rename(ctx, &self.name, &self.new_name)?;
        let (from, to) = (&renamed.from, &renamed.project.name);
        let outcome =
            if renamed.is_changed || renamed.branch.is_some() { "renamed" } else { "unchanged" };
        let mut card = match outcome {
            "renamed" => format!("{from} is called {to} now\n"),
            _ => format!("It is called {to} already\n"),
        };
        if let Some(branch) = &renamed.branch {
            card = format!("{card}Work lands on: {branch}\n");
        }
        Ok(Report::new(outcome, ProjectRenamed::from(&renamed))
            .card(card)
            .next("see it", format!("drover project show {to}")))
    }
}
