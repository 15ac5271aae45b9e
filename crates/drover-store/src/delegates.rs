//! Delegates: helpers that were given one task in words, and what each answered.

use rusqlite::{OptionalExtension as _, Row, params};
use uuid::Uuid;

use crate::agents::Process;
use crate::error::Result;
use crate::tx::{ReadTx, WriteTx};

/// A delegate and how far it got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delegate {
    /// The row's key in this database.
    pub pk: i64,
    /// The identity that never changes.
    pub uid: String,
    /// When it was asked for, RFC 3339.
    pub created_at: String,
    /// The project its agent lives in.
    pub project_pk: i64,
    /// The name of its agent, also before there is one.
    pub name: String,
    /// `queued`, `starting`, `running`, or how it ended.
    pub state: String,
    /// Who asked for it.
    pub delegator: String,
    /// What it is about, in a word.
    pub label: Option<String>,
    /// What it runs.
    pub engine: String,
    /// The model it was asked to use.
    pub model: Option<String>,
    /// Where it works; none for a workspace of its own.
    pub cwd: Option<String>,
    /// Whether its pane stays when it is done.
    pub keeps_pane: bool,
    /// How long it may take, in milliseconds; 0 is for ever.
    pub timeout_ms: i64,
    /// The task on which its answer is noted.
    pub record_uid: Option<String>,
    /// Its agent, once there is one.
    pub agent_uid: Option<String>,
    /// The message with its task.
    pub message_uid: Option<String>,
    /// When it was started, RFC 3339.
    pub started_at: Option<String>,
    /// The process that waits for its answer.
    pub supervisor: Option<Process>,
    /// The turn that its answer is from.
    pub turn: Option<i64>,
    /// Why it ended as it did, or what became of its pane.
    pub reason: Option<String>,
    /// Whether its pane was left open.
    pub is_pane_open: bool,
    /// When it ended, RFC 3339.
    pub ended_at: Option<String>,
}

const DELEGATE: &str = "pk, uid, created_at, project_pk, name, state, delegator, label, engine, model, cwd, keeps_pane,
    timeout_ms, record_uid, agent_uid, message_uid, started_at, supervisor_pid, supervisor_started, turn, reason,
    is_pane_open, ended_at";

fn delegate_of(row: &Row<'_>) -> rusqlite::Result<Delegate> {
    let (pid, started): (Option<i64>, Option<String>) = (row.get(17)?, row.get(18)?);
    Ok(Delegate {
        pk: row.get(0)?,
        uid: row.get(1)?,
        created_at: row.get(2)?,
        project_pk: row.get(3)?,
        name: row.get(4)?,
        state: row.get(5)?,
        delegator: row.get(6)?,
        label: row.get(7)?,
        engine: row.get(8)?,
        model: row.get(9)?,
        cwd: row.get(10)?,
        keeps_pane: row.get(11)?,
        timeout_ms: row.get(12)?,
        record_uid: row.get(13)?,
        agent_uid: row.get(14)?,
        message_uid: row.get(15)?,
        started_at: row.get(16)?,
        supervisor: pid.zip(started).map(|(pid, started)| Process { pid, started }),
        turn: row.get(19)?,
        reason: row.get(20)?,
        is_pane_open: row.get(21)?,
        ended_at: row.get(22)?,
    })
}

/// What a new delegate is made of.
#[derive(Debug, Clone, Copy)]
pub struct NewDelegate<'a> {
    /// Its identity, where a repeated call must find it again; a new one otherwise.
    pub uid: Option<&'a str>,
    /// The project its agent is to live in.
    pub project_pk: i64,
    /// The name of its agent.
    pub name: &'a str,
    /// Who asks for it.
    pub delegator: &'a str,
    /// What it is about, in a word.
    pub label: Option<&'a str>,
    /// What it runs.
    pub engine: &'a str,
    /// The model it is to use.
    pub model: Option<&'a str>,
    /// Where it works; none for a workspace of its own.
    pub cwd: Option<&'a str>,
    /// Whether its pane stays when it is done.
    pub keeps_pane: bool,
    /// How long it may take, in milliseconds; 0 is for ever.
    pub timeout_ms: i64,
    /// The task on which its answer is noted.
    pub record_uid: Option<&'a str>,
    /// What it is told, exactly.
    pub task: &'a str,
}

