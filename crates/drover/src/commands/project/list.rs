//! `drover project list`.

use clap::Args;
use drover_ops::{Ctx, OpError, projects};

use crate::input::Input;
use crate::output::{Report, Table};
use crate::verb::{Effect, Verb};
use crate::wire::{Items, ProjectView};

/// List the projects, archived ones last.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  drover project list\n\nExit codes: 0.")]
pub(crate) struct List {}

impl Verb for List {
    fn name(&self) -> &'static str {
        "project list"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let listed = projects::list(ctx)?;
        let mut table = Table::new(&["project", "title", "state", "open", "tasks", "agents"], 1);
        for it in &listed {
            let (project, counts) = (&it.project, &it.counts);
            table.row([
                project.name.clone(),
                project.title.clone(),
                project.state.clone(),
                counts.open_tasks.to_string(),
                counts.tasks.to_string(),
                counts.agents.to_string(),
            ]);
        }
        let report =
            Report::new("listed", Items::new(listed.iter().map(ProjectView::from).collect()));
        Ok(if listed.is_empty() {
            report
                .card("There is no project yet.")
                .next("make one", "drover project init <name> --repo .")
        } else {
            report.card(table.render_for_terminal())
        })
    }
}
