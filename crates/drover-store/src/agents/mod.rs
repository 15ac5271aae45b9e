//! Agents: what they run, where they run, and whether they still do.

mod adopt;
mod conversations;
mod write;

use drover_core::agent::Lifecycle;
use rusqlite::{OptionalExtension as _, Row, params};

pub use adopt::{Adopted, adopt, adopt_again};
pub use conversations::{
    ChosenBy, Conversation, begin_conversation, conversations, resume_conversation,
    set_conversation,
};
pub use write::{
    Ending, NewAgent, abandon, begin_restore, bind, close, count_restart, exited, fail, insert,
    prepared, relaunch, rename, set_env, set_work, set_writable_roots, tell_ending, undo,
};

use crate::error::{Result, StoreError};
use crate::tx::ReadTx;

/// A process, told apart from a later one with the same number by when it started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// The process number.
    pub pid: i64,
    /// When it started, as the host writes it.
    pub started: String,
}

/// Where an agent's pane is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// Which multiplexer.
    pub mux: String,
    /// Its server's socket.
    pub mux_socket: String,
    /// Its server.
    pub server: Process,
    /// The session's id.
    pub session_id: String,
    /// The window's id.
    pub window_id: String,
    /// The pane's id.
    pub pane_id: String,
    /// The process in the pane.
    pub pane: Process,
}

/// What an agent runs and how; fixed at launch and replayed by a restart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// `operator`, `coordinator`, `worker` or `reviewer`.
    pub role: String,
    /// The program's name, as `claude`.
    pub engine: String,
    /// What the pane runs, as a JSON array of words.
    pub command: String,
    /// What `me work` runs for each task, as a JSON array of words.
    pub work: Option<String>,
    /// How it takes work: `run`, `message` or `none`.
    pub takes_work: String,
    /// The names of the variables it inherits, as a JSON array.
    pub env_names: String,
    /// The model it was asked to use.
    pub model: Option<String>,
    /// How hard it was asked to think.
    pub thinking: Option<String>,
    /// Whether it runs without asking for permission.
    pub unattended: bool,
    /// The skills it was given, as a JSON array.
    pub skills: String,
    /// The directory it starts in.
    pub cwd: String,
    /// How it asks before it acts, in its engine's own word.
    pub permission: Option<String>,
    /// What it may touch, in its engine's own word.
    pub sandbox: Option<String>,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// The row's key in this database.
    pub pk: i64,
    /// The identity that never changes.
    pub uid: String,
    /// When it was made, RFC 3339.
    pub created_at: String,
    /// The project it belongs to.
    pub project_pk: i64,
    /// The name people use.
    pub name: String,
    /// How far its life has come.
    pub lifecycle: Lifecycle,
    /// Since when, RFC 3339.
    pub lifecycle_at: String,
    /// When a launch counts as failed, RFC 3339.
    pub deadline_at: Option<String>,
    /// Names the last launch: lets exactly one pane bind itself, and a repeated call find what it began.
    pub nonce: Option<String>,
    /// Why the launch failed.
    pub failure: Option<String>,
    /// What it runs.
    pub profile: Profile,
    /// The multiplexer and the socket of the server that it is, or is to be, launched on.
    pub server: Option<(String, String)>,
    /// Where it runs, once it does.
    pub binding: Option<Binding>,
    /// Whether somebody else started its program, so that it is not ours to end or to start again.
    pub is_adopted: bool,
    /// The name of the window that it shares with others; none for a window of its own.
    pub tab: Option<String>,
    /// SHA-256 of its token, in hex.
    pub token_hash: Option<String>,
    /// The `me work` that runs in it.
    pub work: Option<Process>,
    /// How it ended: exit code.
    pub exit_status: Option<i64>,
    /// How it ended: signal.
    pub exit_signal: Option<i64>,
    /// When it ended, RFC 3339.
    pub ended_at: Option<String>,
    /// How often it was restarted.
    pub restarts: i64,
    /// The conversation it is in, as its engine names it.
    pub conversation_id: Option<String>,
    /// Whether its launch goes on with that conversation instead of beginning it.
    pub resumes: bool,
}

const AGENT: &str = "pk, uid, created_at, project_pk, name, lifecycle, lifecycle_at, deadline_at, nonce, failure, role, engine,
    command, work, takes_work, env_names, model, thinking, unattended, skills, cwd, mux, mux_socket, server_pid,
    server_started, session_id, window_id, pane_id, pane_pid, pane_started, token_hash, work_pid, work_started,
    exit_status, exit_signal, ended_at, restarts, permission, sandbox, conversation_id, resumes,
    NOT opened_by_us, tab";