/// Adds a delegate that waits for its turn, and returns its key.
pub fn insert(tx: &WriteTx<'_>, new: &NewDelegate<'_>) -> Result<i64> {
    tx.conn().execute(
        "INSERT INTO delegates(uid,created_at,project_pk,name,state,delegator,label,engine,model,cwd,keeps_pane,timeout_ms,
           record_uid) VALUES(?1,?2,?3,?4,'queued',?5,?6,?7,?8,?9,?10,?11,?12)",
        params![
            new.uid.map_or_else(|| Uuid::now_v7().to_string(), str::to_owned),
            tx.at_text(),
            new.project_pk,
            new.name,
            new.delegator,
            new.label,
            new.engine,
            new.model,
            new.cwd,
            new.keeps_pane,
            new.timeout_ms,
            new.record_uid
        ],
    )?;
    let pk = tx.conn().last_insert_rowid();
    tx.conn().execute(
        "INSERT INTO delegate_texts(delegate_pk,task) VALUES(?1,?2)",
        params![pk, new.task],
    )?;
    Ok(pk)
}

/// The delegate of a key.
pub fn by_pk(tx: &ReadTx<'_>, pk: i64) -> Result<Option<Delegate>> {
    let sql = format!("SELECT {DELEGATE} FROM delegates WHERE pk=?1");
    Ok(tx.conn().prepare_cached(&sql)?.query_row([pk], delegate_of).optional()?)
}

/// The delegate of an identity.
pub fn by_uid(tx: &ReadTx<'_>, uid: &str) -> Result<Option<Delegate>> {
    let sql = format!("SELECT {DELEGATE} FROM delegates WHERE uid=?1");
    Ok(tx.conn().prepare_cached(&sql)?.query_row([uid], delegate_of).optional()?)
}

/// The delegates of this name, the newest first.
pub fn named(tx: &ReadTx<'_>, name: &str) -> Result<Vec<Delegate>> {
    let sql = format!("SELECT {DELEGATE} FROM delegates WHERE name=?1 ORDER BY pk DESC");
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([name], delegate_of)?.collect::<rusqlite::Result<_>>()?)
}

/// The delegates that have not ended, the oldest first.
pub fn open(tx: &ReadTx<'_>) -> Result<Vec<Delegate>> {
    let sql = format!(
        "SELECT {DELEGATE} FROM delegates WHERE state IN('queued','starting','running') ORDER BY pk"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([], delegate_of)?.collect::<rusqlite::Result<_>>()?)
}

/// The newest delegates, the newest first.
pub fn newest(tx: &ReadTx<'_>, most: i64) -> Result<Vec<Delegate>> {
    let sql = format!("SELECT {DELEGATE} FROM delegates ORDER BY pk DESC LIMIT ?1");
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([most], delegate_of)?.collect::<rusqlite::Result<_>>()?)
}

