//! A database written anew from the log, as a file of its own.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use drover_core::step;
use jiff::Timestamp;
use rusqlite::Connection;

use crate::error::{Result, StoreError};
use crate::replay::{Private, Replay, Replayed, count};
use crate::schema::LOGGED;
use crate::{backup, connection, identity, order};

/// What to do about a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Present {
    /// Refuse.
    Keep,
    /// Put the new one in its place, if it is a database of ours that nobody has open.
    Replace,
}

/// A database that was written anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebuilt {
    /// Where it is.
    pub file: PathBuf,
    /// The machine and incarnation it speaks for.
    pub machine: String,
    /// What the log said.
    pub replayed: Replayed,
    /// The rows of each logged table.
    pub rows: Vec<(&'static str, usize)>,
    /// The rows of tables that are not logged and were taken over as they stand.
    pub carried: Vec<(String, usize)>,
    /// The rows of such tables that were not, because their table or their owner cannot be read.
    pub lost: Vec<(String, usize)>,
}

/// Tables that belong to the database itself.
const OF_ITSELF: &[&str] = &[
    "identity",
    "clock",
    "writer",
    "ops",
    "project_names",
    "task_derived",
    "task_counts",
    "edges_unordered",
    "log_columns",
    "sqlite_sequence",
];

/// Writes a database anew from the log of another one, whole or not at all; the source is only read.
pub fn rebuild(source: &Path, target: &Path, present: Present, at: Timestamp) -> Result<Rebuilt> {
    check(source, target, present)?;
    let name = target.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let private = Private(target.with_file_name(format!(".{name}.{}.part", std::process::id())));
    // A process of the same number was cut off here.
    let _ = fs::remove_file(&private.0);
    let replay = Replay::begin(source, &private.0, at)?;
    replay.take_identity()?;
    order::rebuild(&replay.conn)?;
    let (carried, lost) = carry(&replay)?;
    let rows = replay.rows()?;
    let Replay { conn, replayed } = replay;
    conn.execute_batch("COMMIT; DETACH DATABASE source")?;
    let broken: i64 =
        conn.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0))?;
    if broken > 0 {
        return Err(StoreError::Dangling(format!("{broken} rows that the log tells")));
    }
    let machine = identity::machine(&conn)?;
    close(conn, target)?;
    // The replay took its time: a database that somebody has opened since is not pulled from under him.
    check(source, target, present)?;
    place(&private.0, target, present)?;
    let file = target.to_owned();
    Ok(Rebuilt { file, machine, replayed, rows, carried, lost })
}

fn close(conn: Connection, target: &Path) -> Result<()> {
    conn.close().map_err(|(_, err)| connection::spoken(target, err))
}

/// Refuses as [`rebuild`] would: the source itself, and a file that may not be replaced.
pub fn check(source: &Path, target: &Path, present: Present) -> Result<()> {
    let Ok(there) = target.symlink_metadata() else { return Ok(()) };
    let exists = || StoreError::Exists { path: target.to_owned() };
    let same = |one: &fs::Metadata, other: &fs::Metadata| {
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    };
    let is_source = match (fs::metadata(source), fs::metadata(target)) {
        (Ok(source), Ok(target)) => same(&source, &target),
        _ => false,
    };
    if present == Present::Keep || !there.is_file() || is_source {
        return Err(exists());
    }
    let conn = connection::connect(target)?;
    connection::version(&conn, target)?;
    close(conn, target)?;
    // The last to close a database takes its log away with it.
    let mut log = target.as_os_str().to_owned();
    log.push("-wal");
    if PathBuf::from(log).exists() {
        return Err(StoreError::InUse { path: target.to_owned() });
    }
    Ok(())
}

type Counted = Vec<(String, usize)>;

/// Takes over what is not logged, table by table: one that cannot be read costs no other.
fn carry(replay: &Replay) -> Result<(Counted, Counted)> {
    let mut statement = replay
        .conn
        .prepare("SELECT name FROM main.sqlite_schema WHERE type='table' ORDER BY name")?;
    let names = statement.query_map([], |row| row.get::<_, String>(0))?;
    let names = names.collect::<rusqlite::Result<Vec<_>>>()?;
    let (mut carried, mut lost) = (Vec::new(), Vec::new());
    for name in names {
        let is_logged = LOGGED.iter().any(|it| it.table == name);
        if is_logged || OF_ITSELF.contains(&name.as_str()) {
            continue;
        }
        let there = count(&replay.conn, "source", &name).unwrap_or(0);
        let taken = replay.carry(&name).unwrap_or(0);
        if taken > 0 {
            carried.push((name.clone(), taken));
        }
        if there > taken {
            lost.push((name, there - taken));
        }
    }
    Ok((carried, lost))
}

/// Puts a finished file where it belongs.
fn place(private: &Path, target: &Path, present: Present) -> Result<()> {
    let failed = |source| StoreError::File { path: target.to_owned(), source };
    backup::make_private(private)?;
    File::open(private).and_then(|it| it.sync_all()).map_err(failed)?;
    step::reached("file");
    let placed = match present {
        Present::Keep => fs::hard_link(private, target),
        Present::Replace => fs::rename(private, target),
    };
    match placed {
        Err(err) if err.kind() == std::io::ErrorKind::AlreadyExists => {
            Err(StoreError::Exists { path: target.to_owned() })
        }
        other => {
            step::reached("file");
            other.map_err(failed)
        }
    }
}
