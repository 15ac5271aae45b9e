//! Messages to agents: the outbox and the receipts.

use drover_core::message::{Level, Mode};
use rusqlite::{OptionalExtension as _, Row, params};
use uuid::Uuid;

use crate::error::{Result, StoreError};
use crate::tx::{ReadTx, WriteTx};

/// A message to an agent and how far it got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The row's key in this database.
    pub pk: i64,
    /// The identity that never changes.
    pub uid: String,
    /// When it was written, RFC 3339.
    pub created_at: String,
    /// Whom it is for.
    pub agent_pk: i64,
    /// Its number among that agent's messages.
    pub number: i64,
    /// When it is to be delivered.
    pub mode: Mode,
    /// How far it got.
    pub level: Level,
    /// Who sent it.
    pub sender: String,
    /// The task it is about.
    pub task_uid: Option<String>,
    /// SHA-256 of the sent text, in hex.
    pub digest: String,
    /// Length of the sent text.
    pub bytes: i64,
    /// Control bytes that were removed from it.
    pub removed_bytes: i64,
    /// What proves the level.
    pub proof: Option<String>,
    /// Why it got no further.
    pub reason: Option<String>,
    /// The process that delivers it now, as `<pid>/<start>`.
    pub lease: Option<String>,
    /// When it left, RFC 3339.
    pub sent_at: Option<String>,
    /// `mux` where it is to be typed even next to an exact channel.
    pub via: Option<String>,
    /// The number of the turn that took it, where its engine counts them.
    pub turn: Option<i64>,
    /// The turn that took it, as its engine names it.
    pub turn_id: Option<String>,
}

const MESSAGE: &str = "pk, uid, created_at, agent_pk, number, mode, level, sender, task_uid, digest, bytes, removed_bytes, proof,
    reason, lease, sent_at, via, turn, turn_id";

fn word<T, E>(
    row: &Row<'_>,
    at: usize,
    column: &'static str,
    parse: fn(&str) -> std::result::Result<T, E>,
) -> rusqlite::Result<T> {
    let value: String = row.get(at)?;
    parse(&value).map_err(|_| {
        let bad = StoreError::BadValue { table: "messages", column, value };
        rusqlite::Error::FromSqlConversionFailure(at, rusqlite::types::Type::Text, Box::new(bad))
    })
}

fn message_of(row: &Row<'_>) -> rusqlite::Result<Message> {
    Ok(Message {
        pk: row.get(0)?,
        uid: row.get(1)?,
        created_at: row.get(2)?,
        agent_pk: row.get(3)?,
        number: row.get(4)?,
        mode: word(row, 5, "mode", Mode::parse)?,
        level: word(row, 6, "level", Level::parse)?,
        sender: row.get(7)?,
        task_uid: row.get(8)?,
        digest: row.get(9)?,
        bytes: row.get(10)?,
        removed_bytes: row.get(11)?,
        proof: row.get(12)?,
        reason: row.get(13)?,
        lease: row.get(14)?,
        sent_at: row.get(15)?,
        via: row.get(16)?,
        turn: row.get(17)?,
        turn_id: row.get(18)?,
    })
}

/// What a new message is made of.
#[derive(Debug, Clone, Copy)]
pub struct NewMessage<'a> {
    /// Its identity, where a repeated call must find it again; a new one otherwise.
    pub uid: Option<&'a str>,
    /// Whom it is for.
    pub agent_pk: i64,
    /// When it is to be delivered.
    pub mode: Mode,
    /// Who sends it.
    pub sender: &'a str,
    /// The task it is about.
    pub task_uid: Option<&'a str>,
    /// The sent text, exactly.
    pub text: &'a str,
    /// SHA-256 of the sent text, in hex.
    pub digest: &'a str,
    /// Control bytes that were removed from it.
    pub removed_bytes: i64,
    /// `mux` where it is to be typed even next to an exact channel.
    pub via: Option<&'a str>,
}

