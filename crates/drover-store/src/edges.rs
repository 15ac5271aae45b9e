//! Edges: which task blocks which.

use drover_core::task::State;
use rusqlite::params;

use crate::error::Result;
use crate::tasks::state_at;
use crate::tx::{ReadTx, WriteTx};

/// One end of an edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The task's key.
    pub pk: i64,
    /// Its id.
    pub id: String,
    /// Its state.
    pub state: State,
}

impl End {
    /// Whether an edge from this task is satisfied.
    pub fn is_satisfied(&self) -> bool {
        self.state.satisfies_edge()
    }
}

fn ends(tx: &ReadTx<'_>, sql: &str, pk: i64) -> Result<Vec<End>> {
    let mut statement = tx.conn().prepare_cached(sql)?;
    let rows = statement.query_map([pk], |row| {
        Ok(End { pk: row.get(0)?, id: row.get(1)?, state: state_at(row, 2)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The tasks that block this one, by id.
pub fn blockers(tx: &ReadTx<'_>, pk: i64) -> Result<Vec<End>> {
    let sql =
        "SELECT t.pk, d.handle, t.status, t.substate FROM edges e JOIN tasks t ON t.pk=e.blocker_pk
        JOIN task_derived d ON d.task_pk=t.pk WHERE e.blocked_pk=?1 ORDER BY d.handle";
    ends(tx, sql, pk)
}

/// The done blockers of a task whose work has a commit and has not landed, by id.
pub fn unlanded_blockers(tx: &ReadTx<'_>, pk: i64) -> Result<Vec<String>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT d.handle FROM edges e JOIN tasks t ON t.pk=e.blocker_pk JOIN task_derived d ON d.task_pk=t.pk
         WHERE e.blocked_pk=?1 AND t.substate='done'
         AND EXISTS(SELECT 1 FROM evidence v WHERE v.subject_uid=t.uid AND v.commit_oid IS NOT NULL)
         AND NOT EXISTS(SELECT 1 FROM evidence v WHERE v.subject_uid=t.uid AND v.kind='landed') ORDER BY d.handle",
    )?;
    Ok(statement.query_map([pk], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// The tasks that this one blocks, by id.
pub fn dependents(tx: &ReadTx<'_>, pk: i64) -> Result<Vec<End>> {
    let sql =
        "SELECT t.pk, d.handle, t.status, t.substate FROM edges e JOIN tasks t ON t.pk=e.blocked_pk
        JOIN task_derived d ON d.task_pk=t.pk WHERE e.blocker_pk=?1 ORDER BY d.handle";
    ends(tx, sql, pk)
}

/// The keys of the tasks that this one blocks.
pub fn dependent_keys(tx: &ReadTx<'_>, pk: i64) -> Result<Vec<i64>> {
    let mut statement =
        tx.conn().prepare_cached("SELECT blocked_pk FROM edges WHERE blocker_pk=?1")?;
    Ok(statement.query_map([pk], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// Every edge of a project, as (blocker, blocked) keys.
///
/// A project that has most of all edges reads them in the order in which they lie, and leaves out the few others.
pub fn of_project(tx: &ReadTx<'_>, project_pk: i64) -> Result<Vec<(i64, i64)>> {
    let conn = tx.conn();
    let mut statement =
        conn.prepare_cached("SELECT pk FROM tasks INDEXED BY tasks_state WHERE project_pk=?1")?;
    let tasks = statement
        .query_map([project_pk], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    let last: i64 = conn
        .prepare_cached("SELECT coalesce(max(pk),0) FROM edges")?
        .query_row([], |row| row.get(0))?;
    let pair = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    if usize::try_from(last).unwrap_or(usize::MAX) > tasks.len().saturating_mul(8) {
        let mut statement = conn.prepare_cached(
            "SELECT e.blocker_pk, e.blocked_pk FROM edges e JOIN tasks t ON t.pk=e.blocked_pk WHERE t.project_pk=?1",
        )?;
        return Ok(statement.query_map([project_pk], pair)?.collect::<rusqlite::Result<_>>()?);
    }
    let mut is_ours = vec![false; tasks.iter().max().map_or(0, |it| place(*it) + 1)];
    for pk in tasks {
        if let Some(slot) = is_ours.get_mut(place(pk)) {
            *slot = true;
        }
    }
    let mut statement = conn.prepare_cached("SELECT blocker_pk, blocked_pk FROM edges")?;
    let mut edges =
        statement.query_map([], pair)?.collect::<rusqlite::Result<Vec<(i64, i64)>>>()?;
    edges.retain(|it| is_ours.get(place(it.1)).copied().unwrap_or(false));
    Ok(edges)
}

/// The place of a key, which is never negative, in a list of all.
fn place(pk: i64) -> usize {
    usize::try_from(pk).unwrap_or(usize::MAX - 1)
}

/// Adds an edge; `false` when it was there. The caller has checked for a cycle.
pub fn insert(tx: &WriteTx<'_>, blocker_pk: i64, blocked_pk: i64) -> Result<bool> {
    let mut statement = tx.conn().prepare_cached(
        "INSERT INTO edges(uid,created_at,blocker_pk,blocked_pk)
         VALUES((SELECT uid FROM tasks WHERE pk=?1)||'>'||(SELECT uid FROM tasks WHERE pk=?2),?3,?1,?2)
         ON CONFLICT(blocker_pk,blocked_pk) DO NOTHING",
    )?;
    Ok(statement.execute(params![blocker_pk, blocked_pk, tx.at_text()])? == 1)
}

/// Removes an edge; `false` when there was none.
pub fn delete(tx: &WriteTx<'_>, blocker_pk: i64, blocked_pk: i64) -> Result<bool> {
    let changed = tx.conn().execute(
        "DELETE FROM edges WHERE blocker_pk=?1 AND blocked_pk=?2",
        params![blocker_pk, blocked_pk],
    )?;
    Ok(changed == 1)
}
