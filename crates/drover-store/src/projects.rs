//! Projects, their repositories, sessions, policy and trusted commands.

use rusqlite::{OptionalExtension as _, Row, params};
use uuid::Uuid;

use crate::error::Result;
use crate::tx::{ReadTx, WriteTx};

/// A project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// The row's key in this database.
    pub pk: i64,
    /// The identity that never changes.
    pub uid: String,
    /// The name people use.
    pub name: String,
    /// How many projects had this name before, plus one.
    pub generation: i64,
    /// What the project is called in full.
    pub title: String,
    /// `setup`, `active`, `reviewing` or `archived`.
    pub state: String,
    /// When it was made, RFC 3339.
    pub created_at: String,
}

const PROJECT: &str = "pk, uid, name, generation, title, state, created_at";

fn project_of(row: &Row<'_>) -> rusqlite::Result<Project> {
    Ok(Project {
        pk: row.get(0)?,
        uid: row.get(1)?,
        name: row.get(2)?,
        generation: row.get(3)?,
        title: row.get(4)?,
        state: row.get(5)?,
        created_at: row.get(6)?,
    })
}

/// The project of a name that is not archived.
pub fn find(tx: &ReadTx<'_>, name: &str) -> Result<Option<Project>> {
    let sql = format!(
        "SELECT {PROJECT} FROM projects WHERE name=?1 AND state<>'archived' ORDER BY name_hlc, uid LIMIT 1"
    );
    Ok(tx.conn().prepare_cached(&sql)?.query_row([name], project_of).optional()?)
}

/// The project of a key.
pub fn by_pk(tx: &ReadTx<'_>, pk: i64) -> Result<Option<Project>> {
    let sql = format!("SELECT {PROJECT} FROM projects WHERE pk=?1");
    Ok(tx.conn().prepare_cached(&sql)?.query_row([pk], project_of).optional()?)
}

/// The project of a uid.
pub fn by_uid(tx: &ReadTx<'_>, uid: &str) -> Result<Option<Project>> {
    let sql = format!("SELECT {PROJECT} FROM projects WHERE uid=?1");
    Ok(tx.conn().prepare_cached(&sql)?.query_row([uid], project_of).optional()?)
}

/// All projects, archived ones last, by name.
pub fn list(tx: &ReadTx<'_>) -> Result<Vec<Project>> {
    let sql = format!("SELECT {PROJECT} FROM projects ORDER BY state='archived', name, generation");
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([], project_of)?.collect::<rusqlite::Result<_>>()?)
}

/// The generation that the next project of this name gets, starting at 1.
pub fn next_generation(tx: &ReadTx<'_>, name: &str) -> Result<i64> {
    let last: Option<i64> = tx
        .conn()
        .query_row("SELECT generation FROM project_names WHERE name=?1", [name], |row| row.get(0))
        .optional()?;
    Ok(last.unwrap_or(0) + 1)
}

/// Adds an active project and returns its key.
pub fn insert(
    tx: &WriteTx<'_>,
    uid: &str,
    name: &str,
    generation: i64,
    title: &str,
) -> Result<i64> {
    tx.conn().execute(
        "INSERT INTO projects(uid,created_at,name,name_hlc,generation,title,state)
         VALUES(?1,?2,?3,(SELECT max(clock.hlc+1,writer.now_hlc) FROM clock, writer),?4,?5,'active')",
        params![uid, tx.at_text(), name, generation, title],
    )?;
    let pk = tx.conn().last_insert_rowid();
    used(tx, name, generation)?;
    Ok(pk)
}

/// The archived projects of a name, the newest first.
pub fn archived(tx: &ReadTx<'_>, name: &str) -> Result<Vec<Project>> {
    let sql = format!(
        "SELECT {PROJECT} FROM projects WHERE name=?1 AND state='archived' ORDER BY generation DESC"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([name], project_of)?.collect::<rusqlite::Result<_>>()?)
}

/// Gives a project another name, as the next one of that name; the caller has checked that it is free.
pub fn rename(tx: &WriteTx<'_>, pk: i64, name: &str) -> Result<()> {
    let generation = next_generation(tx, name)?;
    tx.conn().execute(
        "UPDATE projects SET name=?2, generation=?3,
           name_hlc=(SELECT max(clock.hlc+1,writer.now_hlc) FROM clock, writer) WHERE pk=?1",
        params![pk, name, generation],
    )?;
    used(tx, name, generation)
}

/// Remembers that a name was given away so often.
fn used(tx: &WriteTx<'_>, name: &str, generation: i64) -> Result<()> {
    tx.conn().execute(
        "INSERT INTO project_names(name,generation) VALUES(?1,?2)
         ON CONFLICT(name) DO UPDATE SET generation=max(generation,excluded.generation)",
        params![name, generation],
    )?;
    Ok(())
}

/// Puts a project into a state, `active` or `archived`.
pub fn set_state(tx: &WriteTx<'_>, pk: i64, state: &str) -> Result<()> {
    tx.conn().execute("UPDATE projects SET state=?2 WHERE pk=?1", params![pk, state])?;
    Ok(())
}