/// Puts a message into the outbox and returns its key.
pub fn insert(tx: &WriteTx<'_>, message: &NewMessage<'_>) -> Result<i64> {
    let bytes = i64::try_from(message.text.len()).unwrap_or(i64::MAX);
    tx.conn().execute(
        "INSERT INTO messages(uid,created_at,agent_pk,number,mode,level,sender,task_uid,digest,bytes,removed_bytes,via)
         VALUES(?1,?2,?3,(SELECT coalesce(max(number),0)+1 FROM messages WHERE agent_pk=?3),?4,'queued',?5,?6,?7,?8,?9,?10)",
        params![
            message.uid.map_or_else(|| Uuid::now_v7().to_string(), str::to_owned),
            tx.at_text(),
            message.agent_pk,
            message.mode.as_str(),
            message.sender,
            message.task_uid,
            message.digest,
            bytes,
            message.removed_bytes,
            message.via
        ],
    )?;
    let pk = tx.conn().last_insert_rowid();
    set_body(tx, pk, message.text)?;
    Ok(pk)
}

/// Stores the exact text of a message.
pub fn set_body(tx: &WriteTx<'_>, pk: i64, text: &str) -> Result<()> {
    tx.conn().execute(
        "INSERT INTO message_bodies(message_pk,text) VALUES(?1,?2) ON CONFLICT(message_pk) DO UPDATE SET text=excluded.text",
        params![pk, text],
    )?;
    Ok(())
}

/// Replaces the text of a queued message; `false` when it has left.
pub fn edit(
    tx: &WriteTx<'_>,
    pk: i64,
    text: &str,
    digest: &str,
    removed_bytes: i64,
) -> Result<bool> {
    let bytes = i64::try_from(text.len()).unwrap_or(i64::MAX);
    let changed = tx.conn().execute(
        "UPDATE messages SET digest=?2, bytes=?3, removed_bytes=?4 WHERE pk=?1 AND level='queued' AND lease IS NULL",
        params![pk, digest, bytes, removed_bytes],
    )?;
    if changed == 1 {
        set_body(tx, pk, text)?;
    }
    Ok(changed == 1)
}

/// The exact text of a message, until it is erased.
pub fn body(tx: &ReadTx<'_>, pk: i64) -> Result<Option<String>> {
    Ok(tx
        .conn()
        .query_row("SELECT text FROM message_bodies WHERE message_pk=?1", [pk], |row| row.get(0))
        .optional()?)
}

/// The message of a key.
pub fn by_pk(tx: &ReadTx<'_>, pk: i64) -> Result<Option<Message>> {
    let sql = format!("SELECT {MESSAGE} FROM messages WHERE pk=?1");
    Ok(tx.conn().prepare_cached(&sql)?.query_row([pk], message_of).optional()?)
}

/// The message of an identity.
pub fn by_uid(tx: &ReadTx<'_>, uid: &str) -> Result<Option<Message>> {
    let sql = format!("SELECT {MESSAGE} FROM messages WHERE uid=?1");
    Ok(tx.conn().prepare_cached(&sql)?.query_row([uid], message_of).optional()?)
}

/// The message of a number among an agent's.
pub fn by_number(tx: &ReadTx<'_>, agent_pk: i64, number: i64) -> Result<Option<Message>> {
    let sql = format!("SELECT {MESSAGE} FROM messages WHERE agent_pk=?1 AND number=?2");
    Ok(tx.conn().prepare_cached(&sql)?.query_row([agent_pk, number], message_of).optional()?)
}

/// The messages of an agent, oldest first.
pub fn of_agent(tx: &ReadTx<'_>, agent_pk: i64) -> Result<Vec<Message>> {
    let sql = format!("SELECT {MESSAGE} FROM messages WHERE agent_pk=?1 ORDER BY number");
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([agent_pk], message_of)?.collect::<rusqlite::Result<_>>()?)
}

/// The messages about a task, oldest first, each with the name of the agent it is for.
pub fn about(tx: &ReadTx<'_>, task_uid: &str) -> Result<Vec<(String, Message)>> {
    let sql = format!("SELECT {MESSAGE} FROM messages WHERE task_uid=?1 ORDER BY pk");
    let mut statement = tx.conn().prepare_cached(&sql)?;
    let messages: Vec<Message> =
        statement.query_map([task_uid], message_of)?.collect::<rusqlite::Result<_>>()?;
    let mut name_of = tx.conn().prepare_cached("SELECT name FROM agents WHERE pk=?1")?;
    let mut named = Vec::with_capacity(messages.len());
    for message in messages {
        named.push((name_of.query_row([message.agent_pk], |row| row.get(0))?, message));
    }
    Ok(named)
}

