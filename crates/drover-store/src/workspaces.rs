//! Workspaces: each agent's own checkout and branch, and what was rescued from removed ones.

use rusqlite::{OptionalExtension as _, Row, params};
use uuid::Uuid;

use crate::error::Result;
use crate::tx::{ReadTx, WriteTx};

/// A workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// The row's key in this database.
    pub pk: i64,
    /// The identity that never changes.
    pub uid: String,
    /// When it was made, RFC 3339.
    pub created_at: String,
    /// Whose it is.
    pub agent_pk: i64,
    /// The project it belongs to.
    pub project_pk: i64,
    /// `git`, `jj` or `copy`.
    pub kind: String,
    /// Where it is.
    pub path: String,
    /// The repository it came from.
    pub source: String,
    /// The branch that is its own.
    pub branch: String,
    /// The commit it starts from.
    pub base_sha: String,
    /// The commit of its branch that was landed last.
    pub landed_sha: Option<String>,
    /// The landing under way, as JSON; cleared when it is recorded.
    pub landing: Option<String>,
    /// `creating`, `ready`, `removing` or `branch_only`.
    pub state: String,
    /// Files brought along from the source, as a JSON array of path and digest.
    pub brought: String,
}

const WORKSPACE: &str = "pk, uid, created_at, agent_pk, project_pk, kind, path, source, branch, base_sha, landed_sha, state,
    brought, landing";

fn workspace_of(row: &Row<'_>) -> rusqlite::Result<Workspace> {
    Ok(Workspace {
        pk: row.get(0)?,
        uid: row.get(1)?,
        created_at: row.get(2)?,
        agent_pk: row.get(3)?,
        project_pk: row.get(4)?,
        kind: row.get(5)?,
        path: row.get(6)?,
        source: row.get(7)?,
        branch: row.get(8)?,
        base_sha: row.get(9)?,
        landed_sha: row.get(10)?,
        state: row.get(11)?,
        brought: row.get(12)?,
        landing: row.get(13)?,
    })
}

/// The workspace of an agent that has a checkout.
pub fn of_agent(tx: &ReadTx<'_>, agent_pk: i64) -> Result<Option<Workspace>> {
    let sql = format!(
        "SELECT {WORKSPACE} FROM workspaces WHERE agent_pk=?1 AND state<>'branch_only' ORDER BY pk DESC LIMIT 1"
    );
    Ok(tx.conn().prepare_cached(&sql)?.query_row([agent_pk], workspace_of).optional()?)
}

/// The workspace of a key.
pub fn by_pk(tx: &ReadTx<'_>, pk: i64) -> Result<Option<Workspace>> {
    let sql = format!("SELECT {WORKSPACE} FROM workspaces WHERE pk=?1");
    Ok(tx.conn().prepare_cached(&sql)?.query_row([pk], workspace_of).optional()?)
}

/// The workspace that has its checkout at a path.
pub fn at_path(tx: &ReadTx<'_>, path: &str) -> Result<Option<Workspace>> {
    let sql = format!("SELECT {WORKSPACE} FROM workspaces WHERE path=?1 AND state<>'branch_only'");
    Ok(tx.conn().prepare_cached(&sql)?.query_row([path], workspace_of).optional()?)
}

/// The workspaces of a project, kept branches too, oldest first.
pub fn list(tx: &ReadTx<'_>, project_pk: i64) -> Result<Vec<Workspace>> {
    let sql = format!("SELECT {WORKSPACE} FROM workspaces WHERE project_pk=?1 ORDER BY pk");
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([project_pk], workspace_of)?.collect::<rusqlite::Result<_>>()?)
}

/// Every workspace of this machine, oldest first.
pub fn all(tx: &ReadTx<'_>) -> Result<Vec<Workspace>> {
    let sql = format!("SELECT {WORKSPACE} FROM workspaces ORDER BY pk");
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([], workspace_of)?.collect::<rusqlite::Result<_>>()?)
}

/// What a new workspace is made of.
#[derive(Debug, Clone, Copy)]
pub struct NewWorkspace<'a> {
    /// Whose it is.
    pub agent_pk: i64,
    /// The project it belongs to.
    pub project_pk: i64,
    /// Where it will be.
    pub path: &'a str,
    /// The repository it comes from.
    pub source: &'a str,
    /// `git`, `jj` or `copy`.
    pub kind: &'a str,
    /// The branch that will be its own.
    pub branch: &'a str,
    /// The commit it starts from.
    pub base_sha: &'a str,
}

