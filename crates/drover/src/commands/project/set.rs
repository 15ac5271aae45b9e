//! `drover project set`.

use clap::Args;
use drover_ops::{Ctx, OpError, policy};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::PolicySet;

/// Set a policy value of the project, or take it back to its default.
#[derive(Debug, Args)]
#[command(
    after_help = "Keys:\n  bring           ignored files that a new workspace gets a copy of, as paths\n  tracks          exclusive: one worker a track; shared (default): any number\n  verify          command that proves a task done which has none of its own\n  verify_timeout  how long a verify command may run, as 90s, 10m (default) or never\n  wip             how many tasks may be in progress at once, 1 to 1000\n\nExample:\n  drover project set wip 3\n\nExit codes: 0, 2 no such key or value."
)]
pub(crate) struct Set {
    /// The key.
    key: String,
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
        let set = policy::set(ctx, &self.key, value.as_deref().map(str::trim_end))?;
        let project = &set.project.name;
        let was = set.old.as_deref().map_or("its default".to_owned(), visible);
        let is = set.new.as_deref().map_or("its default".to_owned(), visible);
        let card = format!("{project}: {} is {is} (was {was})", set.key);
        Ok(Report::new("set", PolicySet::from(&set))
            .card(card)
            .next("see the whole policy", format!("drover project show {project}")))
    }
}
