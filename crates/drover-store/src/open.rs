//! Opening the database: the only place that makes a connection and sets how it behaves.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use drover_core::step;
use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, OpenFlags, params};

use crate::error::{Result, StoreError};
use crate::schema::{APPLICATION_ID, MIGRATIONS};
use crate::tx::{ReadTx, WriteTx, Writer, time_text};
use crate::{identity, migrate};

/// The newest schema version this program knows, without additions made for tests.
pub const SCHEMA_VERSION: usize = MIGRATIONS.len();

/// How long one command waits for other writers before it gives up.
const BUSY_DEADLINE: Duration = Duration::from_secs(30);

/// What a commit survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Power loss: the commit is on the disk before it is reported.
    #[default]
    Full,
    /// The end of the process, not of the machine. For tests.
    Process,
}

/// How to open the database of a state directory.
#[derive(Debug, Clone, Copy)]
pub struct Opening<'a> {
    /// The state directory; it exists and is ours.
    pub directory: &'a Path,
    /// Names this machine in a new database.
    pub machine_name: &'a str,
    /// The wall clock, for a new database and for the names of backups.
    pub at: Timestamp,
    /// What a commit survives.
    pub durability: Durability,
    /// Migrations after [`SCHEMA_VERSION`]; only tests of migration give any.
    pub later: &'a [&'a str],
}

/// The open database of one state directory.
#[derive(Debug)]
pub struct Store {
    conn: Connection,
    file: PathBuf,
    wake: PathBuf,
    version: i64,
    machine: String,
    writing: Option<Timestamp>,
}

impl Store {
    /// Opens `<directory>/drover.db`, building or migrating it first where that is needed.
    pub fn open(opening: &Opening<'_>) -> Result<Self> {
        let directory = opening.directory;
        let file = directory.join("drover.db");
        if !file.exists() {
            migrate::build(&file, opening)?;
        }
        let known = i64::try_from(SCHEMA_VERSION + opening.later.len()).unwrap_or(i64::MAX);
        let conn = connect(&file)?;
        let mut version = examine(&conn, &file, known)?;
        if version < known {
            migrate::upgrade(&file, &conn, opening)?;
            version = known;
        }
        let level = match opening.durability {
            Durability::Full => "FULL",
            Durability::Process => "NORMAL",
        };
        conn.execute_batch(&format!("PRAGMA synchronous={level};"))
            .map_err(|err| spoken(&file, err))?;
        let machine = identity::machine(&conn).map_err(|err| respoken(&file, err))?;
        Ok(Self { conn, wake: directory.join("wake"), file, version, machine, writing: None })
    }

