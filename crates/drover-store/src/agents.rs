//! Agents: what they run, where they run, and whether they still do.

use drover_core::agent::Lifecycle;
use drover_core::text::Text;
use rusqlite::{OptionalExtension as _, Row, params};
use uuid::Uuid;

use crate::error::{Result, StoreError};
use crate::tx::{ReadTx, WriteTx};

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
}

const AGENT: &str = "pk, uid, created_at, project_pk, name, lifecycle, lifecycle_at, deadline_at, nonce, failure, role, engine,
    command, work, takes_work, env_names, model, thinking, unattended, skills, cwd, mux, mux_socket, server_pid,
    server_started, session_id, window_id, pane_id, pane_pid, pane_started, token_hash, work_pid, work_started,
    exit_status, exit_signal, ended_at, restarts";

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
        },
        server: row.get::<_, Option<String>>(21)?.zip(row.get(22)?),
        binding: binding_of(row)?,
        token_hash: row.get(30)?,
        work: process_of(row, 31)?,
        exit_status: row.get(33)?,
        exit_signal: row.get(34)?,
        ended_at: row.get(35)?,
        restarts: row.get(36)?,
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
        "SELECT {AGENT} FROM agents WHERE lifecycle='launching' OR (lifecycle='failed' AND restarts=0) ORDER BY pk"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([], agent_of)?.collect::<rusqlite::Result<_>>()?)
}

/// What a new agent is made of.
#[derive(Debug, Clone, Copy)]
pub struct NewAgent<'a> {
    /// The project it belongs to.
    pub project_pk: i64,
    /// The name; free in its project.
    pub name: &'a str,
    /// Lets exactly one pane bind itself to this row.
    pub nonce: &'a str,
    /// When the launch counts as failed, RFC 3339.
    pub deadline_at: &'a str,
    /// What it runs.
    pub profile: &'a Profile,
    /// The multiplexer and the socket of its server.
    pub server: (&'a str, &'a str),
}

/// Adds an agent that is being launched, and returns its key and uid.
pub fn insert(tx: &WriteTx<'_>, agent: &NewAgent<'_>) -> Result<(i64, String)> {
    let uid = Uuid::now_v7().to_string();
    let profile = agent.profile;
    tx.conn().execute(
        "INSERT INTO agents(uid,created_at,project_pk,name,role,lifecycle,lifecycle_at,deadline_at,nonce,engine,command,
           work,takes_work,env_names,model,thinking,unattended,skills,cwd,mux,mux_socket,opened_by_us,restarts)
         VALUES(?1,?2,?3,?4,?5,'launching',?2,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,1,0)",
        params![
            uid,
            tx.at_text(),
            agent.project_pk,
            agent.name,
            profile.role,
            agent.deadline_at,
            agent.nonce,
            profile.engine,
            profile.command,
            profile.work,
            profile.takes_work,
            profile.env_names,
            profile.model,
            profile.thinking,
            profile.unattended,
            profile.skills,
            profile.cwd,
            agent.server.0,
            agent.server.1
        ],
    )?;
    Ok((tx.conn().last_insert_rowid(), uid))
}

/// Says where an agent that is being launched starts, and when its launch counts as failed.
pub fn prepared(tx: &WriteTx<'_>, pk: i64, cwd: &str, deadline_at: &str) -> Result<()> {
    tx.conn().execute(
        "UPDATE agents SET cwd=?2, deadline_at=?3 WHERE pk=?1",
        params![pk, cwd, deadline_at],
    )?;
    Ok(())
}

/// Deletes an agent whose first launch came to nothing; `false` when a pane has bound itself meanwhile.
pub fn undo(tx: &WriteTx<'_>, pk: i64, nonce: &str) -> Result<bool> {
    let changed = tx.conn().execute(
        "DELETE FROM agents WHERE pk=?1 AND nonce=?2 AND lifecycle IN('launching','failed')",
        params![pk, nonce],
    )?;
    Ok(changed == 1)
}

