//! `drover workspace diff`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::workspaces::{self, Difference};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Report, Table, visible};
use crate::verb::{Effect, Verb};
use crate::wire::WorkspaceDiff;

/// Show what a workspace changes against the integration branch, changes that are not committed included.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover workspace diff w1 --stat\n\nExit codes: 0, 3 it has no workspace."
)]
pub(crate) struct Diff {
    /// The agent: `<agent>` or `<project>/<agent>`.
    agent: String,
    /// Only the files and how many lines they gain and lose.
    #[arg(long)]
    stat: bool,
}

impl Verb for Diff {
    fn name(&self) -> &'static str {
        "workspace diff"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let found = workspaces::diff(ctx, &self.agent, self.stat)?;
        let report = Report::new("shown", WorkspaceDiff::from(&found));
        let mut card = match &found.text {
            Some(text) => visible(text),
            None => stat(&found),
        };
        if !found.untracked.is_empty() {
            let _ = writeln!(card, "Not known to git: {}", visible(&found.untracked.join(", ")));
        }
        Ok(report.card(if card.is_empty() { "It changes nothing.".to_owned() } else { card }))
    }
}

fn stat(found: &Difference) -> String {
    if found.files.is_empty() {
        return String::new();
    }
    let number = |it: Option<u64>| it.map_or_else(|| "-".to_owned(), |it| it.to_string());
    let mut table = Table::new(&["file", "added", "removed"], 0);
    for it in &found.files {
        table.row([it.path.display().to_string(), number(it.added), number(it.removed)]);
    }
    table.render_for_terminal()
}