/// Whether a project had this name once, as the log tells.
pub fn was_called(tx: &ReadTx<'_>, uid: &str, name: &str) -> Result<bool> {
    let sql =
        "SELECT EXISTS(SELECT 1 FROM ops WHERE entity='project' AND uid=?1 AND old->>'name'=?2)";
    Ok(tx.conn().query_row(sql, [uid, name], |row| row.get(0))?)
}

/// Deletes a project with everything that belongs to it; each row is logged.
pub fn delete(tx: &WriteTx<'_>, pk: i64) -> Result<()> {
    tx.conn().execute("DELETE FROM projects WHERE pk=?1", [pk])?;
    Ok(())
}

/// How many rows a project holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Tasks of every state.
    pub tasks: i64,
    /// Tasks that are not closed.
    pub open_tasks: i64,
    /// Edges between its tasks.
    pub edges: i64,
    /// Notes on its tasks.
    pub notes: i64,
    /// Agents that are not closed.
    pub agents: i64,
    /// Workspaces with a checkout.
    pub workspaces: i64,
}

/// How many rows a project holds.
pub fn counts(tx: &ReadTx<'_>, pk: i64) -> Result<Counts> {
    let sql = "SELECT (SELECT count(*) FROM tasks WHERE project_pk=?1),
        (SELECT count(*) FROM tasks WHERE project_pk=?1 AND status<>'CLOSED'),
        (SELECT count(*) FROM edges JOIN tasks ON tasks.pk=blocked_pk WHERE project_pk=?1),
        (SELECT count(*) FROM notes JOIN tasks ON tasks.pk=task_pk WHERE project_pk=?1),
        (SELECT count(*) FROM agents WHERE project_pk=?1 AND lifecycle<>'closed'),
        (SELECT count(*) FROM workspaces WHERE project_pk=?1 AND state<>'branch_only')";
    Ok(tx.conn().query_row(sql, [pk], |row| {
        Ok(Counts {
            tasks: row.get(0)?,
            open_tasks: row.get(1)?,
            edges: row.get(2)?,
            notes: row.get(3)?,
            agents: row.get(4)?,
            workspaces: row.get(5)?,
        })
    })?)
}

/// A repository of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// `git`, `jj` or `copy`.
    pub kind: String,
    /// Its main working tree, or the directory that is copied.
    pub path: String,
    /// What all its working trees share; empty for a directory that is copied.
    pub git_common_dir: String,
    /// Where it came from.
    pub origin_url: Option<String>,
    /// The branch that was checked out when it was recorded; none when detached.
    pub base_branch: Option<String>,
    /// The commit that was checked out when it was recorded, or the digest of the directory.
    pub base_sha: String,
}

/// The first repository of a project.
pub fn repository(tx: &ReadTx<'_>, project_pk: i64) -> Result<Option<Repository>> {
    let sql =
        "SELECT path, git_common_dir, origin_url, base_branch, base_sha, kind FROM project_repos
        WHERE project_pk=?1 ORDER BY ordinal LIMIT 1";
    let found = tx.conn().prepare_cached(sql)?.query_row([project_pk], |row| {
        Ok(Repository {
            path: row.get(0)?,
            git_common_dir: row.get(1)?,
            origin_url: row.get(2)?,
            base_branch: row.get(3)?,
            base_sha: row.get(4)?,
            kind: row.get(5)?,
        })
    });
    Ok(found.optional()?)
}

/// Records the first repository of a project.
pub fn insert_repository(tx: &WriteTx<'_>, project_pk: i64, repository: &Repository) -> Result<()> {
    tx.conn().execute(
        "INSERT INTO project_repos(uid,created_at,project_pk,ordinal,path,git_common_dir,origin_url,base_branch,base_sha,kind)
         VALUES(?1,?2,?3,1,?4,?5,?6,?7,?8,?9)",
        params![
            Uuid::now_v7().to_string(),
            tx.at_text(),
            project_pk,
            repository.path,
            repository.git_common_dir,
            repository.origin_url,
            repository.base_branch,
            repository.base_sha,
            repository.kind
        ],
    )?;
    Ok(())
}

/// Forgets the repository of a project.
pub fn delete_repository(tx: &WriteTx<'_>, project_pk: i64) -> Result<()> {
    tx.conn().execute("DELETE FROM project_repos WHERE project_pk=?1", [project_pk])?;
    Ok(())
}

/// Every recorded repository with its project's key, in the order of the projects.
pub fn repositories(tx: &ReadTx<'_>) -> Result<Vec<(i64, String, String)>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT project_pk, path, git_common_dir FROM project_repos ORDER BY project_pk, ordinal",
    )?;
    Ok(statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?)
}

/// The multiplexer session of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Which multiplexer.
    pub mux: String,
    /// Its server's socket.
    pub mux_socket: String,
    /// The session's id on that server.
    pub session_id: String,
    /// The name it was given.
    pub session_name: String,
    /// Whether it was there before us.
    pub adopted: bool,
}

