//! `drover db backup`.

use std::path::PathBuf;

use clap::Args;
use drover_ops::backup::{self, Copied};
use drover_ops::{Ctx, Env, OpError};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::DatabaseCopied;

/// Copy the database whole; a file that is there is never replaced.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover db backup before.db\n\nIt works on the database of a newer drover, too.\n\nExit codes: 0, 4 the file exists or the database is not ours, 5 it cannot be read or written."
)]
pub(crate) struct Backup {
    /// Where the copy goes.
    file: PathBuf,
}

impl Verb for Backup {
    fn name(&self) -> &'static str {
        "db backup"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        Ok(report(&backup::backup(ctx, &self.file)?))
    }

    fn run_unopened(&self, env: &Env, why: OpError) -> Result<Report, OpError> {
        Ok(report(&backup::backup_unopened(env, why, &self.file)?))
    }
}

fn report(copied: &Copied) -> Report {
    let to = copied.to.display().to_string();
    Report::new("copied", DatabaseCopied::from(copied)).card(format!(
        "Copied {} to {}",
        visible(&copied.from.display().to_string()),
        visible(&to)
    ))
}
