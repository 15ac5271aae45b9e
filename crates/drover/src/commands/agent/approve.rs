//! `drover agent approve`.

use clap::Args;
use drover_core::agent::dialog::Answer;
use drover_ops::call::Healing;
use drover_ops::messages;
use drover_ops::{Ctx, OpError, agents};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{Effect, Verb};
use crate::wire::{AgentApproved, AgentView, DialogView};

/// Answer the dialog that an agent waits in, if it still is the one that was read.
///
/// Without a digest it shows the dialog, its answers and the command that gives one. Dialogs that change the
/// program or an account are answered in the pane only.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover agent approve w1\n\nExit codes: 0 answered, 3 unknown agent or answer, or no dialog, 4 another dialog stands there, 6 answered and not seen, 7 it waits for an answer, or only a person in its pane may give it."
)]
pub(crate) struct Approve {
    /// The agent: `<name>` or `<project>/<name>`.
    name: String,
    /// Give this of its answers, in its words or the beginning of them; a plain yes when absent.
    #[arg(long, value_name = "ANSWER", conflicts_with = "deny")]
    choose: Option<String>,
    /// Say no.
    #[arg(long)]
    deny: bool,
    /// The digest of the dialog that is answered, or at least eight digits of its beginning.
    #[arg(long)]
    digest: Option<String>,
}

impl Verb for Approve {
    fn name(&self) -> &'static str {
        "agent approve"
    }

    fn effect(&self) -> Effect {
        // A repeat would answer whatever stands there by then.
        Effect::Changes(Healing::Cannot)
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let answer = match (&self.choose, self.deny) {
            (Some(row), _) => Answer::Row(row.clone()),
            (None, true) => Answer::Deny,
            (None, false) => Answer::Allow,
        };
        let (name, digest) = (self.name.clone(), self.digest.clone());
        let answered = messages::approve(ctx, &messages::Approve { name, answer, digest })?;
        let observed = agents::observe_one(ctx, answered.agent);
        let (project, name) = (&answered.project.name, &observed.agent.name);
        let card = format!(
            "{project}/{name}\nAnswered its {} dialog: {}",
            answered.dialog.label,
            visible(&answered.row)
        );
        let data = AgentApproved {
            agent: AgentView::new(project, &observed),
            dialog: DialogView::from(&answered.dialog),
            answer: answered.row,
        };
        Ok(Report::new("answered", data)
            .card(card)
            .next("wait until it is idle", format!("drover agent wait {project}/{name}"))
            .next("read its screen", format!("drover agent read {project}/{name}")))
    }
}