fn process_of(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<Process>> {
    let (pid, started): (Option<i64>, Option<String>) = (row.get(at)?, row.get(at + 1)?);
    Ok(pid.zip(started).map(|(pid, started)| Process { pid, started }))
}

fn binding_of(row: &Row<'_>) -> rusqlite::Result<Option<Binding>> {
    let Some(pane_id) = row.get::<_, Option<String>>(27)? else { return Ok(None) };
    let (Some(server), Some(pane)) = (process_of(row, 23)?, process_of(row, 28)?) else {
        return Ok(None);
    };
    Ok(Some(Binding {
        mux: row.get(21)?,
        mux_socket: row.get(22)?,
        server,
        session_id: row.get(25)?,
        window_id: row.get(26)?,
        pane_id,
        pane,
    }))
}

fn agent_of(row: &Row<'_>) -> rusqlite::Result<Agent> {
    let word: String = row.get(5)?;
    let lifecycle = Lifecycle::parse(&word).map_err(|_| {
        let bad = StoreError::BadValue { table: "agents", column: "lifecycle", value: word };
        rusqlite::Error::FromSqlConversionFailure(5, rusqlite::types::Type::Text, Box::new(bad))
    })?;
    Ok(Agent {
        pk: row.get(0)?,
        uid: row.get(1)?,
        created_at: row.get(2)?,
        project_pk: row.get(3)?,
        name: row.get(4)?,
        lifecycle,
        lifecycle_at: row.get(6)?,
        deadline_at: row.get(7)?,
        nonce: row.get(8)?,
        failure: row.get(9)?,
        profile: Profile {
            role: row.get(10)?,
            engine: row.get(11)?,
            command: row.get(12)?,
            work: row.get(13)?,
            takes_work: row.get(14)?,
            env_names: row.get(15)?,
            model: row.get(16)?,
            thinking: row.get(17)?,
            unattended: row.get(18)?,
            skills: row.get(19)?,
            cwd: row.get(20)?,
            permission: row.get(37)?,
            sandbox: row.get(38)?,
        },
        server: row.get::<_, Option<String>>(21)?.zip(row.get(22)?),
        binding: binding_of(row)?,
        token_hash: row.get(30)?,
        work: process_of(row, 31)?,
        exit_status: row.get(33)?,
        exit_signal: row.get(34)?,
        ended_at: row.get(35)?,
        restarts: row.get(36)?,
        conversation_id: row.get(39)?,
        resumes: row.get(40)?,
        is_adopted: row.get(41)?,
        tab: row.get(42)?,
    })
}

/// The agent of a name in a project that is not closed.
pub fn find(tx: &ReadTx<'_>, project_pk: i64, name: &str) -> Result<Option<Agent>> {
    let sql = format!(
        "SELECT {AGENT} FROM agents WHERE project_pk=?1 AND name=?2 AND lifecycle<>'closed'"
    );
    Ok(tx.conn().prepare_cached(&sql)?.query_row(params![project_pk, name], agent_of).optional()?)
}

/// The agent of a uid, closed ones too.
pub fn by_uid(tx: &ReadTx<'_>, uid: &str) -> Result<Option<Agent>> {
    let sql = format!("SELECT {AGENT} FROM agents WHERE uid=?1");
    Ok(tx.conn().prepare_cached(&sql)?.query_row([uid], agent_of).optional()?)
}

/// The agent of a key, closed ones too.
pub fn by_pk(tx: &ReadTx<'_>, pk: i64) -> Result<Option<Agent>> {
    let sql = format!("SELECT {AGENT} FROM agents WHERE pk=?1");
    Ok(tx.conn().prepare_cached(&sql)?.query_row([pk], agent_of).optional()?)
}

/// The agent that carries this token.
pub fn by_token_hash(tx: &ReadTx<'_>, hash: &str) -> Result<Option<Agent>> {
    let sql = format!("SELECT {AGENT} FROM agents WHERE token_hash=?1 AND lifecycle<>'closed'");
    Ok(tx.conn().prepare_cached(&sql)?.query_row([hash], agent_of).optional()?)
}

/// The agent that was launched, or launched again, with this nonce, closed ones too.
pub fn by_nonce(tx: &ReadTx<'_>, nonce: &str) -> Result<Option<Agent>> {
    let sql = format!("SELECT {AGENT} FROM agents WHERE nonce=?1");
    Ok(tx.conn().prepare_cached(&sql)?.query_row([nonce], agent_of).optional()?)
}

/// The agent of a name in a project that was closed last.
pub fn last_closed(tx: &ReadTx<'_>, project_pk: i64, name: &str) -> Result<Option<Agent>> {
    let sql = format!(
        "SELECT {AGENT} FROM agents WHERE project_pk=?1 AND name=?2 AND lifecycle='closed'
         ORDER BY pk DESC LIMIT 1"
    );
    Ok(tx.conn().prepare_cached(&sql)?.query_row(params![project_pk, name], agent_of).optional()?)
}

/// The agents of this name in every project, closed ones left out.
pub fn named(tx: &ReadTx<'_>, name: &str) -> Result<Vec<Agent>> {
    let sql = format!("SELECT {AGENT} FROM agents WHERE name=?1 AND lifecycle<>'closed'");
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([name], agent_of)?.collect::<rusqlite::Result<_>>()?)
}

