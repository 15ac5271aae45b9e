//! `drover workspace refresh`.

use clap::Args;
use drover_ops::call::Healing;
use drover_ops::{Ctx, OpError, workspaces};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{Effect, Verb};
use crate::wire::WorkspaceRefreshed;

/// Bring a clean workspace onto the integration branch; on a conflict it is left as it was.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover workspace refresh w1\n\nExit codes: 0, 3 it has changes that are not committed, 4 it conflicts, 5 the remote cannot be reached."
)]
pub(crate) struct Refresh {
    /// The agent: `<agent>` or `<project>/<agent>`.
    agent: String,
    /// Onto this branch, tag or commit instead.
    #[arg(long, value_name = "REF")]
    from: Option<String>,
    /// Fetch from the remote origin first; otherwise nothing is fetched.
    #[arg(long)]
    fetch: bool,
}

impl Verb for Refresh {
    fn name(&self) -> &'static str {
        "workspace refresh"
    }

    fn effect(&self) -> Effect {
        Effect::Changes(Healing::Looks)
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let request = workspaces::Refresh {
            agent: self.agent.clone(),
            from: self.from.clone(),
            fetch: self.fetch,
        };
        let done = workspaces::refresh(ctx, &request)?;
        let (outcome, words) = if done.is_current {
            ("current", "has all of")
        } else {
            ("refreshed", "was brought onto")
        };
        let card = format!("{} {words} {} at {}", done.branch, visible(&done.onto), done.base);
        Ok(Report::new(outcome, WorkspaceRefreshed::from(&done))
            .card(card)
            .next("see what it changes", format!("drover workspace diff {} --stat", self.agent)))
    }
}
