//! `drover workspace list`.

use clap::Args;
use drover_ops::workspaces::{self, Listed};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Report, Table};
use crate::verb::{Effect, Verb};
use crate::wire::{Items, WorkspaceView};

/// List the workspaces of a project: what is dirty, unlanded, behind, or would conflict.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover workspace list --all\n\nExit codes: 0, 2 no project is meant clearly."
)]
pub(crate) struct List {
    /// Of every project.
    #[arg(short, long)]
    all: bool,
}

impl Verb for List {
    fn name(&self) -> &'static str {
        "workspace list"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let listed = workspaces::list(ctx, self.all)?;
        let views = listed.iter().map(WorkspaceView::from).collect();
        let report = Report::new("listed", Items::new(views));
        if listed.is_empty() {
            return Ok(report.card("There is no workspace."));
        }
        let header = ["agent", "branch", "is", "dirty", "unlanded", "behind", "conflicts with"];
        let mut table = Table::new(&header, 6);
        for it in &listed {
            let behind = it.from_trunk.map_or_else(|| "-".to_owned(), |it| it.behind.to_string());
            let conflicts: Vec<&str> = it.conflicts.iter().map(|it| it.with.as_str()).collect();
            table.row([
                it.agent.clone(),
                it.branch.clone(),
                state(it),
                it.dirty.len().to_string(),
                it.unlanded.to_string(),
                behind,
                conflicts.join(", "),
            ]);
        }
        Ok(report.card(table.render_for_terminal()))
    }
}

/// What a person must know first.
fn state(listed: &Listed) -> String {
    if let Some(operation) = &listed.operation {
        return format!("in a {operation}");
    }
    match (listed.state.as_str(), listed.presence) {
        ("branch_only", _) => "kept branch".to_owned(),
        ("ready", "missing") => "missing".to_owned(),
        ("ready", "stranger") => "not a checkout".to_owned(),
        ("ready", _) if listed.on_branch.as_deref() != Some(&listed.branch) => {
            "off its branch".to_owned()
        }
        (state, _) => state.to_owned(),
    }
}
