//! The conversations of agents: each that an agent was ever in, and the one it is in.

use rusqlite::{Row, params};
use uuid::Uuid;

use crate::error::Result;
use crate::tx::{ReadTx, WriteTx};

/// Who chose the identity of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChosenBy {
    /// Drover, before the launch.
    Drover,
    /// The engine, which named it.
    Engine,
}

impl ChosenBy {
    fn as_str(self) -> &'static str {
        match self {
            Self::Drover => "drover",
            Self::Engine => "engine",
        }
    }
}

/// A conversation that an agent was in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// As its engine names it.
    pub id: String,
    /// Where its engine keeps it, if it said so.
    pub file: Option<String>,
    /// Since when the agent has it, RFC 3339.
    pub created_at: String,
}

fn conversation_of(row: &Row<'_>) -> rusqlite::Result<Conversation> {
    Ok(Conversation { id: row.get(0)?, file: row.get(1)?, created_at: row.get(2)? })
}

/// Says which conversation an agent is in; those before it stay known.
pub fn set_conversation(
    tx: &WriteTx<'_>,
    agent_pk: i64,
    id: &str,
    file: Option<&str>,
    chosen_by: ChosenBy,
) -> Result<()> {
    tx.conn().execute(
        "INSERT INTO conversations(uid,created_at,agent_pk,conversation_id,file,chosen_by) VALUES(?1,?2,?3,?4,?5,?6)
         ON CONFLICT(agent_pk,conversation_id) DO UPDATE SET file=coalesce(excluded.file,file)",
        params![Uuid::now_v7().to_string(), tx.at_text(), agent_pk, id, file, chosen_by.as_str()],
    )?;
    tx.conn().execute(
        "UPDATE agents SET conversation_id=?2 WHERE pk=?1 AND conversation_id IS NOT ?2",
        params![agent_pk, id],
    )?;
    Ok(())
}

/// Says that the next launch of an agent begins a conversation: the one of this id, or one that its
/// engine names later.
pub fn begin_conversation(tx: &WriteTx<'_>, agent_pk: i64, id: Option<&str>) -> Result<()> {
    tx.conn().execute(
        "UPDATE agents SET conversation_id=NULL, resumes=0 WHERE pk=?1
         AND (conversation_id IS NOT NULL OR resumes<>0)",
        [agent_pk],
    )?;
    match id {
        Some(id) => set_conversation(tx, agent_pk, id, None, ChosenBy::Drover),
        None => Ok(()),
    }
}

/// Says that the next launch of an agent goes on with the conversation it was in; `false` if it is in none.
pub fn resume_conversation(tx: &WriteTx<'_>, agent_pk: i64) -> Result<bool> {
    let changed = tx.conn().execute(
        "UPDATE agents SET resumes=1 WHERE pk=?1 AND conversation_id IS NOT NULL",
        [agent_pk],
    )?;
    Ok(changed == 1)
}

/// Every conversation of an agent, the oldest first.
pub fn conversations(tx: &ReadTx<'_>, agent_pk: i64) -> Result<Vec<Conversation>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT conversation_id, file, created_at FROM conversations WHERE agent_pk=?1 ORDER BY pk",
    )?;
    Ok(statement.query_map([agent_pk], conversation_of)?.collect::<rusqlite::Result<_>>()?)
}
