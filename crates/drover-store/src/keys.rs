//! Idempotency keys: what a keyed call asked, and what it was answered.

use rusqlite::{OptionalExtension as _, params};

use crate::error::Result;
use crate::tx::{ReadTx, WriteTx};

/// What is known of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallKey {
    /// Digest of the request it was first used for.
    pub digest: String,
    /// The verb.
    pub verb: String,
    /// Made before anything outside happened; outside effects carry it.
    pub token: String,
    /// The process that works on it.
    pub pid: i64,
    /// When that process started.
    pub pid_started: String,
    /// The answer and its exit code, once there is one.
    pub answer: Option<(String, i64)>,
}

/// The row of a key.
pub fn find(tx: &ReadTx<'_>, key: &str) -> Result<Option<CallKey>> {
    Ok(tx
        .conn()
        .query_row(
            "SELECT digest, verb, token, pid, pid_started, answer, exit FROM call_keys WHERE key=?1",
            [key],
            |row| {
                let (answer, exit): (Option<String>, Option<i64>) = (row.get(5)?, row.get(6)?);
                Ok(CallKey {
                    digest: row.get(0)?,
                    verb: row.get(1)?,
                    token: row.get(2)?,
                    pid: row.get(3)?,
                    pid_started: row.get(4)?,
                    answer: answer.zip(exit),
                })
            },
        )
        .optional()?)
}

/// Writes the key as pending, or takes a pending one over from a process that is gone.
pub fn begin(tx: &WriteTx<'_>, key: &str, call: &CallKey) -> Result<()> {
    tx.conn().execute(
        "INSERT INTO call_keys(key,digest,verb,token,state,pid,pid_started,at) VALUES(?1,?2,?3,?4,'pending',?5,?6,?7)
         ON CONFLICT(key) DO UPDATE SET pid=excluded.pid, pid_started=excluded.pid_started",
        params![key, call.digest, call.verb, call.token, call.pid, call.pid_started, tx.at_text()],
    )?;
    Ok(())
}

/// Records the answer of a key.
pub fn complete(tx: &WriteTx<'_>, key: &str, answer: &str, exit: i64) -> Result<()> {
    tx.conn().execute(
        "UPDATE call_keys SET state='done', answer=?2, exit=?3 WHERE key=?1",
        params![key, answer, exit],
    )?;
    Ok(())
}

/// Frees a key whose call was refused before it did anything.
pub fn free(tx: &WriteTx<'_>, key: &str) -> Result<()> {
    tx.conn().execute("DELETE FROM call_keys WHERE key=?1", [key])?;
    Ok(())
}

/// Forgets answered keys older than `before` (RFC 3339); pending ones stay.
pub fn expire(tx: &WriteTx<'_>, before: &str) -> Result<usize> {
    Ok(tx.conn().execute("DELETE FROM call_keys WHERE state='done' AND at<?1", [before])?)
}

/// How many keys there are, answered and pending.
pub fn count(tx: &ReadTx<'_>) -> Result<(i64, i64)> {
    Ok(tx.conn().query_row(
        "SELECT count(*) FILTER (WHERE state='done'), count(*) FILTER (WHERE state='pending') FROM call_keys",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?)
}

/// A key whose call has no answer yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// The key.
    pub key: String,
    /// The verb.
    pub verb: String,
    /// The process that works, or worked, on it.
    pub pid: i64,
    /// When that process started.
    pub pid_started: String,
    /// Since when, RFC 3339.
    pub at: String,
}

/// The keys whose calls have no answer yet, oldest first.
pub fn pending(tx: &ReadTx<'_>) -> Result<Vec<Pending>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT key, verb, pid, pid_started, at FROM call_keys WHERE state='pending' ORDER BY at, key",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(Pending {
            key: row.get(0)?,
            verb: row.get(1)?,
            pid: row.get(2)?,
            pid_started: row.get(3)?,
            at: row.get(4)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
