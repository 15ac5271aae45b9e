//! `drover demo`.

use clap::Args;
use drover_ops::call::Healing;
use drover_ops::{Ctx, OpError, demo};

use super::{dispatch, run};
use crate::input::Input;
use crate::output::Report;
use crate::verb::{Effect, Verb};
use crate::wire::RunEnded;

/// Show the main job on a small built-in repository, with a script where an agent would be.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover demo\n\nExit codes: 0 shown, and otherwise those of drover run. It works in the project `demo` of this state directory; a second call goes on where the first stopped."
)]
pub(crate) struct Demo {
    /// How many workers.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=64))]
    workers: u32,
}

impl Verb for Demo {
    fn name(&self) -> &'static str {
        "demo"
    }

    fn effect(&self) -> Effect {
        Effect::Changes(Healing::Looks)
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        if ctx.is_dry_run() {
            return Err(OpError::Usage(
                "demo works until its plan is done, so it has no dry run".to_owned(),
            ));
        }
        let shown = demo::demo(ctx, self.workers, &mut |pass| dispatch::tell(pass))?;
        let mut data = RunEnded::from(&shown.ran);
        data.tests.clone_from(&shown.tests);
        Ok(run::report(&shown.ran, data, None)
            .next(
                "look at the repository",
                format!(
                    "git -C {} log --graph --oneline",
                    drover_ops::words::quote(&shown.repository.to_string_lossy())
                ),
            )
            .next("take it all away", format!("drover project teardown {} --yes", demo::PROJECT)))
    }
}
