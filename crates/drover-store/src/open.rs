//! The open database: one connection, one write transaction at a time.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use drover_core::step;
use jiff::Timestamp;
use rusqlite::{Connection, params};

use crate::connection::{connect, examine, respoken, spoken};
use crate::error::{Result, StoreError};
use crate::opening::{Durability, Opening};
use crate::schema::MIGRATIONS;
use crate::sql::{Fence, Reader};
use crate::tx::{ReadTx, WriteTx, Writer, time_text};
use crate::{identity, migrate};

/// The newest schema version this program knows, without additions made for tests.
pub const SCHEMA_VERSION: usize = MIGRATIONS.len();

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
        match file.metadata() {
            Err(_) => migrate::build(&file, opening).map_err(|err| respoken(&file, err))?,
            // A second name is the private one, unless a person gave it. It does no harm.
            Ok(found) if found.nlink() > 1 => drop(migrate::finish_build(directory)),
            Ok(_) => {}
        }
        let known = i64::try_from(SCHEMA_VERSION + opening.later.len()).unwrap_or(i64::MAX);
        let conn = connect(&file)?;
        let mut version = examine(&conn, &file, known)?;
        if version < known {
            migrate::upgrade(&file, &conn, opening).map_err(|err| respoken(&file, err))?;
            version = known;
        }
        let mode: String = conn
            .query_row("PRAGMA journal_mode", [], |row| row.get(0))
            .map_err(|err| spoken(&file, err))?;
        if mode != "wal" {
            // A copy that was put in place of the database: `VACUUM INTO` does not carry the mode over.
            conn.execute_batch("PRAGMA journal_mode=WAL;").map_err(|err| spoken(&file, err))?;
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

    /// Fences in what a person writes; `is_over` says whether a statement has had its time.
    pub fn fence(
        &mut self,
        reader: Reader,
        is_over: impl FnMut() -> bool + Send + 'static,
    ) -> Result<Fence> {
        Fence::set_up(&mut self.conn, reader, is_over)
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

    /// Gives the room of what was removed back to the system, in place and under SQLite's own locks.
    ///
    /// Says whether the file could shrink yet: somebody who reads keeps it as it is until they end.
    pub fn vacuum(&mut self) -> Result<bool> {
        // The copy that SQLite makes meanwhile is as large as the database.
        self.run("PRAGMA temp_store=FILE; VACUUM; PRAGMA temp_store=MEMORY;")?;
        step::reached("commit");
        let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
        let busy: i64 = self
            .conn
            .query_row(sql, [], |row| row.get(0))
            .map_err(|err| spoken(&self.file, err))?;
        step::reached("commit");
        wake(&self.wake);
        Ok(busy == 0)
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
    use std::os::unix::fs::OpenOptionsExt as _;

    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    let opened = options.open(path);
    if let Ok(mut file) = opened {
        let _ = file.write_all(b".");
    }
}
