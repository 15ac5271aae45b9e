//! `drover project init`.

use clap::Args;
use drover_ops::{Ctx, OpError, projects};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::ProjectCreated;

/// Make a project; one that exists is left as it is.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover project init web --title \"The web shop\"\n\nExit codes: 0 made or found, 2 the name breaks its rule."
)]
pub(crate) struct Init {
    /// The name: lower-case letters, digits, `_` and `-`.
    name: String,
    /// What it is called in full.
    #[arg(long)]
    title: Option<String>,
}

impl Verb for Init {
    fn name(&self) -> &'static str {
        "project init"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let made = projects::init(
            ctx,
            &projects::Init { name: self.name.clone(), title: self.title.clone() },
        )?;
        let listed = projects::show(ctx, Some(&made.project.name))?;
        let name = &made.project.name;
        let (outcome, verb) = if made.is_new { ("created", "Made") } else { ("exists", "Found") };
        let data = ProjectCreated { project: (&listed).into(), created: made.is_new };
        Ok(Report::new(outcome, data)
            .card(format!("{verb} the project {name}: {}", visible(&made.project.title)))
            .next("add a task", format!("drover task add -p {name} \"<title>\"")))
    }
}