/// Stores the variables an agent gets besides the fixed ones, replacing what was there of that kind.
pub fn set_env(
    tx: &WriteTx<'_>,
    pk: i64,
    kind: &str,
    variables: &[(String, String)],
) -> Result<()> {
    tx.conn().execute("DELETE FROM agent_env WHERE agent_pk=?1 AND kind=?2", params![pk, kind])?;
    for (name, value) in variables {
        tx.conn().execute(
            "INSERT INTO agent_env(agent_pk,name,value,kind) VALUES(?1,?2,?3,?4)
             ON CONFLICT(agent_pk,name) DO UPDATE SET value=excluded.value, kind=excluded.kind
             WHERE excluded.kind='explicit' OR agent_env.kind='inherited'",
            params![pk, name, value, kind],
        )?;
    }
    Ok(())
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

/// Begins a launch of an existing agent: a new nonce and deadline, so that an older pane can no longer bind.
pub fn relaunch(tx: &WriteTx<'_>, pk: i64, nonce: &str, deadline_at: &str) -> Result<()> {
    tx.conn().execute(
        "UPDATE agents SET lifecycle='launching', lifecycle_at=?2, nonce=?3, deadline_at=?4, failure=NULL, token_hash=NULL,
           work_pid=NULL, work_started=NULL, exit_status=NULL, exit_signal=NULL, ended_at=NULL WHERE pk=?1",
        params![pk, tx.at_text(), nonce, deadline_at],
    )?;
    Ok(())
}

/// Binds a pane to the agent it was made for; `false` when that launch is over or another pane won.
pub fn bind(
    tx: &WriteTx<'_>,
    uid: &str,
    nonce: &str,
    binding: &Binding,
    token_hash: &str,
) -> Result<bool> {
    let changed = tx.conn().execute(
        "UPDATE agents SET lifecycle='running', lifecycle_at=?3, deadline_at=NULL, mux=?4, mux_socket=?5,
           server_pid=?6, server_started=?7, session_id=?8, window_id=?9, pane_id=?10, pane_pid=?11, pane_started=?12,
           token_hash=?13 WHERE uid=?1 AND nonce=?2 AND lifecycle='launching'",
        params![
            uid,
            nonce,
            tx.at_text(),
            binding.mux,
            binding.mux_socket,
            binding.server.pid,
            binding.server.started,
            binding.session_id,
            binding.window_id,
            binding.pane_id,
            binding.pane.pid,
            binding.pane.started,
            token_hash
        ],
    )?;
    Ok(changed == 1)
}

/// Records that the launch with this nonce failed and why; `false` when that launch is over.
pub fn fail(tx: &WriteTx<'_>, pk: i64, nonce: &str, failure: &Text) -> Result<bool> {
    let changed = tx.conn().execute(
        "UPDATE agents SET lifecycle='failed', lifecycle_at=?2, deadline_at=NULL, token_hash=NULL, failure=?3
         WHERE pk=?1 AND nonce=?4 AND lifecycle IN('launching','running')",
        params![pk, tx.at_text(), failure.as_str(), nonce],
    )?;
    Ok(changed == 1)
}

/// Ends a launch that has not bound itself; `false` when that launch is over.
pub fn abandon(tx: &WriteTx<'_>, pk: i64, nonce: &str, failure: &Text) -> Result<bool> {
    let changed = tx.conn().execute(
        "UPDATE agents SET lifecycle='failed', lifecycle_at=?2, deadline_at=NULL, failure=?3
         WHERE pk=?1 AND nonce=?4 AND lifecycle='launching'",
        params![pk, tx.at_text(), failure.as_str(), nonce],
    )?;
    Ok(changed == 1)
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ending {
    /// Its exit code.
    pub status: Option<i64>,
    /// The signal that ended it.
    pub signal: Option<i64>,
}

/// Records how a process ended that was seen gone before its ending could be told.
pub fn tell_ending(tx: &WriteTx<'_>, pk: i64, ending: Ending) -> Result<bool> {
    let changed = tx.conn().execute(
        "UPDATE agents SET exit_status=?2, exit_signal=?3
         WHERE pk=?1 AND lifecycle='exited' AND exit_status IS NULL AND exit_signal IS NULL",
        params![pk, ending.status, ending.signal],
    )?;
    Ok(changed == 1)
}

/// Records that an agent's process is gone; `false` when that was known.
pub fn exited(tx: &WriteTx<'_>, pk: i64, ending: Ending) -> Result<bool> {
    let changed = tx.conn().execute(
        "UPDATE agents SET lifecycle='exited', lifecycle_at=?2, ended_at=?2, exit_status=?3, exit_signal=?4,
           deadline_at=NULL, token_hash=NULL, work_pid=NULL, work_started=NULL
         WHERE pk=?1 AND lifecycle NOT IN('exited','closed')",
        params![pk, tx.at_text(), ending.status, ending.signal],
    )?;
    Ok(changed == 1)
}

/// Closes an agent, which frees its name.
pub fn close(tx: &WriteTx<'_>, pk: i64) -> Result<()> {
    tx.conn().execute(
        "UPDATE agents SET lifecycle='closed', lifecycle_at=?2, ended_at=coalesce(ended_at,?2), deadline_at=NULL,
           token_hash=NULL, work_pid=NULL, work_started=NULL WHERE pk=?1",
        params![pk, tx.at_text()],
    )?;
    tx.conn().execute("DELETE FROM agent_env WHERE agent_pk=?1", [pk])?;
    Ok(())
}

/// Gives an agent another name.
pub fn rename(tx: &WriteTx<'_>, pk: i64, name: &str) -> Result<()> {
    tx.conn().execute("UPDATE agents SET name=?2 WHERE pk=?1", params![pk, name])?;
    Ok(())
}

/// Counts a restart.
pub fn count_restart(tx: &WriteTx<'_>, pk: i64) -> Result<()> {
    tx.conn().execute("UPDATE agents SET restarts=restarts+1 WHERE pk=?1", [pk])?;
    Ok(())
}

/// Records, or clears, the `me work` that runs in an agent's pane.
pub fn set_work(tx: &WriteTx<'_>, pk: i64, work: Option<&Process>) -> Result<()> {
    tx.conn().execute(
        "UPDATE agents SET work_pid=?2, work_started=?3 WHERE pk=?1",
        params![pk, work.map(|it| it.pid), work.map(|it| &it.started)],
    )?;
    Ok(())
}
