//! Writing agents: a launch, its binding, its end.

use drover_core::text::Text;
use rusqlite::params;
use uuid::Uuid;

use super::{Binding, Process, Profile};
use crate::error::Result;
use crate::reports;
use crate::tx::WriteTx;

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
    /// The name of the window that it shares with others.
    pub tab: Option<&'a str>,
}

/// Adds an agent that is being launched, and returns its key and uid.
pub fn insert(tx: &WriteTx<'_>, agent: &NewAgent<'_>) -> Result<(i64, String)> {
    let uid = Uuid::now_v7().to_string();
    let profile = agent.profile;
    tx.conn().execute(
        "INSERT INTO agents(uid,created_at,project_pk,name,role,lifecycle,lifecycle_at,deadline_at,nonce,engine,command,
           work,takes_work,env_names,model,thinking,unattended,skills,cwd,mux,mux_socket,opened_by_us,restarts,permission,sandbox,tab)
         VALUES(?1,?2,?3,?4,?5,'launching',?2,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,1,0,?20,?21,?22)",
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
            agent.server.1,
            profile.permission,
            profile.sandbox,
            agent.tab
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

/// Stores what an agent may write outside its directory, as a JSON array of paths.
pub fn set_writable_roots(tx: &WriteTx<'_>, pk: i64, roots: &str) -> Result<()> {
    tx.conn().execute("UPDATE agents SET writable_roots=?2 WHERE pk=?1", params![pk, roots])?;
    Ok(())
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

/// Begins to bring an agent back that has ended; `false` when it has not, or another call was first.
///
/// How and when it ended stays known until it runs again.
pub fn begin_restore(tx: &WriteTx<'_>, pk: i64, nonce: &str, deadline_at: &str) -> Result<bool> {
    let changed = tx.conn().execute(
        "UPDATE agents SET lifecycle='restoring', lifecycle_at=?2, nonce=?3, deadline_at=?4, failure=NULL, token_hash=NULL,
           restarts=restarts+1 WHERE pk=?1 AND lifecycle IN('exited','failed')",
        params![pk, tx.at_text(), nonce, deadline_at],
    )?;
    Ok(changed == 1)
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
           token_hash=?13, exit_status=NULL, exit_signal=NULL, ended_at=NULL
         WHERE uid=?1 AND nonce=?2 AND lifecycle IN('launching','restoring')",
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
        "UPDATE agents SET lifecycle='failed', lifecycle_at=?2, deadline_at=NULL, token_hash=NULL, failure=?3,
           ended_at=iif(lifecycle='running', ?2, ended_at)
         WHERE pk=?1 AND nonce=?4 AND lifecycle IN('launching','restoring','running')",
        params![pk, tx.at_text(), failure.as_str(), nonce],
    )?;
    Ok(changed == 1)
}

/// Ends a launch that has not bound itself; `false` when that launch is over. An agent that was to be
/// brought back has ended as before.
pub fn abandon(tx: &WriteTx<'_>, pk: i64, nonce: &str, failure: &Text) -> Result<bool> {
    let changed = tx.conn().execute(
        "UPDATE agents SET lifecycle=iif(lifecycle='restoring','exited','failed'), lifecycle_at=?2, deadline_at=NULL,
           restarts=restarts-(lifecycle='restoring'), failure=?3 WHERE pk=?1 AND nonce=?4 AND lifecycle IN('launching','restoring')",
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
    reports::clear(tx, pk)
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
