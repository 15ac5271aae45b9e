//! `drover project archive` and `drover project unarchive`.

use clap::Args;
use drover_ops::call::Healing;
use drover_ops::projects::{self, Archived};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::Report;
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::ProjectArchived;

/// Put a project away: its rows stay, its name becomes free; refused while it has agents.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover project archive web\n\nAn archived project is still listed, and `drover log --all` tells of it; no other verb means it until it is fetched back.\n\nExit codes: 0, 3 unknown, 4 it has agents."
)]
pub(crate) struct Archive {
    /// The project.
    name: String,
}

impl Verb for Archive {
    fn name(&self) -> &'static str {
        "project archive"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let archived = projects::archive(ctx, &self.name)?;
        let name = &archived.project.name;
        let outcome = if archived.is_changed { "archived" } else { "unchanged" };
        let verb = if archived.is_changed { "Archived" } else { "Archived already" };
        let mut card = format!("{verb}: {}\n", holds(&archived));
        if let Some(branch) = &archived.branch {
            card = format!("{card}Stays in the repository: {branch}\n");
        }
        Ok(Report::new(outcome, ProjectArchived::from(&archived))
            .card(card)
            .next("fetch it back", format!("drover project unarchive {name}")))
    }
}

/// Fetch the newest archived project of a name back, with all its rows.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover project unarchive web\n\nExit codes: 0, 2 the name breaks its rule, 3 unknown, 4 the name is taken: give it another with --as."
)]
pub(crate) struct Unarchive {
    /// The project.
    name: String,
    /// Another name for it, where its own was given away meanwhile.
    #[arg(long = "as", value_name = "NAME")]
    new_name: Option<String>,
}

impl Verb for Unarchive {
    fn name(&self) -> &'static str {
        "project unarchive"
    }

    fn effect(&self) -> Effect {
        Effect::Changes(Healing::Looks)
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let archived = projects::unarchive(ctx, &self.name, self.new_name.as_deref())?;
        let name = &archived.project.name;
        let outcome = if archived.is_changed { "unarchived" } else { "unchanged" };
        let verb = if archived.is_changed { "Back again" } else { "There already" };
        Ok(Report::new(outcome, ProjectArchived::from(&archived))
            .card(format!("{verb}: {}", holds(&archived)))
            .next("see what can start", format!("drover task next -n 0 -p {name}")))
    }
}

fn holds(archived: &Archived) -> String {
    let counts = &archived.counts;
    format!(
        "{} with {} tasks, {} of them open",
        archived.project.name, counts.tasks, counts.open_tasks
    )
}
