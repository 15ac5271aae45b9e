//! `db compact` and `db forget`: a smaller log, after a copy of the database beside it.

use std::path::{Path, PathBuf};

use drover_core::name;
use drover_store::drift::drift;
use drover_store::projects;
use drover_store::shrink::{self, Repeated};
use drover_store::{WriteTx, back_up_beside};

pub use drover_store::shrink::TornDown;

use crate::ctx::Ctx;
use crate::error::{LogError, ProjectError, Result, at_file};

/// Whether to show or to do it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Show what would go.
    Preview,
    /// Let it go.
    Apply,
}

/// What became of the file.
#[derive(Debug, Clone, Default)]
pub struct Shrunk {
    /// The copy of the database as it was; none in a dry run.
    pub backup: Option<PathBuf>,
    /// Its size before, in bytes.
    pub before: u64,
    /// Its size after; none in a dry run.
    pub after: Option<u64>,
    /// Whether it could shrink yet: who reads it keeps it as it is.
    pub could_shrink: Option<bool>,
}

/// What the log said twice.
#[derive(Debug, Clone)]
pub struct Compacted {
    /// Deletions that repeat what the log tells, and their bytes.
    pub repeated: Repeated,
    /// Bytes of the file that hold nothing.
    pub free_bytes: usize,
    /// What became of the file; none for a preview.
    pub shrunk: Option<Shrunk>,
}

/// Takes out of the log what it says twice, and gives the room back.
pub fn compact(ctx: &mut Ctx, mode: Mode) -> Result<Compacted> {
    ctx.people_only("db compact")?;
    let (repeated, free_bytes) = (shrink::twice(&ctx.read())?, shrink::free_bytes(&ctx.read())?);
    if mode == Mode::Preview || (repeated.deletions == 0 && free_bytes == 0) {
        return Ok(Compacted { repeated, free_bytes, shrunk: None });
    }
    let (repeated, shrunk) = smaller(ctx, "db.compact", |tx| Ok(shrink::compact(tx)?))?;
    Ok(Compacted { repeated, free_bytes, shrunk: Some(shrunk) })
}

/// Projects that go from the log.
#[derive(Debug, Clone)]
pub struct Forgotten {
    /// The projects.
    pub projects: Vec<TornDown>,
    /// What became of the file; none for a preview.
    pub shrunk: Option<Shrunk>,
}

/// Takes torn-down projects of these names out of the log for good; without a name, lists what could go.
pub fn forget(ctx: &mut Ctx, names: &[String], mode: Mode) -> Result<Forgotten> {
    ctx.people_only("db forget")?;
    let torn = shrink::torn_down(&ctx.read())?;
    for name in names {
        if !torn.iter().any(|it| it.name == *name) {
            return Err(not_torn_down(ctx, name, &torn)?.into());
        }
    }
    let is_meant = |it: &TornDown| names.is_empty() || names.contains(&it.name);
    let chosen: Vec<TornDown> = torn.into_iter().filter(is_meant).collect();
    if mode == Mode::Preview || names.is_empty() {
        return Ok(Forgotten { projects: chosen, shrunk: None });
    }
    let uids: Vec<String> = chosen.iter().map(|it| it.uid.clone()).collect();
    let ((), shrunk) = smaller(ctx, "db.forget", |tx| {
        let is_done = shrink::forget(tx, &uids)?;
        // Taken back by an undo just now: then it is somebody's project again.
        let back = || ProjectError::NotTornDown {
            name: names.join(", "),
            is_there: true,
            nearest: Vec::new(),
        };
        if is_done { Ok(()) } else { Err(back().into()) }
    })?;
    Ok(Forgotten { projects: chosen, shrunk: Some(shrunk) })
}

fn not_torn_down(ctx: &Ctx, name: &str, torn: &[TornDown]) -> Result<ProjectError> {
    let is_there = projects::list(&ctx.read())?.iter().any(|it| it.name == name);
    let nearest = name::nearest(name, torn.iter().map(|it| &it.name), 3);
    Ok(ProjectError::NotTornDown { name: name.to_owned(), is_there, nearest })
}

/// Makes the log smaller after a copy, unless it does not tell the rows as they are.
fn smaller<T>(
    ctx: &mut Ctx,
    intent: &str,
    change: impl FnOnce(&WriteTx<'_>) -> Result<T>,
) -> Result<(T, Shrunk)> {
    let (file, now) = (ctx.store().file().to_owned(), ctx.now());
    let drifted = drift(&file, ctx.state_path(), now)?;
    if !drifted.is_none() {
        let rows = drifted.tables.iter().map(|it| it.count).sum();
        let changes = drifted.replayed.misfits;
        return Err(LogError::Drifted { rows, changes }.into());
    }
    let before = size(&file)?;
    let what = format!("copy {} into its folder of backups", file.display());
    let backup = ctx.act(what, || Ok(back_up_beside(&file, now)?))?;
    let done = ctx.step(intent, change)?;
    let could_shrink = ctx.vacuum()?;
    let after = could_shrink.map(|_| size(&file)).transpose()?;
    Ok((done, Shrunk { backup, before, after, could_shrink }))
}

fn size(file: &Path) -> Result<u64> {
    Ok(std::fs::metadata(file).map_err(at_file(file))?.len())
}
