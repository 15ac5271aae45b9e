//! Building a new database whole, and bringing an older one up to date after a backup.

use std::fs::{self, File};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use drover_core::step;
use jiff::Timestamp;
use rusqlite::Connection;
use uuid::Uuid;

use crate::connection;
use crate::error::{Result, StoreError};
use crate::opening::Opening;
use crate::schema::{APPLICATION_ID, MIGRATIONS};
use crate::{backup, identity, log, order};

/// From this version on tasks have an order.
const ORDERED: usize = 3;

/// What the names of databases begin with that are being built.
const PRIVATE: &str = "drover.db.new-";

/// Builds the database under a private name and links it into place.
///
/// Nobody ever sees a half-made file at the final name; the loser of a race finds the winner's.
pub(crate) fn build(file: &Path, opening: &Opening<'_>) -> Result<()> {
    let directory = opening.directory;
    let _lock = lock(directory, "first-open")?;
    remove_leftovers(directory, PRIVATE)?;
    if file.exists() {
        return Ok(());
    }
    let private = directory.join(format!("{PRIVATE}{}", Uuid::now_v7()));
    let conn = connection::create(&private)?;
    conn.execute_batch("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;")
        .map_err(|err| connection::spoken(file, err))?;
    step::reached("file");
    conn.execute_batch(&format!("PRAGMA application_id={APPLICATION_ID};"))?;
    apply(&conn, 0, opening.later, |conn| {
        identity::create(conn, opening.machine_name, opening.at)
    })?;
    conn.close().map_err(|(_, err)| connection::spoken(file, err))?;
    backup::make_private(&private)?;
    step::reached("file");
    match fs::hard_link(&private, file) {
        Ok(()) => {}
        Err(err) if err.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(source) => return Err(StoreError::File { path: file.to_owned(), source }),
    }
    step::reached("file");
    remove_leftovers(directory, PRIVATE)
}

/// Removes the private name of a database that was linked into place by a call cut off just then.
pub(crate) fn finish_build(directory: &Path) -> Result<()> {
    let _lock = lock(directory, "first-open")?;
    remove_leftovers(directory, PRIVATE)
}

/// Removes private files of calls that were cut off; the lock that is held says that none is under way.
fn remove_leftovers(directory: &Path, prefix: &str) -> Result<()> {
    let failed = |source| StoreError::File { path: directory.to_owned(), source };
    for entry in fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            fs::remove_file(entry.path()).map_err(failed)?;
            step::reached("file");
        }
    }
    Ok(())
}

/// Brings an older database to the newest version, after a backup beside it.
pub(crate) fn upgrade(file: &Path, conn: &Connection, opening: &Opening<'_>) -> Result<()> {
    let _lock = lock(opening.directory, "migrate")?;
    let from: i64 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let from = usize::try_from(from).unwrap_or(0);
    if from >= MIGRATIONS.len() + opening.later.len() {
        return Ok(());
    }
    back_up(conn, file, from, (opening.directory, opening.at))?;
    conn.execute_batch("PRAGMA foreign_keys=OFF; PRAGMA synchronous=FULL;")?;
    apply(conn, from, opening.later, |_| Ok(()))?;
    conn.execute_batch("PRAGMA foreign_keys=ON;")?;
    Ok(())
}

/// Copies a database into the folder of backups beside it, and says where the copy is.
///
/// Holds the lock of migrations: of two such calls at one time, each would clear away the other's private file.
pub fn back_up_beside(file: &Path, at: Timestamp) -> Result<PathBuf> {
    let directory = file.parent().unwrap_or(Path::new("."));
    let _lock = lock(directory, "migrate")?;
    let conn = connection::connect(file)?;
    let version = usize::try_from(connection::version(&conn, file)?).unwrap_or(0);
    back_up(&conn, file, version, (directory, at))
}

/// Copies the database into the folder of backups, and says where the copy is.
fn back_up(
    conn: &Connection,
    file: &Path,
    version: usize,
    (directory, at): (&Path, Timestamp),
) -> Result<PathBuf> {
    let folder = directory.join("backups");
    let failed = |source| StoreError::File { path: folder.clone(), source };
    private_folder(&folder).map_err(failed)?;
    step::reached("file");
    remove_leftovers(&folder, ".drover.db.v")?;
    let stamp = at.strftime("%Y%m%dT%H%M%S%3f").to_string();
    let target = folder.join(format!("drover.db.v{version}-{stamp}"));
    backup::write(conn, file, &target)?;
    Ok(target)
}

/// Runs the migrations after version `from` in one transaction, and makes the log triggers anew.
pub(crate) fn apply(
    conn: &Connection,
    from: usize,
    later: &[&str],
    finish: impl FnOnce(&Connection) -> Result<()>,
) -> Result<()> {
    conn.execute_batch("BEGIN IMMEDIATE")?;
    let applied = (|| {
        for text in MIGRATIONS.iter().chain(later).skip(from) {
            conn.execute_batch(text)?;
        }
        if from < ORDERED {
            order::rebuild(conn)?;
        }
        log::regenerate_triggers(conn)?;
        finish(conn)?;
        let broken: i64 =
            conn.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0))?;
        if broken > 0 {
            return Err(StoreError::Dangling(format!("{broken} rows after the migration")));
        }
        conn.execute_batch(&format!(
            "PRAGMA user_version={}; COMMIT",
            MIGRATIONS.len() + later.len()
        ))?;
        Ok(())
    })();
    if applied.is_err() {
        let _ = conn.execute_batch("ROLLBACK");
    } else {
        step::reached("commit");
    }
    applied
}

/// Makes a folder that is ours alone; one that is there stays as it is.
fn private_folder(path: &Path) -> std::io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Holds `<state>/locks/<name>` until dropped; the kernel lets go of it when the process ends.
fn lock(directory: &Path, name: &str) -> Result<File> {
    let folder = directory.join("locks");
    let path = folder.join(name);
    let failed = |source| StoreError::File { path: path.clone(), source };
    private_folder(&folder).map_err(failed)?;
    let mut options = File::options();
    options.create(true).truncate(false).write(true).mode(0o600);
    let file = options.open(&path).map_err(failed)?;
    step::reached("file");
    file.lock().map_err(failed)?;
    Ok(file)
}
