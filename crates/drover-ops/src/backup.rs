//! `db backup`: a whole copy of the database, of a newer version too.

use std::path::{Path, PathBuf};

use drover_host::env::Env;
use drover_store::StoreError;

use crate::ctx::Ctx;
use crate::error::{OpError, Result};

/// A copy that was made.
#[derive(Debug, Clone)]
pub struct Copied {
    /// The database.
    pub from: PathBuf,
    /// The copy.
    pub to: PathBuf,
    /// The schema version of both; none in a dry run.
    pub version: Option<i64>,
}

/// Copies the database to a place where nothing is.
pub fn backup(ctx: &mut Ctx, target: &Path) -> Result<Copied> {
    let (from, to) = (ctx.store().file().to_owned(), absolute(target)?);
    let copied = ctx.act(format!("copy {} to {}", from.display(), to.display()), || {
        Ok(drover_store::backup::copy(&from, &to)?)
    })?;
    Ok(Copied { from, to, version: copied })
}

/// The same for a database that this program is too old to open; any other refusal stands.
pub fn backup_unopened(env: &Env, why: OpError, target: &Path) -> Result<Copied> {
    if !matches!(why, OpError::Store(StoreError::Newer { .. })) {
        return Err(why);
    }
    let from = env.state_dir()?.join("drover.db");
    let to = absolute(target)?;
    let version = drover_store::backup::copy(&from, &to)?;
    Ok(Copied { from, to, version: Some(version) })
}

fn absolute(target: &Path) -> Result<PathBuf> {
    std::path::absolute(target).map_err(|source| OpError::File { path: target.to_owned(), source })
}
