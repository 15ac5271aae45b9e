//! `rebuild`: a database written anew from the log, as a file of its own.

use std::path::{Path, PathBuf};

pub use drover_store::rebuild::{Present, Rebuilt};

use crate::ctx::Ctx;
use crate::error::{Result, at_file};

/// What was, or would be, rebuilt.
#[derive(Debug, Clone)]
pub struct Rebuilding {
    /// The database whose log is read.
    pub from: PathBuf,
    /// The new file.
    pub to: PathBuf,
    /// What it holds; none in a dry run.
    pub rebuilt: Option<Rebuilt>,
}

/// Writes a database anew from the log of this one; this one stays as it is.
pub fn rebuild(ctx: &mut Ctx, target: &Path, present: Present) -> Result<Rebuilding> {
    let to = std::path::absolute(target).map_err(at_file(target))?;
    let (from, now) = (ctx.store().file().to_owned(), ctx.now());
    drover_store::rebuild::check(&from, &to, present)?;
    let what = format!("write a database from the log of {} to {}", from.display(), to.display());
    let rebuilt =
        ctx.act(what, || Ok(drover_store::rebuild::rebuild(&from, &to, present, now)?))?;
    Ok(Rebuilding { from, to, rebuilt })
}
