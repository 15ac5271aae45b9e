//! `drover db compact`.

use clap::Args;
use drover_ops::shrink::{self, Mode};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::Report;
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::DatabaseCompacted;

/// Take out of the log what it says twice, and give free room back; the log reads as before.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover db compact\n\nThe database is copied into its folder of backups first. It stays in use meanwhile.\n\nExit codes: 0 (without --yes a preview), 3 an agent called it, 5 the log does not tell the rows as they are, or the disk is full."
)]
pub(crate) struct Compact {
    /// Do it; without this, only show what would go.
    #[arg(long)]
    yes: bool,
}

impl Verb for Compact {
    fn name(&self) -> &'static str {
        "db compact"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let mode = if self.yes { Mode::Apply } else { Mode::Preview };
        let compacted = shrink::compact(ctx, mode)?;
        let (repeated, free) = (compacted.repeated, compacted.free_bytes);
        let is_anything = repeated.deletions > 0 || free > 0;
        let (outcome, verb) = match (&compacted.shrunk, is_anything) {
            (Some(_), _) => ("compacted", "Took out"),
            (None, true) => ("preview", "Would take out"),
            (None, false) => ("unchanged", "Nothing to take out"),
        };
        let mut card = format!(
            "{verb}: {} deletions that repeat {} bytes; {free} bytes of the file are free\n",
            repeated.deletions, repeated.bytes
        );
        if let Some(shrunk) = &compacted.shrunk {
            card.push_str(&super::shrunk::lines(shrunk));
        }
        let report = Report::new(outcome, DatabaseCompacted::from(&compacted)).card(card);
        Ok(match outcome {
            "preview" => report.next("do it", "drover db compact --yes"),
            _ => report.next("check the log against the rows", "drover doctor --deep"),
        })
    }
}
