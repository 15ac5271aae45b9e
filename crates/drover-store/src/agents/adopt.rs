//! Writing agents whose program somebody else has started.

use rusqlite::params;

use super::{Binding, Profile};
use crate::error::Result;
use crate::tx::WriteTx;

/// An agent that runs already.
#[derive(Debug, Clone, Copy)]
pub struct Adopted<'a> {
    /// Its identity, which its pane is marked with.
    pub uid: &'a str,
    /// What was seen to run.
    pub profile: &'a Profile,
    /// Where.
    pub binding: &'a Binding,
}

/// Adds an agent that runs already under a name that is free in its project, and returns its key.
pub fn adopt(tx: &WriteTx<'_>, project_pk: i64, name: &str, adopted: &Adopted<'_>) -> Result<i64> {
    let Adopted { uid, profile, binding } = adopted;
    tx.conn().execute(
        "INSERT INTO agents(uid,created_at,project_pk,name,role,lifecycle,lifecycle_at,engine,command,takes_work,env_names,
           unattended,skills,cwd,mux,mux_socket,server_pid,server_started,session_id,window_id,pane_id,pane_pid,pane_started,
           opened_by_us,restarts)
         VALUES(?1,?2,?3,?4,?5,'running',?2,?6,?7,?8,'[]',0,'[]',?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,0,0)",
        params![
            uid,
            tx.at_text(),
            project_pk,
            name,
            profile.role,
            profile.engine,
            profile.command,
            profile.takes_work,
            profile.cwd,
            binding.mux,
            binding.mux_socket,
            binding.server.pid,
            binding.server.started,
            binding.session_id,
            binding.window_id,
            binding.pane_id,
            binding.pane.pid,
            binding.pane.started
        ],
    )?;
    Ok(tx.conn().last_insert_rowid())
}

/// Gives an adopted agent the program that runs in its pane now.
pub fn adopt_again(tx: &WriteTx<'_>, pk: i64, adopted: &Adopted<'_>) -> Result<()> {
    let Adopted { profile, binding, .. } = adopted;
    tx.conn().execute(
        "UPDATE agents SET role=?2, lifecycle='running', lifecycle_at=?3, engine=?4, command=?5, takes_work=?6, cwd=?7,
           mux=?8, mux_socket=?9, server_pid=?10, server_started=?11, session_id=?12, window_id=?13, pane_id=?14,
           pane_pid=?15, pane_started=?16, failure=NULL, exit_status=NULL, exit_signal=NULL, ended_at=NULL,
           conversation_id=NULL WHERE pk=?1",
        params![
            pk,
            profile.role,
            tx.at_text(),
            profile.engine,
            profile.command,
            profile.takes_work,
            profile.cwd,
            binding.mux,
            binding.mux_socket,
            binding.server.pid,
            binding.server.started,
            binding.session_id,
            binding.window_id,
            binding.pane_id,
            binding.pane.pid,
            binding.pane.started
        ],
    )?;
    Ok(())
}
