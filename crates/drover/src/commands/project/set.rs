//! `drover project set`.

use clap::Args;
use drover_ops::{Ctx, OpError, projects};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::PolicySet;

/// Set a policy value of the project, or take it back to its default.
#[derive(Debug, Args)]
#[command(
    after_help = "Keys:\n  attempts          how often dispatch tries a task that was lost, 1 to 1000 (3)\n  bring             ignored files that a new workspace gets from its source, by commas\n  setup_timeout     how long the setup hook of a new workspace may take (10m)\n  tracks            exclusive: at most one agent on each track; shared: no such rule (shared)\n  trust_workspaces  yes: agents in workspaces that Drover made trust what the repository brings (no)\n  verify            the command that proves a task done when it names none itself\n  verify_timeout    how long such a command may take (10m)\n  wip               how many tasks may be in progress at once, 1 to 1000 or workers (workers)\n\nExample:\n  drover project set wip 3\n\nExit codes: 0, 2 no such key or value."
)]
pub(crate) struct Set {
    /// The key.
    #[arg(value_name = "KEY")]
    name: String,
    /// The value; `-` reads standard input.
    #[arg(required_unless_present = "unset", allow_hyphen_values = true)]
    value: Option<String>,
    /// Take it back to its default.
    #[arg(long, conflicts_with = "value")]
    unset: bool,
}

impl Verb for Set {
    fn name(&self) -> &'static str {
        "project set"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        let value = input.text(self.value.as_deref(), None)?;
        let set = projects::set(ctx, &self.name, value.as_deref())?;
        let project = &set.project.name;
        let was = set.old.as_deref().map_or("its default".to_owned(), visible);
        let is = set.new.as_deref().map_or("its default".to_owned(), visible);
        let card = format!("{project}: {} is {is} (was {was})", set.key.name);
        Ok(Report::new("set", PolicySet::from(&set))
            .card(card)
            .next("see the whole policy", format!("drover project show {project}")))
    }
}
