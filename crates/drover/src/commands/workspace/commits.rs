//! `drover workspace commits`.

use clap::Args;
use drover_ops::{Ctx, OpError, workspaces};

use crate::input::Input;
use crate::output::{Report, Table};
use crate::verb::{Effect, Verb};
use crate::wire::{CommitView, Items, WorkspaceCommits};

/// Show the commits that an agent made on its branch, oldest first.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover workspace commits w1\n\nExit codes: 0, 3 it has no workspace."
)]
pub(crate) struct Commits {
    /// The agent: `<agent>` or `<project>/<agent>`.
    agent: String,
    /// Every commit since this branch, tag or commit, whoever made it.
    #[arg(long, value_name = "REF")]
    since: Option<String>,
}

impl Verb for Commits {
    fn name(&self) -> &'static str {
        "workspace commits"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let found = workspaces::commits(ctx, &self.agent, self.since.as_deref())?;
        let mut table = Table::new(&["commit", "subject", "author", "landed"], 1);
        for (commit, landed) in &found.commits {
            table.row([
                commit.oid.as_str().chars().take(10).collect(),
                commit.subject.clone(),
                commit.author.clone(),
                if *landed { "yes" } else { "no" }.to_owned(),
            ]);
        }
        let views = found.commits.iter().map(|(it, landed)| CommitView::new(it, *landed)).collect();
        let data = WorkspaceCommits {
            items: Items::new(views),
            branch: found.branch.clone(),
            kind: found.kind.clone(),
            path: found.path.clone(),
            base: found.base.clone(),
        };
        let report = Report::new("listed", data);
        Ok(if found.commits.is_empty() {
            report.card(format!("{} has no commits after {}.", found.branch, found.base))
        } else {
            report.card(table.render_for_terminal())
        })
    }
}
