//! What the hooks of agents said last: a cache of their words, and of the prompts they said were submitted.

use rusqlite::{OptionalExtension as _, Row, params};

use crate::error::Result;
use crate::tx::{ReadTx, WriteTx};

/// How many prompts of an agent are kept as proof.
const KEPT_PROMPTS: i64 = 200;

/// The last word of an agent's hooks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// The event, as the engine names it.
    pub event: String,
    /// What the agent is doing, as a state's word.
    pub state: String,
    /// Why it is in that state.
    pub reason: Option<String>,
    /// When a limit ends, RFC 3339.
    pub until: Option<String>,
    /// Since when it is in that state, RFC 3339.
    pub since: String,
    /// The conversation it is in.
    pub conversation_id: Option<String>,
    /// How many turns have ended.
    pub turns: i64,
    /// What the agent answered last.
    pub last_text: Option<String>,
    /// The error that ended its last turn.
    pub last_error: Option<String>,
    /// When this was said, RFC 3339.
    pub at: String,
}

fn report_of(row: &Row<'_>) -> rusqlite::Result<Report> {
    Ok(Report {
        event: row.get(0)?,
        state: row.get(1)?,
        reason: row.get(2)?,
        until: row.get(3)?,
        since: row.get(4)?,
        conversation_id: row.get(5)?,
        turns: row.get(6)?,
        last_text: row.get(7)?,
        last_error: row.get(8)?,
        at: row.get(9)?,
    })
}

/// The last word of an agent's hooks, if they ever said one.
pub fn of_agent(tx: &ReadTx<'_>, agent_pk: i64) -> Result<Option<Report>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT event, state, reason, until, since, conversation_id, turns, last_text, last_error, at
         FROM agent_reports WHERE agent_pk=?1",
    )?;
    Ok(statement.query_row([agent_pk], report_of).optional()?)
}

/// Keeps what an agent's hooks say now in place of what they said before.
pub fn set(tx: &WriteTx<'_>, agent_pk: i64, report: &Report) -> Result<()> {
    tx.conn().execute(
        "INSERT INTO agent_reports(agent_pk,event,state,reason,until,since,conversation_id,turns,last_text,last_error,at)
         VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)
         ON CONFLICT(agent_pk) DO UPDATE SET event=excluded.event, state=excluded.state, reason=excluded.reason,
           until=excluded.until, since=excluded.since, conversation_id=excluded.conversation_id, turns=excluded.turns,
           last_text=excluded.last_text, last_error=excluded.last_error, at=excluded.at",
        params![
            agent_pk,
            report.event,
            report.state,
            report.reason,
            report.until,
            report.since,
            report.conversation_id,
            report.turns,
            report.last_text,
            report.last_error,
            tx.at_text()
        ],
    )?;
    Ok(())
}

/// Forgets what an agent's hooks said: another process speaks for it from here on.
pub fn clear(tx: &WriteTx<'_>, agent_pk: i64) -> Result<()> {
    tx.conn().execute("DELETE FROM agent_reports WHERE agent_pk=?1", [agent_pk])?;
    tx.conn().execute("DELETE FROM prompt_reports WHERE agent_pk=?1", [agent_pk])?;
    Ok(())
}

/// Keeps the digest of a prompt that an agent said was submitted, and the turn it began.
pub fn add_prompt(tx: &WriteTx<'_>, agent_pk: i64, digest: &str, turn: i64) -> Result<()> {
    tx.conn().execute(
        "INSERT INTO prompt_reports(agent_pk,digest,turn,at) VALUES(?1,?2,?3,?4)",
        params![agent_pk, digest, turn, tx.at_text()],
    )?;
    tx.conn().execute(
        "DELETE FROM prompt_reports WHERE agent_pk=?1 AND pk <=
           (SELECT pk FROM prompt_reports WHERE agent_pk=?1 ORDER BY pk DESC LIMIT 1 OFFSET ?2)",
        params![agent_pk, KEPT_PROMPTS],
    )?;
    Ok(())
}

/// The turns that prompts of this digest began, the oldest first.
pub fn turns_of_prompt(tx: &ReadTx<'_>, agent_pk: i64, digest: &str) -> Result<Vec<i64>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT turn FROM prompt_reports WHERE agent_pk=?1 AND digest=?2 ORDER BY pk",
    )?;
    let rows = statement.query_map(params![agent_pk, digest], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
