//! Making the log smaller: what it says twice, and what it says of projects that are gone.

use drover_core::step;
use rusqlite::{OptionalExtension as _, params};

use crate::error::Result;
use crate::log;
use crate::rows::{SAID_BEFORE, object, row_before};
use crate::schema::LOGGED;
use crate::tx::{ReadTx, WriteTx};

/// Rows that a deletion repeats although the log tells them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repeated {
    /// How many deletions.
    pub deletions: usize,
    /// How many bytes they repeat.
    pub bytes: usize,
}

/// How many bytes of the file hold nothing.
pub fn free_bytes(tx: &ReadTx<'_>) -> Result<usize> {
    let sql = "SELECT (SELECT freelist_count FROM pragma_freelist_count)*(SELECT page_size FROM pragma_page_size)";
    let bytes: i64 = tx.conn().query_row(sql, [], |row| row.get(0))?;
    Ok(usize::try_from(bytes).unwrap_or(0))
}

/// The deletions that repeat what the log tells, by position, with the bytes of each.
fn repeated(tx: &ReadTx<'_>) -> Result<Vec<(i64, usize)>> {
    let mut statement = tx.conn().prepare(
        "SELECT seq, entity, uid, old FROM ops WHERE op='del' AND old IS NOT NULL AND old<>?1 ORDER BY seq",
    )?;
    let mut rows = statement.query([SAID_BEFORE])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let (seq, entity, uid, old): (i64, String, String, String) =
            (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        if row_before(tx, (&entity, &uid), seq)?
            .is_some_and(|it| object(&old).is_ok_and(|old| old == it))
        {
            found.push((seq, old.len() - SAID_BEFORE.len()));
        }
    }
    Ok(found)
}

/// What the log says twice.
pub fn twice(tx: &ReadTx<'_>) -> Result<Repeated> {
    let found = repeated(tx)?;
    Ok(Repeated { deletions: found.len(), bytes: found.iter().map(|it| it.1).sum() })
}

/// Takes out of the log what it says twice; whoever reads it is told the same as before.
pub fn compact(tx: &WriteTx<'_>) -> Result<Repeated> {
    let found = repeated(tx)?;
    set_mode(tx, "compact")?;
    let mut statement = tx.conn().prepare("UPDATE ops SET old=?2 WHERE seq=?1")?;
    for (seq, _) in &found {
        statement.execute(params![seq, SAID_BEFORE])?;
    }
    set_mode(tx, "log")?;
    Ok(Repeated { deletions: found.len(), bytes: found.iter().map(|it| it.1).sum() })
}

fn set_mode(tx: &WriteTx<'_>, mode: &str) -> Result<()> {
    tx.conn().execute("UPDATE writer SET mode=?1", [mode])?;
    Ok(())
}

/// A project that was torn down and lives on in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TornDown {
    /// Its identity.
    pub uid: String,
    /// The name it had last.
    pub name: String,
    /// When it was torn down, RFC 3339.
    pub at: String,
    /// How many changes of its rows the log holds.
    pub ops: usize,
    /// How many bytes of rows they tell.
    pub bytes: usize,
}

/// The projects that were torn down and live on in the log, the newest end first.
pub fn torn_down(tx: &ReadTx<'_>) -> Result<Vec<TornDown>> {
    let mut statement = tx.conn().prepare(
        "SELECT uid, max(at) FROM ops WHERE entity='project' AND op='del'
         AND NOT EXISTS(SELECT 1 FROM projects WHERE projects.uid=ops.uid) GROUP BY uid ORDER BY max(seq) DESC",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let ended: Vec<(String, String)> = rows.collect::<rusqlite::Result<_>>()?;
    let mut found = Vec::with_capacity(ended.len());
    for (uid, at) in ended {
        let (ops, bytes) = measure(tx, &uid)?;
        let name = log::name_of(tx, "project", &uid)?.unwrap_or_default();
        found.push(TornDown { uid, name, at, ops, bytes });
    }
    Ok(found)
}

/// The changes that go with a project: those of its rows, but for rows that are still there.
fn of_project() -> String {
    let kept = LOGGED.iter().map(|it| {
        format!(
            "WHEN '{0}' THEN EXISTS(SELECT 1 FROM {1} WHERE {1}.uid=o.uid)",
            it.entity, it.table
        )
    });
    let kept: Vec<String> = kept.collect();
    format!(
        "FROM ops o WHERE {}=?1 AND NOT (CASE o.entity {} ELSE 0 END)",
        log::PROJECT,
        kept.join(" ")
    )
}

fn measure(tx: &ReadTx<'_>, uid: &str) -> Result<(usize, usize)> {
    let sql = format!(
        "SELECT count(*), sum(coalesce(length(o.old),0)+coalesce(length(o.new),0)) {}",
        of_project()
    );
    let (ops, bytes): (i64, Option<i64>) =
        tx.conn().query_row(&sql, [uid], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let size = |it: i64| usize::try_from(it).unwrap_or(0);
    Ok((size(ops), size(bytes.unwrap_or(0))))
}

/// Takes every change of these projects' rows out of the log; `false` for one that is not torn down.
pub fn forget(tx: &WriteTx<'_>, uids: &[String]) -> Result<bool> {
    tx.conn().execute_batch("CREATE TEMP TABLE forgotten(seq INTEGER PRIMARY KEY)")?;
    for uid in uids {
        let sql = "SELECT 1 FROM projects WHERE uid=?1";
        if tx.conn().query_row(sql, [uid], |_| Ok(())).optional()?.is_some() {
            return Ok(false);
        }
        // All are found before any goes: what belongs to whom is told by the very lines that go.
        let sql = format!("INSERT INTO forgotten(seq) SELECT o.seq {}", of_project());
        tx.conn().execute(&sql, [uid])?;
    }
    set_mode(tx, "compact")?;
    tx.conn().execute_batch(
        "DELETE FROM ops WHERE seq IN (SELECT seq FROM forgotten); DROP TABLE forgotten;",
    )?;
    set_mode(tx, "log")?;
    step::reached("rows");
    Ok(true)
}
