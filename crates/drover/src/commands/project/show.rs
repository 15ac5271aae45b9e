//! `drover project show`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::{Ctx, OpError, projects};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{Effect, Verb};
use crate::wire::ProjectAnswer;

/// Show one project.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover project show web\n\nExit codes: 0, 2 no project is meant clearly, 3 unknown."
)]
pub(crate) struct Show {
    /// The project; the one that is meant when absent.
    name: Option<String>,
}

impl Verb for Show {
    fn name(&self) -> &'static str {
        "project show"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let listed = projects::show(ctx, self.name.as_deref())?;
        let (project, counts) = (&listed.project, &listed.counts);
        let mut card =
            format!("{}: {} ({})\n", project.name, visible(&project.title), project.state);
        if let Some(repository) = &listed.repository {
            card.push_str(&super::card::repository_line(&project.name, repository));
        }
        if let Some(session) = &listed.session {
            let life = match session.is_alive {
                Some(true) => "",
                Some(false) => ", which is gone",
                None => ", which does not answer",
            };
            let _ = writeln!(card, "Session: {}{life}", visible(&session.name));
        }
        let _ = writeln!(
            card,
            "{} tasks, {} open, {} edges, {} notes, {} agents, {} workspaces",
            counts.tasks,
            counts.open_tasks,
            counts.edges,
            counts.notes,
            counts.agents,
            counts.workspaces
        );
        for (key, value) in &listed.policy {
            let _ = writeln!(card, "{key} = {}", visible(value));
        }
        let name = project.name.clone();
        Ok(Report::new("shown", ProjectAnswer { project: (&listed).into() })
            .card(card)
            .next("see what can start", format!("drover task next -p {name}")))
    }
}