/// The agents that were bound to this pane and are not closed; ids repeat after a server's restart.
pub fn bound_to(tx: &ReadTx<'_>, mux_socket: &str, pane_id: &str) -> Result<Vec<Agent>> {
    let sql = format!(
        "SELECT {AGENT} FROM agents WHERE mux_socket=?1 AND pane_id=?2 AND lifecycle<>'closed'"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    let rows = statement.query_map(params![mux_socket, pane_id], agent_of)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The agents of a project that are not closed, by name.
pub fn list(tx: &ReadTx<'_>, project_pk: i64) -> Result<Vec<Agent>> {
    let sql = format!(
        "SELECT {AGENT} FROM agents WHERE project_pk=?1 AND lifecycle<>'closed' ORDER BY name"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([project_pk], agent_of)?.collect::<rusqlite::Result<_>>()?)
}

/// Every agent of every project that is not closed, by project and name.
pub fn all(tx: &ReadTx<'_>) -> Result<Vec<Agent>> {
    let sql =
        format!("SELECT {AGENT} FROM agents WHERE lifecycle<>'closed' ORDER BY project_pk, name");
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([], agent_of)?.collect::<rusqlite::Result<_>>()?)
}

/// Every agent of every project that may still run, by project and name.
pub fn live(tx: &ReadTx<'_>) -> Result<Vec<Agent>> {
    let sql = format!(
        "SELECT {AGENT} FROM agents WHERE lifecycle NOT IN('closed','exited','failed') ORDER BY project_pk, name"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([], agent_of)?.collect::<rusqlite::Result<_>>()?)
}

/// The processes of the panes of agents that may still run, each with its agent's `pk`.
pub fn live_panes(tx: &ReadTx<'_>) -> Result<Vec<(i64, Process)>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT pk, pane_pid, pane_started FROM agents
         WHERE lifecycle NOT IN('closed','exited','failed') AND pane_pid IS NOT NULL",
    )?;
    let pane = |row: &rusqlite::Row<'_>| {
        Ok((row.get(0)?, Process { pid: row.get(1)?, started: row.get(2)? }))
    };
    Ok(statement.query_map([], pane)?.collect::<rusqlite::Result<_>>()?)
}

/// Every launch that has not come to its end, and every first launch that failed.
pub fn unsettled(tx: &ReadTx<'_>) -> Result<Vec<Agent>> {
    let sql = format!(
        "SELECT {AGENT} FROM agents WHERE lifecycle IN('launching','restoring') OR (lifecycle='failed' AND restarts=0)
         ORDER BY pk"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([], agent_of)?.collect::<rusqlite::Result<_>>()?)
}

/// The agents that may still run and are in this conversation.
pub fn in_conversation(tx: &ReadTx<'_>, conversation_id: &str) -> Result<Vec<Agent>> {
    let sql = format!(
        "SELECT {AGENT} FROM agents WHERE conversation_id=?1 AND lifecycle NOT IN('closed','exited','failed')"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([conversation_id], agent_of)?.collect::<rusqlite::Result<_>>()?)
}

/// What an agent may write outside its directory.
pub fn writable_roots(tx: &ReadTx<'_>, pk: i64) -> Result<Vec<String>> {
    let sql = "SELECT root.value FROM agents, json_each(agents.writable_roots) AS root WHERE agents.pk=?1";
    let mut statement = tx.conn().prepare_cached(sql)?;
    Ok(statement.query_map([pk], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// The variables an agent gets besides the fixed ones.
pub fn env(tx: &ReadTx<'_>, pk: i64) -> Result<Vec<(String, String)>> {
    let mut statement = tx
        .conn()
        .prepare_cached("SELECT name, value FROM agent_env WHERE agent_pk=?1 ORDER BY name")?;
    Ok(statement
        .query_map([pk], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?)
}