/// The messages of an agent that wait, oldest first.
pub fn queued(tx: &ReadTx<'_>, agent_pk: i64) -> Result<Vec<Message>> {
    let sql = format!(
        "SELECT {MESSAGE} FROM messages WHERE agent_pk=?1 AND level='queued' ORDER BY number"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([agent_pk], message_of)?.collect::<rusqlite::Result<_>>()?)
}

/// Every message that waits or whose delivery was cut off, oldest first.
pub fn undelivered(tx: &ReadTx<'_>) -> Result<Vec<Message>> {
    let sql = format!(
        "SELECT {MESSAGE} FROM messages WHERE level='queued' OR lease IS NOT NULL ORDER BY pk"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([], message_of)?.collect::<rusqlite::Result<_>>()?)
}

/// The messages of an agent that somebody has begun to type, oldest first.
pub fn leased(tx: &ReadTx<'_>, agent_pk: i64) -> Result<Vec<Message>> {
    let sql = format!(
        "SELECT {MESSAGE} FROM messages WHERE agent_pk=?1 AND lease IS NOT NULL ORDER BY number"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([agent_pk], message_of)?.collect::<rusqlite::Result<_>>()?)
}

/// Takes a queued message for delivery; `false` when it is no longer free.
pub fn lease(tx: &WriteTx<'_>, pk: i64, lease: &str) -> Result<bool> {
    let changed = tx.conn().execute(
        "UPDATE messages SET lease=?2 WHERE pk=?1 AND level='queued' AND lease IS NULL",
        params![pk, lease],
    )?;
    Ok(changed == 1)
}

/// Puts a taken message back into the outbox: nothing of it was typed.
pub fn let_go(tx: &WriteTx<'_>, pk: i64) -> Result<()> {
    tx.conn().execute("UPDATE messages SET lease=NULL WHERE pk=?1 AND level='queued'", [pk])?;
    Ok(())
}

/// Takes a queued message back; `false` when it has left.
pub fn withdraw(tx: &WriteTx<'_>, pk: i64, erase_after: &str) -> Result<bool> {
    let changed = tx.conn().execute(
        "UPDATE messages SET level='withdrawn' WHERE pk=?1 AND level='queued' AND lease IS NULL",
        [pk],
    )?;
    if changed == 1 {
        erase_later(tx, pk, Some(erase_after))?;
    }
    Ok(changed == 1)
}

fn erase_later(tx: &WriteTx<'_>, pk: i64, erase_after: Option<&str>) -> Result<()> {
    tx.conn().execute(
        "UPDATE message_bodies SET erase_after=?2 WHERE message_pk=?1",
        params![pk, erase_after],
    )?;
    Ok(())
}

/// How far a message got, and what proves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// How far it got.
    pub level: Level,
    /// What proves the level.
    pub proof: Option<String>,
    /// Why it got no further.
    pub reason: Option<String>,
    /// The number of the turn that took it, where its engine counts them.
    pub turn: Option<i64>,
    /// The turn that took it, as its engine names it.
    pub turn_id: Option<String>,
}

/// Records how far a message got and lets go of it.
pub fn settle(
    tx: &WriteTx<'_>,
    pk: i64,
    receipt: &Receipt,
    erase_after: Option<&str>,
) -> Result<()> {
    tx.conn().execute(
        "UPDATE messages SET level=?2, proof=?3, reason=?4, lease=NULL, turn=?6, turn_id=?7,
           sent_at=iif(?2 IN('typed','submitted','received','uncertain'), ?5, sent_at) WHERE pk=?1",
        params![
            pk,
            receipt.level.as_str(),
            receipt.proof,
            receipt.reason,
            tx.at_text(),
            receipt.turn,
            receipt.turn_id
        ],
    )?;
    erase_later(tx, pk, erase_after)
}

/// Erases the exact texts whose time is over; returns how many.
pub fn erase(tx: &WriteTx<'_>, now: &str) -> Result<usize> {
    Ok(tx.conn().execute("DELETE FROM message_bodies WHERE erase_after<?1", [now])?)
}

/// How many exact texts are kept, and how many bytes they hold.
pub fn kept_bodies(tx: &ReadTx<'_>) -> Result<(i64, i64)> {
    Ok(tx.conn().query_row(
        "SELECT count(*), coalesce(sum(length(text)),0) FROM message_bodies",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?)
}
