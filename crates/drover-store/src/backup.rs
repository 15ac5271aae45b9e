//! Whole copies of the database: one file each, placed whole or not at all.

use std::fs::{self, File};
use std::path::Path;

use drover_core::step;
use rusqlite::Connection;

use crate::connection::{connect, spoken, version};
use crate::error::{Result, StoreError};

/// Copies a database to a place where nothing is, and returns its schema version.
///
/// Works on the database of a newer program too: a copy needs no understanding of the rows.
pub fn copy(file: &Path, target: &Path) -> Result<i64> {
    let failed = |source| StoreError::File { path: file.to_owned(), source };
    fs::metadata(file).map_err(failed)?;
    let conn = connect(file)?;
    let version = version(&conn, file)?;
    write(&conn, file, target)?;
    Ok(version)
}

/// Writes a copy under a private name beside its place, and links it there.
pub(crate) fn write(conn: &Connection, file: &Path, target: &Path) -> Result<()> {
    let exists = || StoreError::Exists { path: target.to_owned() };
    if target.symlink_metadata().is_ok() {
        return Err(exists());
    }
    let failed = |source| StoreError::File { path: target.to_owned(), source };
    let name = target.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let private = target.with_file_name(format!(".{name}.{}.part", std::process::id()));
    let written = (|| {
        conn.execute("VACUUM INTO ?1", [private.to_string_lossy()])
            .map_err(|err| of_target(target, spoken(file, err)))?;
        make_private(&private)?;
        step::reached("file");
        File::open(&private).and_then(|it| it.sync_all()).map_err(failed)?;
        match fs::hard_link(&private, target) {
            Err(err) if err.kind() == std::io::ErrorKind::AlreadyExists => Err(exists()),
            other => {
                step::reached("file");
                other.map_err(failed)
            }
        }
    })();
    // A leftover is named by `doctor`; the copy itself is what was asked for.
    let _ = fs::remove_file(&private);
    step::reached("file");
    written
}

/// A disk that is full, or a place that cannot be written, is the copy's, not the database's.
fn of_target(target: &Path, err: StoreError) -> StoreError {
    let path = target.to_owned();
    match err {
        StoreError::Full { .. } => StoreError::Full { path },
        StoreError::ReadOnly { what, .. } => StoreError::ReadOnly { path, what },
        StoreError::Io { what, .. } => StoreError::Io { path, what },
        other => other,
    }
}

pub(crate) fn make_private(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))
        .map_err(|source| StoreError::File { path: path.to_owned(), source })
}
