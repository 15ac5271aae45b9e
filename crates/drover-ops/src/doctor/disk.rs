//! What lies on the disk: the database, checkouts, copies and locks; on demand with every size.

use std::path::Path;

use drover_host::files;
use drover_host::state_dir::{Folder, room};
use drover_store::workspaces;

use super::check::Check;
use super::database::directories;
use crate::ctx::Ctx;
use crate::error::{Result, at_file};

const SECTION: &str = "disk";

/// How much of the disk may be left before that is a warning.
const LITTLE: u64 = 512 << 20;

/// Whether to measure what takes long to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Count only.
    Counts,
    /// Walk every checkout and the whole state directory.
    Sizes,
}

/// What the state directory holds.
pub(super) fn checks(ctx: &Ctx, measure: Measure) -> Result<Vec<Check>> {
    let state = ctx.state_path();
    let file = ctx.store().file();
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |it| it.len());
    let wal = size(&file.with_extension("db-wal"));
    let database = format!("{} bytes, and {wal} not yet moved into it", size(file));
    let mut checks = vec![space(state), Check::fine(SECTION, "database", database)];
    checks.push(checkouts(ctx)?);
    let locks = std::fs::read_dir(state.join(Folder::Locks.name())).map_or(0, Iterator::count);
    checks.push(Check::fine(
        SECTION,
        "locks",
        format!("{locks} files; a lock ends with its process, never by age"),
    ));
    if measure == Measure::Sizes {
        checks.extend(sizes(ctx)?);
    }
    Ok(checks)
}

fn space(state: &Path) -> Check {
    match room(state) {
        Some(free) if free < LITTLE => {
            Check::warning(SECTION, "space", format!("only {free} bytes are free"))
                .fix("drover doctor --tidy")
        }
        Some(free) => Check::fine(SECTION, "space", format!("{free} bytes are free")),
        None => Check::fine(SECTION, "space", "the file system does not say what is free"),
    }
}

fn checkouts(ctx: &Ctx) -> Result<Check> {
    let rows = workspaces::all(&ctx.read())?;
    let rows = rows.iter().filter(|it| it.state != "branch_only").count();
    let mut there = 0;
    let mut empty = 0;
    for project in directories(&ctx.state_path().join(Folder::Workspaces.name()))? {
        for checkout in directories(&project)? {
            there += 1;
            let listed = std::fs::read_dir(&checkout).map_err(at_file(&checkout))?;
            empty += usize::from(listed.count() == 0);
        }
    }
    let detail = format!("{rows} known, {there} directories, {empty} of them empty");
    Ok(Check::fine(SECTION, "checkouts", detail))
}

/// Bytes of each checkout, largest first, and of all that Drover keeps.
fn sizes(ctx: &Ctx) -> Result<Vec<Check>> {
    let measured = |path: &Path| files::directory_size(path).unwrap_or_default();
    let mut found: Vec<(String, files::Size)> = Vec::new();
    for workspace in workspaces::all(&ctx.read())? {
        let path = Path::new(&workspace.path);
        if path.is_dir() {
            found.push((workspace.path.clone(), measured(path)));
        }
    }
    found.sort_by(|one, other| (other.1.bytes, &one.0).cmp(&(one.1.bytes, &other.0)));
    let whole = measured(ctx.state_path());
    let told = |size: files::Size| format!("{} bytes in {} entries", size.bytes, size.entries);
    let mut checks = vec![Check::fine(SECTION, "state directory", told(whole))];
    checks.extend(found.into_iter().map(|(path, size)| Check::fine(SECTION, path, told(size))));
    Ok(checks)
}