/// The multiplexer session of a project.
pub fn place(tx: &ReadTx<'_>, project_pk: i64) -> Result<Option<Place>> {
    let sql = "SELECT mux, mux_socket, session_id, session_name, adopted FROM project_places WHERE project_pk=?1";
    let found = tx.conn().prepare_cached(sql)?.query_row([project_pk], |row| {
        Ok(Place {
            mux: row.get(0)?,
            mux_socket: row.get(1)?,
            session_id: row.get(2)?,
            session_name: row.get(3)?,
            adopted: row.get(4)?,
        })
    });
    Ok(found.optional()?)
}

/// Records, or replaces, the multiplexer session of a project.
pub fn set_place(tx: &WriteTx<'_>, project_pk: i64, place: &Place) -> Result<()> {
    tx.conn().execute(
        "INSERT INTO project_places(uid,created_at,project_pk,mux,mux_socket,session_id,session_name,adopted)
         VALUES(?1,?2,?3,?4,?5,?6,?7,?8)
         ON CONFLICT(project_pk) DO UPDATE SET mux=excluded.mux, mux_socket=excluded.mux_socket,
           session_id=excluded.session_id, session_name=excluded.session_name, adopted=excluded.adopted",
        params![
            Uuid::now_v7().to_string(),
            tx.at_text(),
            project_pk,
            place.mux,
            place.mux_socket,
            place.session_id,
            place.session_name,
            place.adopted
        ],
    )?;
    Ok(())
}

/// Forgets the multiplexer session of a project.
pub fn clear_place(tx: &WriteTx<'_>, project_pk: i64) -> Result<()> {
    tx.conn().execute("DELETE FROM project_places WHERE project_pk=?1", [project_pk])?;
    Ok(())
}

/// The policy of a project: every key that was set, with its value.
pub fn policy(tx: &ReadTx<'_>, project_pk: i64) -> Result<Vec<(String, String)>> {
    let mut statement = tx
        .conn()
        .prepare_cached("SELECT key, value FROM policy_values WHERE project_pk=?1 ORDER BY key")?;
    Ok(statement
        .query_map([project_pk], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?)
}

/// Sets one policy value, or removes it.
pub fn set_policy(tx: &WriteTx<'_>, project_pk: i64, key: &str, value: Option<&str>) -> Result<()> {
    let Some(value) = value else {
        tx.conn().execute(
            "DELETE FROM policy_values WHERE project_pk=?1 AND key=?2",
            params![project_pk, key],
        )?;
        return Ok(());
    };
    tx.conn().execute(
        "INSERT INTO policy_values(uid,created_at,project_pk,key,value) VALUES(?1,?2,?3,?4,?5)
         ON CONFLICT(project_pk,key) DO UPDATE SET value=excluded.value",
        params![Uuid::now_v7().to_string(), tx.at_text(), project_pk, key, value],
    )?;
    Ok(())
}

/// A command that may run although it came from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trust {
    /// `verify` or `setup`.
    pub kind: String,
    /// SHA-256 of the command, in hex.
    pub digest: String,
    /// The command as it was shown.
    pub command: String,
    /// Where it came from.
    pub source: String,
    /// Who said yes.
    pub trusted_by: String,
}

/// The trusted commands of a project.
pub fn trusted(tx: &ReadTx<'_>, project_pk: i64) -> Result<Vec<Trust>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT kind, digest, command, source, trusted_by FROM command_trust WHERE project_pk=?1 ORDER BY pk",
    )?;
    let rows = statement.query_map([project_pk], |row| {
        Ok(Trust {
            kind: row.get(0)?,
            digest: row.get(1)?,
            command: row.get(2)?,
            source: row.get(3)?,
            trusted_by: row.get(4)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Whether the text with this digest may run.
pub fn is_trusted(tx: &ReadTx<'_>, project_pk: i64, kind: &str, digest: &str) -> Result<bool> {
    Ok(tx.conn().query_row(
        "SELECT EXISTS(SELECT 1 FROM command_trust WHERE project_pk=?1 AND kind=?2 AND digest=?3)",
        params![project_pk, kind, digest],
        |row| row.get(0),
    )?)
}

/// Records that a command may run; saying it again changes nothing.
pub fn trust(tx: &WriteTx<'_>, project_pk: i64, trust: &Trust) -> Result<bool> {
    let changed = tx.conn().execute(
        "INSERT INTO command_trust(uid,created_at,project_pk,kind,digest,command,source,trusted_by)
         VALUES(?1,?2,?3,?4,?5,?6,?7,?8) ON CONFLICT(project_pk,kind,digest) DO NOTHING",
        params![
            Uuid::now_v7().to_string(),
            tx.at_text(),
            project_pk,
            trust.kind,
            trust.digest,
            trust.command,
            trust.source,
            trust.trusted_by
        ],
    )?;
    Ok(changed == 1)
}

/// Takes back that a command may run; `false` when nobody had said so.
pub fn distrust(tx: &WriteTx<'_>, project_pk: i64, kind: &str, digest: &str) -> Result<bool> {
    let changed = tx.conn().execute(
        "DELETE FROM command_trust WHERE project_pk=?1 AND kind=?2 AND digest=?3",
        params![project_pk, kind, digest],
    )?;
    Ok(changed == 1)
}