/// Adds a workspace that is being made, and returns its key.
pub fn insert(tx: &WriteTx<'_>, workspace: &NewWorkspace<'_>) -> Result<i64> {
    tx.conn().execute(
        "INSERT INTO workspaces(uid,created_at,agent_pk,project_pk,kind,path,source,branch,base_sha,state,brought)
         VALUES(?1,?2,?3,?4,?9,?5,?6,?7,?8,'creating','[]')",
        params![
            Uuid::now_v7().to_string(),
            tx.at_text(),
            workspace.agent_pk,
            workspace.project_pk,
            workspace.path,
            workspace.source,
            workspace.branch,
            workspace.base_sha,
            workspace.kind
        ],
    )?;
    Ok(tx.conn().last_insert_rowid())
}

/// Records that the checkout stands, with the files brought along as JSON.
pub fn ready(tx: &WriteTx<'_>, pk: i64, brought: &str) -> Result<()> {
    tx.conn().execute(
        "UPDATE workspaces SET state='ready', brought=?2 WHERE pk=?1",
        params![pk, brought],
    )?;
    Ok(())
}

/// Puts a workspace into a state: `creating`, `ready`, `removing` or `branch_only`.
pub fn set_state(tx: &WriteTx<'_>, pk: i64, state: &str) -> Result<()> {
    tx.conn().execute("UPDATE workspaces SET state=?2 WHERE pk=?1", params![pk, state])?;
    Ok(())
}

/// Moves the recorded fork point.
pub fn set_base(tx: &WriteTx<'_>, pk: i64, base_sha: &str) -> Result<()> {
    tx.conn().execute("UPDATE workspaces SET base_sha=?2 WHERE pk=?1", params![pk, base_sha])?;
    Ok(())
}

/// Keeps what is known of a landing before its target moves.
pub fn set_landing(tx: &WriteTx<'_>, pk: i64, landing: &str) -> Result<()> {
    tx.conn().execute("UPDATE workspaces SET landing=?2 WHERE pk=?1", params![pk, landing])?;
    Ok(())
}

/// Records which commit of the branch was landed, which ends the landing under way.
pub fn set_landed(tx: &WriteTx<'_>, pk: i64, landed_sha: &str) -> Result<()> {
    tx.conn().execute(
        "UPDATE workspaces SET landed_sha=?2, landing=NULL WHERE pk=?1",
        params![pk, landed_sha],
    )?;
    Ok(())
}

/// Forgets a workspace.
pub fn delete(tx: &WriteTx<'_>, pk: i64) -> Result<()> {
    tx.conn().execute("DELETE FROM workspaces WHERE pk=?1", [pk])?;
    Ok(())
}

/// What was kept of a removed workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rescue {
    /// Its identity; empty before it is written.
    pub uid: String,
    /// When, RFC 3339; empty before it is written.
    pub created_at: String,
    /// The project's uid.
    pub project_uid: String,
    /// Whose workspace it was.
    pub agent_name: String,
    /// The repository that holds the refs.
    pub repository: String,
    /// The branch it was on.
    pub branch: String,
    /// The commit it was on.
    pub head: String,
    /// Refs below this hold its commit, index and tree.
    pub ref_prefix: Option<String>,
    /// The folder that holds its ignored files.
    pub trash_path: Option<String>,
    /// Which verb removed it.
    pub reason: String,
}

/// Records what was kept of a removed workspace.
pub fn insert_rescue(tx: &WriteTx<'_>, rescue: &Rescue) -> Result<()> {
    tx.conn().execute(
        "INSERT INTO rescues(uid,created_at,project_uid,agent_name,repository,branch,head,ref_prefix,trash_path,reason)
         VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)",
        params![
            Uuid::now_v7().to_string(),
            tx.at_text(),
            rescue.project_uid,
            rescue.agent_name,
            rescue.repository,
            rescue.branch,
            rescue.head,
            rescue.ref_prefix,
            rescue.trash_path,
            rescue.reason
        ],
    )?;
    Ok(())
}

/// What was kept of removed workspaces, newest first.
pub fn rescues(tx: &ReadTx<'_>) -> Result<Vec<Rescue>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT uid, created_at, project_uid, agent_name, repository, branch, head, ref_prefix, trash_path, reason
         FROM rescues ORDER BY pk DESC",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(Rescue {
            uid: row.get(0)?,
            created_at: row.get(1)?,
            project_uid: row.get(2)?,
            agent_name: row.get(3)?,
            repository: row.get(4)?,
            branch: row.get(5)?,
            head: row.get(6)?,
            ref_prefix: row.get(7)?,
            trash_path: row.get(8)?,
            reason: row.get(9)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