/// What a delegate was told and what it answered, until that is erased.
pub fn texts(tx: &ReadTx<'_>, pk: i64) -> Result<Option<(String, Option<String>)>> {
    Ok(tx
        .conn()
        .query_row("SELECT task, answer FROM delegate_texts WHERE delegate_pk=?1", [pk], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?)
}

/// Says that this process starts a delegate that waits for its turn; `false` when another has.
pub fn begin(tx: &WriteTx<'_>, pk: i64, by: &Process) -> Result<bool> {
    let changed = tx.conn().execute(
        "UPDATE delegates SET state='starting', started_at=?2, supervisor_pid=?3, supervisor_started=?4
         WHERE pk=?1 AND state='queued'",
        params![pk, tx.at_text(), by.pid, by.started],
    )?;
    Ok(changed == 1)
}

/// Says that a delegate has its agent, and which message tells it its task; `false` when it has ended.
pub fn running(
    tx: &WriteTx<'_>,
    pk: i64,
    (agent_uid, agent_name): (&str, &str),
    message_uid: &str,
) -> Result<bool> {
    let changed = tx.conn().execute(
        "UPDATE delegates SET state='running', agent_uid=?2, name=?3, message_uid=?4, is_pane_open=1
         WHERE pk=?1 AND state='starting'",
        params![pk, agent_uid, agent_name, message_uid],
    )?;
    Ok(changed == 1)
}

/// Puts a delegate whose start was cut off back into the queue.
pub fn put_back(tx: &WriteTx<'_>, pk: i64) -> Result<()> {
    tx.conn().execute(
        "UPDATE delegates SET state='queued', started_at=NULL, supervisor_pid=NULL, supervisor_started=NULL
         WHERE pk=?1 AND state='starting'",
        [pk],
    )?;
    Ok(())
}

/// Says which process waits for the answer of a delegate that runs; `false` when it has ended.
pub fn supervised(tx: &WriteTx<'_>, pk: i64, by: &Process) -> Result<bool> {
    let changed = tx.conn().execute(
        "UPDATE delegates SET supervisor_pid=?2, supervisor_started=?3 WHERE pk=?1 AND state IN('starting','running')",
        params![pk, by.pid, by.started],
    )?;
    Ok(changed == 1)
}

/// How a delegate ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End<'a> {
    /// The state it is in from here on.
    pub state: &'a str,
    /// What it answered.
    pub answer: Option<&'a str>,
    /// The turn that the answer is from.
    pub turn: Option<i64>,
    /// Why it ended so.
    pub reason: Option<&'a str>,
    /// When its texts are erased, RFC 3339.
    pub erase_after: &'a str,
}

/// Records how a delegate ended; `false` when that is known already.
pub fn end(tx: &WriteTx<'_>, pk: i64, end: &End<'_>) -> Result<bool> {
    let changed = tx.conn().execute(
        "UPDATE delegates SET state=?2, turn=?3, reason=?4, ended_at=?5, supervisor_pid=NULL, supervisor_started=NULL
         WHERE pk=?1 AND state IN('queued','starting','running')",
        params![pk, end.state, end.turn, end.reason, tx.at_text()],
    )?;
    if changed == 1 {
        tx.conn().execute(
            "UPDATE delegate_texts SET answer=?2, erase_after=?3 WHERE delegate_pk=?1",
            params![pk, end.answer, end.erase_after],
        )?;
    }
    Ok(changed == 1)
}

/// Records the answer of a delegate that was cancelled when it had answered already.
pub fn landed(tx: &WriteTx<'_>, pk: i64, answer: Option<&str>, turn: i64) -> Result<()> {
    tx.conn().execute(
        "UPDATE delegates SET state=iif(?2 IS NULL,'empty','done'), turn=?3, reason=NULL WHERE pk=?1 AND state='cancelled'",
        params![pk, answer, turn],
    )?;
    tx.conn()
        .execute("UPDATE delegate_texts SET answer=?2 WHERE delegate_pk=?1", params![pk, answer])?;
    Ok(())
}

/// Says what became of the pane of a delegate that has ended.
pub fn pane(tx: &WriteTx<'_>, pk: i64, is_open: bool, reason: Option<&str>) -> Result<()> {
    tx.conn().execute(
        "UPDATE delegates SET is_pane_open=?2, reason=coalesce(?3,reason) WHERE pk=?1",
        params![pk, is_open, reason],
    )?;
    Ok(())
}

/// Erases the texts whose time is over; returns how many.
pub fn erase(tx: &WriteTx<'_>, now: &str) -> Result<usize> {
    Ok(tx.conn().execute("DELETE FROM delegate_texts WHERE erase_after<?1", [now])?)
}

/// How many exact texts are kept, and how many bytes they hold.
pub fn kept_texts(tx: &ReadTx<'_>) -> Result<(i64, i64)> {
    Ok(tx.conn().query_row(
        "SELECT count(*), coalesce(sum(length(task)+coalesce(length(answer),0)),0) FROM delegate_texts",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?)
}
