//! `drover rebuild`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use drover_ops::rebuild::{self, Present, Rebuilding};
use drover_ops::words::quote;
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::DatabaseRebuilt;

/// Write a database anew from the log of this one, as a file of its own; this one stays as it is.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover rebuild rebuilt.db\n\nIt is for rows that drifted from the log, as `drover doctor --deep` finds them. Put it in place only while no drover runs.\n\nExit codes: 0, 4 the file exists, or is no database of ours that is closed, 5 it cannot be read or written."
)]
pub(crate) struct Rebuild {
    /// Where the new database goes.
    file: PathBuf,
    /// Replace a database that is there; anything else is never replaced.
    #[arg(long)]
    force: bool,
}

impl Verb for Rebuild {
    fn name(&self) -> &'static str {
        "rebuild"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let present = if self.force { Present::Replace } else { Present::Keep };
        let rebuilding = rebuild::rebuild(ctx, &self.file, present)?;
        if let Some(rebuilt) = &rebuilding.rebuilt {
            for told in &rebuilt.replayed.told {
                ctx.warn(told);
            }
        }
        Ok(Report::new("rebuilt", DatabaseRebuilt::from(&rebuilding))
            .card(card(&rebuilding))
            .next("see how the rows here differ", "drover doctor --deep")
            .next("put it in place while no drover runs", swap(&rebuilding)))
    }
}

fn card(rebuilding: &Rebuilding) -> String {
    let to = visible(&rebuilding.to.display().to_string());
    let Some(rebuilt) = &rebuilding.rebuilt else { return format!("Would write {to}\n") };
    let rows: usize = rebuilt.rows.iter().map(|it| it.1).sum();
    let replayed = &rebuilt.replayed;
    let mut card = format!(
        "Wrote {to}: {rows} rows from {} changes, {} of which changed a row\n",
        replayed.ops, replayed.applied
    );
    for (table, count) in &rebuilt.carried {
        let _ = writeln!(card, "Taken over as they stand: {count} of {table}");
    }
    for (table, count) in &rebuilt.lost {
        let _ = writeln!(card, "Not taken over: {count} of {table}");
    }
    for (entity, count) in &replayed.log_only {
        let _ = writeln!(card, "Only in the log: {count} changes of {}", visible(entity));
    }
    card
}

/// Moves the database aside together with the files that belong to it, and the new one in its place.
fn swap(rebuilding: &Rebuilding) -> String {
    let name = |path: &Path| quote(&path.to_string_lossy());
    let (from, to) = (name(&rebuilding.from), name(&rebuilding.to));
    format!(
        "for it in '' -wal -shm; do [ ! -e {from}$it ] || mv {from}$it {from}.before$it; done && mv {to} {from}"
    )
}