    /// Leave to read; inside an open write transaction it sees that transaction's rows.
    pub fn read(&self) -> ReadTx<'_> {
        ReadTx::new(&self.conn)
    }

    /// Begins a write transaction under `writer`'s name; `false` when one is open already.
    ///
    /// Takes the write lock at once, waiting up to 30 s for other writers.
    pub fn begin(&mut self, writer: &Writer) -> Result<bool> {
        if self.writing.is_some() {
            return Ok(false);
        }
        self.run("BEGIN IMMEDIATE")?;
        self.writing = Some(writer.at);
        let filled = self.fill(writer);
        if filled.is_err() {
            self.rollback();
        }
        filled.map(|()| true)
    }

    fn fill(&self, writer: &Writer) -> Result<()> {
        let now: i64 = self.conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if now != self.version {
            return Err(StoreError::Moved { was: self.version, now });
        }
        let clock = writer.at.as_millisecond() << 20;
        self.conn
            .prepare_cached(
                "INSERT INTO writer(one,actor,intent,grp,machine,now_hlc,at,mode) VALUES(1,?1,?2,?3,?4,?5,?6,'log')",
            )?
            .execute(params![
                writer.actor,
                writer.intent,
                writer.group,
                self.machine,
                clock,
                time_text(writer.at)
            ])
            .map_err(|err| spoken(&self.file, err))?;
        Ok(())
    }

    /// Leave to write in the open transaction; `None` when there is none.
    pub fn write(&self) -> Option<WriteTx<'_>> {
        self.writing.map(|at| WriteTx::new(&self.conn, at))
    }

    /// Runs `change` in the open transaction; refused when there is none.
    pub fn with_writer<T, E: From<StoreError>>(
        &self,
        change: impl FnOnce(&WriteTx<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        match self.write() {
            Some(tx) => change(&tx),
            None => Err(StoreError::NotWriting.into()),
        }
    }

    /// Whether a write transaction is open.
    pub fn is_writing(&self) -> bool {
        self.writing.is_some()
    }

    /// Commits the open transaction, then wakes whoever waits for a change.
    pub fn commit(&mut self) -> Result<()> {
        if self.writing.is_none() {
            return Ok(());
        }
        let committed = self.run("DELETE FROM writer; COMMIT");
        if committed.is_err() {
            self.rollback();
            return committed;
        }
        self.writing = None;
        step::reached("commit");
        wake(&self.wake);
        step::reached("wake");
        Ok(())
    }

    /// Takes back everything of the open transaction.
    pub fn rollback(&mut self) {
        if self.writing.take().is_some() {
            // SQLite has rolled back by itself when this fails, as after a full disk.
            let _ = self.conn.execute_batch("ROLLBACK");
        }
    }

    /// Refuses when the open transaction leaves a row that refers to a missing one, as a commit would.
    pub fn check_references(&self) -> Result<()> {
        let mut statement =
            self.conn.prepare("SELECT DISTINCT \"table\" FROM pragma_foreign_key_check")?;
        let tables = statement
            .query_map([], |row| row.get::<_, String>(0))?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        if tables.is_empty() { Ok(()) } else { Err(StoreError::Dangling(tables.join(", "))) }
    }

    /// A number that changes when another process has committed.
    pub fn data_version(&self) -> Result<i64> {
        Ok(self.conn.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }

    /// The database file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The file that is touched after every commit.
    pub fn wake_file(&self) -> &Path {
        &self.wake
    }

    /// Says in our words what an error of a table function means for this file.
    pub fn explain(&self, err: StoreError) -> StoreError {
        respoken(&self.file, err)
    }

    fn run(&self, sql: &str) -> Result<()> {
        self.conn.execute_batch(sql).map_err(|err| spoken(&self.file, err))
    }
}

/// Writes one byte, so that watchers wake; a failure costs them a second, not the commit.
fn wake(path: &Path) {
    use std::io::Write as _;
    let opened = std::fs::OpenOptions::new().write(true).create(true).truncate(false).open(path);
    if let Ok(mut file) = opened {
        let _ = file.write_all(b".");
    }
}

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

fn open_with(file: &Path, flags: OpenFlags) -> Result<Connection> {
    Connection::open_with_flags(file, flags).map_err(|err| spoken(file, err))
}

fn configure(mut conn: Connection, file: &Path) -> Result<Connection> {
    conn.busy_handler(Some(wait_with_jitter))?;
    conn.execute_batch(
        "PRAGMA foreign_keys=ON; PRAGMA recursive_triggers=ON; PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF;",
    )
    .map_err(|err| spoken(file, err))?;
    Ok(conn)
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
    let foreign = |what: &str| StoreError::Foreign {
        path: file.to_owned(),
        what: what.to_owned(),
        backup: migrate::newest_backup(file),
    };
    if std::fs::metadata(file).is_ok_and(|it| it.len() == 0) {
        return Err(foreign("the file is empty"));
    }
    let application: i64 = conn
        .query_row("PRAGMA application_id", [], |row| row.get(0))
        .map_err(|err| spoken(file, err))?;
    if application != APPLICATION_ID {
        return Err(foreign("another program made this database"));
    }
    let found: i64 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if found > known {
        return Err(StoreError::Newer { path: file.to_owned(), found, known });
    }
    Ok(found)
}

fn respoken(file: &Path, err: StoreError) -> StoreError {
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
        Some(ErrorCode::NotADatabase) => StoreError::Foreign {
            backup: migrate::newest_backup(file),
            path,
            what: "it is not a SQLite file".to_owned(),
        },
        Some(ErrorCode::DatabaseCorrupt) => StoreError::Corrupt {
            backup: migrate::newest_backup(file),
            path,
            what: err.to_string(),
        },
        _ => StoreError::Sqlite(err),
    }
}
