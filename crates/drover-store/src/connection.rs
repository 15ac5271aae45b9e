//! Connections and how they behave; the only place that makes one.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::{Result, StoreError};
use crate::schema::APPLICATION_ID;

/// How long one command waits for other writers before it gives up.
const BUSY_DEADLINE: Duration = Duration::from_secs(30);

pub(crate) fn connect(file: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    configure(open_with(file, flags)?, file)
}

pub(crate) fn create(file: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    configure(open_with(file, flags)?, file)
}

/// Opens a private copy of another program's database, to be read and nothing else.
pub(crate) fn foreign(copy: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = open_with(copy, flags)?;
    conn.execute_batch(
        "PRAGMA trusted_schema=OFF; PRAGMA temp_store=MEMORY; PRAGMA query_only=ON; PRAGMA ignore_check_constraints=ON;",
    )
    .map_err(|err| spoken(copy, err))?;
    Ok(conn)
}

fn open_with(file: &Path, flags: OpenFlags) -> Result<Connection> {
    Connection::open_with_flags(file, flags).map_err(|err| spoken(file, err))
}

fn configure(mut conn: Connection, file: &Path) -> Result<Connection> {
    conn.busy_handler(Some(wait_with_jitter))?;
    conn.execute_batch(
        "PRAGMA foreign_keys=ON; PRAGMA recursive_triggers=ON; PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF;",
    )
    .map_err(|err| spoken(file, err))?;
    #[cfg(feature = "crash-walk")]
    tell_statements(&mut conn)?;
    Ok(conn)
}

/// Tells every statement but those inside triggers.
#[cfg(feature = "crash-walk")]
fn tell_statements(conn: &mut Connection) -> rusqlite::Result<()> {
    use rusqlite::trace::{TraceEvent, TraceEventCodes};

    fn tell(event: TraceEvent<'_>) {
        if let TraceEvent::Stmt(statement, text) = event
            && !text.starts_with("--")
        {
            drover_core::step::stated(&statement.sql());
        }
    }

    conn.trace_v2(TraceEventCodes::SQLITE_TRACE_STMT, Some(tell))
}

thread_local! {
    static WAITED: Cell<u64> = const { Cell::new(0) };
}

/// Sleeps 1 to 10 ms between tries, unlike SQLite's own back-off, which starves the longest waiter.
fn wait_with_jitter(tries: i32) -> bool {
    let before = if tries == 0 { 0 } else { WAITED.get() };
    let seed = u64::from(std::process::id())
        .wrapping_mul(0x9E37_79B9)
        .wrapping_add(before.wrapping_mul(7919));
    let pause = 1 + (seed ^ (seed >> 7) ^ u64::from(tries.unsigned_abs())) % 10;
    let waited = before + pause;
    WAITED.set(waited);
    if u128::from(waited) > BUSY_DEADLINE.as_millis() {
        return false;
    }
    std::thread::sleep(Duration::from_millis(pause));
    true
}

/// The schema version of an existing file, or why it is not ours to use.
pub(crate) fn examine(conn: &Connection, file: &Path, known: i64) -> Result<i64> {
    let found = version(conn, file)?;
    if found > known {
        return Err(StoreError::Newer { path: file.to_owned(), found, known });
    }
    Ok(found)
}

/// The schema version of an existing file of ours, known to this program or not.
pub(crate) fn version(conn: &Connection, file: &Path) -> Result<i64> {
    let foreign = |what: &str| StoreError::Foreign {
        path: file.to_owned(),
        what: what.to_owned(),
        backup: newest_backup(file),
    };
    if std::fs::metadata(file).is_ok_and(|it| it.len() == 0) {
        return Err(foreign("the file is empty"));
    }
    let read = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0));
    let application = read("PRAGMA application_id").map_err(|err| spoken(file, err))?;
    if application != APPLICATION_ID {
        return Err(foreign("another program made this database"));
    }
    read("PRAGMA user_version").map_err(|err| spoken(file, err))
}

pub(crate) fn respoken(file: &Path, err: StoreError) -> StoreError {
    match err {
        StoreError::Sqlite(err) => spoken(file, err),
        other => other,
    }
}

/// Says in our words what SQLite's code means for this file.
pub(crate) fn spoken(file: &Path, err: rusqlite::Error) -> StoreError {
    let path = file.to_owned();
    match err.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::Busy { seconds: BUSY_DEADLINE.as_secs() }
        }
        Some(ErrorCode::DiskFull) => StoreError::Full { path },
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreError::ReadOnly { path, what: err.to_string() }
        }
        Some(ErrorCode::SystemIoFailure) => StoreError::Io { path, what: err.to_string() },
        Some(ErrorCode::NotADatabase) => StoreError::Foreign {
            backup: newest_backup(file),
            path,
            what: "it is not a SQLite file".to_owned(),
        },
        Some(ErrorCode::DatabaseCorrupt) => {
            StoreError::Corrupt { backup: newest_backup(file), path, what: err.to_string() }
        }
        _ => StoreError::Sqlite(err),
    }
}

/// The newest backup beside a database file.
fn newest_backup(file: &Path) -> Option<PathBuf> {
    let folder = file.parent()?.join("backups");
    let names = std::fs::read_dir(folder).ok()?.filter_map(|it| it.ok().map(|it| it.path()));
    names.filter(|it| !it.to_string_lossy().ends_with(".part")).max()
}
