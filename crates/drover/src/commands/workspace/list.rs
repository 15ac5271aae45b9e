//! `drover workspace list`.

use clap::Args;
use drover_ops::workspaces::{self, Listed, Staleness};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Report, Table, size};
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
    /// Count the room that the files of each take.
    #[arg(long)]
    disk: bool,
}

impl Verb for List {
    fn name(&self) -> &'static str {
        "workspace list"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let listed = workspaces::list(ctx, workspaces::List { all: self.all, disk: self.disk })?;
        let views = listed.iter().map(WorkspaceView::from).collect();
        let report = Report::new("listed", Items::new(views));
        if listed.is_empty() {
            return Ok(report.card("There is no workspace."));
        }
        let header =
            ["agent", "branch", "is", "dirty", "unlanded", "behind", "size", "conflicts with"];
        let mut table = Table::new(&header, 7);
        for it in &listed {
            let behind = it.behind.as_ref().map_or_else(|| "-".to_owned(), behind);
            let conflicts: Vec<&str> = it.conflicts.iter().map(|it| it.with.as_str()).collect();
            table.row([
                it.agent.clone(),
                it.branch.clone(),
                state(it),
                it.dirty.len().to_string(),
                it.unlanded.to_string(),
                behind,
                it.disk.as_ref().map_or_else(|| "-".to_owned(), |it| size(it.bytes)),
                conflicts.join(", "),
            ]);
        }
        let report = report.card(table.render_for_terminal());
        Ok(listed.iter().filter(|it| it.behind.as_ref().is_some_and(Staleness::is_stale)).fold(
            report,
            |report, it| {
                let run = format!("drover workspace refresh {}/{}", it.project, it.agent);
                report.next(format!("bring {} up", it.agent), run)
            },
        ))
    }
}

fn behind(found: &Staleness) -> String {
    if found.is_stale() { format!("{} (stale)", found.behind) } else { found.behind.to_string() }
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
