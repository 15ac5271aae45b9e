//! `project import --mu`: the workstreams of a database of mu become projects; the file is only read.

mod account;
mod plan;
mod types;
mod write;

use std::path::Path;

use drover_host::snapshot::Snapshot;
use drover_store::mu::{self, Contents};

use crate::ctx::Ctx;
use crate::error::{MuImportError, Result, at_file};

pub use types::{Differs, ImportMu, ImportedMu, Left, Table, Taken};

/// Adds what a database of mu has and this one has not, all or nothing.
///
/// A task is known again by its workstream and its id there, as it is among mu's own machines, even
/// after it was renamed here.
pub fn import_mu(ctx: &mut Ctx, request: &ImportMu) -> Result<ImportedMu> {
    let path = std::path::absolute(&request.path).map_err(at_file(&request.path))?;
    let (contents, digest) = read(ctx, &path)?;
    let chosen = plan::chosen(&contents, request, &path)?;
    let mut planned = Vec::with_capacity(chosen.len());
    for (workstream, name) in &chosen {
        planned.push(plan::plan(&contents, workstream, name)?);
    }
    let redactions: usize = planned.iter().map(plan::Planned::redactions).sum();
    let written = ctx.write("project.import", |tx| {
        planned.iter().map(|it| write::write(tx, it)).collect::<Result<Vec<_>>>()
    })?;
    if redactions > 0 {
        ctx.warn(format!("redacted: {redactions}"));
    }
    let tables = account::tables(&contents, &planned, &written);
    let Contents { machine, checkouts, .. } = contents;
    Ok(ImportedMu {
        path,
        digest,
        machine,
        taken: written.into_iter().map(|it| it.taken).collect(),
        tables,
        checkouts,
    })
}

/// Reads a private copy: whatever SQLite does to read a file, it does to that.
fn read(ctx: &Ctx, path: &Path) -> Result<(Contents, String)> {
    let copy = Snapshot::take(path, &["-wal", "-journal"], ctx.state_path());
    let copy = copy.map_err(MuImportError::from)?;
    let contents = mu::read(&copy.file(), path).map_err(MuImportError::from)?;
    Ok((contents, copy.digest().to_owned()))
}
